/* ctz_decode.c - frames into the store's form. */
#include <stdlib.h>

#include "base/hot.h"
#include "base/mem.h"
#include "trace/private/ctz.h"
#include "trace/private/text.h"

enum { DAMAGED = -100 }; /* becomes CT_ERR_INPUT with a text */

struct ctz_decoder {
	struct ctz_model model;
	struct ctz_in column[CTZ_COLUMNS];
	const struct ct_launch *launch;
	uint32_t code_count, block_warps;
	uint64_t grid_ctas;
	uint64_t insts; /* of the frame so far */
	uint64_t total; /* of all frames */
	uint64_t next_index, last_insts;
	int first_of_frame;
	/* The CTA that is being put together, over frames. */
	int open;    /* it goes on in the next frame */
	int resumed; /* nobody has decoded its beginning */
	uint64_t index;
	uint64_t warp_seen[32];
	struct ct_stream stream; /* the packer's state, nothing else of it is used */
	/* The warp part. */
	uint64_t left, mask_left;
	unsigned mask_kind;
	uint32_t mask, old_mask;
	uint32_t values[CT_MAX_VALUES];
};

int ctz_decoder_new(struct ctz_decoder **out, struct ct_error *e)
{
	struct ctz_decoder *d = calloc(1, sizeof *d);
	*out = d;
	if (!d || ctz_model_init(&d->model) != 0) {
		free(d);
		*out = NULL;
		return ct_fail_nomem(e);
	}
	return CT_OK;
}

void ctz_decoder_free(struct ctz_decoder *d)
{
	if (d)
		ctz_model_free(&d->model);
	free(d);
}

uint64_t ctz_decoder_insts(const struct ctz_decoder *d)
{
	return d->total;
}

int ctz_decoder_frame(struct ctz_decoder *d, const struct ct_launch *l, const unsigned char *p, size_t n,
                      struct ct_error *e)
{
	struct ctz_in in = {p, p + n};
	const struct ct_kernel *k = &l->kernel;
	if (ctz_split(&in, d->column, CTZ_COLUMNS) != 0)
		return ct_fail(e, CT_ERR_INPUT, "damaged frame");
	if (d->launch != l)
		d->open = 0;
	d->launch = l;
	d->code_count = ct_code_count(&l->code);
	d->block_warps = ct_kernel_cta_warps(k);
	d->grid_ctas = ct_kernel_ctas(k);
	d->insts = d->next_index = d->last_insts = 0;
	d->first_of_frame = 1;
	return ctz_model_frame(&d->model, d->code_count) == 0 ? CT_OK : ct_fail_nomem(e);
}

/* ---- instructions ---- */

static struct ctz_site *site_of(struct ctz_decoder *d, uint32_t sid)
{
	return ctz_model_site(&d->model, sid, ct_code_at(&d->launch->code, sid)->width_field != 0);
}

/* Makes sure that a run of equal active masks is at hand. A run is the mask before the last one, no
 * lane, or a mask of its own. */
static int next_mask(struct ctz_decoder *d)
{
	uint64_t v;
	while (d->mask_left == 0) {
		uint32_t mask = d->old_mask;
		if (d->mask_kind == 2) {
			mask = 0;
		} else if (d->mask_kind == 3) {
			struct ctz_in *b = &d->column[CTZ_C_MASK_BITS];
			if (b->end - b->p < 4)
				return DAMAGED;
			mask = b->p[0] | (uint32_t)b->p[1] << 8 | (uint32_t)b->p[2] << 16 |
			       (uint32_t)b->p[3] << 24;
			b->p += 4;
		} else if (d->mask_kind == 0) {
			return DAMAGED;
		}
		d->old_mask = d->mask;
		d->mask = mask;
		if (ctz_get(&d->column[CTZ_C_MASK], &v) != 0)
			return DAMAGED;
		d->mask_left = v >> 2;
		d->mask_kind = v & 3;
	}
	return 0;
}

/* The differences between the addresses of lanes: those seen last at this place, or a new list. */
static int get_list(struct ctz_decoder *d, struct ct_pack_addr *a, struct ctz_list *list, int same)
{
	unsigned n = a->n ? a->n - 1 : 0;
	if (same && list->n != n + 1)
		return DAMAGED;
	if (!same) {
		list->n = 0;
		if (ctz_list_get(&d->column[CTZ_C_DELTA], n, list) != 0)
			return DAMAGED;
		list->n = (uint8_t)(n + 1);
	}
	a->packed = list->packed;
	a->packed_bytes = list->packed_bytes;
	a->packed_runs = list->packed_runs;
	return 0;
}

