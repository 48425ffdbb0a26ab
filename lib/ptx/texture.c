/* Textures: coordinates to texels, and what lies between them. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/decode.h"
#include "ptx/exec.h"
#include "ptx/guard.h"
#include "ptx/real.h"

/* One channel of a texel: as a real number, and as bits that an integer result gets. */
struct channel {
	double real;
	uint32_t bits;
};

static uint32_t extent(const struct ct_ptx_texture *t, unsigned dimension)
{
	uint32_t n = dimension == 0 ? t->width : dimension == 1 ? t->height : t->depth;
	return n ? n : 1;
}

/* Index in [0, n) by the address mode, or -1 outside of a border. */
static int64_t address(const struct ct_ptx_texture *t, unsigned dimension, int64_t i)
{
	int64_t n = extent(t, dimension), period;
	enum ct_ptx_address mode = t->address[dimension];
	if (i >= 0 && i < n)
		return i;
	if (mode == CT_PTX_ADDRESS_BORDER)
		return -1;
	if (!t->normalized_coordinates || mode == CT_PTX_ADDRESS_CLAMP)
		return i < 0 ? 0 : n - 1;
	period = mode == CT_PTX_ADDRESS_MIRROR ? 2 * n : n;
	i = (i % period + period) % period;
	return i < n ? i : period - 1 - i;
}

/* Host address of a texel. */
static const unsigned char *texel(const struct ct_ptx_texture *t, const int64_t *i)
{
	return (const unsigned char *)t->texels + (uint64_t)i[2] * t->pitch * extent(t, 1) +
	       (uint64_t)i[1] * t->pitch + (uint64_t)i[0] * t->channels * (t->bits / 8u);
}

