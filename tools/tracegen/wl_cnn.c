/* Convolution layers: a library-style implicit matrix product (DeepBench's conv), and layers of
 * AlexNet, ResNet and SqueezeNet with a thread per output as in Tango, whose neighbouring threads
 * (threadIdx.x) take neighbouring rows: a warp reads and writes 32 lines. */
#include "tracegen/data.h"

/* A layer: filters x channels x size x size on channels x side x side, zero padded. */
struct layer {
	uint32_t channels, side, filters, size, stride, pad;
};

static uint32_t out_side(const struct layer *l)
{
	return (l->side + 2 * l->pad - l->size) / l->stride + 1;
}

struct tensor {
	uint32_t channels, side;
	struct simt_buffer *b;
};

static size_t elements(const struct tensor *t)
{
	return (size_t)t->channels * t->side * t->side;
}

/* ---- a thread per output ---------------------------------------------------------------- */

enum { DIRECT_BLOCK = 256 };

/* Row or column of the input for filter tap f, and whether it lies inside. */
static val tap(struct kb *k, val start, val f, uint32_t side, val *inside)
{
	val at = k_add(k, start, f);
	*inside = k_setp(k, CMP_LT, k_as(k, at, T_U32), k_uint(k, side));
	return at;
}

/* Pixel of thread i: the row runs fastest. */
static void pixel_of(struct kb *k, val i, uint32_t side, val *y, val *x)
{
	*x = k_as(k, k_udiv(k, i, k_uint(k, side)), T_S32);
	*y = k_sub(k, i, k_muli(k, *x, (int32_t)side));
}

/* Grid y = filter, x = pixels. Arguments: input, weights, bias, output, added (0: none). */
static struct kb *direct_kernel(struct simt_run *g, const char *name, const struct layer *l,
                                int residual)
{
	struct kb *k = k_begin(g, name);
	uint32_t out = out_side(l), taps = l->size * l->size;
	val i = k_gid(k), filter = k_ctaid(k, 1), zero = k_int(k, 0);
	k_exit_if(k, k_setpi(k, CMP_GE, i, (int32_t)(out * out)));
	val y, x;
	pixel_of(k, i, out, &y, &x);
	val y0 = k_addi(k, k_muli(k, y, (int32_t)l->stride), -(int32_t)l->pad);
	val x0 = k_addi(k, k_muli(k, x, (int32_t)l->stride), -(int32_t)l->pad);
	val sum = k_var(k, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), filter, 4), 0));
	val weight = k_var(k, k_elem(k, k_arg_ptr(k, 1), filter, (int32_t)(4 * l->channels * taps)));
	val plane = k_var(k, zero);
	k_for(k, zero, k_int(k, (int32_t)l->channels), 1);
	val fy = k_for(k, zero, k_int(k, (int32_t)l->size), 1), row_in, col_in;
	val row = tap(k, y0, fy, l->side, &row_in);
	val base = k_mad(k, row, k_int(k, (int32_t)l->side), plane);
	for (uint32_t fx = 0; fx < l->size; fx++) {
		val col = tap(k, x0, k_int(k, (int32_t)fx), l->side, &col_in);
		val coefficient = k_ldg(k, M_32, T_F32, weight, 4 * (int32_t)fx),
		    pixel = k_var(k, k_float(k, 0));
		k_when(k, k_pand(k, row_in, col_in));
		k_set(k, pixel,
		      k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), k_add(k, base, col), 4), 0));
		k_endwhen(k);
		k_set(k, sum, k_mad(k, pixel, coefficient, sum));
	}
	k_set(k, weight, k_addi(k, weight, 4 * (int32_t)l->size));
	k_endfor(k);
	k_set(k, plane, k_addi(k, plane, (int32_t)(l->side * l->side)));
	k_endfor(k);
	val at = k_madi(k, k_madi(k, filter, (int32_t)out, y), (int32_t)out, x);
	if (residual)
		k_set(k, sum,
		      k_add(k, sum, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 4), at, 4), 0)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), at, 4), 0, k_max(k, sum, k_float(k, 0)));
	k_finish(k);
	return k;
}

