/* ctz_encode.c - instructions into the columns of a frame. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/mem.h"
#include "trace/private/ctz.h"
#include "trace/private/text.h"

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
#include <emmintrin.h>
#endif

int ctz_encoder_init(struct ctz_encoder *c)
{
	memset(c, 0, sizeof *c);
	c->epoch = 1;
	return ctz_model_init(&c->model);
}

void ctz_encoder_free(struct ctz_encoder *c)
{
	for (int i = 0; i < CTZ_COLUMNS; i++)
		ct_buf_free(&c->column[i]);
	for (int i = 0; i < CTZ_CODE_COLUMNS; i++)
		ct_buf_free(&c->code[i]);
	ctz_model_free(&c->model);
	ctz_code_reset(&c->code_state);
	for (size_t i = 0; i < c->sequences; i++)
		free(c->sequence[i].part);
	free(c->sequence);
	free(c->sid);
}

void ctz_encoder_kernel(struct ctz_encoder *c)
{
	ctz_code_reset(&c->code_state);
	c->sids = 0;
	c->code_count = 0;
	c->next_index = 0;
	for (size_t i = 0; i < c->sequences; i++)
		c->sequence[i].epoch = 0;
}

int ctz_encoder_start_frame(struct ctz_encoder *c)
{
	for (int i = 0; i < CTZ_COLUMNS; i++)
		ct_buf_reset(&c->column[i]);
	for (int i = 0; i < CTZ_CODE_COLUMNS; i++)
		ct_buf_reset(&c->code[i]);
	c->insts = 0;
	c->ctas = 0;
	c->last_insts = 0;
	c->next_index = 0;
	c->slack = 0;
	c->epoch++;
	return ctz_model_frame(&c->model, c->code_count);
}

/* The most that columns grow by: with where instructions come next and their mask; with addresses; with
 * the end of a warp or of a CTA. */
enum { RUN_BYTES = 64, ACCESS_BYTES = 384, END_BYTES = 128 };

void ctz_encoder_start_cta(struct ctz_encoder *c, uint64_t index, int goes_on)
{
	if (c->ctas == 0)
		c->first_index = index;
	c->index = index;
	c->part_warps = 0;
	c->next_warp = 0;
	c->cta_goes_on = goes_on;
	c->warp_goes_on = 0;
	c->model.cta++;
}

void ctz_encoder_end_cta(struct ctz_encoder *c, int goes_on)
{
	struct ct_buf *b = &c->column[CTZ_C_CTA];
	ctz_put(b, c->part_warps << 3 | (c->cta_goes_on ? 1u : 0) | (goes_on ? 2u : 0) |
	                   (c->warp_goes_on ? 4u : 0));
	ctz_put(b, ctz_zigzag(c->index - c->next_index));
	c->next_index = c->index + 1;
	c->ctas++;
	c->slack -= END_BYTES;
}

void ctz_encoder_start_warp(struct ctz_encoder *c, int goes_on)
{
	if (c->part_warps++ == 0)
		c->warp_goes_on = goes_on;
	c->warp_insts = 0;
	c->last_sid = UINT32_MAX;
	c->mask = c->old_mask = UINT32_MAX;
	c->run = c->mask_run = 0;
	c->model.warp++;
}

void ctz_encoder_end_warp(struct ctz_encoder *c, const struct ct_warp_info *w, int core_ids)
{
	struct ct_buf *b = &c->column[CTZ_C_WARP];
	c->slack -= END_BYTES;
	if (c->run)
		ctz_put(&c->column[CTZ_C_FLOW], c->run);
	if (c->mask_run)
		ctz_put(&c->column[CTZ_C_MASK], c->mask_run << 2);
	ctz_put(b, ctz_zigzag((uint64_t)w->warp - c->next_warp));
	c->next_warp = w->warp + 1;
	ctz_put(b, ctz_zigzag(c->warp_insts - c->last_insts));
	c->last_insts = c->warp_insts;
	if (core_ids) {
		ctz_put(b, (uint64_t)((int64_t)w->sm + 1));
		ctz_put(b, (uint64_t)((int64_t)w->slot + 1));
	}
}

/* What is known of a static instruction of the source, by its number there: its number in the file plus 1,
 * and whether it has a field of addresses, or ever had addresses or values. One that has none of these
 * bits never changes its attributes. */
