/* accelsim_fast.c - instruction lines whose static text was seen before.
 *
 * Programs are loops: nearly every line repeats an earlier one but for mask and
 * addresses. A template keeps the static text of a line as 64-bit words with a mask
 * of the bytes that count, so that a line is recognised by a handful of loads, and
 * the template that followed last time is tried first. What is left to parse are
 * eight hexadecimal digits of lane mask and the address field. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hot.h"
#include "base/mem.h"
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

enum {
	WORDS = 12,     /* static text up to the address field: 96 bytes */
	TAIL_WORDS = 4, /* after it: 32 bytes */
	MAX_TEMPLATES = 1 << 17,
	MAX_CHAIN = 16 /* texts with one PC (called functions); further ones are slow only */
};

enum { REST_MAX = 248 };

/* What followed the base address of a line last time: strides and differences mostly
 * stay the same from one execution to the next, and are then neither parsed nor packed
 * again. */
struct rest {
	uint16_t length;
	uint8_t lanes; /* set mask bits that the text belongs to */
	uint8_t form;  /* enum ct_addr_form */
	uint8_t packed_bytes, packed_runs;
	int64_t stride, lowest;
	char text[REST_MAX + 8];
	unsigned char packed[CT_PACK_DELTAS_MAX];
};

struct template
{
	uint32_t sid;
	uint32_t next;   /* template that followed last time, plus 1 */
	uint32_t chain;  /* next one with the same hash, plus 1 */
	uint16_t length; /* of the text, with the newline if nothing else follows */
	uint8_t words;
	uint8_t tail_length;
	uint8_t mask_at;
	uint8_t flags; /* CT_TPL_* */
	uint8_t registers;
	struct rest *rest; /* NULL: none yet */
	uint64_t pc;
	uint64_t text[WORDS], care[WORDS];
	uint64_t tail[TAIL_WORDS], tail_care[TAIL_WORDS];
};

struct ct_templates {
	struct template *t;
	size_t n, cap;
	uint32_t *bucket; /* by PC, plus 1 */
	size_t buckets;
	struct rest *recent; /* last one kept, whichever line it is of */
};

struct ct_templates *ct_templates_new(void)
{
	return calloc(1, sizeof(struct ct_templates));
}

static void free_rests(struct ct_templates *s)
{
	s->recent = NULL;
	for (size_t i = 0; i < s->n; i++)
		free(s->t[i].rest);
}

void ct_templates_free(struct ct_templates *s)
{
	if (!s)
		return;
	free_rests(s);
	free(s->t);
	free(s->bucket);
	free(s);
}

void ct_templates_reset(struct ct_templates *s)
{
	free_rests(s);
	s->n = 0;
	if (s->buckets)
		memset(s->bucket, 0, s->buckets * sizeof *s->bucket);
}

static uint32_t *bucket_of(struct ct_templates *s, uint64_t pc)
{
	return &s->bucket[ct_mix64(pc) & (s->buckets - 1)];
}

/* Doubles the table of chains and puts each template into the chain of its PC again. Returns -1 when out
 * of memory, the table as it was. */
static int grow_buckets(struct ct_templates *s)
{
	size_t n = s->buckets ? 2 * s->buckets : 1024;
	uint32_t *b = ct_calloc(n, sizeof *b);
	if (!b)
		return -1;
	free(s->bucket);
	s->bucket = b;
	s->buckets = n;
	for (size_t i = 0; i < s->n; i++) {
		uint32_t *head = bucket_of(s, s->t[i].pc);
		s->t[i].chain = *head;
		*head = (uint32_t)i + 1;
	}
	return 0;
}

/* Copies n bytes into words and marks them as counting. */
static void to_words(uint64_t *text, uint64_t *care, unsigned words, const char *p, size_t n)
{
	unsigned char bytes[8 * WORDS] = {0}, counts[8 * WORDS] = {0};
	if (n)
		memcpy(bytes, p, n);
	memset(counts, 0xff, n);
	memcpy(text, bytes, 8 * words);
	memcpy(care, counts, 8 * words);
}

/* Bytes of the mask's digits do not count. */
static void spare_mask(struct template *x)
{
	unsigned char care[8 * WORDS], text[8 * WORDS];
	memcpy(care, x->care, sizeof care);
	memcpy(text, x->text, sizeof text);
	memset(care + x->mask_at, 0, 8);
	memset(text + x->mask_at, 0, 8);
	memcpy(x->care, care, sizeof care);
	memcpy(x->text, text, sizeof text);
}

