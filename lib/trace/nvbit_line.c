/* nvbit_line.c - one mem_trace record, read by its labels: tools differ in order and in
 * what they add (doc/formats.md section 9). */
#include "trace/private/nvbit.h"
#include "trace/private/text.h"

enum { SEEN_ID = 1, SEEN_CTA = 2, SEEN_WARP = 4, SEEN_OPCODE = 8, SEEN_LIST = 16, ADDRESS_DIGITS = 16 };

/* Last place of `what`: names hold anything, also separators. */
static const char *find_last(const char *p, const char *end, const char *what)
{
	const char *last = NULL;
	while ((p = ct_text_find(p, end, what)) != NULL)
		last = p++;
	return last;
}

/* "CTX 0x<hex> - ": what only records and launches begin with. */
int ct_nvbit_begins(const char *p, const char *end)
{
	uint64_t v;
	p = ct_text_find(p, end, "CTX 0x");
	p = p ? ct_text_hex(p + 4, &v) : NULL;
	return p && end - p >= 3 && memcmp(p, " - ", 3) == 0;
}

enum ct_nvbit_kind ct_nvbit_kind(const char *p, const char *end)
{
	if (ct_text_find(p, end, " - LAUNCH"))
		return CT_NVBIT_LAUNCH;
	if (ct_text_find(p, end, "grid_launch_id "))
		return CT_NVBIT_ACCESS;
	return CT_NVBIT_OTHER;
}

static int skip_label(const char **p, const char *end, const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0)
		return 0;
	*p += n;
	return 1;
}

/* Decimal, or hexadecimal with 0x, up to the field's end. */
static int whole_number(const char *p, const char *end, uint64_t *v)
{
	p = p + 1 < end && p[0] == '0' && p[1] == 'x' ? ct_text_hex(p, v) : ct_text_u64(p, v);
	if (!p || p > end)
		return 0;
	while (p < end && ct_is_end(*p))
		p++;
	return p == end;
}

static int read_triple(const char *p, const char *end, uint64_t v[3])
{
	for (int i = 0; i < 3; i++) {
		p = ct_text_u64(p, &v[i]);
		if (!p || p > end || (i < 2 && *p++ != ','))
			return 0;
	}
	while (p < end && ct_is_end(*p))
		p++;
	return p == end;
}

/* ---- launch lines ---- */

static int read_sizes(const char *p, const char *end, uint32_t out[3], uint64_t most)
{
	uint64_t v[3], all = 1;
	if (!read_triple(p, end, v))
		return 0;
	for (int i = 0; i < 3; i++) {
		if (v[i] == 0 || v[i] > most / all || v[i] > (i ? 0xffff : 0x7fffffff))
			return 0;
		all *= v[i];
		out[i] = (uint32_t)v[i];
	}
	return 1;
}

enum { LAUNCH_GRID = 1, LAUNCH_BLOCK = 2, LAUNCH_REGS = 4, LAUNCH_SHMEM = 8, LAUNCH_ALL = 15 };

static int note_seen(struct ct_nvbit_launch *l, unsigned what, int good)
{
	l->seen |= what;
	return good;
}

/* 0: damaged. */
static int launch_field(const char *p, const char *end, struct ct_nvbit_launch *l)
{
	int64_t stream;
	if (skip_label(&p, end, "grid launch id "))
		return whole_number(p, end, &l->id);
	if (skip_label(&p, end, "grid size "))
		return note_seen(l, LAUNCH_GRID, read_sizes(p, end, l->grid, INT64_MAX));
	if (skip_label(&p, end, "block size "))
		return note_seen(l, LAUNCH_BLOCK, read_sizes(p, end, l->block, 1024));
	if (skip_label(&p, end, "nregs "))
		return note_seen(l, LAUNCH_REGS, whole_number(p, end, &l->regs) && l->regs <= 0xffff);
	if (skip_label(&p, end, "shmem "))
		return note_seen(l, LAUNCH_SHMEM, whole_number(p, end, &l->shmem));
	if (skip_label(&p, end, "cuda stream id ")) { /* a pointer: can look negative */
		if (*p == '-' && ct_text_i64(p, &stream))
			l->stream = (uint64_t)stream;
		else if (!ct_text_u64(p, &l->stream))
			return 0;
	}
	return 1;
}