enum { SID_BITS = 30 };
#define SID_NUMBER ((UINT32_C(1) << SID_BITS) - 1)
#define SID_MEMORY (UINT32_C(1) << SID_BITS)
#define SID_ATTRIBUTES (UINT32_C(2) << SID_BITS)

/* Makes it known. */
static int add_sid(struct ctz_encoder *c, const struct ct_code *code, uint32_t from, struct ct_error *e)
{
	if (from >= c->sids) {
		size_t n = ct_code_count(code);
		if (ct_grow((void **)&c->sid, &c->sid_cap, n, sizeof *c->sid) != 0)
			return ct_fail_nomem(e);
		memset(c->sid + c->sids, 0, (n - c->sids) * sizeof *c->sid);
		c->sids = n;
	}
	if (c->sid[from])
		return CT_OK;
	c->slack = 0; /* code counts, too */
	if (c->code_count + 1 > SID_NUMBER)
		return ct_fail(e, CT_ERR_LIMIT, "a kernel of more than %" PRIu32 " static instructions",
		               SID_NUMBER - 1);
	const struct ct_sinst *s = ct_code_at(code, from);
	c->sid[from] = ++c->code_count | (s->width_field ? SID_MEMORY | SID_ATTRIBUTES : 0);
	c->epoch++;
	if (ctz_model_grow(&c->model, c->code_count) != 0)
		return ct_fail_nomem(e);
	return ctz_code_put(&c->code_state, c->code, s, e);
}

static inline int know_sid(struct ctz_encoder *c, const struct ct_code *code, uint32_t from,
                           struct ct_error *e)
{
	return from < c->sids && c->sid[from] ? CT_OK : add_sid(c, code, from, e);
}

/* `n` instructions, one after the other in the file too. */
static inline void put_steps(struct ctz_encoder *c, uint32_t sid, uint32_t n)
{
	uint32_t next = c->last_sid + 1;
	if (sid == next) {
		c->run += n;
	} else {
		ctz_put(&c->column[CTZ_C_FLOW], c->run);
		ctz_put(&c->column[CTZ_C_FLOW], ctz_zigzag((uint64_t)sid - next));
		c->run = n - 1;
	}
	c->last_sid = sid + n - 1;
}

/* Writes which instruction comes next, as runs of neighbours and the jumps between them, and tells where
 * what an instruction carries (addresses, values) is not as it was. */
static void put_flow(struct ctz_encoder *c, uint32_t sid, struct ctz_site *site, unsigned attr)
{
	struct ct_buf *b = &c->column[CTZ_C_FLOW];
	if (attr != site->attr) {
		ctz_put(b, c->run);
		ctz_put(b, 0);
		ctz_put(b, sid);
		ctz_put(b, attr);
		site->attr = (uint8_t)attr;
		c->epoch++;
		c->run = 0;
	}
	put_steps(c, sid, 1);
}

/* `n` instructions have this mask. */
static void put_mask(struct ctz_encoder *c, uint32_t mask, uint32_t n)
{
	if (mask != c->mask) {
		unsigned kind = mask == c->old_mask ? 1 : mask == 0 ? 2 : 3;
		ctz_put(&c->column[CTZ_C_MASK], c->mask_run << 2 | kind);
		if (kind == 3) {
			const unsigned char bits[4] = {
				mask & 0xff, mask >> 8 & 0xff, mask >> 16 & 0xff, mask >> 24};
			ct_buf_add(&c->column[CTZ_C_MASK_BITS], bits, sizeof bits);
		}
		c->old_mask = c->mask;
		c->mask = mask;
		c->mask_run = 0;
	}
	c->mask_run += n;
}

/* Addresses of an instruction. */
struct addresses {
	unsigned form; /* enum ct_addr_form, with addresses */
	uint64_t base;
	int64_t stride;
	const uint64_t *each; /* n */
	unsigned n;
};

#if defined(__SSE2__) && !defined(CT_NO_SIMD)

enum { CHUNK = 8, PAIRS = CHUNK / 2, PLANES = 4, USUAL_BITS = 28 };

static inline __m128i load_pair(const void *p)
{
	return _mm_loadu_si128(p);
}

/* The first CHUNK differences from each[at] on, 0 behind the n-th, into *delta; returns whether one is not as it
 * was there. Reads no address behind the n + 1 rounded up to CHUNK, of which there are as many as lanes. */