/* Fixed numbers of words: a loop whose length changes from line to line would be
 * mispredicted on each of them. Words that do not count compare nothing. */
static inline uint64_t differing_bits(const uint64_t *text, const uint64_t *care, const char *p,
                                      unsigned words)
{
	uint64_t differ = 0;
	for (unsigned i = 0; i < words; i++)
		differ |= (ct_load64(p + 8 * i) ^ text[i]) & care[i];
	return differ;
}

static inline int matches_template(const struct template *x, const char *p)
{
	if (x->words > 8 && differing_bits(x->text + 8, x->care + 8, p + 64, WORDS - 8))
		return 0;
	return differing_bits(x->text, x->care, p, 8) == 0;
}

static inline int tail_matches(const struct template *x, const char *p)
{
	return differing_bits(x->tail, x->tail_care, p, TAIL_WORDS) == 0;
}

/* Any template for the line at p, by its PC; *tried templates of that hash. */
static struct template *look_up(struct ct_templates *s, const char *p, int has_line, unsigned *tried)
{
	const char *q = p;
	uint64_t pc = 0;
	*tried = 0;
	if (!s->buckets)
		return NULL;
	if (has_line) {
		while ((unsigned)(*q - '0') <= 9)
			q++;
		q = ct_skip_blanks(q);
	}
	for (int d, n = 0; (d = ct_hex_digit(*q)) >= 0 && n < 16; q++, n++)
		pc = pc << 4 | (unsigned)d;
	uint32_t at = *bucket_of(s, pc);
	for (; at && *tried < MAX_CHAIN; (*tried)++) {
		struct template *x = &s->t[at - 1]; /* a bucket that is not 0 names one of t */
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		if (x->pc == pc && matches_template(x, p))
			return x;
		at = x->chain;
	}
	return NULL;
}

/* Address fields are parsed fast only with single blanks: format digit, blank. */
static int plain_address(const struct ct_line *t)
{
	return t->address[0] >= '0' && t->address[0] <= '2' && t->address[1] == ' ';
}

uint32_t ct_templates_add(struct ct_templates *s, const struct ct_line *t, uint32_t sid, int has_line)
{
	struct template x = {.sid = sid,
	                     .flags = (uint8_t)ct_flags_of(t),
	                     .pc = t->inst.pc,
	                     .registers = (uint8_t)(t->inst.ndst + t->inst.nsrc)};
	const char *stop = t->values_text ? t->values_text : t->end + 1;
	size_t n = (size_t)((t->address ? t->address : stop) - t->fixed);
	size_t tail = t->address ? (size_t)(stop - t->tail) : 0;
	unsigned chain;
	if (t->bulk.is)
		return 0;
	struct template *known = look_up(s, t->fixed, has_line, &chain);
	if (known)
		return (uint32_t)(known - s->t) + 1;
	if (chain >= MAX_CHAIN || n > 8 * WORDS || tail > 8 * TAIL_WORDS || s->n >= MAX_TEMPLATES ||
	    (t->address && !plain_address(t)))
		return 0;
	if (s->n + 1 > s->buckets && grow_buckets(s) != 0)
		return 0;
	if (ct_grow((void **)&s->t, &s->cap, s->n + 1, sizeof *s->t) != 0)
		return 0;
	x.length = (uint16_t)n;
	x.words = (uint8_t)((n + 7) / 8);
	x.mask_at = (uint8_t)(t->mask_text - t->fixed);
	to_words(x.text, x.care, WORDS, t->fixed, n);
	spare_mask(&x);
	x.tail_length = (uint8_t)tail;
	to_words(x.tail, x.tail_care, TAIL_WORDS, t->tail, tail);
	uint32_t *head = bucket_of(s, x.pc);
	x.chain = *head;
	s->t[s->n++] = x;
	*head = (uint32_t)s->n;
	return (uint32_t)s->n;
}

void ct_templates_follow(struct ct_templates *s, uint32_t a, uint32_t b)
{
	if (a)
		s->t[a - 1].next = b;
}

