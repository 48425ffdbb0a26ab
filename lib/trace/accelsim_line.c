/* accelsim_line.c - one instruction line of any tracer version
 * (doc/formats.md sections 4 to 6). Complete rather than fast: lines seen
 * before take the way of accelsim_fast.c. */
#include <inttypes.h>
#include <string.h>

#include "trace/opcode.h"
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

struct scan {
	const char *p, *end;
	struct ct_error *e;
};

struct token {
	const char *p;
	size_t n;
};

static int bad_token(struct scan *s, const char *what, const struct token *t)
{
	if (!t || t->n == 0)
		return ct_fail(s->e, CT_ERR_INPUT, "the line ends before its %s: cut or damaged", what);
	return ct_fail(s->e, CT_ERR_INPUT, "bad %s: %.*s", what, t->n > 40 ? 40 : (int)t->n, t->p);
}

/* A carriage return between words is as good as a blank. The newline behind the line stops it. */
static const char *skip_to_word(const char *p)
{
	while (ct_is_blank(*p) || *p == '\r')
		p++;
	return p;
}

static int next_token(struct scan *s, struct token *t)
{
	const char *p = s->p < s->end ? skip_to_word(s->p) : s->p;
	t->p = p;
	while (p < s->end && !ct_is_end(*p))
		p++;
	t->n = (size_t)(p - t->p);
	s->p = p;
	return t->n > 0;
}

static int get_u64(struct scan *s, const char *what, uint64_t max, uint64_t *v)
{
	struct token t;
	if (!next_token(s, &t) || ct_text_u64(t.p, v) != t.p + t.n || *v > max)
		return bad_token(s, what, &t);
	return CT_OK;
}

static int get_i64(struct scan *s, const char *what, int64_t *v)
{
	struct token t;
	if (!next_token(s, &t) || ct_text_i64(t.p, v) != t.p + t.n)
		return bad_token(s, what, &t);
	return CT_OK;
}

static int get_hex(struct scan *s, const char *what, uint64_t *v)
{
	struct token t;
	if (!next_token(s, &t) || ct_text_hex(t.p, v) != t.p + t.n)
		return bad_token(s, what, &t);
	return CT_OK;
}

struct ct_columns ct_columns_of(unsigned lead)
{
	struct ct_columns c = {.lead = lead, .cta = lead >= 4, .cluster = lead >= 11};
	unsigned left = lead - (c.cluster ? 11 : c.cta ? 4 : 0);
	c.line = left & 1;
	c.core = left >= 2;
	return c;
}

/* Bare hexadecimal digits, nothing else. */
static int all_hex(const struct token *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (ct_hex_digit(t->p[i]) < 0)
			return 0;
	return t->n > 0;
}

static int parse_lead(const struct ct_columns *c, struct scan *s, struct ct_line *t)
{
	static const char *const names[] = {"thread block and warp numbers", "SM and slot numbers"};
	t->fixed = NULL;
	for (unsigned i = 0; i < c->lead; i++) {
		if (c->line && i == c->lead - 1)
			t->fixed = ct_skip_blanks(s->p);
		int st = get_u64(s, names[!c->cta], UINT32_MAX, &t->lead[i]);
		if (st < 0)
			return st;
	}
	if (c->line)
		t->inst.line = (uint32_t)t->lead[c->lead - 1];
	return CT_OK;
}

static int parse_pc_mask(struct scan *s, struct ct_line *t)
{
	struct token pc, mask;
	uint64_t v = 0;
	if (!next_token(s, &pc) || pc.n < 4 || !all_hex(&pc) || !ct_text_hex(pc.p, &t->inst.pc))
		return bad_token(s, "program counter", &pc);
	if (!next_token(s, &mask) || mask.n != 8 || !all_hex(&mask))
		return bad_token(s, "lane mask", &mask);
	ct_text_hex(mask.p, &v);
	t->mask = (uint32_t)v;
	t->mask_text = mask.p;
	if (!t->fixed)
		t->fixed = pc.p;
	return CT_OK;
}

