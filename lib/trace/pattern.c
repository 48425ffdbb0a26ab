/* pattern.c - any text trace, by a regular expression with named groups: one lane's
 * access a line (cachetriage-traces(5), "Any other text"). */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "trace/private/pattern.h"

#include <inttypes.h>
#include <pcre2.h>
#include <stdlib.h>

#include "base/mem.h"
#include "trace/opcode.h"
#include "trace/private/text.h"

enum {
	MATCH_LIMIT = 1000000, /* steps before a line is given up on */
	SIZE_MAX_BYTES = 128,  /* of one access: a cache line */
	NUMBER_MAX = 40        /* characters */
};

enum group { SM, CTA, WARP, LANE, PC, PC_HEX, OP, ADDR, ADDR_HEX, SIZE, RW, VALUE, GROUPS };

static const char *const names[GROUPS] = {
	"sm", "cta", "warp", "lane", "pc", "pc_hex", "op", "addr", "addr_hex", "size", "rw", "value",
};

struct ct_pattern {
	pcre2_code *code;
	int number[GROUPS]; /* of the group in the pattern; 0: not in it */
};

/* ---- patterns ---- */

/* Finds the known names in the pattern's table; any other is an error. */
static int name_groups(struct ct_pattern *p, struct ct_error *e)
{
	uint32_t n = 0, size = 0;
	PCRE2_SPTR table = NULL;
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &n);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &table);
	for (uint32_t i = 0; i < n; i++, table += size) {
		const char *name = (const char *)table + 2;
		int g = 0;
		while (g < GROUPS && strcmp(names[g], name) != 0)
			g++;
		if (g == GROUPS)
			return ct_fail(e, CT_ERR_USAGE,
			               "--pattern: unknown group '%s': use sm, cta, warp, lane, "
			               "pc, pc_hex, op, addr, addr_hex, size, rw, value",
			               name);
		p->number[g] = table[0] << 8 | table[1];
	}
	if (!p->number[ADDR] == !p->number[ADDR_HEX])
		return ct_fail(e, CT_ERR_USAGE,
		               "--pattern: needs one group (?<addr>...), or "
		               "(?<addr_hex>...) for hexadecimal numbers without 0x");
	return CT_OK;
}

static int compile_regex(struct ct_pattern *p, const char *text, struct ct_error *e)
{
	int number;
	PCRE2_SIZE at;
	p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, &number, &at, NULL);
	if (!p->code) {
		PCRE2_UCHAR why[200];
		pcre2_get_error_message(number, why, sizeof why);
		return ct_fail(e, CT_ERR_USAGE, "bad --pattern '%s': %s at character %zu", text,
		               (char *)why, (size_t)at + 1);
	}
	/* Without it (no memory, no such machine) matching is slower, not different. */
	pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	return name_groups(p, e);
}

int ct_pattern_compile(struct ct_pattern **out, const char *text, struct ct_error *e)
{
	struct ct_pattern *p = calloc(1, sizeof *p);
	*out = NULL;
	if (!p)
		return ct_fail_nomem(e);
	int st = compile_regex(p, text, e);
	if (st < 0) {
		ct_pattern_free(p);
		return st;
	}
	*out = p;
	return CT_OK;
}

void ct_pattern_free(struct ct_pattern *p)
{
	if (p)
		pcre2_code_free(p->code);
	free(p);
}

/* ---- lines ---- */

struct reader {
	struct ct_log *log;
	const struct ct_pattern *pattern;
	pcre2_match_data *match;
	pcre2_match_context *limits;
	uint64_t matched;
	struct ct_log_record pending; /* lanes that came so far; none: mask 0 */
	int open_end;                 /* the last line that matched is the file's, and has no newline */
	int is_modify;                /* pending is a read to be followed by a write */
	char opcode[CT_OPCODE_MAX + 1], pending_opcode[CT_OPCODE_MAX + 1];
};

