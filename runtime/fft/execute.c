/* cuFFT: the passes of a transform, one kernel after the other.
 *
 * A line whose length is p1 * p2 * ... takes a pass for each factor (Stockham). The pass of factor f after those of product p has as lines the numbers
 * that lie length / f apart: line k + p * j has digits k below p and j. Number t of it is multiplied with the root k * t of p * f, and the
 * line's result t goes to k + p * t + p * f * j, so that the last pass leaves all in order. */
#include <stdio.h>

#include "base/bits.h"
#include "runtime/fft/fft.h"

static struct ct_cuda_own_library library = {.name = "cuFFT"};
static struct ct_cuda_kernel_file single = {.library = &library, .name = "fft/single"},
				  twice = {.library = &library, .name = "fft/double"};

/* Numbers in memory: the distances of slots, in bytes. */
struct view {
	CUdeviceptr at;
	int64_t stride[CT_FFT_SLOTS];
	int64_t second; /* from a number's real part to its imaginary one, where they are no vector */
};

/* The lines of a pass, before they are put in order: those of each slot, and those that are parts of a long one. */
struct span {
	int64_t count, in, out;
	int turns;
};
struct lines {
	CUdeviceptr in, out;
	int64_t in_element, out_element, in_second, out_second;
	struct span span[CT_FFT_SLOTS + 1];
	int spans;
};

/* One transform of the lines of a slot. */
struct run {
	struct ct_fft_plan *p;
	int slot;
	int is_inverse;
	const struct ct_fft_way *way;
	int64_t count[CT_FFT_SLOTS]; /* lines of other slots */
	CUresult result;             /* of the launches so far */
};

/* ---- launches ---- */

static const void *table(const struct ct_fft_plan *p, size_t at)
{
	return (const void *)(uintptr_t)(p->tables + at);
}

static struct ct_fft_roots roots(const struct ct_fft_plan *p, const struct ct_fft_root_table *r)
{
	struct ct_fft_roots to = {.fine = table(p, r->fine), .bits = r->bits};
	if (r->coarse)
		to.coarse = table(p, r->coarse);
	return to;
}

/* The kernel of that name for types of real numbers: the other letters are for double precision. */
static void launch(struct run *r, const char *of_single, const char *of_double, struct ct_cuda_grid grid,
                   void *arguments)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "ct_fft_%s", r->p->is_double ? of_double : of_single);
	if (r->result == CUDA_SUCCESS)
		r->result = ct_cuda_launch_own(
			r->p->is_double ? &twice : &single, kernel, grid, arguments, r->p->stream);
}

static struct ct_fft_divisor divisor(uint32_t by)
{
	return (struct ct_fft_divisor){by, ((1u << CT_FFT_DIVISION) + by - 1) / by};
}

static void add_span(struct lines *l, int64_t count, int64_t in, int64_t out, int turns)
{
	if (count > 1)
		l->span[l->spans++] = (struct span){count, in, out, turns};
}

/* Lines of all slots but the run's. */
static struct lines lines_of(const struct run *r, const struct view *in, const struct view *out)
{
	struct lines l = {
		.in = in->at, .out = out->at, .in_second = in->second, .out_second = out->second};
	for (int s = 0; s < CT_FFT_SLOTS; s++)
		if (s != r->slot)
			add_span(&l, r->count[s], in->stride[s], out->stride[s], 0);
	return l;
}

/* Lines that are nearest to each other come first, and spans that go on where another ends are one. */
static void arrange(struct lines *l)
{
	for (int i = 1; i < l->spans; i++)
		for (int k = i;
		     k > 0 && l->span[k].in + l->span[k].out < l->span[k - 1].in + l->span[k - 1].out;
		     k--) {
			struct span s = l->span[k];
			l->span[k] = l->span[k - 1];
			l->span[k - 1] = s;
		}
	int kept = 0;
	for (int i = 1; i < l->spans; i++) {
		struct span *a = &l->span[kept], *b = &l->span[i];
		if (!a->turns && !b->turns && b->in == a->in * a->count && b->out == a->out * a->count)
			a->count *= b->count;
		else
			l->span[++kept] = *b;
	}
	if (l->spans > 0)
		l->spans = kept + 1;
}

