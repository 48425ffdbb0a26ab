/* nvbit.c - logs of NVBit's mem_trace tool and its relatives: records among the output
 * of the application (doc/formats.md section 9). */
#include "trace/private/nvbit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "trace/opcode.h"
#include "trace/private/text.h"

/* Shared memory ends below a megabyte on every GPU, global pointers have 47 bits
 * (doc/formats.md section 5). */
#define SHARED_END 0x100000u

struct reader {
	struct ct_log *log;
	struct ct_buf clean; /* a line without terminal codes */
	uint32_t epoch;
	int has_line, has_zero;
	uint64_t first_line_id;          /* printed by the first launch line */
	uint64_t unknown, first_unknown; /* marked lines of no known kind; line of the first */
	uint64_t shared_halves;          /* LDGSTS records of the destination, passed over */
	struct ct_nvbit_access access;
	struct ct_log_record record;
};

/* ---- lines ---- */

/* Notes a launch that the log announces. A number that comes again begins another run of the program. */
static int launch_line(struct reader *r, const struct ct_nvbit_launch *n, struct ct_error *e)
{
	struct ct_log *l = r->log;
	/* The same number again: several runs in one log. */
	if (ct_log_item(l, 1, r->epoch, n->id, 0, e))
		r->epoch++;
	struct ct_log_item *x = ct_log_item(l, 1, r->epoch, n->id, 1, e);
	if (!x)
		return e->status;
	if (!r->has_line)
		r->first_line_id = n->id;
	r->has_line = 1;
	struct ct_kernel *k = &x->kernel;
	memcpy(k->grid, n->grid, sizeof k->grid);
	memcpy(k->block, n->block, sizeof k->block);
	k->regs = (uint32_t)n->regs;
	k->shmem_bytes = n->shmem;
	k->stream = n->stream;
	k->name = n->name_length ? ct_strndup(n->name, n->name_length) : ct_strndup("unknown", 7);
	return k->name ? CT_OK : ct_fail_nomem(e);
}

static void fill_inst(const struct ct_nvbit_access *a, struct ct_log_record *o, char *opcode)
{
	memcpy(opcode, a->opcode, a->opcode_length);
	opcode[a->opcode_length] = '\0';
	o->inst = (struct ct_sinst){.opcode = opcode, .pc = a->pc};
	o->inst.width_field = a->size ? (uint16_t)a->size : ct_accelsim_width_field(opcode);
	if (o->inst.width_field == 0)
		o->inst.width_field = 4;
	o->opcode_length = a->opcode_length;
	ct_opcode_classify(&o->inst);
}

/* Whether the tail copies addresses of earlier lanes other than the one where the last
 * new address came: what a shuffle from lanes that took no part looks like. Such a
 * record may as well be right. */
static int is_doubtful(const struct ct_log_record *o)
{
	unsigned fresh = 0;
	for (unsigned i = 1; i < CT_WARP_LANES; i++) {
		unsigned k = 0;
		if (!(o->mask >> i & 1))
			continue;
		while (k < i && !((o->mask >> k & 1) && o->addr[k] == o->addr[i]))
			k++;
		if (k == i)
			fresh = i;
	}
	for (unsigned i = fresh + 1; i < CT_WARP_LANES; i++)
		if ((o->mask >> i & 1) && (o->mask >> fresh & 1) && o->addr[i] != o->addr[fresh])
			return 1;
	return 0;
}

/* Which lanes to believe (section 3). Returns 1 when the record is the shared half of an
 * LDGSTS: the other record says all that counts. */
static int choose_lanes(struct reader *r, const struct ct_nvbit_access *a)
{
	struct ct_trace_stats *s = r->log->env->stats;
	struct ct_log_record *o = &r->record;
	int zero_is_real = o->inst.space == CT_SPACE_SHARED || o->inst.space == CT_SPACE_LOCAL;
	unsigned zeros = 0;
	uint64_t highest = 0;
	o->mask = a->lanes;
	memcpy(o->addr, a->addr, sizeof o->addr);
	for (unsigned i = 0; i < CT_WARP_LANES; i++) {
		if (!(a->lanes >> i & 1))
			continue;
		if (a->addr[i] > highest)
			highest = a->addr[i];
		if (a->addr[i] == 0) {
			zeros++;
			if (!zero_is_real)
				o->mask &= ~(UINT32_C(1) << i);
		}
	}
	if (o->inst.access == CT_ACCESS_ASYNC && highest < SHARED_END)
		return 1;
	if (zero_is_real)
		s->ambiguous_lanes += zeros;
	else
		s->dropped_lanes += zeros;
	s->doubtful_records += (uint64_t)is_doubtful(o);
	return 0;
}