/* Values of hexadecimal digits, 16 for everything else. */
#define X16 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16
static const uint8_t hex_value[256] = {
	X16, X16, X16, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,   16,  16,  16,  16,  16,  16, /* '0' */
	16,  10,  11,  12, 13, 14, 15, 16, 16, 16, 16, 16, 16,  16,  16,  16,  X16, 16,  10,  11,  12,
	13,  14,  15,  16, 16, 16, 16, 16, 16, 16, 16, 16, X16, X16, X16, X16, X16, X16, X16, X16, X16,
};
#undef X16

static inline unsigned hex_at(const char *p)
{
	return hex_value[(unsigned char)*p];
}

/* Eight hexadecimal digits; 0 when one of them is none. */
static inline int mask_digits(const char *p, uint32_t *out)
{
	uint32_t v = 0;
	unsigned bad = 0;
	if (ct_load64(p) == ct_load64("ffffffff")) {
		*out = UINT32_MAX;
		return 1;
	}
	for (int i = 0; i < 8; i++) {
		unsigned d = hex_at(p + i);
		bad |= d;
		v = v << 4 | d;
	}
	*out = v;
	return bad < 16;
}

/* A decimal of up to 18 digits, as all but absurd differences are. */
static inline const char *short_i64(const char *p, int64_t *out)
{
	int64_t v;
	int negative = *p == '-';
	p += negative;
	unsigned d = (unsigned)(*p - '0');
	if (d > 9)
		return NULL;
	v = d;
	const char *start = p++;
	for (; (d = (unsigned)(*p - '0')) <= 9; p++)
		v = (int64_t)((uint64_t)v * 10 + d);
	if (p - start > 18)
		return NULL;
	*out = negative ? -v : v;
	return p;
}

static inline const char *short_hex(const char *p, uint64_t *out)
{
	if (p[0] == '0' && p[1] == 'x')
		p += 2;
	const char *start = p;
	uint64_t v = 0;
	for (unsigned d; (d = hex_at(p)) < 16; p++)
		v = v << 4 | d;
	*out = v;
	return p > start && p - start <= 16 ? p : NULL;
}

static const char *list_field(const char *p, struct ct_pack_addr *a)
{
	uint64_t before = 0, v;
	a->base = 0;
	for (unsigned i = 0; i < a->n; i++) {
		if (*p++ != ' ' || !(p = short_hex(p, &v)))
			return NULL;
		if (i == 0)
			a->base = v;
		else
			a->delta[i - 1] = (int64_t)(v - before);
		before = v;
	}
	return p;
}

/* The stride or the differences at p: the end, or NULL for the slow parser. */
static const char *rest_field(const char *p, struct ct_pack_addr *a)
{
	int64_t at = 0;
	a->lowest = 0;
	if (a->form == CT_ADDR_STRIDE) {
		if (*p != ' ' || !(p = short_i64(p + 1, &a->stride)))
			return NULL;
		if (a->stride < 0)
			a->lowest = a->stride < -((int64_t)1 << 32) ? INT64_MIN : 31 * a->stride;
		return p;
	}
	for (unsigned i = 1; i < a->n; i++) {
		if (*p != ' ' || !(p = short_i64(p + 1, &a->delta[i - 1])))
			return NULL;
		/* Sums of 31 differences of up to 18 digits may wrap, which only makes `lowest`
		 * useless for absurd addresses. */
		at = (int64_t)((uint64_t)at + (uint64_t)a->delta[i - 1]);
		if (at < a->lowest)
			a->lowest = at;
	}
	return p;
}

/* Whether the rest of a line is that of r: the line's own tail must end it. */
static int same_rest(const struct template *x, const struct rest *r, const char *p,
                     const struct ct_pack_addr *a)
{
	if (!r || r->lanes != a->n || r->form != a->form || r->length == 0)
		return 0;
	unsigned n = r->length, i = 0;
	for (; i + 16 <= n; i += 16)
		if ((ct_load64(p + i) ^ ct_load64(r->text + i)) |
		    (ct_load64(p + i + 8) ^ ct_load64(r->text + i + 8)))
			return 0;
	if (n < 16) {
		for (; i < n; i++)
			if (p[i] != r->text[i])
				return 0;
	} else if ((ct_load64(p + n - 16) ^ ct_load64(r->text + n - 16)) |
	           (ct_load64(p + n - 8) ^ ct_load64(r->text + n - 8))) {
		return 0; /* the last ones, and some of those before once more */
	}
	return r == x->rest || (n >= x->tail_length && tail_matches(x, p + n - x->tail_length));
}