/* Largest of 3x3 every second pixel. Grid y = channel. Arguments: input, output. */
static struct kb *pool_kernel(struct simt_run *g, uint32_t side)
{
	struct kb *k = k_begin(g, "pool_max3");
	uint32_t out = (side - 3) / 2 + 1;
	val i = k_gid(k), c = k_ctaid(k, 1);
	k_exit_if(k, k_setpi(k, CMP_GE, i, (int32_t)(out * out)));
	val y, x;
	pixel_of(k, i, out, &y, &x);
	val row = k_madi(k, c, (int32_t)side, k_shli(k, y, 1)),
	    at = k_madi(k, row, (int32_t)side, k_shli(k, x, 1));
	val p = k_elem(k, k_arg_ptr(k, 0), at, 4), best = k_var(k, k_float(k, -3e38f));
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++)
			k_set(k, best,
			      k_max(k, best, k_ldg(k, M_32, T_F32, p, 4 * (dy * (int32_t)side + dx))));
	val to = k_madi(k, k_madi(k, c, (int32_t)out, y), (int32_t)out, x);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), to, 4), 0, best);
	k_finish(k);
	return k;
}

static void reference_pixel(const struct layer *l, const float *in, const float *weight, uint32_t f,
                            uint32_t y, uint32_t x, double *sum)
{
	for (uint32_t c = 0; c < l->channels; c++)
		for (uint32_t fy = 0; fy < l->size; fy++)
			for (uint32_t fx = 0; fx < l->size; fx++) {
				int64_t row = (int64_t)y * l->stride + fy - l->pad,
					col = (int64_t)x * l->stride + fx - l->pad;
				if (row < 0 || col < 0 || row >= l->side || col >= l->side)
					continue;
				*sum += (double)in[((size_t)c * l->side + (size_t)row) * l->side +
				                   (size_t)col] *
				        (double)weight[((size_t)(f * l->channels + c) * l->size + fy) *
				                               l->size +
				                       fx];
			}
}

static void check_layer(struct wl *w, const struct layer *l, const float *in, const float *weight,
                        const float *bias, const float *added, const float *out)
{
	uint32_t side = out_side(l);
	float *want = wl_host(w, side, 4);
	for (uint32_t f = 0; want && f < l->filters; f++)
		for (uint32_t y = f % 2; y < side; y += 2) { /* every second row */
			size_t at = ((size_t)f * side + y) * side;
			for (uint32_t x = 0; x < side; x++) {
				double sum = (double)bias[f] + (added ? (double)added[at + x] : 0);
				reference_pixel(l, in, weight, f, y, x, &sum);
				want[x] = sum > 0 ? (float)sum : 0;
			}
			wl_check_floats(w, "output", out + at, want, side, 1e-4f);
		}
}

/* out = relu(in * weights + bias [+ added]) at channel `channel` of `out`. */
static void convolve(struct wl *w, const char *name, const struct layer *l, const struct tensor *in,
                     const struct tensor *added, struct tensor *out, uint32_t channel)
{
	size_t weights = (size_t)l->filters * l->channels * l->size * l->size;
	uint32_t side = out_side(l), pixels = side * side;
	/* About 1 over the root of the fan-in, so that layers keep their scale. */
	float scale = 2.0f / (float)(l->size * (l->channels > 64 ? 16 : l->channels > 16 ? 8 : 3));
	struct simt_buffer *weight = wl_upload_random(w, weights, -scale, scale);
	struct simt_buffer *bias = wl_upload_random(w, l->filters, -0.1f, 0.1f);
	struct kb *k = direct_kernel(&w->g, name, l, added != NULL);
	if (w->g.status != CT_OK)
		return;
	uint32_t block = pixels < DIRECT_BLOCK ? (pixels + 31) / 32 * 32 : DIRECT_BLOCK;
	size_t place = (size_t)channel * pixels;
	WL_LAUNCH(w, k, simt_2d(wl_ceil(pixels, block), l->filters), simt_1d(block), 0, in->b->address,
	          weight->address, bias->address, out->b->address + 4 * place,
	          added ? added->b->address : 0);
	if (w->g.status == CT_OK)
		check_layer(w, l, wl_floats(in->b), wl_floats(weight), wl_floats(bias),
		            added ? wl_floats(added->b) : NULL, wl_floats(out->b) + place);
}

static struct tensor new_tensor(struct wl *w, uint32_t channels, uint32_t side)
{
	struct tensor t = {channels, side, NULL};
	t.b = simt_alloc(&w->g, 4 * elements(&t));
	return t;
}

static struct tensor input_tensor(struct wl *w, uint32_t channels, uint32_t side)
{
	struct tensor t = {channels, side, NULL};
	t.b = wl_upload_random(w, elements(&t), 0, 1);
	return t;
}

