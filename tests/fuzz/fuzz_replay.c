/* The replay engine on random programs: any GPU that passes its check, with any combination of
 * parts. The input is a recipe (below) from which a trace is written, read and run; every
 * instruction of it has to issue once, what the observers see has to fit the counts, and the
 * run has to end. */
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "replay/parts.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_LINES = 24, MAX_KERNELS = 2 };

/* ---- the recipe ------------------------------------------------------------------------- */

struct recipe {
	const uint8_t *p, *end;
};

static unsigned take(struct recipe *r)
{
	return r->p < r->end ? *r->p++ : 0;
}

static void must(int ok)
{
	if (!ok)
		abort();
}

/* What a byte may set any key of a GPU to. Sizes stay small: so does the memory. */
/* clang-format off */
static const char *const values[] = {
	"0", "1", "2", "3", "4", "5", "7", "8", "12", "16", "20", "24", "31", "32", "48", "64", "96",
	"100", "128", "200", "256", "512", "1000", "1024", "2048", "4096", "16KiB", "32KiB", "48KiB",
	"64KiB", "128KiB", "256KiB", "1MiB", "0.5", "1.5", "333", "1410.5", "off", "on", "gto", "lrr",
	"two_level", "oldest", "strict_rr", "warp_limit", "through_no_allocate", "evict",
	"through_allocate", "back_fetch", "back_validate", "linear", "xor", "ipoly", "fermi", "pae", "fold",
	"lru", "fifo", "miss", "fill", "stream", "none", "global", "all", "crossbar", "mesh", "butterfly",
	"0,16KiB", "0,8KiB,64KiB", "4,1", "2,2", "20,8", "1,0", "300,32"};
/* clang-format on */

/* And the one key of which none of those is a value: 16, 8 and 4 banks, one channel bit among them. */
static const char *const mappings[] = {
	"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
	"dramid@9;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCC.CCCSSSSS",
	"dramid@12;00000000.00000000.00000000.00000000.00RRRRRR.RRRRRBRB.CCCCCCCC.CSSSSSSS",
	"00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCD.BCCSSSSS", ""};

static void gpu_of(struct recipe *r, struct ct_gpu *g)
{
	static const char *const small[] = {
		"sm.count=4", "llc.slices=4", "dram.channels=2", "llc.partitions=2", "llc.size=256KiB"};
	struct ct_error e;
	ct_gpu_defaults(g);
	g->dram_mapping[0] = 0;
	for (size_t i = 0; i < sizeof small / sizeof *small; i++)
		must(ct_gpu_set(g, small[i], &e) == 0);
	must(ct_gpu_check(g, &e) == 0);
	for (unsigned n = take(r) % 8; n > 0; n--) {
		const struct ct_gpu_key *k = ct_gpu_key_at(take(r) % ct_gpu_key_count());
		unsigned pick = take(r);
		const char *v = values[pick % (sizeof values / sizeof *values)];
		if (!strcmp(k->name, "dram.mapping"))
			v = mappings[pick % (sizeof mappings / sizeof *mappings)];
		struct ct_gpu now = *g;
		char text[256];
		strcpy(text, k->name);
		strcat(strcat(text, "="), v);
		if (ct_gpu_set(&now, text, &e) == 0 && ct_gpu_check(&now, &e) == 0 && now.sms <= 64 &&
		    now.llc_slices <= 256 && ct_gpu_llc_bytes(&now) <= 8 << 20 && now.l1.size <= 1 << 20)
			*g = now;
	}
}

/* ---- the program ------------------------------------------------------------------------ */