static void recall_rest(const struct rest *r, struct ct_pack_addr *a)
{
	a->stride = r->stride;
	a->lowest = r->lowest;
	a->packed = r->packed;
	a->packed_bytes = r->packed_bytes;
	a->packed_runs = r->packed_runs;
}

/* Keeps [p, end) and what it meant; the differences are packed in passing. */
static void remember_rest(struct ct_templates *s, struct template *x, const char *p, const char *end,
                          struct ct_pack_addr *a)
{
	size_t n = (size_t)(end - p);
	struct rest *r = x->rest;
	if (n > REST_MAX || (!r && !(r = x->rest = malloc(sizeof *r))))
		return;
	s->recent = r;
	r->length = (uint16_t)n;
	r->lanes = (uint8_t)a->n;
	r->form = (uint8_t)a->form;
	r->stride = a->stride;
	r->lowest = a->lowest;
	r->packed_bytes = r->packed_runs = 0;
	memcpy(r->text, p, n);
	if (a->form == CT_ADDR_DELTAS) {
		unsigned bytes = ct_pack_deltas(a, r->packed, &r->packed_runs);
		if (bytes > UINT8_MAX) {
			r->length = 0; /* matches nothing */
			return;
		}
		r->packed_bytes = (uint8_t)bytes;
		a->packed = r->packed;
		a->packed_bytes = r->packed_bytes;
		a->packed_runs = r->packed_runs;
	}
}

/* The address field at p ("1 0x7f00 4") and the line's tail behind it: the end, or
 * NULL for the slow parser. */
static const char *address_field(struct ct_templates *s, struct template *x, const char *p,
                                 uint32_t mask, struct ct_pack_addr *a)
{
	char form = p[0];
	if (p[1] != ' ' || form < '0' || form > '2')
		return NULL;
	a->n = mask == UINT32_MAX ? 32 : ct_popcount(mask);
	a->stride = 0;
	a->packed = NULL;
	if (form == '0') {
		a->form = CT_ADDR_LIST;
		a->lowest = INT64_MIN;
		p = list_field(p + 1, a);
		return p && tail_matches(x, p) ? p + x->tail_length : NULL;
	}
	a->form = form == '1' ? CT_ADDR_STRIDE : CT_ADDR_DELTAS;
	p = short_hex(p + 2, &a->base);
	if (!p)
		return NULL;
	const struct rest *r = x->rest;
	if (same_rest(x, r, p, a) || (r != s->recent && same_rest(x, r = s->recent, p, a))) {
		recall_rest(r, a);
		return p + r->length;
	}
	const char *start = p;
	p = rest_field(p, a);
	if (!p || !tail_matches(x, p))
		return NULL;
	p += x->tail_length;
	remember_rest(s, x, start, p, a);
	return p;
}

/* Values end the line; NULL for the slow parser, which says what is wrong. */
static const char *values_field(const char *p, unsigned registers, uint32_t *values, unsigned *n)
{
	*n = 0;
	for (unsigned r = 0; r < registers; r++) {
		uint64_t count, v;
		p = ct_text_u64(ct_skip_blanks(p), &count);
		if (!p || !ct_is_end(*p) || count > CT_WARP_LANES)
			return NULL;
		values[(*n)++] = (uint32_t)count;
		for (; count > 0; count--) {
			p = ct_text_hex(ct_skip_blanks(p), &v);
			if (!p || !ct_is_end(*p) || v > UINT32_MAX)
				return NULL;
			values[(*n)++] = (uint32_t)v;
		}
	}
	p = ct_skip_blanks(p);
	p += *p == '\r';
	return *p == '\n' ? p + 1 : NULL;
}

/* Notes that the line was x, one more instruction for those lanes. */
static inline void note_line(const struct ct_templates *s, const struct template *x, struct ct_stream *w,
                             uint32_t mask)
{
	w->last = (uint32_t)(x - s->t) + 1;
	w->lines++;
	w->insts++;
	w->seen |= mask;
	w->undo.valid = 0;
}

/* Puts an instruction whose addresses lie as before, of an opcode and a line with nothing odd, as
 * ct_stream_put() does: 1. 0: it is none. */
