/* ctz_encode.c - instructions into the columns of a frame. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "trace/private/ctz.h"
#include "trace/private/text.h"

int ctz_encoder_init(struct ctz_encoder *c)
{
	memset(c, 0, sizeof *c);
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
	free(c->sid);
}

void ctz_encoder_kernel(struct ctz_encoder *c)
{
	ctz_code_reset(&c->code_state);
	c->sids = 0;
	c->code_count = 0;
	c->next_index = 0;
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
	return ctz_model_frame(&c->model, c->code_count);
}

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
	if (c->code_count + 1 > SID_NUMBER)
		return ct_fail(e, CT_ERR_LIMIT, "a kernel of more than %" PRIu32 " static instructions",
		               SID_NUMBER - 1);
	const struct ct_sinst *s = ct_code_at(code, from);
	c->sid[from] = ++c->code_count | (s->width_field ? SID_MEMORY | SID_ATTRIBUTES : 0);
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
		for (int i = 0; kind == 3 && i < 4; i++)
			ctz_put_byte(&c->column[CTZ_C_MASK_BITS], mask >> 8 * i & 0xff);
		c->old_mask = c->mask;
		c->mask = mask;
		c->mask_run = 0;
	}
	c->mask_run += n;
}

/* Appends a few bytes. */
static inline void put_bytes(struct ct_buf *b, const unsigned char *p, unsigned n)
{
	if (b->cap > b->len + CT_WARP_LANES && !b->failed) {
		memcpy(b->data + b->len, p, CT_WARP_LANES); /* of which n count: p has room for all */
		b->len += n;
		b->data[b->len] = '\0';
	} else {
		ct_buf_add(b, p, n);
	}
}

/* Numbers in planes, as ctz_put_planes() writes one. Each byte is written, and counts where there is one:
 * lengths are not to be predicted. Up to 28 bits are usual. */
static void put_deltas(struct ct_buf *column, const int64_t *delta, unsigned n)
{
	unsigned char plane[4][CT_WARP_LANES];
	unsigned used[4] = {0, 0, 0, 0};
	for (unsigned k = 0; k < n; k++) {
		uint64_t v = ctz_zigzag((uint64_t)delta[k]);
		if (v >> 28)
			break;
		plane[0][used[0]++] = (unsigned char)((v & 0x7f) | (unsigned)(v >= 1 << 7) << 7);
		plane[1][used[1]] = (unsigned char)((v >> 7 & 0x7f) | (unsigned)(v >= 1 << 14) << 7);
		used[1] += v >= 1 << 7;
		plane[2][used[2]] = (unsigned char)((v >> 14 & 0x7f) | (unsigned)(v >= 1 << 21) << 7);
		used[2] += v >= 1 << 14;
		plane[3][used[3]] = (unsigned char)(v >> 21);
		used[3] += v >= 1 << 21;
	}
	for (unsigned i = 0; i < 4; i++)
		put_bytes(column + i, plane[i], used[i]);
	for (unsigned k = used[0]; k < n; k++)
		ctz_put_planes(column, ctz_zigzag((uint64_t)delta[k]));
}

/* Addresses of an instruction. */
struct addresses {
	unsigned form; /* enum ct_addr_form, with addresses */
	uint64_t base;
	int64_t stride;
	const uint64_t *each; /* n */
	unsigned n;
};

static void put_list(struct ctz_encoder *c, const struct addresses *a, struct ctz_list *list,
                     unsigned *byte)
{
	int64_t delta[CT_WARP_LANES - 1];
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
	put_deltas(&c->column[CTZ_C_DELTA], delta, n);
	memcpy(list->delta, delta, sizeof delta[0] * n);
	list->n = (uint8_t)(n + 1);
}

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

size_t ctz_encoder_bytes(const struct ctz_encoder *c)
{
	size_t n = 0;
	for (int i = 0; i < CTZ_COLUMNS; i++)
		n += c->column[i].len;
	return n;
}