/* Text of a group in the line that matched; 0 when it took no part. */
static int group_text(const struct reader *r, const char *line, enum group g, const char **p, size_t *n)
{
	const PCRE2_SIZE *v = pcre2_get_ovector_pointer(r->match);
	int k = r->pattern->number[g];
	if (k == 0 || (uint32_t)k >= pcre2_get_ovector_count(r->match) || v[2 * k] == PCRE2_UNSET ||
	    v[2 * k + 1] < v[2 * k])
		return 0;
	*p = line + v[2 * k];
	*n = v[2 * k + 1] - v[2 * k];
	return 1;
}

/* Number of a group: 1, 0 when it took no part, < 0. Hexadecimal with 0x or hex set. */
static int group_number(const struct reader *r, const char *line, enum group g, uint64_t most,
                        uint64_t *v, struct ct_error *e)
{
	char text[NUMBER_MAX + 1];
	const char *p, *end;
	size_t n;
	if (!group_text(r, line, g, &p, &n))
		return 0;
	int hex = g == PC_HEX || g == ADDR_HEX || (n > 2 && p[0] == '0' && (p[1] | 0x20) == 'x');
	size_t kept = n > NUMBER_MAX ? NUMBER_MAX : n;
	memcpy(text, p, kept);
	text[kept] = '\0';
	end = hex ? ct_text_hex(text, v) : ct_text_u64(text, v);
	if (n > NUMBER_MAX || !end || *end != '\0' || *v > most)
		return ct_lines_fail(
			&r->log->lines, e, CT_ERR_INPUT,
			"group %s holds '%s': not a number up "
			"to %" PRIu64 "%s",
			names[g], text, most, g == ADDR || g == PC ? ", in decimal or with 0x" : "");
	return 1;
}

/* Without cta, each SM is one; a lane above 31 without warp is the thread's number. */
static int read_place(struct reader *r, const char *line, struct ct_log_record *o, unsigned *lane,
                      struct ct_error *e)
{
	uint64_t sm = 0, cta = 0, warp = 0, l = 0;
	int has_sm = group_number(r, line, SM, INT32_MAX - 1, &sm, e);
	int has_cta = has_sm < 0 ? 0 : group_number(r, line, CTA, INT32_MAX - 1, &cta, e);
	int has_warp = has_cta < 0 ? 0 : group_number(r, line, WARP, UINT32_MAX, &warp, e);
	if (has_sm < 0 || has_cta < 0 || has_warp < 0)
		return e->status;
	int st = group_number(r, line, LANE, has_warp ? CT_WARP_LANES - 1 : UINT32_MAX, &l, e);
	if (st < 0)
		return st;
	o->sm = has_sm ? (int32_t)sm : -1;
	o->cta[0] = (uint32_t)(has_cta ? cta : sm);
	o->warp = (uint32_t)(has_warp ? warp : l / CT_WARP_LANES);
	*lane = (unsigned)(l % CT_WARP_LANES);
	return CT_OK;
}

static const char *generated_opcode(int store, uint64_t size)
{
	static const char *const load[] = {"LDG.E", "LDG.E.U8", "LDG.E.U16", "LDG.E.64", "LDG.E.128"};
	static const char *const save[] = {"STG.E", "STG.E.U8", "STG.E.U16", "STG.E.64", "STG.E.128"};
	int i = size == 1 ? 1 : size == 2 ? 2 : size == 8 ? 3 : size == 16 ? 4 : 0;
	return store ? save[i] : load[i];
}

static void generic_inst(struct ct_sinst *s, int store, uint64_t size)
{
	s->opcode = generated_opcode(store, size);
	s->width_field = (uint16_t)size;
	ct_opcode_classify(s);
	s->width = (uint16_t)size;
}