/* The light that a number of sRGB in [0, 1] stands for (IEC 61966-2-1). */
static double linear_light(double x)
{
	return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* What lies outside of a border. */
static struct channel border_channel(const struct ct_ptx_texture *t, unsigned c)
{
	struct channel r = {(double)t->border[c], 0};
	memcpy(&r.bits, &t->border[c], sizeof r.bits);
	return r;
}

/* One channel of a texel, as bits and as a real; integers are normalised where the texture says so. */
static struct channel read_channel(const struct ct_ptx_texture *t, const unsigned char *at, unsigned c)
{
	uint64_t raw = 0, most = (UINT64_C(1) << t->bits) - 1;
	struct channel r;
	for (unsigned i = 0; i < t->bits / 8u; i++)
		raw |= (uint64_t)at[c * (t->bits / 8u) + i] << 8 * i;
	if (t->kind == CT_PTX_TEXEL_REAL) {
		r.real = ct_ptx_real_value(t->bits == 16 ? CT_PTX_F16 : CT_PTX_F32, raw);
		r.bits = (uint32_t)raw;
		return r;
	}
	int negative = t->kind == CT_PTX_TEXEL_SIGNED && raw >> (t->bits - 1) & 1;
	int64_t value = negative ? (int64_t)raw - (int64_t)most - 1 : (int64_t)raw;
	r.bits = (uint32_t)value;
	r.real = (double)value;
	if (t->normalized_values) {
		r.real /= (double)(t->kind == CT_PTX_TEXEL_SIGNED ? most >> 1 : most);
		r.real = r.real < -1 ? -1 : r.real;
		if (t->srgb && t->bits == 8 && t->kind == CT_PTX_TEXEL_UNSIGNED && c < 3)
			r.real = linear_light(r.real);
	}
	return r;
}

/* All four channels at whole indices, or those of the border; missing ones are 0, the last 1. */
static void read_texel(const struct ct_ptx_texture *t, const int64_t *index, struct channel *out,
                       uint64_t *seen)
{
	int64_t i[3];
	int inside = 1;
	for (unsigned d = 0; d < 3; d++) {
		i[d] = address(t, d, index[d]);
		inside &= i[d] >= 0;
		i[d] = i[d] < 0 ? 0 : i[d];
	}
	if (*seen == 0)
		*seen = (uint64_t)(uintptr_t)texel(t, i);
	for (unsigned c = 0; c < 4; c++) {
		out[c] = (struct channel){c == 3, c == 3};
		if (c < t->channels)
			out[c] = inside ? read_channel(t, texel(t, i), c) : border_channel(t, c);
	}
}

/* Coordinates in texels, within what an index can hold; NaN reads the first texel. */
static double in_texels(const struct ct_ptx_texture *t, unsigned dimension, double x)
{
	if (x != x)
		return 0;
	if (t->normalized_coordinates)
		x *= extent(t, dimension);
	return x < -1073741824.0 ? -1073741824.0 : x > 1073741824.0 ? 1073741824.0 : x;
}

/* Where a lane reads: coordinates as they are or as whole numbers, and the layer. */
struct place {
	double x[3];
	int64_t whole[3];
	unsigned dimensions; /* of x that count */
	int64_t layer;
	int inside; /* whole ones lie in the texture */
};

/* The nearest texel, or the weighted mean of 2, 4 or 8: weights have eight bits behind the point, as
 * the CUDA programming guide says. */
static void sample(const struct ct_ptx_texture *t, const struct place *p, struct channel *out,
                   uint64_t *seen)
{
	int64_t base[3] = {0, 0, p->layer}, index[3];
	double weight[3] = {0, 0, 0}, sum[4] = {0, 0, 0, 0};
	const unsigned dimensions = p->dimensions;
	for (unsigned d = 0; d < dimensions; d++) {
		double at = in_texels(t, d, p->x[d]) - (t->linear ? 0.5 : 0);
		base[d] = (int64_t)floor(at);
		weight[d] = t->linear ? floor((at - floor(at)) * 256 + 0.5) / 256 : 0;
	}
	if (!t->linear) {
		read_texel(t, base, out, seen);
		return;
	}
	for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
		double w = 1;
		for (unsigned d = 0; d < 3; d++) {
			unsigned upper = d < dimensions ? corner >> d & 1 : 0;
			index[d] = base[d] + upper;
			w *= d >= dimensions ? 1 : upper ? weight[d] : 1 - weight[d];
		}
		read_texel(t, index, out, seen);
		for (unsigned c = 0; c < 4; c++)
			sum[c] += w != 0 ? w * out[c].real : 0;
	}
	for (unsigned c = 0; c < 4; c++)
		out[c].real = sum[c];
}

/* Takes one channel of the four texels that a linear read in two dimensions takes the mean of. They come against
 * the clock from the lower left one, where the second coordinate grows downwards (PTX ISA, tld4). */
static void gather(const struct ct_ptx_texture *t, const struct place *p, unsigned channel,
                   struct channel *out, uint64_t *seen)
{
	static const unsigned char right[4] = {0, 1, 1, 0}, lower[4] = {1, 1, 0, 0};
	for (unsigned k = 0; k < 4; k++) {
		struct channel texel[4];
		int64_t i[3] = {(int64_t)floor(in_texels(t, 0, p->x[0]) - 0.5) + right[k],
		                (int64_t)floor(in_texels(t, 1, p->x[1]) - 0.5) + lower[k], p->layer};
		read_texel(t, i, texel, seen);
		out[k] = texel[channel];
	}
}

/* Makes a place on a face of a direction: the coordinate of largest magnitude chooses the face, the other two
 * divided by it the place (CUDA C++ Programming Guide, cubemap textures). The guide leaves open which of equal ones
 * counts; here z does before y, and y before x. */
static void choose_face(const struct ct_ptx_texture *t, struct place *p)
{
	const double x = p->x[0], y = p->x[1], z = p->x[2];
	const double ax = fabs(x), ay = fabs(y), az = fabs(z);
	const double whole = t->normalized_coordinates ? 1 : t->width;
	double s = x, v = -y, m = az;
	int face;
	if (az >= ax && az >= ay) {
		face = z < 0 ? 5 : 4;
		s = z < 0 ? -x : x;
	} else if (ay >= ax) {
		face = y < 0 ? 3 : 2;
		m = ay;
		v = y < 0 ? -z : z;
	} else {
		face = x < 0 ? 1 : 0;
		m = ax;
		s = x < 0 ? z : -z;
	}
	p->x[0] = (s / m + 1) / 2 * whole;
	p->x[1] = (v / m + 1) / 2 * whole;
	p->dimensions = 2;
	p->layer = 6 * p->layer + face;
}