/* Puts the lines into the arguments of a kernel; *turn is the number of the digit that turns. Returns 0, or -1 where there are too many. */
static int put_lines(struct lines *l, struct ct_fft_lines *to, uint32_t *turn)
{
	int64_t all = 1;
	arrange(l);
	*to = (struct ct_fft_lines){
		.in = (const void *)(uintptr_t)l->in,
		.out = (void *)(uintptr_t)l->out,
		.in_element = l->in_element,
		.out_element = l->out_element,
		.in_second = l->in_second,
		.out_second = l->out_second,
		.dimensions = (uint32_t)l->spans};
	*turn = CT_FFT_DIMENSIONS;
	for (int i = 0; i < l->spans; i++) {
		to->count[i] = (uint32_t)l->span[i].count;
		to->in_line[i] = l->span[i].in;
		to->out_line[i] = l->span[i].out;
		if (l->span[i].turns)
			*turn = (uint32_t)i;
		if (l->span[i].count > INT32_MAX / all)
			return -1;
		all *= l->span[i].count;
	}
	to->all = (uint32_t)all;
	return 0;
}

/* Launches a pass: as many lines a CTA as fit, where those beside each other are together in memory, and else so many that it has work. */
static void launch_pass(struct run *r, const char *of_single, const char *of_double,
                        const struct ct_fft_step *step, struct ct_fft_pass *g, struct lines *l)
{
	enum { NUMBERS = 1024, BESIDE = 32, WARP = 32 };
	uint32_t n = step->length, room = r->p->is_double ? CT_FFT_ROOM_DOUBLE : CT_FFT_ROOM_SINGLE;
	int has_gaps = n >= 64 && (n & (n - 1)) == 0;
	if (put_lines(l, &g->lines, &g->turn) != 0) {
		r->result = CUDA_ERROR_NOT_SUPPORTED;
		return;
	}
	if (l->spans > 0 && g->lines.in_line[0] < l->in_element)
		g->flags |= CT_FFT_LINES_IN;
	if (l->spans > 0 && g->lines.out_line[0] < l->out_element)
		g->flags |= CT_FFT_LINES_OUT;
	g->gap = has_gaps ? r->p->is_double ? CT_FFT_GAP_DOUBLE : CT_FFT_GAP_SINGLE : CT_FFT_NO_GAP;
	g->pitch = (n + ((n - 1) >> g->gap)) | 1;
	uint32_t width = NUMBERS / n > 1 ? NUMBERS / n : 1;
	if (g->flags & (CT_FFT_LINES_IN | CT_FFT_LINES_OUT) && width < BESIDE)
		width = BESIDE;
	const uint32_t most[] = {room / g->pitch, ct_fft_room(r->p->is_double) / n, CT_FFT_LINES,
	                         g->lines.all};
	for (size_t i = 0; i < sizeof most / sizeof *most; i++)
		if (width > most[i])
			width = most[i];
	g->length = divisor(n);
	g->width = divisor(width);
	g->pairs = divisor(n / 2 + 1);
	g->stages = step->stages;
	g->radices = step->radices;
	g->twiddles = table(r->p, step->twiddles);
	uint32_t threads = (width * n + CT_FFT_EACH - 1) / CT_FFT_EACH;
	struct ct_cuda_grid grid = {
		(g->lines.all + (int64_t)width - 1) / width, 1, 1, (threads + WARP - 1) / WARP * WARP};
	launch(r, of_single, of_double, grid, g);
}

/* ---- passes of one transform ---- */

/* Buffer i of the work area, whose lines of the run's slot have that many numbers and lie as in an array. */
static struct view buffer(const struct run *r, int i, uint32_t length)
{
	const struct ct_fft_plan *p = r->p;
	struct view v = {.at = p->work + p->half_bytes + (size_t)(i % 2) * p->buffer_bytes};
	int64_t stride = 2 * ct_fft_real_bytes(p);
	for (int s = CT_FFT_LAST; s >= 0; s--) {
		v.stride[s] = stride;
		stride *= s == r->slot ? length : r->count[s];
	}
	return v;
}

enum { FIRST = 1, LAST = 2 };

/* What the general kernel is asked for. */
static void ask_for(const struct run *r, struct ct_fft_pass *g, int ends, int is_spectrum)
{
	const struct ct_fft_plan *p = r->p;
	const struct ct_fft_way *way = r->way;
	int is_real = r->slot == CT_FFT_LAST && !way->is_halved;
	g->whole = way->n;
	g->out_count = UINT32_MAX;
	if (way->is_chirp) {
		g->chirp = table(p, way->chirp);
		g->spectrum = table(p, way->spectrum);
		if (is_spectrum)
			g->flags |= CT_FFT_SPECTRUM;
		if (ends == (FIRST | LAST))
			g->flags |= CT_FFT_SPECTRUM | CT_FFT_BACK;
	}
	if (ends & FIRST)
		g->flags |= (way->is_chirp ? CT_FFT_CHIRP_IN : 0) |
		            (is_real && p->in.is_real ? CT_FFT_REAL_IN : 0) |
		            (is_real && p->out.is_real ? CT_FFT_HERMITIAN_IN : 0);
	if (ends & LAST) {
		g->flags |= (way->is_chirp ? CT_FFT_CHIRP_OUT : 0) |
		            (is_real && p->out.is_real ? CT_FFT_REAL_OUT : 0);
		g->out_count = is_real && p->in.is_real ? way->n / 2 + 1 : way->n;
	}
}

