/* ctz_encode.c - instructions into the columns of a frame. */
#include <stdlib.h>

#include "base/mem.h"
#include "trace/private/ctz.h"

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

/* The number in the file of a static instruction of the source. */
static int file_sid(struct ctz_encoder *c, const struct ct_code *code, uint32_t from, uint32_t *sid,
                    struct ct_error *e)
{
	if (from >= c->sids) {
		size_t n = ct_code_count(code);
		if (ct_grow((void **)&c->sid, &c->sid_cap, n, sizeof *c->sid) != 0)
			return ct_fail_nomem(e);
		memset(c->sid + c->sids, 0, (n - c->sids) * sizeof *c->sid);
		c->sids = n;
	}
	if (c->sid[from]) {
		*sid = c->sid[from] - 1;
		return CT_OK;
	}
	*sid = c->code_count++;
	c->sid[from] = c->code_count;
	if (ctz_model_grow(&c->model, c->code_count) != 0)
		return ct_fail_nomem(e);
	return ctz_code_put(&c->code_state, c->code, ct_code_at(code, from), e);
}

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
	uint32_t next = c->last_sid + 1;
	if (sid == next) {
		c->run++;
	} else {
		ctz_put(b, c->run);
		ctz_put(b, ctz_zigzag((uint64_t)sid - next));
		c->run = 0;
	}
	c->last_sid = sid;
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

/* Numbers in planes, as ctz_put_planes() writes one. */
static void put_deltas(struct ct_buf *column, const int64_t *delta, unsigned n)
{
	unsigned char plane[3][CT_WARP_LANES];
	unsigned used[3] = {0, 0, 0};
	for (unsigned k = 0; k < n; k++) {
		uint64_t v = ctz_zigzag((uint64_t)delta[k]);
		unsigned i = 0;
		for (; i < 3; i++, v >>= 7) {
			plane[i][used[i]++] = (unsigned char)(v >= 0x80 ? v | 0x80 : v);
			if (v < 0x80)
				break;
		}
		if (i == 3)
			ctz_put(column + 3, v);
	}
	for (unsigned i = 0; i < 3; i++)
		ct_buf_add(column + i, plane[i], used[i]);
}

static void put_list(struct ctz_encoder *c, const struct ct_inst *i, struct ctz_list *list,
                     unsigned *byte)
{
	int64_t delta[CT_WARP_LANES - 1];
	unsigned n = i->naddr ? i->naddr - 1u : 0;
	for (unsigned k = 0; k < n; k++)
		delta[k] = (int64_t)(i->addr[k + 1] - i->addr[k]);
	if (list->n == n + 1 && memcmp(delta, list->delta, n * sizeof *delta) == 0) {
		*byte |= CTZ_A_REST;
		return;
	}
	put_deltas(&c->column[CTZ_C_DELTA], delta, n);
	memcpy(list->delta, delta, n * sizeof *delta);
	list->n = (uint8_t)(n + 1);
}

static void put_address(struct ctz_encoder *c, uint32_t sid, struct ctz_site *s, const struct ct_inst *i)
{
	unsigned byte = i->addr_form;
	uint64_t rest = i->base - ctz_predict(&c->model, s);
	ctz_learn(&c->model, s, i->base);
	if (rest == 0)
		byte |= CTZ_A_BASE;
	else
		ctz_put_planes(&c->column[CTZ_C_BASE], ctz_zigzag(rest));
	if (i->addr_form != CT_ADDR_STRIDE) {
		put_list(c, i, &c->model.list[sid % CTZ_LISTS], &byte);
	} else if (i->stride == s->stride) {
		byte |= CTZ_A_REST;
	} else {
		ctz_put(&c->column[CTZ_C_STRIDE], ctz_zigzag((uint64_t)i->stride));
		s->stride = i->stride;
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

int ctz_encoder_inst(struct ctz_encoder *c, const struct ct_code *code, const struct ct_inst *i,
                     struct ct_error *e)
{
	uint32_t sid = 0;
	int st = file_sid(c, code, i->sid, &sid, e);
	if (st < 0)
		return st;
	struct ctz_site *s = ctz_model_site(&c->model, sid, ct_code_at(code, i->sid)->width_field != 0);
	int has_values = i->nvalues > 0 && i->values;
	unsigned attr = (i->addr_form != CT_ADDR_NONE ? CTZ_HAS_ADDR : 0) |
	                (has_values ? CTZ_HAS_VALUES : 0);
	put_flow(c, sid, s, attr);
	put_mask(c, i->mask, 1);
	if (attr & CTZ_HAS_ADDR)
		put_address(c, sid, s, i);
	if (has_values)
		put_values(c, i);
	c->insts++;
	c->warp_insts++;
	return CT_OK;
}

int ctz_encoder_plain(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t n,
                      uint32_t mask, struct ct_error *e)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = 0;
		int st = file_sid(c, code, sid + i, &to, e);
		if (st < 0)
			return st;
		put_flow(c, to,
		         ctz_model_site(&c->model, to, ct_code_at(code, sid + i)->width_field != 0), 0);
	}
	put_mask(c, mask, n);
	c->insts += n;
	c->warp_insts += n;
	return CT_OK;
}

size_t ctz_encoder_bytes(const struct ctz_encoder *c)
{
	size_t n = 0;
	for (int i = 0; i < CTZ_COLUMNS; i++)
		n += c->column[i].len;
	return n;
}