/* The form of the addresses, what else is remembered of them, and the first. */
static CT_INLINE int get_base(struct ctz_decoder *d, struct ctz_site *s, uint8_t *byte, uint64_t *base)
{
	uint64_t rest = 0;
	if (ctz_get_byte(&d->column[CTZ_C_ADDR], byte) != 0 || *byte >> 4 ||
	    (*byte & CTZ_A_FORM) == CT_ADDR_NONE ||
	    (!(*byte & CTZ_A_BASE) && ctz_get_planes(&d->column[CTZ_C_BASE], &rest) != 0))
		return DAMAGED;
	*base = ctz_predict(&d->model, s) + ctz_unzigzag(rest);
	ctz_learn(&d->model, s, *base);
	return 0;
}

/* What follows an access's first address: a stride, or a list of differences. */
static int get_rest(struct ctz_decoder *d, uint32_t sid, struct ctz_site *s, uint8_t byte,
                    struct ct_pack_addr *a)
{
	uint64_t v;
	a->form = byte & CTZ_A_FORM;
	a->n = d->mask == UINT32_MAX ? CT_WARP_LANES : ct_popcount(d->mask);
	a->packed = NULL;
	if (a->form != CT_ADDR_STRIDE)
		return get_list(d, a, &d->model.list[sid % CTZ_LISTS], byte & CTZ_A_REST);
	if (!(byte & CTZ_A_REST)) {
		if (ctz_get(&d->column[CTZ_C_STRIDE], &v) != 0)
			return DAMAGED;
		s->stride = (int64_t)ctz_unzigzag(v);
	}
	a->stride = s->stride;
	return 0;
}

static int get_values(struct ctz_decoder *d, unsigned *n)
{
	struct ctz_in *in = &d->column[CTZ_C_VALUE];
	uint64_t count, v;
	uint32_t last = 0;
	if (ctz_get(in, &count) != 0 || count == 0 || count > CT_MAX_VALUES)
		return DAMAGED;
	for (uint64_t i = 0; i < count; i++) {
		if (ctz_get(in, &v) != 0)
			return DAMAGED;
		d->values[i] = last += (uint32_t)ctz_unzigzag(v);
	}
	*n = (unsigned)count;
	return 0;
}

static inline int seal_if_full(struct ctz_decoder *d, struct ct_builder *b, struct ct_store *s,
                               struct ct_error *e)
{
	return b->span.p >= b->span.limit ? ct_builder_seal(b, &d->stream, s, e) : CT_OK;
}

/* Anything but addresses that lie as they did before. */
static CT_NOINLINE int any_inst(struct ctz_decoder *d, struct ct_builder *b, uint32_t sid,
                                struct ctz_site *s, uint8_t byte, uint64_t base, int keep_values)
{
	struct ct_pack_addr a;
	unsigned nvalues = 0;
	int st = 0;
	a.base = base;
	if (s->attr & CTZ_HAS_ADDR)
		st = get_rest(d, sid, s, byte, &a);
	if (st == 0 && s->attr & CTZ_HAS_VALUES)
		st = get_values(d, &nvalues);
	if (st == 0)
		b->span.p = ct_pack_inst(
			&d->stream.packer, b->span.p, sid, d->mask, s->attr & CTZ_HAS_ADDR ? &a : NULL,
			d->values, keep_values ? nvalues : 0);
	return st;
}

/* Whether the packed form of the addresses is known: then the rest of *a is set. */
static CT_INLINE int lies_as_before(const struct ctz_decoder *d, const struct ctz_site *s, uint32_t sid,
                                    struct ct_pack_short *a)
{
	const struct ctz_list *list = &d->model.list[sid % CTZ_LISTS];
	unsigned n = d->mask == UINT32_MAX ? CT_WARP_LANES : d->mask ? ct_popcount(d->mask) : 1;
	a->packed = list->packed;
	a->bytes = list->packed_bytes;
	a->r = list->packed_runs;
	if (a->form != CT_ADDR_STRIDE)
		return a->bytes <= CT_PACK_SHORT && list->n == n;
	a->bytes = 0; /* the packed form remembers a stride, too */
	a->r = 1;
	return s->stride == d->stream.packer.slot[sid % CT_PACK_SLOTS].stride;
}