/* One pass of `passes`, which number i is; of a convolution the second half of them transform back. */
static void run_pass(struct run *r, int i, int passes, const struct view *in, const struct view *out)
{
	const struct ct_fft_way *way = r->way;
	int s = i % way->steps, ends = (i == 0 ? FIRST : 0) | (i == passes - 1 ? LAST : 0);
	int is_spectrum = way->is_chirp && s == way->steps - 1 && !(ends & LAST);
	int is_real = r->slot == CT_FFT_LAST && !way->is_halved &&
	              (r->p->in.is_real || r->p->out.is_real);
	int is_general = is_spectrum || (ends && (way->is_chirp || is_real)) || in->second ||
	                 out->second;
	int64_t p = 1, f = way->step[s].length, in_stride = in->stride[r->slot],
		out_stride = out->stride[r->slot];
	struct ct_fft_pass g = {.in_gap = 1, .out_gap = 1};
	struct lines l = lines_of(r, in, out);
	for (int before = 0; before < s; before++)
		p *= way->step[before].length;
	int64_t rest = way->length / (p * f);
	l.in_element = in_stride * p * rest;
	l.out_element = out_stride * p;
	add_span(&l, p, in_stride, out_stride, p > 1);
	add_span(&l, rest, in_stride * p, out_stride * p * f, p == 1);
	if (p > 1) {
		g.roots = roots(r->p, &way->between);
		g.step = (uint32_t)rest;
	}
	if (r->is_inverse)
		g.flags |= (ends & FIRST ? CT_FFT_SWAP_IN : 0) | (ends & LAST ? CT_FFT_SWAP_OUT : 0);
	if (is_general) {
		ask_for(r, &g, ends, is_spectrum);
		g.in_unit = in_stride;
		if (s == 0 && ends & FIRST) {
			g.in_turn = 1;
			g.in_gap = (uint32_t)rest;
		}
		if (s == way->steps - 1) {
			g.out_turn = 1;
			g.out_gap = (uint32_t)p;
		}
	}
	launch_pass(r, is_general ? "c2c_general" : "c2c", is_general ? "z2z_general" : "z2z",
	            &way->step[s], &g, &l);
}

/* All passes, from one view to another; the first buffer that they write is that of number `from`. */
static void run_passes(struct run *r, const struct view *in, const struct view *out, int from)
{
	int passes = r->way->is_chirp && r->way->steps > 1 ? 2 * r->way->steps : r->way->steps;
	struct view now = *in;
	for (int i = 0; i < passes; i++) {
		struct view next = i == passes - 1 ? *out : buffer(r, from + i, r->way->length);
		run_pass(r, i, passes, &now, &next);
		now = next;
	}
}

/* ---- real lines of even length ---- */

/* Pairs of the real numbers, as complex ones; as vectors where they lie so. */
static struct view pairs_of(const struct run *r, const struct view *real)
{
	struct view v = *real;
	int64_t bytes = ct_fft_real_bytes(r->p), ors = (int64_t)v.at;
	v.stride[CT_FFT_LAST] *= 2;
	for (int s = 0; s < CT_FFT_LAST; s++)
		if (r->count[s] > 1)
			ors |= v.stride[s];
	if (real->stride[CT_FFT_LAST] != bytes || ors % (2 * bytes) != 0)
		v.second = real->stride[CT_FFT_LAST];
	return v;
}

/* The pass that makes a real transform of a complex one, or one that becomes real. */
static void launch_tangle(struct run *r, const struct view *in, const struct view *out)
{
	enum { THREADS = 256 };
	struct ct_fft_tangle g = {.roots = roots(r->p, &r->way->real), .half = r->way->n};
	struct lines l = lines_of(r, in, out);
	uint32_t turn;
	l.in_element = in->stride[r->slot];
	l.out_element = out->stride[r->slot];
	if (put_lines(&l, &g.lines, &turn) != 0) {
		r->result = CUDA_ERROR_NOT_SUPPORTED;
		return;
	}
	struct ct_cuda_grid grid = {
		g.half / 2 / THREADS + 1,
		g.lines.all < CT_CUDA_GRID_MAX ? g.lines.all : CT_CUDA_GRID_MAX, 1, THREADS};
	if (r->is_inverse)
		launch(r, "c2r_tangle", "z2d_tangle", grid, &g);
	else
		launch(r, "r2c_untangle", "d2z_untangle", grid, &g);
}