/* Destination ("": a register of the line's), opcode, sources; width, and whether the line names addresses. */
/* clang-format off */
static const struct { const char *dst, *op; unsigned src, width; } ops[] = {
	{"", "IADD3", 3, 0}, {"", "FFMA", 3, 0}, {"", "DADD", 2, 0},
	{"", "MUFU.RCP", 1, 0}, {"", "HFMA2.MMA", 3, 0}, {"", "HMMA.16816.F32", 3, 0},
	{"", "IMAD.WIDE", 3, 0}, {"", "TEX", 1, 0}, {"1 UR4", "UIADD3", 1, 0},
	{"1 P0", "ISETP.GE.AND", 2, 0}, {"", "SHFL.DOWN", 1, 0}, {"", "NOSUCH.OP", 2, 0},
	{"", "S2R", 0, 0}, {"0", "BRA", 0, 0}, {"0", "NOP", 0, 0}, {"0", "WARPSYNC", 0, 0},
	{"0", "BAR.SYNC", 0, 0}, {"0", "BAR.RED.POPC", 0, 0}, {"0", "MEMBAR.SC.GPU", 0, 0},
	{"0", "MEMBAR.SC.CTA", 0, 0}, {"0", "LDGDEPBAR", 0, 0}, {"0", "DEPBAR.LE", 0, 0},
	{"0", "EXIT", 0, 0}, {"0", "CCTL.IVALL", 0, 0},
	{"", "LDG.E", 1, 4}, {"", "LDG.E.64", 1, 8}, {"", "LDG.E.128", 1, 16},
	{"", "LDG.E.U8", 1, 1}, {"", "LDG.E.STRONG.GPU", 1, 4}, {"", "LDG.E.CONSTANT", 1, 4},
	{"", "LD.E", 1, 4}, {"0", "ST.E", 2, 4}, {"0", "STG.E", 2, 4}, {"0", "STG.E.128", 2, 16},
	{"0", "STG.E.U8", 2, 1}, {"", "LDL", 1, 4}, {"0", "STL.64", 2, 8}, {"", "LDS", 1, 4},
	{"", "LDS.128", 1, 16}, {"0", "STS", 2, 4}, {"", "ATOMG.E.ADD", 2, 4},
	{"", "ATOMS.ADD", 2, 4}, {"0", "RED.E.ADD.STRONG.GPU", 2, 4}, {"0", "LDGSTS.E", 2, 4},
	{"0", "LDGSTS.E.BYPASS.128", 2, 16}, {"", "LDC", 1, 4}, {"", "LDSM.16.M88.4", 1, 16}};
/* clang-format on */
enum { OPS = sizeof ops / sizeof *ops };

struct line {
	unsigned op, reg, lanes, place, stride;
};
struct launch {
	struct line line[MAX_LINES];
	unsigned n, ctas, warps, shmem, regs;
};

static void launch_of(struct recipe *r, struct launch *k)
{
	unsigned head = take(r);
	k->ctas = 1 + (head & 3);
	k->warps = 1 + (head >> 3 & 3);
	k->shmem = head >> 6 ? 1u << (8 + 2 * (head >> 6)) : 0;
	k->regs = 8 + take(r) % 120;
	k->n = 1 + take(r) % (MAX_LINES - 1);
	for (unsigned i = 0; i < k->n; i++)
		k->line[i] = (struct line){take(r) % OPS, take(r), take(r), take(r), take(r)};
}

/* Some lines only some warps have; some name other lanes, addresses, strides. */
static int has(const struct line *l, unsigned cta, unsigned warp)
{
	return !(l->lanes & 0x40) || ((cta + warp) & 1);
}

static void write_line(struct ct_buf *b, const struct line *l, unsigned pc, unsigned cta, unsigned warp)
{
	static const uint32_t masks[] = {
		0xffffffff, 0xffffffff, 1, 0x80000000, 0xffff, 0x55555555, 0, 0xf0};
	static const char *const strides[] = {"4", "0", "8", "128", "-4", "32", "65536", "1"};
	uint64_t at = UINT64_C(0x7f0000000000);
	if (ops[l->op].width &&
	    (strstr(ops[l->op].op, "LDS") == ops[l->op].op || strstr(ops[l->op].op, "STS") ||
	     strstr(ops[l->op].op, "ATOMS") || l->place & 0x80))
		at = l->place & 0x40 ? 0 : UINT64_C(0x7f6000000000); /* shared or low */
	at += (uint64_t)(l->place & 0x1f) * 128 + (l->place & 0x20 ? 12 : 0);
	at += l->stride & 0x80 ? (uint64_t)(cta * 64 + warp) * 4096 : 0;
	ct_buf_printf(b, "%04x %08x ", pc * 16, masks[l->lanes & 7]);
	if (ops[l->op].dst[0])
		ct_buf_puts(b, ops[l->op].dst);
	else
		ct_buf_printf(b, "1 R%u", l->reg & 0x1f);
	ct_buf_printf(b, " %s %u", ops[l->op].op, ops[l->op].src);
	for (unsigned i = 0; i < ops[l->op].src; i++)
		ct_buf_printf(b, " R%u", (l->reg >> 5) * 3 + i * 2);
	if (!ops[l->op].width)
		ct_buf_printf(b, " 0%s\n",
		              strcmp(ops[l->op].op, "DEPBAR.LE") ? ""
		              : l->place & 1                     ? " 1"
		                                                 : " 0");
	else if (masks[l->lanes & 7] == 0)
		ct_buf_puts(b, " 0\n");
	else
		ct_buf_printf(b, " %u 1 0x%llx %s\n", ops[l->op].width, (unsigned long long)at,
		              strides[l->stride & 7]);
}