/* R12, UR4, P0, UP1, and the names of the constant ones: RZ, URZ, PT, UPT. */
static int parse_register(const struct token *t, ct_reg *reg)
{
	const char *p = t->p, *end = t->p + t->n;
	int uniform = *p == 'U';
	uint64_t v = 0;
	p += uniform;
	if (p == end || (*p != 'R' && *p != 'P'))
		return -1;
	enum ct_reg_kind kind = *p == 'R' ? (uniform ? CT_REG_UR : CT_REG_R)
	                                  : (uniform ? CT_REG_UP : CT_REG_P);
	int is_r = *p++ == 'R';
	if (end - p == 1 && *p == (is_r ? 'Z' : 'T'))
		v = is_r ? (uniform ? 63 : 255) : 7;
	else if (ct_text_u64(p, &v) != end || v > 255)
		return -1;
	*reg = CT_REG_MAKE(kind, v);
	return 0;
}

static int parse_registers(struct scan *s, const char *what, unsigned max, uint8_t *n, ct_reg *reg)
{
	uint64_t count;
	int st = get_u64(s, what, max, &count);
	if (st < 0)
		return st;
	*n = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		struct token t;
		if (!next_token(s, &t) || parse_register(&t, &reg[i]) != 0)
			return bad_token(s, "register", &t);
	}
	return CT_OK;
}

static int parse_opcode(struct scan *s, struct ct_line *t)
{
	struct token o;
	if (!next_token(s, &o) || o.n > CT_OPCODE_MAX || *o.p < 'A' || *o.p > 'Z')
		return bad_token(s, "opcode", &o);
	for (size_t i = 0; i < o.n;
	     i++) /* with '=' a line would be a key and its value where warps are grouped */
		if ((unsigned char)o.p[i] <= ' ' || (unsigned char)o.p[i] >= 0x7f || o.p[i] == '=')
			return bad_token(s, "opcode", &o);
	memcpy(t->opcode, o.p, o.n);
	t->opcode[o.n] = '\0';
	t->inst.opcode = t->opcode;
	return CT_OK;
}

static int parse_deltas(struct scan *s, struct ct_pack_addr *a)
{
	for (unsigned i = 1; i < a->n; i++) {
		int st = get_i64(s, "address difference", &a->delta[i - 1]);
		if (st < 0)
			return st;
	}
	return CT_OK;
}

static int parse_list(struct scan *s, struct ct_pack_addr *a)
{
	uint64_t before = 0, v = 0;
	for (unsigned i = 0; i < a->n; i++) {
		int st = get_hex(s, "address", &v);
		if (st < 0)
			return st;
		if (i == 0)
			a->base = v;
		else
			a->delta[i - 1] = (int64_t)(v - before);
		before = v;
	}
	return CT_OK;
}

/* Section 7. */
static int parse_addresses(struct scan *s, struct ct_line *t)
{
	struct ct_pack_addr *a = &t->addr;
	uint64_t form;
	t->address = ct_skip_blanks(s->p);
	int st = get_u64(s, "address format", 2, &form);
	if (st < 0)
		return st;
	a->form = form == 0 ? CT_ADDR_LIST : form == 1 ? CT_ADDR_STRIDE : CT_ADDR_DELTAS;
	a->n = ct_popcount(t->mask);
	a->base = 0;
	a->stride = 0;
	a->lowest = INT64_MIN;
	a->packed = NULL;
	if (a->form == CT_ADDR_LIST)
		return parse_list(s, a);
	st = get_hex(s, "base address", &a->base);
	if (st < 0)
		return st;
	return a->form == CT_ADDR_STRIDE ? get_i64(s, "stride", &a->stride) : parse_deltas(s, a);
}

/* Register values of tracer 6: for each register a count of 1 or 32, then as many. Later ones of it print 64 bits, for
 * which records have no room: such a line keeps none of its values. */
static int parse_values(struct scan *s, struct ct_line *t)
{
	unsigned registers = t->inst.ndst + t->inst.nsrc;
	int wide = 0;
	t->values_text = s->p;
	t->nvalues = 0;
	for (unsigned r = 0; r < registers; r++) {
		uint64_t n = 0, v = 0;
		int st = get_u64(s, "number of values", CT_WARP_LANES, &n);
		if (st < 0)
			return st;
		t->values[t->nvalues++] = (uint32_t)n;
		for (; n > 0; n--) {
			st = get_hex(s, "register value", &v);
			if (st < 0)
				return st;
			wide |= v > UINT32_MAX;
			t->values[t->nvalues++] = (uint32_t)v;
		}
	}
	if (wide)
		t->nvalues = 0;
	return CT_OK;
}