/* An instruction that has more than a mask. */
static CT_INLINE int full_inst(struct ctz_decoder *d, struct ct_builder *b, uint32_t sid,
                               struct ctz_site *s, int keep_values)
{
	struct ct_pack_short a;
	uint8_t byte = 0;
	a.base = 0;
	if (s->attr & CTZ_HAS_ADDR && get_base(d, s, &byte, &a.base) != 0)
		return DAMAGED;
	a.form = (enum ct_addr_form)(byte & CTZ_A_FORM);
	if (s->attr != CTZ_HAS_ADDR || !(byte & CTZ_A_REST) || !lies_as_before(d, s, sid, &a))
		return any_inst(d, b, sid, s, byte, a.base, keep_values);
	b->span.p = ct_pack_addressed(&d->stream.packer, b->span.p, sid, d->mask, &a);
	return 0;
}

/* `n` instructions with rising numbers from sid on, of one mask. */
static CT_INLINE int masked_insts(struct ctz_decoder *d, struct ct_builder *b, uint32_t sid, uint64_t n,
                                  struct ct_store *store, int keep_values, struct ct_error *e)
{
	struct ct_packer *k = &d->stream.packer;
	for (struct ctz_site *s = d->model.site + sid; n > 0; n--, sid++, s++) {
		if (s->frame != d->model.frame)
			site_of(d, sid);
		if (s->attr) {
			int st = full_inst(d, b, sid, s, keep_values);
			if (st != 0)
				return st;
		} else if (ct_pack_adds(k, sid, d->mask)) {
			continue; /* writes nothing */
		} else {
			b->span.p = ct_pack_plain(k, b->span.p, sid, d->mask);
		}
		int st = seal_if_full(d, b, store, e);
		if (st < 0)
			return st;
	}
	return 0;
}

/* `n` instructions with rising numbers from sid on. */
static int some_insts(struct ctz_decoder *d, struct ct_builder *b, uint32_t sid, uint64_t n,
                      struct ct_store *store, int keep_values, struct ct_error *e)
{
	if (sid > d->code_count || n > d->code_count - sid)
		return DAMAGED;
	for (uint64_t some; n > 0; n -= some, sid += (uint32_t)some) {
		if (d->mask_left == 0 && next_mask(d) != 0)
			return DAMAGED;
		some = n < d->mask_left ? n : d->mask_left;
		d->mask_left -= some;
		int st = masked_insts(d, b, sid, some, store, keep_values, e);
		if (st != 0)
			return st;
	}
	return 0;
}

static int get_attr(struct ctz_decoder *d)
{
	uint64_t sid, attr;
	struct ctz_in *flow = &d->column[CTZ_C_FLOW];
	if (ctz_get(flow, &sid) != 0 || sid >= d->code_count || ctz_get(flow, &attr) != 0 ||
	    attr > (CTZ_HAS_ADDR | CTZ_HAS_VALUES))
		return DAMAGED;
	site_of(d, (uint32_t)sid)->attr = (uint8_t)attr;
	return 0;
}

/* The instructions of one warp part. */
static int get_insts(struct ctz_decoder *d, struct ct_builder *b, struct ct_store *store,
                     int keep_values, struct ct_error *e)
{
	struct ctz_in *flow = &d->column[CTZ_C_FLOW];
	uint32_t sid = UINT32_MAX,
		 jumped = 0; /* the instruction after a jump goes with the run behind it */
	uint64_t run, jump, v;
	if (d->left && ctz_get(&d->column[CTZ_C_MASK], &v) != 0)
		return DAMAGED;
	d->mask = d->old_mask = UINT32_MAX;
	d->mask_left = d->left ? v >> 2 : 0;
	d->mask_kind = d->left ? v & 3 : 0;
	while (d->left + jumped > 0) {
		run = 0;
		if (d->left > 0 && (ctz_get(flow, &run) != 0 || run > d->left))
			return DAMAGED;
		d->left -= run;
		int st = some_insts(d, b, sid + 1 - jumped, run + jumped, store, keep_values, e);
		if (st != 0)
			return st;
		sid += (uint32_t)run;
		jumped = 0;
		if (d->left == 0)
			break;
		if (ctz_get(flow, &jump) != 0)
			return DAMAGED;
		if (jump == 0) {
			if (get_attr(d) != 0)
				return DAMAGED;
			continue;
		}
		sid += 1 + (uint32_t)ctz_unzigzag(jump);
		d->left--;
		jumped = 1;
	}
	return d->mask_left == 0 && d->mask_kind == 0 ? 0 : DAMAGED;
}

/* ---- warps and CTAs ---- */

static int get_core(struct ctz_in *in, int32_t *out)
{
	uint64_t v;
	if (ctz_get(in, &v) != 0 || v > (uint64_t)INT32_MAX + 1)
		return DAMAGED;
	*out = (int32_t)((int64_t)v - 1);
	return 0;
}