static struct tensor pool(struct wl *w, const struct tensor *in)
{
	uint32_t side = (in->side - 3) / 2 + 1, pixels = side * side;
	struct tensor out = new_tensor(w, in->channels, side);
	struct kb *k = pool_kernel(&w->g, in->side);
	if (w->g.status != CT_OK)
		return out;
	WL_LAUNCH(w, k, simt_2d(wl_ceil(pixels, 128), in->channels), simt_1d(128), 0, in->b->address,
	          out.b->address);
	float *want = wl_host(w, pixels, 4);
	for (uint32_t c = 0; want && c < in->channels; c++) {
		for (uint32_t i = 0; i < pixels; i++) {
			const float *p = wl_floats(in->b) +
			                 ((size_t)c * in->side + i / side * 2) * in->side + i % side * 2;
			want[i] = p[0];
			for (uint32_t j = 0; j < 9; j++)
				want[i] = p[j / 3 * in->side + j % 3] > want[i]
				                  ? p[j / 3 * in->side + j % 3]
				                  : want[i];
		}
		wl_check_floats(w, "pool", wl_floats(out.b) + (size_t)c * pixels, want, pixels, 0);
	}
	return out;
}

/* The first two convolutions of AlexNet with their pooling; images and filters scaled. */
void wl_alexnet(struct wl *w)
{
	uint32_t side = wl_pick(w, 67, 99, 131), f1 = wl_pick(w, 16, 24, 32),
		 f2 = wl_pick(w, 16, 32, 48);
	struct tensor in = input_tensor(w, 3, side);
	struct layer c1 = {3, side, f1, 11, 4, 0};
	struct tensor a = new_tensor(w, f1, out_side(&c1));
	convolve(w, "alexnet_conv1", &c1, &in, NULL, &a, 0);
	struct tensor b = pool(w, &a);
	struct layer c2 = {f1, b.side, f2, 5, 1, 2};
	struct tensor c = new_tensor(w, f2, b.side);
	convolve(w, "alexnet_conv2", &c2, &b, NULL, &c, 0);
	pool(w, &c);
}

/* A basic block of ResNet: two 3x3 convolutions and the shortcut, twice. */
void wl_resnet(struct wl *w)
{
	uint32_t side = wl_pick(w, 14, 28, 28), f = wl_pick(w, 16, 16, 24), blocks = wl_pick(w, 1, 1, 2);
	struct tensor x = input_tensor(w, f, side);
	struct layer l = {f, side, f, 3, 1, 1};
	for (uint32_t i = 0; i < blocks; i++) {
		struct tensor a = new_tensor(w, f, side), b = new_tensor(w, f, side);
		convolve(w, "resnet_conv3x3_a", &l, &x, NULL, &a, 0);
		convolve(w, "resnet_conv3x3_b", &l, &a, &x, &b, 0);
		x = b;
	}
}

/* A fire module of SqueezeNet: 1x1 squeeze, 1x1 and 3x3 expand side by side, then pooling. */
void wl_squeezenet(struct wl *w)
{
	uint32_t side = wl_pick(w, 27, 27, 41), s = wl_pick(w, 8, 12, 12), e = wl_pick(w, 16, 32, 48);
	struct tensor x = input_tensor(w, 2 * e, side), a = new_tensor(w, s, side),
		      out = new_tensor(w, 2 * e, side);
	struct layer squeeze = {2 * e, side, s, 1, 1, 0}, e1 = {s, side, e, 1, 1, 0},
		     e3 = {s, side, e, 3, 1, 1};
	convolve(w, "fire_squeeze1x1", &squeeze, &x, NULL, &a, 0);
	convolve(w, "fire_expand1x1", &e1, &a, NULL, &out, 0);
	convolve(w, "fire_expand3x3", &e3, &a, NULL, &out, e);
	pool(w, &out);
}

/* ---- implicit matrix product ---------------------------------------------------------------- */

enum { TILE = 16, ROW = TILE * 4, GEMM_SH = 2 * TILE * ROW };

/* C (filters x pixels) = W (filters x taps) * im2col(input), whose elements are fetched through
 * their coordinates; a tile of either in shared memory. Arguments: weights, input, output. */