static int looks_number(const char *p)
{
	p = ct_skip_blanks(p);
	return (*p >= '0' && *p <= '9') || *p == '-';
}

/* Immediates, then NoVal or Val. With an unknown number of immediates the promised
 * ones are taken, one more if the version has any (some builds that call themselves 5
 * print two), or fewer if fewer are there. */
static int parse_tail(const struct ct_columns *c, struct scan *s, struct ct_line *t)
{
	int64_t *imm[2] = {&t->inst.imm, &t->inst.imm2};
	int want = c->immediates;
	if (want < 0)
		want = c->expected > 0 ? 2 : 0;
	t->immediates = 0;
	while (t->immediates < want && (c->immediates >= 0 || looks_number(s->p))) {
		int st = get_i64(s, "immediate", imm[t->immediates]);
		if (st < 0)
			return st;
		t->immediates++;
	}
	t->inst.has_imm = (uint8_t)t->immediates;
	struct token w;
	const char *before = s->p;
	if (next_token(s, &w)) {
		if (w.n == 3 && memcmp(w.p, "Val", 3) == 0)
			return parse_values(s, t);
		if (w.n != 5 || memcmp(w.p, "NoVal", 5) != 0)
			s->p = before;
	}
	return CT_OK;
}

/* The columns of a bulk copy behind its width (doc/formats.md section 5), up to its transfers, which are looked
 * through: the barrier that it completes and what it is multicast to are read over. *bytes gets what it moves, of which
 * what lies out of bounds is none; *told whether the line gives bytes at all. */
static int parse_transfers(struct scan *s, struct ct_bulk *b, uint64_t *bytes, int *told)
{
	uint64_t barrier, multicast, mask, outside, form, count, v;
	int64_t difference;
	int st = get_hex(s, "barrier of a bulk copy", &barrier);
	if (st == CT_OK)
		st = get_u64(s, "multicast flag", 1, &multicast);
	if (st == CT_OK && multicast)
		st = get_hex(s, "multicast mask", &mask);
	if (st == CT_OK)
		st = get_u64(s, "bytes of a bulk copy", CT_SHARED_END, bytes);
	if (st == CT_OK)
		st = get_u64(s, "bytes out of bounds", *bytes, &outside);
	if (st == CT_OK)
		st = get_u64(s, "form of a bulk copy", 4, &form);
	if (st < 0)
		return st;
	if (form < 3)
		return ct_fail(s->e, CT_ERR_INPUT, "bad form of a bulk copy: %" PRIu64, form);
	*told = *bytes > 0;
	*bytes -= outside;
	b->list = form == 3;
	st = b->list ? CT_OK : get_hex(s, "base address", &b->at);
	if (st == CT_OK)
		st = get_u64(s, "number of transfers", CT_BULK_MAX, &count);
	b->next = s->p;
	b->left = st == CT_OK ? (uint32_t)count : 0;
	for (uint64_t i = !b->list; st == CT_OK && i < b->left; i++)
		st = b->list ? get_hex(s, "address", &v) : get_i64(s, "address difference", &difference);
	return st;
}

/* How many bytes each transfer moves: those of the width column where they come to the sum, else equal parts of the
 * sum. They are cut into pieces that lie in one sector where the address allows it. What the line leaves open is
 * refused: a guess would be traffic that nobody traced. */