/* Head of a warp part: a new warp of the CTA, or the one that was cut. */
static int start_warp(struct ctz_decoder *d, struct ct_builder *b, uint64_t *next_warp, int goes_on,
                      struct ct_error *e)
{
	struct ctz_in *in = &d->column[CTZ_C_WARP];
	int32_t sm = -1, slot = -1;
	uint64_t v, insts;
	if (ctz_get(in, &v) != 0 || ctz_get(in, &insts) != 0)
		return DAMAGED;
	if (d->launch->kernel.has_core_ids && (get_core(in, &sm) != 0 || get_core(in, &slot) != 0))
		return DAMAGED;
	uint64_t warp = *next_warp + ctz_unzigzag(v);
	*next_warp = warp + 1;
	d->left = d->last_insts += ctz_unzigzag(insts);
	if (warp >= d->block_warps || d->left > CTZ_FRAME_INSTS - d->insts)
		return DAMAGED;
	d->insts += d->left;
	d->total += d->left;
	d->model.warp++;
	if (goes_on && !d->resumed)
		return b->warps && b->warp[b->warps - 1].warp == warp ? 0 : DAMAGED;
	if (d->warp_seen[warp / 64] >> warp % 64 & 1)
		return DAMAGED;
	d->warp_seen[warp / 64] |= UINT64_C(1) << warp % 64;
	int st = ct_builder_warp(b, (uint32_t)warp, e);
	if (st < 0)
		return st;
	ct_stream_init(&d->stream);
	b->warp[b->warps - 1].sm = sm;
	b->warp[b->warps - 1].slot = slot;
	return 0;
}

/* Unpacks the warps of a thread block. The first one may go on from the frame before (bit 2 of head). */
static int get_warps(struct ctz_decoder *d, struct ct_builder *b, struct ct_store *s, uint64_t head,
                     int keep_values, struct ct_error *e)
{
	uint64_t next_warp = 0;
	for (uint64_t i = 0; i < head >> 3; i++) {
		int st = start_warp(d, b, &next_warp, i == 0 && head & 4, e);
		if (st != 0)
			return st;
		b->warp[b->warps - 1].insts += d->left;
		st = get_insts(d, b, s, keep_values, e);
		if (st != 0)
			return st;
		b->span.p = ct_pack_flush(&d->stream.packer, b->span.p);
	}
	return 0;
}

/* Unpacks a thread block, or the part of it that is in this frame: 1 when it is complete, 2 when it goes
 * on in the next frame. */
static int get_cta(struct ctz_decoder *d, struct ct_builder *b, struct ct_store *s, int keep_values,
                   struct ct_error *e)
{
	struct ctz_in *in = &d->column[CTZ_C_CTA];
	uint64_t head, v;
	if (ctz_get(in, &head) != 0 || ctz_get(in, &v) != 0)
		return DAMAGED;
	uint64_t index = d->next_index + ctz_unzigzag(v);
	d->next_index = index + 1;
	int goes_on = head & 1, more = (head & 2) != 0;
	if (index >= d->grid_ctas || goes_on != d->open || (goes_on && index != d->index) ||
	    (goes_on && !d->first_of_frame) || (!goes_on && head & 4) || (more && in->p != in->end))
		return DAMAGED;
	if (!goes_on)
		memset(d->warp_seen, 0, sizeof d->warp_seen);
	d->first_of_frame = 0;
	d->index = b->index = index;
	d->open = more;
	d->model.cta++;
	int st = get_warps(d, b, s, head, keep_values, e);
	d->resumed = 0;
	return st != 0 ? st : more ? 2 : 1;
}

void ctz_decoder_resume(struct ctz_decoder *d, uint64_t index)
{
	memset(d->warp_seen, 0, sizeof d->warp_seen);
	d->index = index;
	d->open = d->resumed = 1;
}

int ctz_decoder_cta(struct ctz_decoder *d, struct ct_builder *b, struct ct_store *s, int keep_values,
                    struct ct_error *e)
{
	int st;
	if (d->column[CTZ_C_CTA].p != d->column[CTZ_C_CTA].end) {
		st = get_cta(d, b, s, keep_values, e);
		return st == DAMAGED ? ct_fail(e, CT_ERR_INPUT, "damaged frame") : st;
	}
	for (int i = 0; i < CTZ_COLUMNS; i++)
		if (d->column[i].p != d->column[i].end)
			return ct_fail(e, CT_ERR_INPUT,
			               "a frame has more than its thread blocks: damaged");
	return 0;
}