static struct kb *implicit_kernel(struct simt_run *g, const struct layer *l)
{
	struct kb *k = k_begin(g, "conv_implicit_gemm");
	uint32_t out = out_side(l), taps = l->size * l->size, depth = l->channels * taps;
	val tx = k_tid(k, 0), ty = k_tid(k, 1), zero = k_int(k, 0);
	val filter = k_madi(k, k_ctaid(k, 1), TILE, ty), pixel = k_madi(k, k_ctaid(k, 0), TILE, tx);
	val y = k_as(k, k_udiv(k, pixel, k_uint(k, out)), T_S32),
	    x = k_sub(k, pixel, k_muli(k, y, (int32_t)out));
	val y0 = k_addi(k, k_muli(k, y, (int32_t)l->stride), -(int32_t)l->pad);
	val x0 = k_addi(k, k_muli(k, x, (int32_t)l->stride), -(int32_t)l->pad),
	    sum = k_var(k, k_float(k, 0));
	val pw = k_var(k, k_elem(k, k_arg_ptr(k, 0), k_madi(k, filter, (int32_t)depth, tx), 4));
	val at = k_shli(k, k_madi(k, ty, TILE, tx), 2), ty64 = k_shli(k, ty, 6), tx4 = k_shli(k, tx, 2);
	val t0 = k_for(k, zero, k_int(k, (int32_t)depth), TILE);
	val t = k_add(k, t0, ty), c = k_as(k, k_udiv(k, t, k_uint(k, taps)), T_S32);
	val rest = k_sub(k, t, k_muli(k, c, (int32_t)taps));
	val fy = k_as(k, k_udiv(k, rest, k_uint(k, l->size)), T_S32),
	    fx = k_sub(k, rest, k_muli(k, fy, (int32_t)l->size));
	val row_in, col_in,
		row = tap(k, y0, fy, l->side, &row_in), col = tap(k, x0, fx, l->side, &col_in);
	val from = k_mad(k, k_madi(k, c, (int32_t)l->side, row), k_int(k, (int32_t)l->side), col);
	val value = k_var(k, k_float(k, 0));
	k_when(k, k_pand(k, row_in, col_in));
	k_set(k, value, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), from, 4), 0));
	k_endwhen(k);
	val weight = k_ldg(k, M_32, T_F32, pw, 0);
	k_set(k, pw, k_addi(k, pw, ROW));
	k_sts(k, M_32, at, 0, weight);
	k_sts(k, M_32, at, TILE * ROW, value);
	k_bar(k);
	for (int i = 0; i < TILE; i += 4) {
		val a = k_lds(k, M_128, T_F32, ty64, 4 * i);
		for (unsigned j = 0; j < 4; j++) {
			val b = k_lds(k, M_32, T_F32, tx4, (TILE + i + (int)j) * ROW);
			k_set(k, sum, k_mad(k, k_part(k, a, j), b, sum));
		}
	}
	k_bar(k);
	k_endfor(k);
	val inside = k_setpi(k, CMP_LT, pixel, (int32_t)(out * out));
	k_if(k, inside);
	val place = k_madi(k, filter, (int32_t)(out * out), pixel);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), place, 4), 0, sum);
	k_endif(k);
	k_finish(k);
	return k;
}

void wl_conv(struct wl *w)
{
	uint32_t channels = wl_pick(w, 16, 16, 32), side = wl_pick(w, 14, 28, 28);
	struct layer l = {channels, side, wl_pick(w, 32, 64, 96), 3, 1, 1};
	uint32_t out = out_side(&l), pixels = out * out;
	struct tensor in = input_tensor(w, channels, side);
	struct simt_buffer *weight = wl_upload_random(w, (size_t)l.filters * channels * 9, -0.2f, 0.2f);
	struct simt_buffer *c = simt_alloc(&w->g, 4 * (size_t)l.filters * pixels);
	float *want = wl_host(w, pixels, 4);
	struct kb *k = implicit_kernel(&w->g, &l);
	if (w->g.status != CT_OK)
		return;
	WL_LAUNCH(w, k, simt_2d(wl_ceil(pixels, TILE), l.filters / TILE), simt_2d(TILE, TILE), GEMM_SH,
	          weight->address, in.b->address, c->address);
	for (uint32_t f = 0; f < l.filters; f++) {
		for (uint32_t i = 0; i < pixels; i++) {
			double sum = 0;
			reference_pixel(&l, wl_floats(in.b), wl_floats(weight), f, i / out, i % out,
			                &sum);
			want[i] = (float)sum;
		}
		wl_check_floats(w, "output", wl_floats(c) + (size_t)f * pixels, want, pixels, 1e-4f);
	}
}
