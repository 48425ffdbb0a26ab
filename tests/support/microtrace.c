#include "microtrace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "tests/support/gpus.h"
#include "tests/support/replay_trace.h"

void micro_kernel(struct micro *m, const char *name, uint32_t ctas, uint32_t threads, uint32_t shmem,
                  uint32_t regs)
{
	ct_buf_printf(
		&m->text,
		"-kernel name = %s\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n"
		"-shmem = %u\n-nregs = %u\n-binary version = 80\n-cuda stream id = 0\n"
		"-shmem base_addr = 0x00007f6000000000\n-local mem base_addr = 0x00007f5000000000\n"
		"-nvbit version = 1.5.5\n-accelsim tracer version = 4\n-enable lineinfo = 0\n\n"
		"#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
		"[reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n",
		name, ctas, threads, shmem, regs);
	m->ctas = 0;
}

void micro_cta(struct micro *m)
{
	ct_buf_printf(&m->text, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", m->ctas++);
}

void micro_cta_end(struct micro *m)
{
	ct_buf_puts(&m->text, "\n#END_TB\n\n");
}

void micro_warp(struct micro *m, uint32_t warp, uint32_t insts)
{
	ct_buf_printf(&m->text, "warp = %u\ninsts = %u\n", warp, insts);
	m->pc = 0;
}

void micro_line(struct micro *m, const char *fmt, ...)
{
	char line[2048];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	ct_buf_printf(&m->text, "%04x %s\n", m->pc, line);
	m->pc += 16;
}

void micro_one_warp(struct micro *m, uint32_t n, const char *const *lines)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 1, 32, 0, 32);
	micro_cta(m);
	micro_warp(m, 0, n + 1);
	for (uint32_t i = 0; i < n; i++)
		micro_line(m, "%s", lines[i]);
	micro_line(m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(m);
}

void micro_loads(struct micro *m, const char *name, uint32_t ctas, uint32_t warps, uint32_t loads,
                 uint32_t stride,
                 uint32_t (*address)(const void *ctx, uint32_t cta, uint32_t warp, uint32_t load),
                 const void *ctx)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, name, ctas, 32 * warps, 0, 32);
	for (uint32_t c = 0; c < ctas; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < warps; w++) {
			micro_warp(m, w, loads + 1);
			for (uint32_t i = 0; i < loads; i++)
				micro_line(m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x %u", 4 + i % 8,
				           address(ctx, c, w, i), stride);
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct micro_result *r = ctx;
	if (r->issues == MICRO_MAX_ISSUES)
		return;
	r->issue[r->issues] = ev->cycle;
	r->sid[r->issues] = ev->inst->sid;
	r->sm[r->issues] = ev->sm;
	r->warp[r->issues++] = ev->warp_slot;
}

static uint64_t bits(uint32_t v)
{
	uint64_t n = 0;
	for (; v; v &= v - 1)
		n++;
	return n;
}

static uint32_t pick(uint64_t *seed, uint32_t n)
{
	return (uint32_t)(ct_rand64(seed) % n);
}

static void random_line(struct micro *m, uint64_t *seed)
{
	uint32_t d = 4 + pick(seed, 12), s = 4 + pick(seed, 12),
		 mask = pick(seed, 4) ? 0xffffffffu : 0xffffu;
	uint32_t at = 0x10000000 + 32 * pick(seed, 4000);
	static const char *const alu[] = {"FFMA", "IADD3", "MUFU.RCP", "HFMA2", "BRA", "UMOV", "NOVEL"};
	static const int stride[] = {4, 0, 8, 128, 32, -4};
	int st = stride[pick(seed, 6)];
	switch (pick(seed, 14)) {
	case 0: micro_line(m, "%08x 1 R%u LDG.E 1 R%u 4 1 0x%x %d", mask, d, s, at, st); break;
	case 1: micro_line(m, "%08x 1 R%u LDG.E.64 1 R%u 8 1 0x%x %d", mask, d, s, at, st * 2); break;
	case 2: micro_line(m, "%08x 0 STG.E 2 R%u R%u 4 1 0x%x %d", mask, d, s, at, st); break;
	case 3: micro_line(m, "%08x 0 STL.64 2 R1 R%u 8 1 0x%x 0", mask, s, 8 * pick(seed, 16)); break;
	case 4: micro_line(m, "%08x 1 R%u LDL 1 R1 4 1 0x%x 0", mask, d, 4 * pick(seed, 32)); break;
	case 5:
		micro_line(m, "%08x 1 R%u LDS 1 R%u 4 1 0x%x %d", mask, d, s, pick(seed, 64) * 4, st);
		break;
	case 6:
		micro_line(m, "%08x 1 R%u ATOMG.E.ADD.STRONG.GPU 2 R%u R2 4 1 0x%x %d", mask, d, s, at,
		           st);
		break;
	case 7:
		micro_line(m, "%08x 1 R%u LDG.E.STRONG.GPU 1 R%u 4 1 0x%x %d", mask, d, s, at, st);
		break;
	case 8: micro_line(m, "%08x 0 LDGSTS.E 2 R%u R%u 4 1 0x%x %d", mask, d, s, at, st); break;
	case 9: micro_line(m, "ffffffff 0 LDGDEPBAR 0 0"); break;
	case 10: micro_line(m, "ffffffff 0 DEPBAR.LE 0 0 %u", pick(seed, 3)); break;
	case 11:
		micro_line(m, pick(seed, 8) ? "ffffffff 0 NOP 0 0" : "ffffffff 0 MEMBAR.SC.GPU 0 0");
		break;
	default: micro_line(m, "%08x 1 R%u %s 2 R%u R%u 0", mask, d, alu[pick(seed, 7)], s, d); break;
	}
}