static inline int put_as_before(const struct ct_templates *s, const struct template *x,
                                struct ct_stream *w, struct ct_span *o, struct ct_tally *n,
                                uint32_t mask, const struct ct_pack_addr *a)
{
	static const unsigned char nothing[CT_PACK_SHORT];
	struct ct_pack_short f = {.form = a->form, .base = a->base, .packed = nothing, .r = 1};
	if (x->flags & ~(CT_TPL_ADDRESS | CT_TPL_GLOBAL))
		return 0;
	if (a->form == CT_ADDR_STRIDE) {
		if (a->stride != w->packer.slot[x->sid % CT_PACK_SLOTS].stride)
			return 0;
	} else if (!a->packed || a->packed_bytes > CT_PACK_SHORT) {
		return 0;
	} else {
		f.packed = a->packed;
		f.bytes = a->packed_bytes;
		f.r = a->packed_runs;
	}
	if (x->flags & CT_TPL_GLOBAL)
		n->null_global += ct_null_lanes(a);
	o->p = ct_pack_addressed(&w->packer, o->p, x->sid, mask, &f);
	note_line(s, x, w, mask);
	return 1;
}

static const char *values_line(struct ct_templates *s, const struct template *x, const char *p,
                               uint32_t mask, struct ct_stream *w, struct ct_span *o, struct ct_tally *n,
                               const struct ct_pack_addr *addr, int keep)
{
	uint32_t values[CT_MAX_VALUES];
	unsigned count;
	p = values_field(p, x->registers, values, &count);
	if (!p)
		return NULL;
	w->last = (uint32_t)(x - s->t) + 1;
	ct_stream_put(w, o, n, x->sid, mask, x->flags, addr, values, keep ? count : 0);
	return p;
}

/* A line with more than a mask. */
static CT_NOINLINE const char *
full_line(struct ct_templates *s, struct template *x, const char *p, uint32_t mask, struct ct_stream *w,
          struct ct_span *o, struct ct_tally *n, int keep)
{
	struct ct_pack_addr addr;
	addr.form = CT_ADDR_NONE;
	if (x->flags & CT_TPL_ADDRESS) {
		p = address_field(s, x, p, mask, &addr);
		if (!p || put_as_before(s, x, w, o, n, mask, &addr))
			return p;
	}
	if (x->flags & CT_TPL_VALUES)
		return values_line(s, x, p, mask, w, o, n, &addr, keep);
	w->last = (uint32_t)(x - s->t) + 1;
	ct_stream_put(w, o, n, x->sid, mask, x->flags, &addr, NULL, 0);
	return p;
}

/* A plain line that does not go on with the pending run. */
static CT_NOINLINE const char *plain_line(const struct template *x, const char *p, uint32_t mask,
                                          struct ct_stream *w, struct ct_span *o)
{
	o->p = ct_pack_plain(&w->packer, o->p, x->sid, mask);
	return p;
}

/* A line of template x. */
static CT_INLINE const char *
line_of(struct ct_templates *s, struct template *x, const char *p, struct ct_stream *w,
        struct ct_span *o, struct ct_tally *n, int keep)
{
	uint32_t mask;
	if (!mask_digits(p + x->mask_at, &mask))
		return NULL;
	p += x->length;
	if (x->flags)
		return full_line(s, x, p, mask, w, o, n, keep);
	note_line(s, x, w, mask);
	if (ct_pack_adds(&w->packer, x->sid, mask))
		return p;
	return plain_line(x, p, mask, w, o);
}

/* A line that is not what followed last time. */
static CT_NOINLINE const char *
other_line(struct ct_templates *s, const char *p, int has_line, struct ct_stream *w, struct ct_span *o,
           struct ct_tally *n, int keep)
{
	unsigned tried;
	struct template *x = look_up(s, p, has_line, &tried);
	if (!x)
		return NULL;
	ct_templates_follow(s, w->last, (uint32_t)(x - s->t) + 1);
	return line_of(s, x, p, w, o, n, keep);
}

const char *ct_templates_line(struct ct_templates *s, const char *p, int has_line, struct ct_stream *w,
                              struct ct_span *o, struct ct_tally *n, int keep_values)
{
	uint32_t next = w->last ? s->t[w->last - 1].next : 0;
	if (next && matches_template(&s->t[next - 1], p))
		return line_of(s, &s->t[next - 1], p, w, o, n, keep_values);
	return other_line(s, p, has_line, w, o, n, keep_values);
}