static void write_warp(struct ct_buf *b, const struct launch *k, unsigned cta, unsigned warp,
                       uint64_t *insts)
{
	unsigned n = 0;
	for (unsigned i = 0; i < k->n; i++)
		n += (unsigned)has(&k->line[i], cta, warp);
	ct_buf_printf(b, "warp = %u\ninsts = %u\n", warp, n);
	for (unsigned i = 0; i < k->n; i++)
		if (has(&k->line[i], cta, warp))
			write_line(b, &k->line[i], i, cta, warp);
	*insts += n;
}

static void write_launch(struct ct_buf *b, const struct launch *k, uint64_t *insts)
{
	ct_buf_printf(
		b,
		"-kernel name = k\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n"
		"-shmem = %u\n-nregs = %u\n-binary version = 80\n-cuda stream id = 0\n"
		"-shmem base_addr = 0x00007f6000000000\n-local mem base_addr = 0x00007f5000000000\n"
		"-nvbit version = 1.5.5\n-accelsim tracer version = 4\n-enable lineinfo = 0\n\n",
		k->ctas, k->warps * 32, k->shmem, k->regs);
	for (unsigned c = 0; c < k->ctas; c++) {
		ct_buf_printf(b, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", c);
		for (unsigned w = 0; w < k->warps; w++)
			write_warp(b, k, c, w, insts);
		ct_buf_puts(b, "\n#END_TB\n\n");
	}
}

/* ---- the parts -------------------------------------------------------------------------- */

enum { MECHANISMS_MOST = 3 };

struct parts {
	struct ct_replay_parts all;
	const struct ct_mechanism *mechanism[MECHANISMS_MOST];
	void *made[MECHANISMS_MOST];
	struct ct_two_level *two;
	int any;
};

/* 1 when the parts of *more claim what nobody has claimed yet. */
static int is_free(const struct ct_replay_parts *p, const struct ct_replay_parts *more)
{
	return !((p->shaper && more->shaper) || (p->l1 && more->l1) || (p->llc && more->llc) ||
	         (p->sched && more->sched) || (p->admission && more->admission) ||
	         (p->admission && more->l1) || (p->l1 && more->admission) ||
	         (p->collector && more->collector) || (p->network && more->network) ||
	         (p->own && more->own) || (p->owned && more->owned));
}

static void plug_in(struct ct_replay_parts *p, const struct ct_replay_parts *more)
{
	p->shaper = more->shaper ? more->shaper : p->shaper;
	p->l1 = more->l1 ? more->l1 : p->l1;
	p->admission = more->admission ? more->admission : p->admission;
	p->llc = more->llc ? more->llc : p->llc;
	p->sched = more->sched ? more->sched : p->sched;
	p->collector = more->collector ? more->collector : p->collector;
	p->network = more->network ? more->network : p->network;
	p->own = more->own ? more->own : p->own;
	p->owned = more->owned ? more->owned : p->owned;
	p->window = more->window && (!p->window || more->window < p->window) ? more->window : p->window;
}

/* The parts of any mechanism with any settings, as slot i. Parts that change the GPU have to come first: others are made
 * for the GPU that they find. What places they take is what the mechanism claims. */
static void add_mechanism(struct recipe *r, struct parts *p, unsigned i, struct ct_gpu *g)
{
	const struct ct_mechanism *m = ct_mechanism_at(take(r) % (ct_mechanism_count() + 1));
	struct ct_replays_engine engine;
	uint8_t bytes[CT_ANY_ENGINE_BYTES];
	struct ct_error e;
	for (unsigned k = 0; k < CT_ANY_ENGINE_BYTES; k++)
		bytes[k] = (uint8_t)take(r);
	if (!m || !m->any_engine)
		return;
	p->mechanism[i] = m;
	if (m->any_engine(g, bytes, &engine, &p->made[i], &e) != 0)
		return;
	const struct ct_replay_parts *more = engine.options.parts;
	must(!(more->llc || more->owned) || (m->places & (CT_PLACE_LLC | CT_PLACE_SMS)));
	must(!more->collector || (m->places & CT_PLACE_COLLECTOR));
	must(!more->admission || (m->places & CT_PLACE_L1_ADMISSION));
	must(!more->l1 || (m->places & (CT_PLACE_L1_LINES | CT_PLACE_L1_SHARING)));
	if (!is_free(&p->all, more) || (engine.gpu != g && p->any))
		return;
	plug_in(&p->all, more);
	*g = *engine.gpu;
	p->any = 1;
}

static void add_two_level(struct recipe *r, struct parts *p, const struct ct_gpu *g)
{
	struct ct_error e;
	if (take(r) % 3 != 2 || p->all.sched || ct_two_level_new(&p->two, g, 1 + take(r) % 16, &e) != 0)
		return;
	p->all.sched = ct_two_level_part(p->two);
	p->any = 1;
}

static void free_parts(struct parts *p)
{
	for (unsigned i = 0; i < MECHANISMS_MOST; i++)
		if (p->mechanism[i])
			p->mechanism[i]->any_engine_free(p->made[i]);
	ct_two_level_free(p->two);
}

/* ---- the run ---------------------------------------------------------------------------- */

struct seen {
	uint64_t issued, last;
};

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	((struct seen *)ctx)->issued++;
	must(ev->inst->sid != UINT32_MAX);
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	(void)ctx;
	must((ev->hit & ev->pending) == 0 && (ev->sector_miss & ev->line_miss) == 0);
	must(((ev->hit | ev->pending | ev->sector_miss | ev->line_miss) & ~ev->sectors) == 0);
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	(void)ctx;
	must(((ev->hit | ev->pending | ev->miss) & ~ev->sectors) == 0);
}