static int cut_transfers(struct scan *s, struct ct_line *t, uint64_t bytes, int told)
{
	struct ct_bulk *b = &t->bulk;
	uint64_t each = t->inst.width_field, left = b->left;
	if (told && left && each * left != bytes)
		each = bytes % left ? 0 : bytes / left;
	if (bytes && !left)
		return ct_fail(s->e, CT_ERR_UNSUPPORTED,
		               "%s: a bulk copy of %" PRIu64
		               " bytes without an address: choose kernels without it (-k)",
		               t->opcode, bytes);
	if (left && (!told || bytes) && !each)
		return ct_fail(s->e, CT_ERR_UNSUPPORTED,
		               "%s: %" PRIu64 " bytes at %" PRIu64
		               " addresses do not tell what each moves: choose kernels without it (-k)",
		               t->opcode, bytes, left);
	uint64_t piece = each & (0 - each);
	piece = piece > 32 ? 32 : piece;
	if (each && left * (each / piece) > CT_BULK_MAX)
		return ct_fail(s->e, CT_ERR_UNSUPPORTED,
		               "%s: a bulk copy of more than %d pieces: choose kernels without it (-k)",
		               t->opcode, CT_BULK_MAX);
	b->pieces = each ? (uint32_t)(each / piece) : 0;
	t->inst.width_field = (uint16_t)piece;
	return CT_OK;
}

/* A bulk copy (TMA). Prefetches, copies within shared memory and copies that are predicated off move nothing. */
static int parse_bulk(struct scan *s, struct ct_line *t)
{
	uint64_t bytes = 0;
	int told = 0;
	struct ct_sinst moves = t->inst;
	moves.width_field = 1;
	ct_opcode_classify(&moves);
	int st = parse_transfers(s, &t->bulk, &bytes, &told);
	if (st < 0)
		return st;
	if (moves.access == CT_ACCESS_NONE && !strstr(t->opcode, ".S.S"))
		return ct_fail(s->e, CT_ERR_UNSUPPORTED,
		               "%s: which way it copies is not told: choose kernels without it (-k)",
		               t->opcode);
	if (moves.access == CT_ACCESS_NONE || moves.access == CT_ACCESS_PREFETCH || t->mask == 0 ||
	    (!bytes && (told || !t->bulk.left))) {
		t->bulk.left = 0;
		t->inst.width_field = 0;
		return CT_OK;
	}
	return cut_transfers(s, t, bytes, told);
}

unsigned ct_bulk_next(struct ct_bulk *b, unsigned piece, struct ct_pack_addr *a)
{
	unsigned n = 0;
	uint64_t before = 0;
	int equal = 1;
	*a = (struct ct_pack_addr){.lowest = INT64_MIN};
	while (n < CT_WARP_LANES && b->left > 0) {
		if (b->list && b->done == 0)
			b->next = ct_text_hex(skip_to_word(b->next), &b->at);
		uint64_t at = b->at + (uint64_t)b->done * piece;
		if (n == 0)
			a->base = at;
		else
			a->delta[n - 1] = (int64_t)(at - before);
		equal &= n < 2 || a->delta[n - 1] == a->delta[0];
		before = at;
		n++;
		if (++b->done < b->pieces)
			continue;
		b->done = 0;
		int64_t difference = 0;
		if (--b->left > 0 && !b->list)
			b->next = ct_text_i64(skip_to_word(b->next), &difference);
		b->at += (uint64_t)difference;
	}
	a->n = n;
	a->form = n > 1 && equal ? CT_ADDR_STRIDE : CT_ADDR_DELTAS;
	a->stride = n > 1 ? a->delta[0] : 0;
	return n;
}

/* Width to the line's end, with or without the flag of GMMA lines, as a bulk copy or not. */
static int parse_rest(const struct ct_columns *c, struct scan *s, int gmma, int bulk, struct ct_line *t)
{
	uint64_t v;
	t->inst.has_gmma = (uint8_t)gmma;
	t->inst.gmma = 0;
	t->address = t->tail = t->values_text = NULL;
	t->addr.form = CT_ADDR_NONE;
	t->nvalues = t->extra = 0;
	t->inst.imm = t->inst.imm2 = 0;
	t->bulk = (struct ct_bulk){.is = bulk};
	if (gmma) {
		int st = get_u64(s, "GMMA flag", 1, &v);
		if (st < 0)
			return st;
		t->inst.gmma = (uint8_t)v;
	}
	int st = get_u64(s, "access width", UINT16_MAX, &v);
	if (st < 0)
		return st;
	t->inst.width_field = (uint16_t)v;
	if (bulk || v > 0) {
		st = bulk ? parse_bulk(s, t) : parse_addresses(s, t);
		if (st < 0)
			return st;
		t->tail = s->p;
	}
	st = parse_tail(c, s, t);
	if (st < 0)
		return st;
	for (struct token x; next_token(s, &x);)
		t->extra++;
	return CT_OK;
}