static void run_halved(struct run *r, const struct view *in, const struct view *out)
{
	struct view pairs = pairs_of(r, r->is_inverse ? out : in);
	if (r->way->steps == 1) {
		const struct view *from = r->is_inverse ? in : &pairs,
				  *to = r->is_inverse ? &pairs : out;
		struct ct_fft_pass g = {.roots = roots(r->p, &r->way->real)};
		struct lines l = lines_of(r, from, to);
		l.in_element = from->stride[r->slot];
		l.out_element = to->stride[r->slot];
		launch_pass(r, r->is_inverse ? "c2r" : "r2c", r->is_inverse ? "z2d" : "d2z",
		            &r->way->step[0], &g, &l);
	} else if (r->is_inverse) {
		struct view tangled = buffer(r, 0, r->way->n);
		launch_tangle(r, in, &tangled);
		run_passes(r, &tangled, &pairs, 1);
	} else {
		struct view tangled = buffer(r, r->way->steps - 1, r->way->n);
		run_passes(r, &pairs, &tangled, 0);
		launch_tangle(r, &tangled, out);
	}
}

/* ---- dimensions ---- */

/* Transforms the lines of a slot. */
static CUresult run_slot(struct ct_fft_plan *p, int slot, const struct view *in, const struct view *out,
                         int is_inverse)
{
	struct run r = {.p = p, .slot = slot, .is_inverse = is_inverse, .way = &p->way[slot]};
	for (int s = 0; s < CT_FFT_SLOTS; s++)
		r.count[s] = ct_fft_complex_count(p, s);
	if (r.way->is_halved)
		run_halved(&r, in, out);
	else
		run_passes(&r, in, out, 0);
	return r.result;
}

/* Where the input or the output lies. Real numbers in the place of complex ones have rows that are as long as theirs. */
static struct view view_of(const struct ct_fft_plan *p, const struct ct_fft_layout *l, void *at,
                           int is_in_place)
{
	struct view v = {.at = (CUdeviceptr)(uintptr_t)at};
	int64_t bytes = l->is_real ? ct_fft_real_bytes(p) : 2 * ct_fft_real_bytes(p);
	for (int s = 0; s < CT_FFT_SLOTS; s++) {
		v.stride[s] = l->stride[s] * bytes;
		if (l->is_real && p->is_plain && is_in_place && s < CT_FFT_LAST)
			v.stride[s] = v.stride[s] / p->count[CT_FFT_LAST] * 2 *
			              ct_fft_complex_count(p, CT_FFT_LAST);
	}
	return v;
}

/* The dimension whose numbers are nearest comes first, the real one of an inverse last. */
static CUresult run_slots(struct ct_fft_plan *p, struct view in, const struct view *out, int is_inverse)
{
	CUresult r = CUDA_SUCCESS;
	int is_to_real = p->out.is_real, last = CT_FFT_LAST;
	while (!is_to_real && !p->in.is_real && last > 1 && p->count[last] == 1)
		last--;
	struct view between = *out;
	if (is_to_real && p->half_bytes && in.at != out->at) {
		int64_t stride = 2 * ct_fft_real_bytes(p);
		between = (struct view){.at = p->work};
		for (int s = CT_FFT_LAST; s >= 0; s--) {
			between.stride[s] = stride;
			stride *= ct_fft_complex_count(p, s);
		}
	} else if (is_to_real) {
		between = in;
	}
	if (!is_to_real) {
		r = run_slot(p, last, &in, out, is_inverse);
		in = *out;
	}
	for (int slot = last - 1; slot > 0 && r == CUDA_SUCCESS; slot--)
		if (p->count[slot] > 1) {
			r = run_slot(p, slot, &in, &between, is_inverse);
			in = between;
		}
	if (is_to_real && r == CUDA_SUCCESS)
		r = run_slot(p, last, &in, out, is_inverse);
	return r;
}

cufftResult ct_fft_execute(struct ct_fft_plan *p, void *in, void *out, int is_inverse)
{
	if (!p->work && ct_fft_work_bytes(p) > 0)
		return CUFFT_NO_WORKSPACE;
	int is_in_place = in == out;
	struct view from = view_of(p, &p->in, in, is_in_place),
		    to = view_of(p, &p->out, out, is_in_place);
	switch (run_slots(p, from, &to, is_inverse)) {
	case CUDA_SUCCESS: return CUFFT_SUCCESS;
	case CUDA_ERROR_OUT_OF_MEMORY: return CUFFT_ALLOC_FAILED;
	case CUDA_ERROR_NOT_SUPPORTED: return CUFFT_INVALID_SIZE;
	case CUDA_ERROR_NOT_INITIALIZED: return CUFFT_SETUP_FAILED;
	default: return CUFFT_EXEC_FAILED;
	}
}