const char *ct_nvbit_launch(const char *p, const char *end, int cut, struct ct_nvbit_launch *l)
{
	static const char sep[] = " - ";
	const char *id = find_last(p, end, " - grid launch id "), *name;
	memset(l, 0, sizeof *l);
	if (!id)
		return "launch line without a grid launch id";
	if ((name = ct_text_find(p, id, "Kernel name ")) != NULL) {
		l->name = name + 12;
		l->name_length = (size_t)(id - l->name);
	}
	for (p = id + 3; p < end;) {
		const char *stop = ct_text_find(p, end, sep);
		if (!launch_field(p, stop ? stop : end, l))
			return "launch line with a bad number";
		p = stop ? stop + 3 : end;
	}
	/* Some tools stop behind the launch id (doc/formats.md section 9): those say nothing of the four. */
	l->partial = !l->name_length || (l->seen && l->seen != LAUNCH_ALL);
	return cut ? "the file ends inside this launch line" : NULL;
}

/* ---- access records ---- */

/* 32 numbers; what follows is no part of the record. */
static const char *stock_list(const char *p, const char *end, int cut, struct ct_nvbit_access *a)
{
	unsigned n = 0;
	for (; n < CT_WARP_LANES; n++) {
		const char *start = p = ct_skip_blanks(p);
		if (end - p < 3 || p[0] != '0' || p[1] != 'x')
			break;
		p = ct_text_hex(p, &a->addr[n]);
		if (!p || p > end)
			break;
		/* The last number of a file may have lost digits. */
		if (cut && p == end && p - start < ADDRESS_DIGITS + 2)
			break;
	}
	if (n < CT_WARP_LANES)
		return cut ? "the file ends inside this record" : "record with fewer than 32 addresses";
	a->lanes = UINT32_MAX;
	return NULL;
}

/* "ThreadN,0x<data>,0x<address>" or "0x<data>,0x<address>" per lane, data 0 on loads. */
static const char *read_pair(const char *p, const char *end, unsigned place, struct ct_nvbit_access *a,
                             const char **after)
{
	uint64_t lane = place, data, address;
	const char *bad = "lane of a record that is not understood";
	if (skip_label(&p, end, "Thread")) {
		p = ct_text_u64(p, &lane);
		if (!p || p >= end || *p++ != ',')
			return bad;
	}
	p = ct_text_hex(p, &data);
	if (!p || p >= end || *p++ != ',')
		return bad;
	p = ct_text_hex(p, &address);
	if (!p || p > end || lane >= CT_WARP_LANES || (a->lanes >> lane & 1))
		return bad;
	a->lanes |= UINT32_C(1) << lane;
	a->addr[lane] = address;
	*after = p;
	return NULL;
}

/* Reads the lanes' addresses where a tool prints them in pairs behind a colon. NULL, or what is wrong;
 * `cut` says that the line is the last one of a file without an end. */
static const char *pair_list(const char *p, const char *end, int cut, struct ct_nvbit_access *a)
{
	unsigned n = 0;
	p = ct_text_find(p, end, ":");
	if (!p)
		return cut ? "the file ends inside this record" : "record without addresses";
	for (p = ct_skip_blanks(p + 1); n < CT_WARP_LANES; p = ct_skip_blanks(p), n++) {
		const char *start = p, *q = p;
		if (p >= end || !(skip_label(&q, end, "Thread") || skip_label(&q, end, "0x")))
			break;
		const char *why = read_pair(start, end, n, a, &p);
		if (why)
			return cut ? "the file ends inside this record" : why;
		if (cut && p == end && (n + 1 < CT_WARP_LANES || p - start < 2 * ADDRESS_DIGITS))
			return "the file ends inside this record";
	}
	if (n == 0 || (cut && n < CT_WARP_LANES))
		return cut ? "the file ends inside this record" : "record without addresses";
	return NULL;
}