void micro_random(struct micro *m, uint64_t seed, int launches, uint32_t ctas, uint32_t warps,
                  uint32_t insts)
{
	memset(m, 0, sizeof *m);
	for (int l = 0; l < launches; l++) {
		micro_kernel(m, l ? "b" : "a", ctas, warps * 32, 4096, 40);
		for (uint32_t c = 0; c < ctas; c++) {
			micro_cta(m);
			for (uint32_t w = 0; w < warps; w++) {
				micro_warp(m, w, insts + 4);
				for (uint32_t i = 0; i < insts; i++) {
					if (i % 20 == 19)
						micro_line(m, "ffffffff 0 BAR.SYNC 0 0");
					else
						random_line(m, &seed);
				}
				micro_line(m, "ffffffff 0 LDGDEPBAR 0 0");
				micro_line(m, "ffffffff 0 DEPBAR.LE 0 0 0");
				micro_line(m, "ffffffff 1 R9 FADD 2 R4 R5 0");
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

static void on_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct micro_result *r = ctx;
	assert_int_equal(ev->hit & ev->pending, 0);
	assert_int_equal(ev->sector_miss & ev->line_miss, 0);
	if (!ev->bypass)
		assert_int_equal(ev->hit | ev->pending | ev->sector_miss | ev->line_miss, ev->sectors);
	r->l1_hit += bits(ev->hit);
	r->l1_pending += bits(ev->pending);
	r->l1_miss += bits(ev->sector_miss | ev->line_miss);
}

static void on_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct micro_result *r = ctx;
	assert_int_equal(ev->hit | ev->pending | ev->miss, ev->sectors);
	r->llc_events++;
}

static void on_mem(void *ctx, const struct ct_mem_event *ev)
{
	struct micro_result *r = ctx;
	assert_true(ev->issued < ev->taken && ev->taken < ev->done && ev->busy >= 1);
	if (r->mems < sizeof r->mem / sizeof r->mem[0]) {
		struct ct_mem_event
			*m = &r->mem[r->mems]; /* without its padding: results are compared */
		m->sm = ev->sm;
		m->warp_slot = ev->warp_slot;
		m->issued = ev->issued;
		m->taken = ev->taken;
		m->done = ev->done;
		m->busy = ev->busy;
	}
	r->mems++;
}

void micro_run(struct micro *m, const struct ct_gpu *g, const struct ct_replay_options *o,
               struct micro_result *res)
{
	struct ct_error e = {0};
	if (micro_try(m, g, o, res, &e) < 0)
		fail_msg("%s", e.text);
}

int micro_try(struct micro *m, const struct ct_gpu *g, const struct ct_replay_options *o,
              struct micro_result *res, struct ct_error *e)
{
	struct ct_source *s = NULL;
	struct ct_trace *t = NULL;
	struct ct_replay *r = NULL;
	struct ct_replay_observer seen[2] = {
		{.ctx = res, .l1 = on_l1, .llc = on_llc, .issue = on_issue, .mem = on_mem}};
	struct ct_replay_options opt = {0};
	struct ct_trace_options topt = {.no_threads = 1};
	memset(res, 0, sizeof *res);
	if (o)
		opt = *o;
	if (opt.n_observers)
		seen[1] = opt.observers[0];
	opt.n_observers = opt.n_observers ? 2 : 1;
	opt.observers = seen;
	assert_int_equal(m->text.failed, 0);
	if (ct_source_open_memory(&s, "micro", m->text.data, m->text.len, e) < 0 ||
	    ct_trace_open_source(&t, s, &topt, e) < 0 || ct_replay_new(&r, g, &opt, e) < 0)
		fail_msg("%s", e->text);
	int st = replay_trace(r, t, e);
	ct_replay_total(r, &res->c);
	ct_replay_free(r);
	ct_trace_close(t);
	ct_buf_free(&m->text);
	return st;
}

void micro_gpu(struct ct_gpu *g, int which)
{
	static const char *const name[MICRO_GPUS] = {"qv100", "rtx3070", "rtx2060"};
	/* what doc/replay.md sections 9 and 11 list and data/gpus sets to the boards' values */
	static const char *const set[MICRO_GPUS][6] = {
		{"clock.core=1132", "clock.noc=1132", "clock.llc=1132", "clock.dram=850",
	         "dram.latency=100", "sm.max_ctas=32"},
		{"clock.core=1132", "clock.noc=1132", "clock.llc=1132", "clock.dram=3500.5",
	         "dram.latency=254", "sm.max_ctas=32"},
		{"clock.core=1365", "clock.noc=1365", "clock.llc=1365", "clock.dram=3500.5",
	         "dram.latency=96", "sm.max_ctas=16"},
	};
	test_gpu_with(g, name[which], set[which], 6);
}