/* A bulk copy's line. Tracers before version 6 print it without what it copies, as an ordinary line. */
static int parse_bulk_line(const struct ct_columns *c, struct scan *s, struct ct_line *t)
{
	struct scan other = *s;
	other.e = NULL;
	int st = parse_rest(c, s, 0, 1, t);
	if (st == CT_ERR_INPUT && parse_rest(c, &other, 0, 0, t) == CT_OK && !t->extra)
		return ct_fail(s->e, CT_ERR_UNSUPPORTED,
		               "%s: its line does not tell what this bulk copy (TMA) moves, as tracer 6 "
		               "does: choose kernels without it (-k)",
		               t->opcode);
	return st;
}

int ct_line_parse(const struct ct_columns *c, const char *p, const char *end, struct ct_line *t,
                  struct ct_error *e)
{
	struct scan s = {p, end, e};
	t->inst = (struct ct_sinst){0};
	t->end = end;
	int st = parse_lead(c, &s, t);
	if (st == CT_OK)
		st = parse_pc_mask(&s, t);
	if (st == CT_OK)
		st = parse_registers(&s, "number of destinations", CT_MAX_DST, &t->inst.ndst,
		                     t->inst.dst);
	if (st == CT_OK)
		st = parse_opcode(&s, t);
	if (st == CT_OK)
		st = parse_registers(&s, "number of sources", CT_MAX_SRC, &t->inst.nsrc, t->inst.src);
	if (st < 0)
		return st;
	st = -1;
	/* Older tracers print GMMA lines without the flag: it is there if the line then
	 * ends where it should. */
	if (strstr(t->opcode, "GMMA")) {
		struct scan with = s;
		with.e = NULL;
		st = parse_rest(c, &with, 1, 0, t);
		if (st == CT_OK && t->extra)
			st = -1;
	}
	if (ct_opcode_is_bulk(t->opcode))
		st = parse_bulk_line(c, &s, t);
	else if (st != CT_OK)
		st = parse_rest(c, &s, 0, 0, t);
	if (st == CT_OK)
		ct_opcode_classify(&t->inst);
	return st;
}

int ct_columns_detect(unsigned lead, int immediates, const char *p, const char *end,
                      struct ct_columns *c, struct ct_line *t, struct ct_error *e)
{
	static const unsigned others[] = {0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14};
	*c = ct_columns_of(lead);
	c->immediates = -1;
	c->expected = immediates;
	int st = ct_line_parse(c, p, end, t, e);
	for (size_t i = 0; st == CT_ERR_INPUT && i < sizeof others / sizeof others[0]; i++) {
		struct ct_columns try = ct_columns_of(others[i]);
		try.immediates = -1;
		try.expected = immediates;
		int got = ct_line_parse(&try, p, end, t, NULL);
		if (got != CT_OK && got != CT_ERR_UNSUPPORTED)
			continue;
		*c = try;
		st = got == CT_OK ? got : ct_line_parse(c, p, end, t, e);
	}
	if (st == CT_OK)
		c->immediates = t->immediates;
	return st;
}

/* What the reader has to know of every execution of this instruction, as CT_TPL_* bits, so that the fast
 * path looks at one number. */
unsigned ct_flags_of(const struct ct_line *t)
{
	const struct ct_sinst *s = &t->inst;
	unsigned flags = 0;
	if (t->address)
		flags |= CT_TPL_ADDRESS;
	if (t->values_text)
		flags |= CT_TPL_VALUES;
	if (s->access == CT_ACCESS_ASYNC)
		flags |= CT_TPL_LDGSTS;
	if (s->space == CT_SPACE_GLOBAL && s->access != CT_ACCESS_NONE)
		flags |= CT_TPL_GLOBAL;
	if (s->width_field && s->width && s->width != s->width_field)
		flags |= CT_TPL_LIES;
	if (t->extra)
		flags |= CT_TPL_EXTRA;
	if (s->unit == CT_CLASS_EXIT)
		flags |= CT_TPL_EXIT;
	return flags;
}