static void on_mem(void *ctx, const struct ct_mem_event *ev)
{
	(void)ctx;
	must(ev->issued <= ev->taken && ev->taken <= ev->done);
}

/* 0, or what the engine said before anything ran (a CTA that does not fit). */
static int feed(struct ct_trace *t, struct ct_replay *r, int *begun)
{
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	while (ct_trace_next(t, &ev, &e) > 0) {
		if (ct_replay_kernel_begin(r, ev.kernel, &e) < 0)
			return -1;
		*begun = 1;
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			int st = ct_replay_push_cta(r, cta, &e);
			ct_cta_unref(cta);
			if (st < 0)
				return st;
		}
		int st = ct_replay_kernel_end(r, NULL, &e);
		if (st < 0)
			return st;
	}
	return 0;
}

static void run(const struct ct_gpu *g, const struct ct_replay_options *o, const struct ct_buf *text,
                uint64_t insts)
{
	struct ct_trace_options to = {.no_threads = 1};
	struct ct_replay_counts c;
	struct ct_replay_options opt = *o;
	struct seen seen = {0};
	struct ct_replay_observer watch = {
		.ctx = &seen,
		.l1 = on_l1,
		.llc = on_llc,
		.issue = on_issue,
		.mem = o->timing == CT_REPLAY_FULL ? on_mem : NULL};
	struct ct_source *s;
	struct ct_trace *t = NULL;
	struct ct_replay *r;
	struct ct_error e;
	int st, begun = 0;
	opt.observers = &watch;
	opt.n_observers = 1;
	if (ct_replay_new(&r, g, &opt, &e) < 0)
		return;
	must(ct_source_open_memory(&s, "fuzz", text->data, text->len, &e) == 0);
	st = ct_trace_open_source(&t, s, &to, &e);
	must(st == 0);
	st = feed(t, r, &begun);
	must(st == 0 || !begun || st == -1 || st == CT_ERR_LIMIT || st == CT_ERR_UNSUPPORTED);
	ct_replay_total(r, &c);
	if (st == 0)
		must(c.warp_insts == insts && seen.issued == insts);
	must(c.l1_misses <= c.l1_accesses && c.llc_misses <= c.llc_accesses &&
	     c.launch_cycles <= c.cycles);
	ct_replay_free(r);
	ct_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recipe r = {data, data + size};
	static struct launch k;
	struct parts p;
	struct ct_gpu g;
	struct ct_buf text = {0};
	uint64_t insts = 0;
	unsigned how = take(&r);
	memset(&p, 0, sizeof p);
	gpu_of(&r, &g);
	if (!(how & 1)) {
		for (unsigned i = 0; i < MECHANISMS_MOST; i++)
			add_mechanism(&r, &p, i, &g);
		add_two_level(&r, &p, &g);
	}
	struct ct_replay_options o = {
		.timing = how & 1 && how & 2 ? CT_REPLAY_QUICK : CT_REPLAY_FULL,
		.replication = how >> 2 & 1,
		.warmup = 0,
		.free = how & 8 ? take(&r) & 0x7f : 0,
		.parts = p.any ? &p.all : NULL};
	if (p.any || o.timing != CT_REPLAY_FULL)
		o.free = 0;
	if (p.all.l1)
		o.replication = 0;
	for (unsigned n = 0; n < MAX_KERNELS && (n == 0 || r.p < r.end); n++) {
		launch_of(&r, &k);
		write_launch(&text, &k, &insts);
	}
	if (!text.failed)
		run(&g, &o, &text, insts);
	free_parts(&p);
	ct_buf_free(&text);
	return 0;
}