/* What the access is. *modify: a read, then a write of the same. */
static int read_kind(struct reader *r, const char *line, struct ct_log_record *o, int *modify,
                     struct ct_error *e)
{
	uint64_t size = 4, pc = 0;
	const char *p;
	size_t n;
	int has_size = group_number(r, line, SIZE, SIZE_MAX_BYTES, &size, e);
	if (has_size < 0)
		return has_size;
	int st = group_number(r, line, r->pattern->number[PC_HEX] ? PC_HEX : PC, UINT64_MAX, &pc, e);
	if (st < 0)
		return st;
	if (has_size && size == 0)
		return ct_lines_fail(&r->log->lines, e, CT_ERR_INPUT,
		                     "group size holds 0: an access has a "
		                     "byte at least");
	o->inst = (struct ct_sinst){.pc = pc};
	*modify = 0;
	if (group_text(r, line, OP, &p, &n) && n > 0 && n <= CT_OPCODE_MAX) {
		memcpy(r->opcode, p, n);
		r->opcode[n] = '\0';
		o->inst.opcode = r->opcode;
		ct_opcode_classify(&o->inst); /* without a width field: unknown ones stay unknown */
		if (o->inst.access != CT_ACCESS_NONE) {
			o->inst.width_field = (uint16_t)size;
			ct_opcode_classify(&o->inst);
			if (has_size)
				o->inst.width = (uint16_t)size;
			return CT_OK;
		}
	}
	char kind = 'R';
	if ((group_text(r, line, RW, &p, &n) || group_text(r, line, OP, &p, &n)) && n > 0)
		kind = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
	*modify = kind == 'M' || kind == 'A';
	generic_inst(&o->inst, kind == 'W' || kind == 'S', size);
	return CT_OK;
}

static int put_pending(struct reader *r, struct ct_log_record *o, struct ct_error *e)
{
	struct ct_log_item *x = ct_log_item(r->log, 0, 0, 0, 1, e);
	o->opcode_length = strlen(o->inst.opcode);
	return x ? ct_log_put(r->log, x, o, e) : e->status;
}

/* The lanes that came so far are one warp instruction. */
static int flush_pending(struct reader *r, struct ct_error *e)
{
	struct ct_log_record *o = &r->pending;
	if (o->mask == 0)
		return CT_OK;
	int st = put_pending(r, o, e);
	if (st == CT_OK && r->is_modify) {
		uint64_t size = o->inst.width;
		o->inst = (struct ct_sinst){.pc = o->inst.pc};
		generic_inst(&o->inst, 1, size);
		st = put_pending(r, o, e);
	}
	o->mask = 0;
	return st;
}

static int same_inst(const struct reader *r, const struct ct_log_record *o, int modify)
{
	const struct ct_log_record *x = &r->pending;
	return x->sm == o->sm && x->cta[0] == o->cta[0] && x->warp == o->warp &&
	       x->inst.pc == o->inst.pc && x->inst.width == o->inst.width &&
	       x->inst.access == o->inst.access && modify == r->is_modify &&
	       strcmp(x->inst.opcode, o->inst.opcode) == 0;
}

/* Makes the access of one lane from the named groups. It joins the instruction that is pending where it is another lane
 * of the same one. */
static int matched_line(struct reader *r, const char *line, struct ct_error *e)
{
	struct ct_log_record o = {0};
	unsigned lane = 0;
	uint64_t addr = 0;
	int modify = 0;
	enum group a = r->pattern->number[ADDR_HEX] ? ADDR_HEX : ADDR;
	int st = group_number(r, line, a, UINT64_MAX, &addr, e);
	if (st == 0)
		return ct_lines_fail(&r->log->lines, e, CT_ERR_INPUT,
		                     "the pattern matches, but without an "
		                     "address");
	if (st > 0)
		st = read_place(r, line, &o, &lane, e);
	if (st == CT_OK)
		st = read_kind(r, line, &o, &modify, e);
	if (st < 0)
		return st;
	r->matched++;
	int joins = r->pattern->number[LANE] && r->pending.mask && same_inst(r, &o, modify) &&
	            !(r->pending.mask >> lane & 1);
	if (!joins) {
		st = flush_pending(r, e);
		r->pending = o;
		r->is_modify = modify;
		if (o.inst.opcode == r->opcode) {
			memcpy(r->pending_opcode, r->opcode, sizeof r->opcode);
			r->pending.inst.opcode = r->pending_opcode;
		}
	}
	r->pending.mask |= UINT32_C(1) << lane;
	r->pending.addr[lane] = addr;
	return st;
}