static inline int subtract(__m128i d[PAIRS], const uint64_t *each, unsigned n, unsigned at,
                           int64_t *delta)
{
	static const int64_t edge[2 * CHUNK] = {-1, -1, -1, -1, -1, -1, -1, -1};
	__m128i v[PAIRS + 1], differs = _mm_setzero_si128();
	for (unsigned k = 0; k < PAIRS; k++)
		v[k] = load_pair(each + at + 2 * k);
	v[PAIRS] = at + CHUNK <= n ? _mm_loadl_epi64((const __m128i *)(const void *)(each + at + CHUNK))
	                           : _mm_setzero_si128();
	const int64_t *mask = edge + (n - at < CHUNK ? CHUNK - (n - at) : 0);
	for (unsigned k = 0; k < PAIRS; k++) {
		__m128i next = _mm_unpacklo_epi64(_mm_srli_si128(v[k], 8), v[k + 1]);
		int64_t *old = delta + at + 2 * k;
		d[k] = _mm_and_si128(_mm_sub_epi64(next, v[k]), load_pair(mask + 2 * k));
		differs = _mm_or_si128(differs, _mm_xor_si128(d[k], load_pair(old)));
		_mm_storeu_si128((__m128i *)(void *)old, d[k]);
	}
	return _mm_movemask_epi8(_mm_cmpeq_epi8(differs, _mm_setzero_si128())) != 0xffff;
}

/* Seven bits of each of CHUNK numbers, as 16-bit numbers. */
static inline __m128i cut_bits(__m128i low, __m128i high, int shift)
{
	const __m128i seven = _mm_set1_epi32(0x7f);
	return _mm_packs_epi32(_mm_and_si128(_mm_srli_epi32(low, shift), seven),
	                       _mm_and_si128(_mm_srli_epi32(high, shift), seven));
}

/* Appends those of CHUNK bytes that are wanted. */
static inline void put_some(struct ct_buf *b, __m128i bytes, uint32_t wanted)
{
	unsigned char all[CHUNK], some[CHUNK];
	unsigned n = 0;
	if (!wanted)
		return;
	if (!(wanted & (wanted + 1)) && b->cap > b->len + CHUNK && !b->failed) {
		_mm_storel_epi64((__m128i *)(void *)(b->data + b->len), bytes);
		b->len += ct_bits(wanted);
		b->data[b->len] = '\0';
		return;
	}
	_mm_storel_epi64((__m128i *)(void *)all, bytes);
	for (; wanted; wanted &= wanted - 1)
		some[n++] = all[ct_low_bit(wanted)];
	ct_buf_add(b, some, n);
}

/* Writes the first n of CHUNK differences in planes, as ctz_put_planes() writes one: up to 28 bits are usual. The
 * bytes of two planes lie side by side in a vector. */
static inline void put_chunk(struct ct_buf *column, const __m128i d[PAIRS], unsigned n)
{
	const __m128i zero = _mm_setzero_si128(), more = _mm_set1_epi8((char)0x80);
	__m128i z[PAIRS], all = zero;
	for (unsigned k = 0; k < PAIRS; k++) {
		z[k] = _mm_xor_si128(_mm_slli_epi64(d[k], 1),
		                     _mm_sub_epi64(zero, _mm_srli_epi64(d[k], 63)));
		all = _mm_or_si128(all, z[k]);
	}
	all = _mm_andnot_si128(_mm_set_epi32(0, (1 << USUAL_BITS) - 1, 0, (1 << USUAL_BITS) - 1), all);
	if (_mm_movemask_epi8(_mm_cmpeq_epi8(all, zero)) != 0xffff) {
		uint64_t each[CHUNK];
		for (unsigned k = 0; k < PAIRS; k++)
			_mm_storeu_si128((__m128i *)(void *)(each + 2 * k), z[k]);
		for (unsigned k = 0; k < n; k++)
			ctz_put_planes(column, each[k]);
		return;
	}
	__m128i a = _mm_unpacklo_epi64(_mm_shuffle_epi32(z[0], 0x08), _mm_shuffle_epi32(z[1], 0x08));
	__m128i b = _mm_unpacklo_epi64(_mm_shuffle_epi32(z[2], 0x08), _mm_shuffle_epi32(z[3], 0x08));
	__m128i low = _mm_packus_epi16(cut_bits(a, b, 0), cut_bits(a, b, 7));
	__m128i high = _mm_packus_epi16(cut_bits(a, b, 14), cut_bits(a, b, 21));
	__m128i fourth = _mm_cmpgt_epi8(_mm_srli_si128(high, CHUNK), zero);
	__m128i third = _mm_or_si128(_mm_cmpgt_epi8(high, zero), fourth);
	__m128i second = _mm_or_si128(_mm_cmpgt_epi8(_mm_srli_si128(low, CHUNK), zero), third);
	uint32_t wanted = (uint32_t)_mm_movemask_epi8(_mm_unpacklo_epi64(second, third));
	low = _mm_or_si128(low, _mm_and_si128(_mm_unpacklo_epi64(second, third), more));
	high = _mm_or_si128(high, _mm_and_si128(_mm_unpacklo_epi64(fourth, zero), more));
	put_some(column, low, (1u << n) - 1);
	put_some(column + 1, _mm_srli_si128(low, CHUNK), wanted & 0xff);
	put_some(column + 2, high, wanted >> CHUNK);
	put_some(column + 3, _mm_srli_si128(high, CHUNK), (uint32_t)_mm_movemask_epi8(fourth) & 0xff);
}

