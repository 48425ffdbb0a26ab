/* The gain kernel of Rodinia's streamcluster: for every point, what it would cost to go
 * to a candidate centre, and what that saves its present centre. */
#include "tracegen/data.h"

enum { BLOCK = 512 };

/* Arguments: coordinates by dimension, weights, costs, assigned centre, candidate, work,
 * switches, n, dimensions, centre numbers, columns of work. Dynamic shared memory: the
 * candidate's coordinates. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "streamcluster_gain");
	val t = k_tid(k, 0), i = k_gid(k), n = k_arg_int(k, 7), dims = k_arg_int(k, 8);
	val x = k_arg_int(k, 4), columns = k_arg_int(k, 10);
	val d0 = k_for(k, t, dims, BLOCK);
	val far = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), k_mad(k, d0, n, x), 4), 0);
	k_sts(k, M_32, k_shli(k, d0, 2), 0, far);
	k_endfor(k);
	k_bar(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val sum = k_var(k, k_float(k, 0)), p = k_var(k, k_elem(k, k_arg_ptr(k, 0), i, 4));
	val d = k_for(k, k_int(k, 0), dims, 1);
	val mine = k_ldg(k, M_32, T_F32, p, 0), other = k_lds(k, M_32, T_F32, k_shli(k, d, 2), 0);
	val diff = k_sub(k, mine, other);
	k_set(k, sum, k_mad(k, diff, diff, sum));
	k_set(k, p, k_elem(k, p, n, 4));
	k_endfor(k);
	val weight = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0);
	val now = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0);
	val cost = k_mul(k, sum, weight), row = k_mul(k, i, columns);
	k_if(k, k_setp(k, CMP_LT, cost, now));
	k_stg(k, M_U8, k_elem(k, k_arg_ptr(k, 6), i, 1), 0, k_int(k, 1));
	val gain = k_elem(k, k_arg_ptr(k, 5), k_addi(k, k_add(k, row, columns), -1), 4);
	k_stg(k, M_32, gain, 0, k_sub(k, cost, now));
	k_else(k);
	val assign = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 3), i, 4), 0);
	val slot = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 9), assign, 4), 0);
	val q = k_elem(k, k_arg_ptr(k, 5), k_add(k, row, slot), 4);
	val old = k_ldg(k, M_32, T_F32, q, 0);
	k_stg(k, M_32, q, 0, k_add(k, old, k_sub(k, now, cost)));
	k_endif(k);
	k_finish(k);
	return k;
}

struct points {
	uint32_t n, dims, centres;
	struct simt_buffer *coord, *weight, *cost, *assign, *work, *moves, *number;
};

static float distance(const struct points *p, uint32_t a, uint32_t b)
{
	const float *c = wl_floats(p->coord);
	float sum = 0;
	for (uint32_t d = 0; d < p->dims; d++) {
		float diff = c[(size_t)d * p->n + a] - c[(size_t)d * p->n + b];
		sum = (float)((double)diff * (double)diff + (double)sum);
	}
	return sum;
}

static void check(struct wl *w, const struct points *p, uint32_t x, float *want)
{
	uint32_t columns = p->centres + 1;
	for (uint32_t i = 0; i < p->n; i++) {
		float cost = distance(p, i, x) * wl_floats(p->weight)[i], now = wl_floats(p->cost)[i];
		for (uint32_t c = 0; c < columns; c++)
			want[i * columns + c] = 0;
		uint32_t slot = cost < now ? p->centres : wl_words(p->number)[wl_words(p->assign)[i]];
		want[i * columns + slot] = cost < now ? cost - now : now - cost;
		if (w->g.status == CT_OK && p->moves->p[i] != (cost < now))
			simt_fail(&w->g, CT_ERR_LIMIT, "switch %u differs from the reference", i);
	}
	wl_check_floats(w, "work", wl_floats(p->work), want, (size_t)p->n * columns, 1e-5f);
}

void wl_streamcluster(struct wl *w)
{
	struct points p = {
		.n = wl_pick(w, 4096, 16384, 65536), .dims = wl_pick(w, 32, 64, 64), .centres = 12};
	uint32_t columns = p.centres + 1;
	p.coord = wl_upload_random(w, (size_t)p.n * p.dims, 0, 1);
	p.weight = wl_upload_random(w, p.n, 0.5f, 1.5f);
	p.cost = simt_alloc(&w->g, 4 * (size_t)p.n);
	p.assign = simt_alloc(&w->g, 4 * (size_t)p.n);
	p.work = simt_alloc(&w->g, 4 * (size_t)p.n * columns);
	p.moves = simt_alloc(&w->g, p.n);
	p.number = simt_alloc(&w->g, 4 * (size_t)p.n);
	float *want = wl_host(w, (size_t)p.n * columns, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t c = 0; c < p.centres; c++)
		wl_words(p.number)[c * 17] = c;
	for (uint32_t i = 0; i < p.n; i++) {
		uint32_t centre = wl_below(w, p.centres) * 17;
		wl_words(p.assign)[i] = centre;
		wl_floats(p.cost)[i] = distance(&p, i, centre) * wl_floats(p.weight)[i];
	}
	struct kb *k = kernel(&w->g);
	for (uint32_t round = 0; round < wl_pick(w, 2, 3, 3) && w->g.status == CT_OK; round++) {
		uint32_t candidate = wl_below(w, p.n);
		for (size_t i = 0; i < (size_t)p.n * columns; i++)
			wl_floats(p.work)[i] = 0;
		for (uint32_t i = 0; i < p.n; i++)
			p.moves->p[i] = 0;
		simt_h2d(&w->g, p.cost);
		simt_h2d(&w->g, p.assign);
		simt_h2d(&w->g, p.number);
		simt_h2d(&w->g, p.moves);
		simt_h2d(&w->g, p.work);
		WL_LAUNCH(w, k, simt_1d(wl_ceil(p.n, BLOCK)), simt_1d(BLOCK), 4 * p.dims,
		          p.coord->address, p.weight->address, p.cost->address, p.assign->address,
		          candidate, p.work->address, p.moves->address, p.n, p.dims, p.number->address,
		          columns);
		check(w, &p, candidate, want);
	}
}