/* Tries the pattern on a line. A line that does not match is only counted. */
static int one_line(struct reader *r, const char *p, const char *end, struct ct_error *e)
{
	const char *line_end = end;
	if (end > p && end[-1] == '\r')
		end--;
	int n = pcre2_match(r->pattern->code, (PCRE2_SPTR)p, (size_t)(end - p), 0, 0, r->match,
	                    r->limits);
	if (n >= 0) {
		const struct ct_lines *l = &r->log->lines;
		r->open_end = l->unterminated && line_end + 1 == l->end;
		return matched_line(r, p, e);
	}
	if (n == PCRE2_ERROR_NOMEMORY)
		return ct_fail_nomem(e);
	if (n != PCRE2_ERROR_NOMATCH && (n > PCRE2_ERROR_UTF8_ERR1 || n < PCRE2_ERROR_UTF8_ERR21))
		return ct_lines_fail(&r->log->lines, e, CT_ERR_LIMIT,
		                     "the pattern takes too long on this "
		                     "line: make it simpler, begin it with ^");
	r->log->env->stats->ignored_lines++;
	return CT_OK;
}

/* Reads the input line by line, whatever its size, and hands out the last instruction at its end. */
static int read_lines(struct reader *r, struct ct_error *e)
{
	struct ct_lines *l = &r->log->lines;
	for (;;) {
		int st = l->p == l->end ? ct_lines_fill(l, e) : 1;
		if (st < 0)
			return st;
		if (st == 0)
			return flush_pending(r, e);
		const char *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
		st = one_line(r, l->p, end, e);
		if (st < 0)
			return st;
		l->p = end + 1;
		l->line++;
	}
}

/* Reads the whole input. With --salvage, damage is told after what precedes it was handed out. */
static int read_text(struct reader *r, struct ct_error *e)
{
	struct ct_log *l = r->log;
	r->pattern = l->env->options.pattern;
	r->match = pcre2_match_data_create_from_pattern(r->pattern->code, NULL);
	r->limits = pcre2_match_context_create(NULL);
	if (!r->match || !r->limits)
		return ct_fail_nomem(e);
	pcre2_set_match_limit(r->limits, MATCH_LIMIT);
	int st = read_lines(r, e);
	if (st == CT_ERR_INPUT && l->env->options.salvage && r->matched) {
		l->damage = *e; /* told after what precedes it was handed out */
		st = flush_pending(r, e);
	}
	if (st == CT_OK && r->matched == 0)
		st = ct_fail(e, CT_ERR_INPUT, "%s: the pattern matches none of its %" PRIu64 " lines",
		             ct_source_name(l->lines.source), l->env->stats->ignored_lines);
	return st;
}

int ct_pattern_read(struct ct_log *l, struct ct_error *e)
{
	struct reader *r = calloc(1, sizeof *r);
	struct ct_error own;
	if (!r)
		return ct_fail_nomem(e);
	if (!e)
		e = &own; /* status is needed below */
	r->log = l;
	int st = read_text(r, e);
	pcre2_match_data_free(r->match);
	pcre2_match_context_free(r->limits);
	if (st == CT_OK) {
		const struct ct_diag *d = &l->env->options.diag;
		ct_warn(d,
		        "%s: the pattern matches %" PRIu64 " lines, %" PRIu64
		        " others were passed over; "
		        "what is counted per instruction (MPKI, IPC) is per matched access",
		        ct_source_name(l->lines.source), r->matched, l->env->stats->ignored_lines);
		if (r->open_end) /* a number may have lost digits */
			ct_warn(d,
			        "%s:%" PRIu64 ": the last access has no end of its line: it may be cut",
			        ct_source_name(l->lines.source), l->lines.line - 1);
		st = ct_log_complete(l, e);
	}
	free(r);
	return st;
}