/* Reads a lane's coordinates. A layer behind the last one is the last. */
static void find_place(const struct ct_ptx_warp *w, const struct ct_ptx_op *o,
                       const struct ct_ptx_texture *t, uint32_t lane, struct place *p)
{
	const uint32_t *ref = w->run->m->extra + o->extra + 4;
	const int cube = (o->imm & CT_PTX_CUBE) != 0;
	*p = (struct place){.dimensions = o->count, .inside = 1};
	for (unsigned d = 0; d < o->count; d++) {
		uint64_t bits = ct_ptx_lane(ct_ptx_at(w, ref[d]), lane, 4);
		p->x[d] = ct_ptx_real_value(CT_PTX_F32, bits);
		p->whole[d] = (int32_t)(uint32_t)bits;
		p->inside &= p->whole[d] >= 0 && p->whole[d] < (int64_t)extent(t, d);
	}
	if (o->imm & CT_PTX_LAYERED) {
		int64_t layers = extent(t, 2) / (cube ? 6 : 1);
		p->layer = (int64_t)ct_ptx_lane(ct_ptx_at(w, ref[o->count]), lane, 4);
		p->layer = p->layer < layers ? p->layer : layers > 0 ? layers - 1 : 0;
		p->whole[2] = p->layer;
	}
	if (cube)
		choose_face(t, p);
}

const struct ct_ptx_texture *
ct_ptx_find_texture(const struct ct_ptx_launch *l, uint64_t handle, int surface)
{
	for (size_t i = 0; i < l->ntextures; i++)
		if (l->textures[i].handle == handle && !l->textures[i].surface == !surface)
			return &l->textures[i];
	return NULL;
}

/* A level of a texture as a texture. */
static struct ct_ptx_texture level_of(const struct ct_ptx_texture *t, unsigned level)
{
	struct ct_ptx_texture one = *t;
	if (level > 0) {
		const struct ct_ptx_level *l = &t->levels[level - 1];
		one.texels = l->texels;
		one.width = l->width;
		one.height = l->height;
		one.depth = l->depth;
		one.pitch = l->pitch;
	}
	return one;
}

/* The level that a lane asks for: the one in its operand, or that where the longer of two gradients is as long as a texel. */
static double asked_level(const struct ct_ptx_warp *w, const struct ct_ptx_op *o,
                          const struct ct_ptx_texture *t, uint32_t lane)
{
	const unsigned n = o->count;
	const uint32_t *ref = w->run->m->extra + o->extra + 4 + n + ((o->imm & CT_PTX_LAYERED) != 0);
	double length[2] = {0, 0};
	if (o->imm & CT_PTX_LEVEL) {
		const uint64_t bits = ct_ptx_lane(ct_ptx_at(w, ref[0]), lane, 4);
		return o->mode ? ct_ptx_real_value(CT_PTX_F32, bits) : (int32_t)(uint32_t)bits;
	}
	for (unsigned i = 0; i < 2 * n; i++) {
		const uint64_t bits = ct_ptx_lane(ct_ptx_at(w, ref[i]), lane, 4);
		const double d = ct_ptx_real_value(CT_PTX_F32, bits) * extent(t, i % n);
		length[i / n] += d * d;
	}
	return log2(length[0] > length[1] ? length[0] : length[1]) / 2;
}

/* Reads the levels around the one that a lane asks for. Weights have eight bits behind the point, as those of texels; of two levels that
 * are as near the finer one counts. */
