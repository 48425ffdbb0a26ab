/* cuFFT: where the numbers of a plan lie, and what room it needs. */
#include "runtime/fft/fft.h"

/* Numbers of a slot as they lie in memory: of complex numbers beside real ones only half is there. */
int64_t ct_fft_complex_count(const struct ct_fft_plan *p, int slot)
{
	int is_half = slot == CT_FFT_LAST && (p->in.is_real || p->out.is_real);
	return is_half ? p->count[slot] / 2 + 1 : p->count[slot];
}

/* The layout of an array whose last dimension has `last` numbers. */
static void lay_out(const struct ct_fft_plan *p, struct ct_fft_layout *l, int64_t last)
{
	int64_t stride = 1;
	for (int s = CT_FFT_LAST; s >= 0; s--) {
		l->stride[s] = stride;
		stride *= s == CT_FFT_LAST ? last : p->count[s];
	}
}

/* The layout that parameters describe: embed[0] is not looked at, since batches have a distance. Returns 0, or -1 where there is no such. */
static int lay_out_as(struct ct_fft_layout *l, int rank, const long long *embed, long long stride,
                      long long distance)
{
	if (stride < 1 || distance < 0)
		return -1;
	l->stride[0] = distance;
	for (int s = CT_FFT_LAST; s > 0; s--) {
		int d = s - (CT_FFT_SLOTS - rank);
		l->stride[s] = stride;
		if (d > 0 && embed[d] < 1)
			return -1;
		stride *= d > 0 ? embed[d] : 1;
	}
	return 0;
}

/* Checks and keeps how many numbers there are. */
static cufftResult count_numbers(struct ct_fft_plan *p, const struct ct_fft_request *r)
{
	int64_t all = 2; /* a row of real numbers is longer in place */
	if (r->rank < 1 || r->rank > CT_FFT_LAST || !r->n)
		return CUFFT_INVALID_VALUE;
	if (!ct_fft_is_type(r->type))
		return CUFFT_INVALID_TYPE;
	for (int s = 0; s < CT_FFT_SLOTS; s++) {
		int d = s - (CT_FFT_SLOTS - r->rank);
		int64_t n = s == 0 ? r->batch : d < 0 ? 1 : r->n[d];
		if (n < 1 || n > CT_FFT_NUMBERS_MOST / all)
			return CUFFT_INVALID_SIZE;
		all *= n;
		p->count[s] = n;
	}
	return CUFFT_SUCCESS;
}

/* 1: numbers of one line of a dimension lie farther apart than those of lines beside each other. */
static int is_apart(const struct ct_fft_plan *p, int slot)
{
	for (int s = 0; s < CT_FFT_SLOTS; s++)
		if (s != slot && p->count[s] > 1 &&
		    (p->in.stride[s] < p->in.stride[slot] || p->out.stride[s] < p->out.stride[slot]))
			return 1;
	return 0;
}

/* Chooses ways, and adds up the room: passes of one transform write by turns to two buffers. */
static cufftResult choose_ways(struct ct_fft_plan *p)
{
	int64_t most = 0;
	p->buffers = 0;
	for (int slot = 1; slot < CT_FFT_SLOTS; slot++) {
		struct ct_fft_way *way = &p->way[slot];
		int is_real = slot == CT_FFT_LAST && (p->in.is_real || p->out.is_real);
		int64_t numbers = 1;
		if (ct_fft_choose(way, p->count[slot], p->is_double, is_real, is_apart(p, slot)) != 0)
			return CUFFT_INVALID_SIZE;
		int passes = way->is_chirp && way->steps > 1 ? 2 * way->steps : way->steps;
		int between = passes - 1 + (way->is_halved && passes > 1);
		if (between > p->buffers)
			p->buffers = between > 2 ? 2 : between;
		for (int s = 0; s < CT_FFT_SLOTS; s++)
			numbers *= s == slot ? way->length : ct_fft_complex_count(p, s);
		if (between > 0 && numbers > most)
			most = numbers;
	}
	p->buffer_bytes = (size_t)(most * 2 * ct_fft_real_bytes(p));
	return CUFFT_SUCCESS;
}

cufftResult ct_fft_describe(struct ct_fft_plan *p, const struct ct_fft_request *r)
{
	int is_array = !r->inembed || !r->onembed;
	cufftResult st = count_numbers(p, r);
	if (st != CUFFT_SUCCESS)
		return st;
	p->type = r->type;
	p->is_double = r->type == CUFFT_Z2Z || r->type == CUFFT_D2Z || r->type == CUFFT_Z2D;
	p->in.is_real = ct_fft_is_from_real(r->type);
	p->out.is_real = ct_fft_is_to_real(r->type);
	p->is_plain = is_array;
	if (is_array) {
		int64_t last = ct_fft_complex_count(p, CT_FFT_LAST);
		lay_out(p, &p->in, p->in.is_real ? p->count[CT_FFT_LAST] : last);
		lay_out(p, &p->out, p->out.is_real ? p->count[CT_FFT_LAST] : last);
	} else if (lay_out_as(&p->in, r->rank, r->inembed, r->istride, r->idist) != 0 ||
	           lay_out_as(&p->out, r->rank, r->onembed, r->ostride, r->odist) != 0) {
		return CUFFT_INVALID_VALUE;
	}
	st = choose_ways(p);
	if (st != CUFFT_SUCCESS)
		return st;
	/* Complex numbers that become real ones last are not written back to the input. */
	p->half_bytes = 0;
	if (p->out.is_real && p->count[1] * p->count[2] > 1) {
		int64_t numbers = 2 * ct_fft_real_bytes(p);
		for (int s = 0; s < CT_FFT_SLOTS; s++)
			numbers *= ct_fft_complex_count(p, s);
		p->half_bytes = (size_t)numbers;
	}
	return CUFFT_SUCCESS;
}

size_t ct_fft_work_bytes(const struct ct_fft_plan *p)
{
	return p->half_bytes + (size_t)p->buffers * p->buffer_bytes;
}