/* Puts an access into its launch. The shared half of an LDGSTS is left out, since the other half has its
 * addresses. */
static int access_line(struct reader *r, struct ct_error *e)
{
	const struct ct_nvbit_access *a = &r->access;
	struct ct_log_record *o = &r->record;
	char opcode[CT_OPCODE_MAX + 1];
	struct ct_log_item *x = ct_log_item(r->log, 0, r->epoch, a->id, 1, e);
	if (!x)
		return e->status;
	r->has_zero |= a->id == 0;
	for (int i = 0; i < 3; i++)
		o->cta[i] = (uint32_t)a->cta[i];
	o->warp = (uint32_t)a->warp;
	o->sm = a->sm == UINT64_MAX ? -1 : (int32_t)a->sm;
	fill_inst(a, o, opcode);
	if (choose_lanes(r, a)) {
		r->shared_halves++;
		return CT_OK;
	}
	if (o->inst.width && o->inst.width != o->inst.width_field && a->size)
		r->log->env->stats->width_disagreements++;
	return ct_log_put(r->log, x, o, e);
}

static int is_message(const char *p, const char *end)
{
	return ct_text_find(p, end, "STARTING CONTEXT") || ct_text_find(p, end, "TERMINATING CONTEXT") ||
	       ct_text_find(p, end, "Inspecting CUfunction");
}

static void not_understood(struct reader *r)
{
	r->log->env->stats->unknown_commands++;
	if (r->unknown++ == 0)
		r->first_unknown = r->log->lines.line;
}

/* The text behind one mark, up to the next one or the line's end. */
static int marked_line(struct reader *r, const char *p, const char *end, int cut, struct ct_error *e)
{
	struct ct_log *l = r->log;
	struct ct_nvbit_launch n;
	const char *why = NULL;
	enum ct_nvbit_kind kind = ct_nvbit_kind(p, end);
	if (kind == CT_NVBIT_LAUNCH)
		why = ct_nvbit_launch(p, end, cut, &n);
	else if (kind == CT_NVBIT_ACCESS)
		why = ct_nvbit_access(p, end, cut, &r->access);
	else if (cut && !is_message(p, end))
		why = "the file ends inside this record";
	if (why)
		return ct_lines_fail(&l->lines, e, CT_ERR_INPUT, "%s: cut or damaged", why);
	if (kind == CT_NVBIT_LAUNCH && n.partial)
		not_understood(r);
	if (kind == CT_NVBIT_LAUNCH)
		return launch_line(r, &n, e);
	if (kind == CT_NVBIT_ACCESS)
		return access_line(r, e);
	l->env->stats->ignored_lines++;
	if (is_message(p, end))
		return CT_OK;
	not_understood(r);
	return CT_OK;
}

/* "NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded". */
static int banner_line(struct reader *r, const char *p, const char *end, struct ct_error *e)
{
	const char *v = ct_text_find(p, end, "Instrumentation Tool v");
	if (!v || r->log->nvbit_version)
		return CT_OK;
	v += 22;
	size_t n = strspn(v, "0123456789.");
	r->log->nvbit_version = ct_strndup(v, n < 16 ? n : 16);
	return r->log->nvbit_version ? CT_OK : ct_fail_nomem(e);
}

/* Leaves out terminal codes: ESC [ parameters letter. *p and *end become those of the
 * copy, which ends in a newline as the line does. */
static int strip_codes(struct reader *r, const char **p, const char **end, struct ct_error *e)
{
	const char *q = *p, *stop = *end;
	if (!memchr(q, 0x1b, (size_t)(stop - q)))
		return CT_OK;
	r->clean.len = 0;
	while (q < stop) {
		const char *esc = memchr(q, 0x1b, (size_t)(stop - q));
		ct_buf_add(&r->clean, q, (size_t)((esc ? esc : stop) - q));
		if (!esc)
			break;
		q = esc + 1;
		if (q < stop && *q == '[') {
			for (q++; q < stop && (unsigned char)*q >= 0x20 && (unsigned char)*q < 0x40;)
				q++;
			q += q < stop;
		}
	}
	ct_buf_add(&r->clean, "\n", 1);
	if (r->clean.failed)
		return ct_fail_nomem(e);
	*p = r->clean.data;
	*end = r->clean.data + r->clean.len - 1;
	return CT_OK;
}