/* Writes the differences of addresses, unless they are those of the list before; keeps them there. */
static void put_list(struct ctz_encoder *c, const struct addresses *a, struct ctz_list *list,
                     unsigned *byte)
{
	__m128i d[CT_WARP_LANES / 2];
	unsigned n = a->n ? a->n - 1 : 0;
	int differs = list->n != n + 1;
	for (unsigned at = 0; at < n; at += CHUNK)
		differs |= subtract(d + at / 2, a->each, n, at, list->delta);
	list->n = (uint8_t)(n + 1);
	if (!differs)
		*byte |= CTZ_A_REST;
	for (unsigned at = 0; at < n && differs; at += CHUNK)
		put_chunk(&c->column[CTZ_C_DELTA], d + at / 2, n - at < CHUNK ? n - at : CHUNK);
}

#else

static void put_list(struct ctz_encoder *c, const struct addresses *a, struct ctz_list *list,
                     unsigned *byte)
{
	int64_t delta[CT_WARP_LANES];
	unsigned n = a->n ? a->n - 1 : 0;
	uint64_t differs = 0;
	for (unsigned k = 0; k < n; k++) {
		delta[k] = (int64_t)(a->each[k + 1] - a->each[k]);
		differs |= (uint64_t)(delta[k] ^ list->delta[k]);
	}
	if (list->n == n + 1 && !differs) {
		*byte |= CTZ_A_REST;
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		ctz_put_planes(&c->column[CTZ_C_DELTA], ctz_zigzag((uint64_t)delta[k]));
		list->delta[k] = delta[k];
	}
	list->n = (uint8_t)(n + 1);
}

#endif

/* Writes the addresses of an access. What the model predicts right costs one byte. */
static void put_address(struct ctz_encoder *c, uint32_t sid, struct ctz_site *s,
                        const struct addresses *a)
{
	unsigned byte = a->form;
	uint64_t rest = a->base - ctz_predict(&c->model, s);
	ctz_learn(&c->model, s, a->base);
	if (rest == 0)
		byte |= CTZ_A_BASE;
	else
		ctz_put_planes(&c->column[CTZ_C_BASE], ctz_zigzag(rest));
	if (a->form != CT_ADDR_STRIDE) {
		put_list(c, a, &c->model.list[sid % CTZ_LISTS], &byte);
	} else if (a->stride == s->stride) {
		byte |= CTZ_A_REST;
	} else {
		ctz_put(&c->column[CTZ_C_STRIDE], ctz_zigzag((uint64_t)a->stride));
		s->stride = a->stride;
	}
	ctz_put_byte(&c->column[CTZ_C_ADDR], byte);
}

/* Lanes hold neighbouring values, and counts repeat. */
static void put_values(struct ctz_encoder *c, const struct ct_inst *i)
{
	struct ct_buf *b = &c->column[CTZ_C_VALUE];
	uint32_t last = 0;
	c->slack -= CT_WARP_LANES * 5 + 5;
	ctz_put(b, i->nvalues);
	for (unsigned k = 0; k < i->nvalues; k++) {
		ctz_put(b, ctz_zigzag((uint64_t)(int64_t)(int32_t)(i->values[k] - last)));
		last = i->values[k];
	}
}