static void read_levels(const struct ct_ptx_warp *w, const struct ct_ptx_op *o,
                        const struct ct_ptx_texture *t, uint32_t lane, struct place *p,
                        struct channel *out, uint64_t *seen)
{
	const double last = t->nlevels - 1;
	double level = asked_level(w, o, t, lane) + t->level_bias;
	level = level > t->level_range[1] ? t->level_range[1] : level;
	level = level < t->level_range[0] ? t->level_range[0] : level;
	level = level > 0 ? level < last ? level : last : 0; /* NaN is the first */
	const double lower = t->linear_levels ? floor(level) : ceil(level - 0.5);
	const double weight = t->linear_levels && o->mode ? floor((level - lower) * 256 + 0.5) / 256 : 0;
	struct ct_ptx_texture one = level_of(t, (unsigned)lower);
	struct channel upper[4];
	if (!o->mode)
		for (unsigned d = 0; d < p->dimensions; d++)
			p->inside &= p->whole[d] < (int64_t)extent(&one, d);
	if (o->mode)
		sample(&one, p, out, seen);
	else
		read_texel(&one, p->whole, out, seen);
	if (weight == 0)
		return;
	one = level_of(t, (unsigned)lower + 1);
	sample(&one, p, upper, seen);
	for (unsigned c = 0; c < 4; c++)
		out[c].real = (1 - weight) * out[c].real + weight * upper[c].real;
}

/* Reads for one lane; results go to the first four rows. */
static void read_lane(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const struct ct_ptx_texture *t,
                      uint32_t lane)
{
	const uint32_t *ref = w->run->m->extra + o->extra;
	const int gathers = (o->imm & CT_PTX_GATHER) != 0;
	struct channel out[4];
	struct place p;
	find_place(w, o, t, lane, &p);
	w->seen_row[lane] = 0;
	if (gathers)
		gather(t, &p, (unsigned)(o->imm >> CT_PTX_GATHER_SHIFT), out, &w->seen_row[lane]);
	else if (t->nlevels > 1 && o->imm & (CT_PTX_LEVEL | CT_PTX_GRADIENTS))
		read_levels(w, o, t, lane, &p, out, &w->seen_row[lane]);
	else if (o->mode)
		sample(t, &p, out, &w->seen_row[lane]);
	else
		read_texel(t, p.whole, out, &w->seen_row[lane]);
	for (unsigned c = 0; c < 4; c++) {
		uint32_t bits = out[c].bits;
		if (!o->mode && !p.inside) /* tex1Dfetch outside of its texture */
			bits = 0;
		else if (o->width == CT_PTX_F32 &&
		         (t->kind == CT_PTX_TEXEL_REAL || t->normalized_values))
			bits = (uint32_t)ct_ptx_real_convert(
				CT_PTX_F32, CT_PTX_F64, 0, CT_PTX_RN, ct_ptx_real_bits(out[c].real));
		else if (c == 3 && t->channels < 4 && o->width == CT_PTX_F32 && !gathers)
			bits = 0x3f800000;
		((ct_ptx_u32 *)ct_ptx_at(w, ref[c]))[lane] = bits;
	}
}

/* tex and tld4: look each lane's texture up by its handle and read the texels that its coordinates ask for. */
void ct_ptx_exec_tex(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u64 *handle = ct_ptx_at(w, o->a);
	const struct ct_ptx_texture *t = NULL;
	w->space = CT_PTX_TEXTURE;
	w->seen = w->seen_row;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t lane = ct_low_bit(left);
		if (!t || t->handle != handle[lane])
			t = ct_ptx_find_texture(w->run->launch, handle[lane], 0);
		if (!t) {
			ct_ptx_stop(w, o, CT_PTX_NO_TEXTURE, UINT32_C(1) << lane);
			return;
		}
		if (w->run->guarded && ct_ptx_guard_texels(w, o, t->texels) < 0)
			return;
		for (uint32_t k = 1; w->run->guarded && k < t->nlevels; k++)
			if (ct_ptx_guard_texels(w, o, t->levels[k - 1].texels) < 0)
				return;
		w->texel_bytes = t->channels * (t->bits / 8u);
		read_lane(w, o, t, lane);
	}
}
