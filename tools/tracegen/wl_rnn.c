/* Long short-term memory over a sequence, as DeepBench's rnn: per time step a product of the
 * weights with inputs and state, then the gates element by element. */
#include <math.h>
#include <string.h>

#include "tracegen/data.h"

enum { TILE = 16, BLOCK = 256, GATES = 4, ROW = TILE * 4, SH_BYTES = 2 * TILE * TILE * 4 };

/* pre = weights * [x; h] + bias, tiles of 16x16 in shared memory. Arguments: weights (4H x 2H),
 * concatenated inputs (2H x batch), pre (4H x batch), bias, 2H, batch. */
static struct kb *product_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "lstm_gemm");
	val tx = k_tid(k, 0), ty = k_tid(k, 1), depth = k_arg_int(k, 4), batch = k_arg_int(k, 5);
	val row = k_madi(k, k_ctaid(k, 1), TILE, ty), col = k_madi(k, k_ctaid(k, 0), TILE, tx);
	val pw = k_var(k, k_elem(k, k_arg_ptr(k, 0), k_mad(k, row, depth, tx), 4));
	val px = k_var(k, k_elem(k, k_arg_ptr(k, 1), k_mad(k, ty, batch, col), 4));
	val sum = k_var(k, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 3), row, 4), 0));
	val at = k_shli(k, k_madi(k, ty, TILE, tx), 2), ty64 = k_shli(k, ty, 6), tx4 = k_shli(k, tx, 2);
	k_for(k, k_int(k, 0), depth, TILE);
	val weight = k_ldg(k, M_32, T_F32, pw, 0), x = k_ldg(k, M_32, T_F32, px, 0);
	k_sts(k, M_32, at, 0, weight);
	k_sts(k, M_32, at, TILE * ROW, x);
	k_set(k, pw, k_addi(k, pw, ROW));
	k_set(k, px, k_elem(k, px, batch, 4 * TILE));
	k_bar(k);
	for (int i = 0; i < TILE; i++) {
		val a = k_lds(k, M_32, T_F32, ty64, 4 * i),
		    b = k_lds(k, M_32, T_F32, tx4, (TILE + i) * ROW);
		k_set(k, sum, k_mad(k, a, b, sum));
	}
	k_bar(k);
	k_endfor(k);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), k_mad(k, row, batch, col), 4), 0, sum);
	k_finish(k);
	return k;
}

static val sigmoid(struct kb *k, val x)
{
	return k_rcp(k, k_add(k, k_exp(k, k_neg(k, x)), k_float(k, 1)));
}

/* tanh(x) = 2 sigmoid(2x) - 1 */
static val tanh_of(struct kb *k, val x)
{
	return k_mad(k, sigmoid(k, k_add(k, x, x)), k_float(k, 2), k_float(k, -1));
}

/* Arguments: pre, cell, state (second half of the next inputs), cells, bytes of a gate. */
static struct kb *gates_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "lstm_gates");
	val i = k_gid(k), n = k_arg_int(k, 3), x[GATES];
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val p = k_var(k, k_elem(k, k_arg_ptr(k, 0), i, 4));
	for (int q = 0; q < GATES; q++) {
		x[q] = k_ldg(k, M_32, T_F32, p, 0);
		if (q + 1 < GATES)
			k_set(k, p, k_elem(k, p, n, 4));
	}
	val pc = k_elem(k, k_arg_ptr(k, 1), i, 4), c = k_ldg(k, M_32, T_F32, pc, 0);
	val in = k_mul(k, sigmoid(k, x[0]), tanh_of(k, x[2]));
	val next = k_mad(k, sigmoid(k, x[1]), c, in);
	k_stg(k, M_32, pc, 0, next);
	val h = k_mul(k, sigmoid(k, x[3]), tanh_of(k, next));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, h);
	k_finish(k);
	return k;
}

struct lstm {
	uint32_t hidden, batch, steps;
	struct simt_buffer *weight, *bias, *input, *pre, *cell;
	double *c, *h, *pre_ref;
};

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

static void reference_step(struct lstm *s, const float *x)
{
	uint32_t depth = 2 * s->hidden, n = s->hidden * s->batch;
	for (uint32_t r = 0; r < GATES * s->hidden; r++)
		for (uint32_t b = 0; b < s->batch; b++) {
			double sum = (double)wl_floats(s->bias)[r];
			for (uint32_t d = 0; d < depth; d++)
				sum += (double)wl_floats(s->weight)[(size_t)r * depth + d] *
				       (d < s->hidden ? (double)x[d * s->batch + b]
				                      : s->h[(d - s->hidden) * s->batch + b]);
			s->pre_ref[r * s->batch + b] = sum;
		}
	for (uint32_t i = 0; i < n; i++) {
		const double *p = s->pre_ref + i;
		s->c[i] = logistic(p[n]) * s->c[i] + logistic(p[0]) * tanh(p[2 * (size_t)n]);
		s->h[i] = logistic(p[3 * (size_t)n]) * tanh(s->c[i]);
	}
}

void wl_rnn(struct wl *w)
{
	struct lstm s = {.hidden = wl_pick(w, 64, 128, 160),
	                 .batch = wl_pick(w, 16, 32, 32),
	                 .steps = wl_pick(w, 4, 4, 6)};
	uint32_t n = s.hidden * s.batch, depth = 2 * s.hidden;
	s.weight = wl_upload_random(w, (size_t)GATES * s.hidden * depth, -0.2f, 0.2f);
	s.bias = wl_upload_random(w, GATES * s.hidden, -0.5f, 0.5f);
	s.input = simt_alloc(&w->g, 8 * (size_t)n);
	s.pre = simt_alloc(&w->g, 4 * (size_t)n * GATES);
	s.cell = simt_alloc(&w->g, 4 * (size_t)n);
	s.c = wl_host(w, n, sizeof *s.c);
	s.h = wl_host(w, n, sizeof *s.h);
	s.pre_ref = wl_host(w, (size_t)n * GATES, sizeof *s.pre_ref);
	float *want = wl_host(w, n, 4);
	if (w->g.status != CT_OK)
		return;
	struct kb *product = product_kernel(&w->g), *gates = gates_kernel(&w->g);
	for (uint32_t t = 0; t < s.steps && w->g.status == CT_OK; t++) {
		/* The sequence's next input; the state lies behind it already. */
		for (uint32_t i = 0; i < n; i++)
			wl_floats(s.input)[i] = wl_between(w, -1, 1);
		simt_h2d(&w->g, s.input);
		WL_LAUNCH(w, product, simt_2d(s.batch / TILE, GATES * s.hidden / TILE),
		          simt_2d(TILE, TILE), SH_BYTES, s.weight->address, s.input->address,
		          s.pre->address, s.bias->address, depth, s.batch);
		reference_step(&s, wl_floats(s.input));
		WL_LAUNCH(w, gates, simt_1d(wl_ceil(n, BLOCK)), simt_1d(BLOCK), 0, s.pre->address,
		          s.cell->address, s.input->address + 4 * (uint64_t)n, n);
	}
	for (uint32_t i = 0; i < n; i++)
		want[i] = (float)s.h[i];
	wl_check_floats(w, "state", wl_floats(s.input) + n, want, n, 1e-4f);
}