static int is_opcode(const char *p, const char *end)
{
	if (p == end || *p < 'A' || *p > 'Z' || end - p > CT_OPCODE_MAX)
		return 0;
	for (; p < end; p++)
		if (!((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') ||
		      *p == '.' || *p == '_'))
			return 0;
	return 1;
}

/* One field; NULL or what is wrong with it. */
static const char *access_field(const char *p, const char *end, int cut, struct ct_nvbit_access *a)
{
	const char *bad = cut ? "the file ends inside this record" : "record with a bad number";
	while (end > p && ct_is_end(end[-1]))
		end--;
	if (skip_label(&p, end, "grid_launch_id ")) {
		a->seen |= SEEN_ID;
		return whole_number(p, end, &a->id) ? NULL : bad;
	}
	if (skip_label(&p, end, "CTA ")) {
		a->seen |= SEEN_CTA;
		return read_triple(p, end, a->cta) && a->cta[0] < 0x7fffffff && a->cta[1] < 0xffff &&
		                       a->cta[2] < 0xffff
		               ? NULL
		               : bad;
	}
	if (skip_label(&p, end, "warp ")) {
		a->seen |= SEEN_WARP;
		return whole_number(p, end, &a->warp) && a->warp < 2048 ? NULL : bad;
	}
	if (skip_label(&p, end, "SM_id "))
		return whole_number(p, end, &a->sm) && a->sm <= INT32_MAX ? NULL : bad;
	if (skip_label(&p, end, "pc "))
		return whole_number(p, end, &a->pc) ? NULL : bad;
	if (skip_label(&p, end, "Size "))
		return whole_number(p, end, &a->size) && a->size <= 0xffff ? NULL : bad;
	/* The context would be a word too when its blank is lost. */
	if (!(a->seen & SEEN_OPCODE) && !skip_label(&p, end, "CTX") && is_opcode(p, end)) {
		a->seen |= SEEN_OPCODE;
		a->opcode = p;
		a->opcode_length = (size_t)(end - p);
	}
	return NULL;
}

const char *ct_nvbit_access(const char *p, const char *end, int cut, struct ct_nvbit_access *a)
{
	enum { ALL = SEEN_ID | SEEN_CTA | SEEN_WARP | SEEN_OPCODE | SEEN_LIST };
	memset(a, 0, sizeof *a);
	a->sm = UINT64_MAX;
	while (p < end && a->seen != ALL) {
		const char *stop = ct_text_find(p, end, " - "), *field_end = stop ? stop : end, *q = p;
		const char *why;
		if (!(a->seen & SEEN_LIST) &&
		    (skip_label(&q, field_end, "0x") || skip_label(&q, field_end, "MREF"))) {
			int pairs = *p == 'M';
			why = pairs ? pair_list(p, field_end, cut && !stop, a)
			            : stock_list(p, field_end, cut && !stop, a);
			a->seen |= SEEN_LIST;
		} else {
			why = access_field(p, field_end, cut && !stop, a);
		}
		if (why)
			return why;
		p = stop ? stop + 3 : end;
	}
	if (a->seen == ALL)
		return NULL;
	if (cut)
		return "the file ends inside this record";
	return !(a->seen & SEEN_ID)       ? "record without its launch id"
	       : !(a->seen & SEEN_CTA)    ? "record without its CTA"
	       : !(a->seen & SEEN_WARP)   ? "record without its warp"
	       : !(a->seen & SEEN_OPCODE) ? "record without its opcode"
	                                  : "record without addresses";
}