/* All but values. */
static int put_all(struct ctz_encoder *c, const struct ct_code *code, uint32_t from, uint32_t mask,
                   unsigned attr, const struct addresses *a, struct ct_error *e)
{
	int st = know_sid(c, code, from, e);
	if (st < 0)
		return st;
	uint32_t sid = (c->sid[from] & SID_NUMBER) - 1;
	struct ctz_site *s = ctz_model_site(&c->model, sid, (c->sid[from] & SID_MEMORY) != 0);
	if (attr)
		c->sid[from] |= SID_ATTRIBUTES;
	put_flow(c, sid, s, attr);
	put_mask(c, mask, 1);
	if (attr & CTZ_HAS_ADDR)
		put_address(c, sid, s, a);
	c->slack -= RUN_BYTES + ACCESS_BYTES;
	c->insts++;
	c->warp_insts++;
	return CT_OK;
}

int ctz_encoder_inst(struct ctz_encoder *c, const struct ct_code *code, const struct ct_inst *i,
                     struct ct_error *e)
{
	const struct addresses a = {i->addr_form, i->base, i->stride, i->addr, i->naddr};
	int has_values = i->nvalues > 0 && i->values;
	unsigned attr = (i->addr_form != CT_ADDR_NONE ? CTZ_HAS_ADDR : 0) |
	                (has_values ? CTZ_HAS_VALUES : 0);
	int st = put_all(c, code, i->sid, i->mask, attr, &a, e);
	if (st == CT_OK && has_values)
		put_values(c, i);
	return st;
}

int ctz_encoder_strided(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t mask,
                        uint64_t first, int64_t stride, struct ct_error *e)
{
	const struct addresses a = {CT_ADDR_STRIDE, first, stride, NULL, 0};
	return put_all(c, code, sid, mask, CTZ_HAS_ADDR, &a, e);
}

int ctz_encoder_lanes(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t mask,
                      const uint64_t *addresses, struct ct_error *e)
{
	const struct addresses a = {CT_ADDR_DELTAS, addresses[0], 0, addresses, ct_popcount(mask)};
	return put_all(c, code, sid, mask, CTZ_HAS_ADDR, &a, e);
}

/* How many from `sid` on, up to n, follow one another in the file and never had attributes. */
static uint32_t count_steps(const struct ctz_encoder *c, uint32_t sid, uint32_t n)
{
	uint32_t first = c->sid[sid], i = 0;
	if (n > c->sids - sid)
		n = (uint32_t)(c->sids - sid);
	while (i < n && c->sid[sid + i] == first + i)
		i++;
	return i;
}

int ctz_encoder_plain(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t n,
                      uint32_t mask, struct ct_error *e)
{
	put_mask(c, mask, n);
	c->insts += n;
	c->warp_insts += n;
	for (uint32_t steps = 1; n; sid += steps, n -= steps) {
		int st = know_sid(c, code, sid, e);
		if (st < 0)
			return st;
		c->slack -= RUN_BYTES;
		uint32_t to = (c->sid[sid] & SID_NUMBER) - 1;
		steps = 1;
		if (c->sid[sid] & SID_ATTRIBUTES) {
			put_flow(c, to, ctz_model_site(&c->model, to, (c->sid[sid] & SID_MEMORY) != 0),
			         0);
		} else {
			steps = count_steps(c, sid, n);
			put_steps(c, to, steps);
		}
	}
	return CT_OK;
}

/* ---- sequences ---- */

/* Adds instructions, which are known, to the last part of a sequence or to a new one. */
static int add_part(struct ctz_sequence *q, uint32_t first, uint32_t n, uint32_t lanes)
{
	struct ctz_part *last = q->parts ? &q->part[q->parts - 1] : NULL;
	if (last && last->lanes == lanes && last->first + last->n == first) {
		last->n += n;
		return 0;
	}
	if (ct_grow((void **)&q->part, &q->cap, q->parts + 1, sizeof *q->part) != 0)
		return -1;
	q->part[q->parts++] = (struct ctz_part){first, n, lanes};
	return 0;
}