/* One line, which may hold several records, also behind other text. */
static int read_line(struct reader *r, const char *p, const char *end, int cut, struct ct_error *e)
{
	const size_t mark = strlen(CT_NVBIT_MARK);
	int st = strip_codes(r, &p, &end, e);
	while (!cut && end > p && end[-1] == '\r')
		end--;
	const char *at = ct_text_find(p, end, CT_NVBIT_MARK);
	if (st == CT_OK && !at) {
		size_t n = (size_t)(end - p);
		if (cut && n >= 3 && n <= mark && memcmp(p, CT_NVBIT_MARK, n) == 0)
			return ct_lines_fail(&r->log->lines, e, CT_ERR_INPUT,
			                     "the file ends inside this "
			                     "record: cut or damaged");
		if (ct_nvbit_begins(p, end) || ct_text_find(p, end, "grid_launch_id "))
			return ct_lines_fail(&r->log->lines, e, CT_ERR_INPUT,
			                     "a record without \"" CT_NVBIT_MARK "\": damaged");
		r->log->env->stats->ignored_lines++;
		return banner_line(r, p, end, e);
	}
	while (st == CT_OK && at) {
		const char *next = ct_text_find(at + mark, end, CT_NVBIT_MARK);
		st = marked_line(r, at + mark, next ? next : end, cut && !next, e);
		at = next;
	}
	return st;
}

static int read_lines(struct reader *r, struct ct_error *e)
{
	struct ct_lines *l = &r->log->lines;
	for (;;) {
		int st = l->p == l->end ? ct_lines_fill(l, e) : 1;
		if (st <= 0)
			return st;
		const char *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
		st = read_line(r, l->p, end, l->unterminated && end + 1 == l->end, e);
		if (st < 0)
			return st;
		l->p = end + 1;
		l->line++;
	}
}

/* ---- the whole log ---- */

/* Warns of launches that have records and no launch line. */
static void say_unlaunched(const struct reader *r)
{
	struct ct_log *l = r->log;
	uint64_t n = 0, first = 0;
	for (size_t i = 0; i < l->items; i++) {
		const struct ct_log_item *x = &l->item[i];
		if (x->is_line || ct_log_item(l, 1, x->epoch, x->id + l->id_offset, 0, NULL))
			continue;
		if (n++ == 0)
			first = x->line;
	}
	if (n)
		ct_warn(&l->env->options.diag,
		        "%s:%" PRIu64 ": the records of %" PRIu64 " launches have no "
		        "launch line, this is the first: grid and block follow from the records",
		        ct_source_name(l->lines.source), first, n);
}

/* Warns once, at the log's end, of what its records cannot tell or may tell wrong. */
static void say_odd(const struct reader *r)
{
	const struct ct_log *l = r->log;
	const struct ct_trace_stats *s = l->env->stats;
	const struct ct_diag *d = &l->env->options.diag;
	const char *name = ct_source_name(l->lines.source);
	ct_warn(d,
	        "%s: an NVBit log has memory instructions only, no others: what is counted per "
	        "instruction (MPKI, IPC) is per memory instruction",
	        name);
	say_unlaunched(r);
	if (r->unknown)
		ct_warn(d,
		        "%s:%" PRIu64 ": %" PRIu64 " marked lines are no launches or accesses, or no "
		        "whole ones, this is the first",
		        name, r->first_unknown, r->unknown);
	if (s->ambiguous_lanes)
		ct_warn(d,
		        "%s: %" PRIu64
		        " shared or local lanes at offset 0 may not have been active: they "
		        "are counted",
		        name, s->ambiguous_lanes);
	if (s->doubtful_records)
		ct_warn(d,
		        "%s: %" PRIu64 " records end in addresses of their earlier lanes, as lanes that "
		        "were not active do: they are counted",
		        name, s->doubtful_records);
}

int ct_nvbit_read(struct ct_log *l, struct ct_error *e)
{
	struct reader r = {.log = l};
	struct ct_error own;
	if (!e)
		e = &own; /* status is needed below */
	int st = read_lines(&r, e);
	ct_buf_free(&r.clean);
	if (st == CT_ERR_INPUT && l->env->options.salvage && l->items) {
		l->damage = *e; /* told after what precedes it was handed out */
		st = CT_OK;
	}
	if (st == CT_OK && l->items == 0)
		st = ct_lines_fail(&l->lines, e, CT_ERR_INPUT,
		                   "an NVBit log without any launch or record");
	if (st < 0)
		return st;
	/* NVBit up to 1.5 raises its counter before it prints the launch, and prints id + 1. */
	l->id_offset = r.has_line && r.first_line_id == 1 && r.has_zero;
	say_odd(&r);
	return ct_log_complete(l, e);
}