/* Whether an instruction is known, and carries addresses, or none, as it did before. */
static int is_usual(struct ctz_encoder *c, uint32_t sid, int access)
{
	uint32_t known = sid < c->sids ? c->sid[sid] : 0;
	if (!known || !access)
		return known && !(known & SID_ATTRIBUTES);
	return known & SID_MEMORY &&
	       ctz_model_site(&c->model, (known & SID_NUMBER) - 1, 1)->attr == CTZ_HAS_ADDR;
}

/* Finds the parts of a sequence: 0, or -1 when out of memory. */
static int look_at(struct ctz_encoder *c, struct ctz_sequence *q, const struct ct_ctz_step *step,
                   size_t steps)
{
	q->epoch = c->epoch;
	q->parts = q->insts = q->accesses = 0;
	q->ready = 1;
	for (const struct ct_ctz_step *s = step; s < step + steps && q->ready; s++) {
		q->insts += s->n;
		q->accesses += s->access;
		for (uint32_t i = 0; i < s->n && q->ready; i++) {
			if (!is_usual(c, s->sid + i, s->access))
				q->ready = 0;
			else if (add_part(q, (c->sid[s->sid + i] & SID_NUMBER) - 1, 1, s->lanes) != 0)
				return -1;
		}
	}
	return 0;
}

/* Whether the frame has room for a sequence, so that nobody has to look whether it is full in its middle. */
static int has_room(struct ctz_encoder *c, const struct ctz_sequence *q)
{
	int64_t needed = (int64_t)(RUN_BYTES * q->parts) + (int64_t)ACCESS_BYTES * q->accesses;
	if (c->insts + q->insts > CTZ_FRAME_INSTS)
		return 0;
	if (c->slack < needed) {
		size_t code = 0, bytes = ctz_encoder_bytes(c);
		for (int i = 0; i < CTZ_CODE_COLUMNS; i++)
			code += c->code[i].len;
		c->slack = CTZ_FRAME_BYTES - 1 - (int64_t)(code > bytes ? code : bytes);
	}
	if (c->slack < needed)
		return 0;
	c->slack -= needed;
	return 1;
}

int ctz_encoder_sequence(struct ctz_encoder *c, uint32_t number, const struct ct_ctz_step *step,
                         size_t steps, uint32_t mask, struct ct_error *e)
{
	if (number >= c->sequences) {
		size_t n = number + (size_t)1;
		if (ct_grow((void **)&c->sequence, &c->sequence_cap, n, sizeof *c->sequence) != 0)
			return ct_fail_nomem(e);
		memset(c->sequence + c->sequences, 0, (n - c->sequences) * sizeof *c->sequence);
		c->sequences = n;
	}
	struct ctz_sequence *q = &c->sequence[number];
	if (q->epoch != c->epoch && look_at(c, q, step, steps) != 0)
		return ct_fail_nomem(e);
	if (!q->ready || !has_room(c, q))
		return 0;
	for (size_t i = 0; i < q->parts; i++) {
		const struct ctz_part *p = &q->part[i];
		put_steps(c, p->first, p->n);
		put_mask(c, mask & p->lanes, p->n);
	}
	c->insts += q->insts;
	c->warp_insts += q->insts;
	return 1;
}

/* The place of an instruction of a sequence, which is known. */
static inline void put_next(struct ctz_encoder *c, uint32_t from, const struct addresses *a)
{
	uint32_t sid = (c->sid[from] & SID_NUMBER) - 1;
	put_address(c, sid, ctz_model_site(&c->model, sid, 1), a);
}

void ctz_encoder_next_strided(struct ctz_encoder *c, uint32_t sid, uint64_t first, int64_t stride)
{
	put_next(c, sid, &(struct addresses){CT_ADDR_STRIDE, first, stride, NULL, 0});
}

void ctz_encoder_next_lanes(struct ctz_encoder *c, uint32_t sid, unsigned n, const uint64_t *addresses)
{
	put_next(c, sid, &(struct addresses){CT_ADDR_DELTAS, addresses[0], 0, addresses, n});
}

size_t ctz_encoder_bytes(const struct ctz_encoder *c)
{
	size_t n = 0;
	for (int i = 0; i < CTZ_COLUMNS; i++)
		n += c->column[i].len;
	return n;
}
