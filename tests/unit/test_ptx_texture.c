/* Reads of textures: every address mode, filtering, kinds of texels, layers, cube maps, gathers, and handles that nothing is bound to;
 * accesses to surfaces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/ptx_run.h"

enum { W = 7, H = 5, LANES = 32 };

/* A lane's coordinates and what it read. */
struct lane {
	float x, y;
	int32_t i, pad;
	uint32_t out[4];
};

static int launch(const char *text, const struct ct_ptx_texture *t, size_t n, struct lane *lanes,
                  struct ct_ptx_fault *f, int by_name)
{
	struct ct_ptx_module *m = ptx_must_read(text);
	struct ct_ptx_memory *memory;
	struct ct_ptx_result r;
	struct ct_error e = {0};
	struct ct_ptx_texture bound = *t;
	struct {
		struct lane *p;
		uint64_t handle;
	} params = {lanes, t->handle};
	if (by_name) {
		const struct ct_ptx_variable *v = ct_ptx_find_variable(m, "tex");
		assert_true(v && v->texture);
		bound.handle = (uint64_t)(uintptr_t)v->storage;
	}
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_kernel_at(m, 0),
		.grid = {1, 1, 1},
		.block = {LANES, 1, 1},
		.params = &params,
		.param_bytes = sizeof params,
		.textures = &bound,
		.ntextures = n};
	assert_int_equal(ct_ptx_memory_create(&memory, &e), CT_OK);
	assert_int_equal(ct_ptx_memory_add(memory, lanes, LANES * sizeof *lanes, &e), CT_OK);
	l.memory = memory;
	int rc = ct_ptx_launch(&l, &r, &e);
	if (f)
		*f = r.fault;
	ct_ptx_memory_free(memory);
	ct_ptx_free(m);
	return rc;
}

#define KERNEL(read) \
	PTX_HEAD \
	".global .texref tex;\n.global .surfref surf;\n.entry k(.param .u64 p, .param .u64 handle) {\n.reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %q<9>;\n.reg .b16 %s<3>;\n" \
	"ld.param.u64 %q0, [p];\nld.param.u64 %q2, [handle];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %q1, %r0, 32, %q0;\n" \
	"ld.global.v2.f32 {%f0, %f1}, [%q1];\nld.global.u32 %r1, [%q1+8];\n" read \
	"\nst.global.v4.b32 [%q1+16], {%r2, %r3, %r4, %r5};\nret;\n}\n"

static float value_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

/* Whole indices of one dimension: outside of the texture is zero. */
static void fetches(void **state)
{
	(void)state;
	float data[W];
	struct lane lanes[LANES] = {{0}};
	struct ct_ptx_texture t = {
		.handle = 77,
		.texels = data,
		.width = W,
		.channels = 1,
		.bits = 32,
		.kind = CT_PTX_TEXEL_REAL};
	for (int i = 0; i < W; i++)
		data[i] = (float)i * 1.5f + 1;
	for (int by_name = 0; by_name < 3; by_name++) {
		static const char *const texts[] = {
			KERNEL("tex.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%q2, {%r1}];"),
			KERNEL("tex.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [tex, {%r1}];"),
			KERNEL("mov.u64 %q3, tex;\ntex.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%q3, {%r1}];")};
		for (int i = 0; i < LANES; i++)
			lanes[i].i = i - 3;
		assert_int_equal(launch(texts[by_name], &t, 1, lanes, NULL, by_name), CT_OK);
		for (int i = 0; i < LANES; i++)
			assert_true(value_of(lanes[i].out[0]) ==
			            (i < 3 || i - 3 >= W ? 0 : data[i - 3]));
	}
	struct ct_ptx_fault f;
	assert_int_equal(launch(KERNEL("tex.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%q1, {%r1}];"), &t, 1,
	                        lanes, &f, 0),
	                 CT_ERR_INPUT);
	assert_int_equal(f.kind, CT_PTX_NO_TEXTURE);
	assert_int_equal(launch(KERNEL("tex.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%q2, {%r1}];"), &t, 0,
	                        lanes, &f, 0),
	                 CT_ERR_INPUT);
}

static int64_t twin_index(enum ct_ptx_address mode, int64_t i, int n)
{
	if (mode == CT_PTX_ADDRESS_BORDER)
		return i < 0 || i >= n ? -1 : i;
	if (mode == CT_PTX_ADDRESS_CLAMP)
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	while (i < 0 || i >= n) {
		if (mode == CT_PTX_ADDRESS_WRAP)
			i += i < 0 ? n : -n;
		else
			i = i < 0 ? -1 - i : 2 * n - 1 - i;
	}
	return i;
}

static double twin_texel(float (*data)[W], enum ct_ptx_address mode, int64_t i, int64_t j)
{
	i = twin_index(mode, i, W);
	j = twin_index(mode, j, H);
	return i < 0 || j < 0 ? 0 : (double)data[j][i];
}

/* Two dimensions with normalized coordinates, in all modes, nearest and linear. */
static void samples(void **state)
{
	(void)state;
	float data[H][W];
	struct lane lanes[LANES];
	for (int j = 0; j < H; j++)
		for (int i = 0; i < W; i++)
			data[j][i] = (float)(i * i + 10 * j);
	for (int k = 0; k < 8; k++) {
		enum ct_ptx_address mode = (enum ct_ptx_address)(k / 2);
		struct ct_ptx_texture t = {
			.handle = 5,
			.texels = data,
			.width = W,
			.height = H,
			.pitch = sizeof *data,
			.channels = 1,
			.bits = 32,
			.kind = CT_PTX_TEXEL_REAL,
			.address = {mode, mode, mode},
			.normalized_coordinates = 1,
			.linear = k % 2};
		memset(lanes, 0, sizeof lanes);
		for (int i = 0; i < LANES; i++) {
			lanes[i].x = ((float)i - 11.25f) / 8;
			lanes[i].y = ((float)(i * 5 % 32) - 14.5f) / 16;
		}
		assert_int_equal(
			launch(KERNEL("tex.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0, %f1}];"), &t,
		               1, lanes, NULL, 0),
			CT_OK);
		for (int i = 0; i < LANES; i++) {
			double x = (double)lanes[i].x * W, y = (double)lanes[i].y * H, want;
			if (t.linear) {
				int64_t a = (int64_t)floor(x - 0.5), b = (int64_t)floor(y - 0.5);
				double u = rint((x - 0.5 - (double)a) * 256) / 256,
				       v = rint((y - 0.5 - (double)b) * 256) / 256;
				want = (1 - u) * (1 - v) * twin_texel(data, mode, a, b) +
				       u * (1 - v) * twin_texel(data, mode, a + 1, b) +
				       (1 - u) * v * twin_texel(data, mode, a, b + 1) +
				       u * v * twin_texel(data, mode, a + 1, b + 1);
				assert_true(fabs((double)value_of(lanes[i].out[0]) - want) <
				            0.2); /* a weight may round the other way */
			} else {
				want = twin_texel(data, mode, (int64_t)floor(x), (int64_t)floor(y));
				assert_true((double)value_of(lanes[i].out[0]) == want);
			}
			assert_int_equal(lanes[i].out[3], 0x3f800000);
		}
	}
}

/* Bytes with a sign, plain and as numbers from -1 to 1; channels that are missing. */
static void kinds(void **state)
{
	(void)state;
	static const int8_t data[4][2] = {{1, -1}, {127, -128}, {-127, 0}, {5, 6}};
	struct lane lanes[LANES] = {{0}};
	struct ct_ptx_texture t = {
		.handle = 9,
		.texels = data,
		.width = 4,
		.channels = 2,
		.bits = 8,
		.kind = CT_PTX_TEXEL_SIGNED};
	for (int i = 0; i < LANES; i++)
		lanes[i].i = i % 4;
	assert_int_equal(launch(KERNEL("tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%q2, {%r1}];"), &t, 1,
	                        lanes, NULL, 0),
	                 CT_OK);
	for (int i = 0; i < LANES; i++) {
		assert_int_equal((int32_t)lanes[i].out[0], data[i % 4][0]);
		assert_int_equal((int32_t)lanes[i].out[1], data[i % 4][1]);
		assert_int_equal(lanes[i].out[2], 0);
	}
	t.normalized_values = 1;
	assert_int_equal(launch(KERNEL("tex.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%q2, {%r1}];"), &t, 1,
	                        lanes, NULL, 0),
	                 CT_OK);
	for (int i = 0; i < LANES; i++)
		for (int c = 0; c < 2; c++) {
			double want = data[i % 4][c] / 127.0;
			assert_true(value_of(lanes[i].out[c]) == (float)(want < -1 ? -1 : want));
		}
}

/* Bytes of sRGB, of which the fourth is a number as it is, and a border with a color of its own. */
static void colors(void **state)
{
	(void)state;
	static const uint8_t data[2][4] = {{0, 10, 128, 128}, {255, 11, 200, 7}};
	struct lane lanes[LANES] = {{0}};
	struct ct_ptx_texture t = {
		.handle = 9,
		.texels = data,
		.width = 2,
		.channels = 4,
		.bits = 8,
		.kind = CT_PTX_TEXEL_UNSIGNED,
		.normalized_values = 1,
		.normalized_coordinates = 1,
		.address = {CT_PTX_ADDRESS_BORDER},
		.border = {0.5f, 0.25f, 3, -1},
		.srgb = 1};
	for (int i = 0; i < LANES; i++)
		lanes[i].x = ((float)(i % 4) - 0.5f) / 2;
	assert_int_equal(launch(KERNEL("tex.1d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0}];"), &t, 1,
	                        lanes, NULL, 0),
	                 CT_OK);
	for (int i = 0; i < LANES; i++)
		for (int c = 0; c < 4; c++) {
			const int at = i % 4 - 1, inside = at == 0 || at == 1;
			double want = inside ? data[at][c] / 255.0 : (double)t.border[c];
			if (inside && c < 3)
				want = want > 0.04045 ? pow((want + 0.055) / 1.055, 2.4) : want / 12.92;
			assert_true(fabs((double)value_of(lanes[i].out[c]) - want) < 1e-7);
		}
	t.normalized_values = 0; /* integers: the border's bits */
	assert_int_equal(launch(KERNEL("tex.1d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0}];"), &t, 1,
	                        lanes, NULL, 0),
	                 CT_OK);
	assert_int_equal(lanes[0].out[1], 0x3e800000);
	assert_int_equal(lanes[1].out[2], 128);
}

/* Layers of lines and of planes: one behind the last is the last. */
static void layers(void **state)
{
	(void)state;
	float data[3][H][W];
	struct lane lanes[LANES];
	struct ct_ptx_texture t = {
		.handle = 3,
		.texels = data,
		.width = W,
		.height = H,
		.depth = 3,
		.pitch = sizeof **data,
		.channels = 1,
		.bits = 32,
		.kind = CT_PTX_TEXEL_REAL,
		.address = {CT_PTX_ADDRESS_CLAMP, CT_PTX_ADDRESS_CLAMP, CT_PTX_ADDRESS_BORDER}};
	for (int k = 0; k < 3 * H * W; k++)
		(&data[0][0][0])[k] = (float)k;
	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < LANES; i++)
			lanes[i] = (struct lane){.x = (float)(i % W), .y = (float)(i % H), .i = i % 5};
		t.height = k ? H : 0;
		assert_int_equal(
			launch(k ? KERNEL("tex.level.a2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%r1, "
		                          "%f0, %f1, %f1}], 0f00000000;")
		                 : KERNEL("tex.a1d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%r1, %f0}];"),
		               &t, 1, lanes, NULL, 0),
			CT_OK);
		for (int i = 0; i < LANES; i++) {
			int layer = i % 5 < 3 ? i % 5 : 2;
			int want = (k ? layer * H + i % H : layer) * W + i % W;
			assert_true(value_of(lanes[i].out[0]) == (float)want);
		}
	}
}

/* The six axes and a little beside them: each face has its number as texels, but for one texel. */
static void cubes(void **state)
{
	(void)state;
	static float data[12][4][4];
	static const float axis[6][2] = {{8, 0}, {-8, 0}, {0, 8}, {0, -8}, {0.5f, 0}, {-0.5f, 0}};
	struct lane lanes[LANES];
	struct ct_ptx_texture t = {
		.handle = 3,
		.texels = data,
		.width = 4,
		.height = 4,
		.depth = 12,
		.pitch = sizeof **data,
		.channels = 1,
		.bits = 32,
		.kind = CT_PTX_TEXEL_REAL,
		.address = {CT_PTX_ADDRESS_CLAMP, CT_PTX_ADDRESS_CLAMP, CT_PTX_ADDRESS_CLAMP}};
	for (int k = 0; k < 12 * 16; k++)
		(&data[0][0][0])[k] = (float)(k / 16);
	data[7][0]
	    [3] = 70; /* the second cube's face 1: direction -x, its s along z and its t against y */
	for (int unscaled = 0; unscaled < 2; unscaled++) {
		t.normalized_coordinates = !unscaled;
		for (int i = 0; i < LANES; i++)
			lanes[i] = (struct lane){.x = axis[i % 6][0], .y = axis[i % 6][1], .i = i % 3};
		lanes[31] = (struct lane){.x = -1, .y = 0.9f, .i = 1};
		assert_int_equal(launch(KERNEL("mov.f32 %f2, 0f3F400000;\n" /* z is 0.75 */
		                               "tex.acube.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%r1, "
		                               "%f0, %f1, %f2}];"),
		                        &t, 1, lanes, NULL, 0),
		                 CT_OK);
		for (int i = 0; i < 31; i++)
			assert_true(value_of(lanes[i].out[0]) ==
			            (float)((i % 6 < 4 ? i % 6 : 4) + (i % 3 ? 6 : 0)));
		assert_true(value_of(lanes[31].out[0]) == 70);
	}
}

/* Which levels of a chain a read at `level` takes, and how much of the coarser one: plain C. */
static double twin_level(const struct ct_ptx_texture *t, double level, int *lower)
{
	level += t->level_bias;
	if (level > t->level_range[1])
		level = t->level_range[1];
	if (level < t->level_range[0])
		level = t->level_range[0];
	if (level != level || level < 0)
		level = 0;
	if (level > 2)
		level = 2;
	*lower = 0;
	while (*lower + 1 <= level)
		++*lower;
	if (t->linear_levels)
		return rint((level - *lower) * 256) / 256;
	*lower += level - *lower > 0.5;
	return 0;
}

/* Three levels, each of one number: reads by levels and by gradients, nearest and between levels, with a bias and bounds. */
static void levels(void **state)
{
	(void)state;
	static float first[4][8], second[2][4], third[1][2];
	static const double value[] = {10, 26, 74, 0};
	const struct ct_ptx_level smaller[] = {
		{second, 4, 2, 0, sizeof second[0]}, {third, 2, 1, 0, sizeof third[0]}};
	struct lane lanes[LANES];
	for (int k = 0; k < 32; k++) {
		first[k / 8][k % 8] = 10;
		second[k / 4 % 2][k % 4] = 26;
		third[0][k % 2] = 74;
	}
	for (int k = 0; k < 8; k++) {
		struct ct_ptx_texture t = {
			.handle = 5,
			.texels = first,
			.width = 8,
			.height = 4,
			.pitch = sizeof first[0],
			.channels = 1,
			.bits = 32,
			.kind = CT_PTX_TEXEL_REAL,
			.normalized_coordinates = 1,
			.linear = 1,
			.levels = smaller,
			.nlevels = 3,
			.linear_levels = k & 1,
			.level_bias = k & 2 ? -0.375f : 0,
			.level_range = {k & 4 ? 0.25f : 0, k & 4 ? 1.75f : 100}};
		for (int by = 0; by < 3; by++) {
			static const char *const texts[] = {
				KERNEL("tex.level.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f1, %f1}], "
			               "%f0;"),
				/* one of two gradients, the other 0; along y a texel is a quarter */
				KERNEL("mov.f32 %f2, 0f00000000; ex2.approx.f32 %f3, %f0;\n"
			               "mul.f32 %f3, %f3, 0f3E000000;\n"
			               "tex.grad.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f1, %f1}], "
			               "{%f3, %f2}, {%f2, %f2};"),
				KERNEL("mov.f32 %f2, 0f00000000; ex2.approx.f32 %f3, %f0;\n"
			               "mul.f32 %f3, %f3, 0f3E800000;\n"
			               "tex.grad.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f1, %f1}], "
			               "{%f2, %f2}, {%f2, %f3};")};
			for (int i = 0; i < LANES; i++)
				lanes[i] = (struct lane){.x = ((float)i - 8) / 6.4f, .y = 0.5f};
			if (by == 0) {
				lanes[0].x = NAN;
				lanes[1].x = INFINITY;
				lanes[2].x = 0.5f; /* as near to one level as to the other */
			}
			assert_int_equal(launch(texts[by], &t, 1, lanes, NULL, 0), CT_OK);
			for (int i = 0; i < LANES; i++) {
				int lower;
				const double u = twin_level(&t, (double)lanes[i].x, &lower),
					     want = (1 - u) * value[lower] + u * value[lower + 1];
				/* The length of a gradient is rounded, so that a weight may be the next, and a
				 * level in the middle either neighbour. */
				if (by && fabs((double)lanes[i].x + t.level_bias - 1.5) < 1e-6)
					continue;
				assert_true(fabs((double)value_of(lanes[i].out[0]) - want) <=
				            (by ? 48 / 256.0 : 1e-5));
			}
		}
	}
}

/* Levels have sizes of their own, coordinates of whole numbers reach them, and a read without a level takes the first. */
static void levels_have_sizes(void **state)
{
	(void)state;
	static const float first[8] = {0, 1, 2, 3, 4, 5, 6, 7}, second[4] = {20, 21, 22, 23};
	const struct ct_ptx_level smaller[] = {{second, 4, 0, 0, sizeof second}};
	struct lane lanes[LANES];
	struct ct_ptx_texture t = {
		.handle = 5,
		.texels = first,
		.width = 8,
		.channels = 1,
		.bits = 32,
		.kind = CT_PTX_TEXEL_REAL,
		.normalized_coordinates = 1,
		.levels = smaller,
		.nlevels = 2,
		.level_range = {0, 1}};
	static const char *const texts[] = {
		KERNEL("tex.1d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0}];"),
		KERNEL("tex.level.1d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0}], 0f3F800000;"),
		KERNEL("tex.level.1d.v4.f32.s32 {%r2, %r3, %r4, %r5}, [%q2, {%r1}], 1;"),
		KERNEL("tex.grad.1d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0}], 0f3E800000, {%f1};")};
	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < LANES; i++)
			lanes[i] = (struct lane){.x = ((float)(i % 8) + 0.5f) / 8, .i = i % 8};
		assert_int_equal(launch(texts[k], &t, 1, lanes, NULL, 0), CT_OK);
		for (int i = 0; i < LANES; i++) {
			const int at = i % 8, inside = k == 2 ? at < 4 : 1;
			const float want = k == 0 ? first[at] : second[k == 2 ? at % 4 : at / 2];
			assert_true(value_of(lanes[i].out[0]) == (inside ? want : 0));
		}
	}
	static const char *const wrong[][2] = {
		{KERNEL("tex.grad.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0, %f1}], {%f0}, {%f0, "
	                "%f1};"),
	         "a number for each coordinate"},
		{KERNEL("tex.grad.cube.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0, %f1, %f1, %f1}], "
	                "{%f0, %f0, %f0, %f0}, {%f1, %f1, %f1, %f1};"),
	         "read by levels"}};
	for (int k = 0; k < 2; k++) {
		struct ct_ptx_module *m;
		struct ct_error e = {0};
		assert_int_equal(ct_ptx_read(&m, wrong[k][0], strlen(wrong[k][0]), "k.ptx", &e),
		                 CT_ERR_UNSUPPORTED);
		assert_non_null(strstr(e.text, wrong[k][1]));
	}
}

/* A gather takes one channel, also where the texture is not filtered; a missing channel has what a read of it has. */
static void gathers(void **state)
{
	(void)state;
	static const int16_t data[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{-1, -2}, {-3, -4}, {-5, -6}}};
	struct lane lanes[LANES] = {{0}};
	struct ct_ptx_texture t = {
		.handle = 3,
		.texels = data,
		.width = 3,
		.height = 2,
		.pitch = sizeof *data,
		.channels = 2,
		.bits = 16,
		.kind = CT_PTX_TEXEL_SIGNED,
		.address = {CT_PTX_ADDRESS_CLAMP, CT_PTX_ADDRESS_BORDER, CT_PTX_ADDRESS_CLAMP}};
	for (int i = 0; i < LANES; i++)
		lanes[i] = (struct lane){.x = 1.75f, .y = i % 2 ? 1.0f : 0.25f};
	assert_int_equal(launch(KERNEL("tld4.g.2d.v4.s32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0, %f1}];"),
	                        &t, 1, lanes, NULL, 0),
	                 CT_OK);
	for (int i = 0; i < LANES; i++) {
		static const int32_t want[2][4] = {{4, 6, 0, 0}, {-4, -6, 6, 4}};
		assert_memory_equal(lanes[i].out, want[i % 2], sizeof lanes[i].out);
	}
	assert_int_equal(launch(KERNEL("tld4.b.2d.v4.s32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0, %f1}];"),
	                        &t, 1, lanes, NULL, 0),
	                 CT_OK);
	assert_int_equal(lanes[0].out[0], 0);
}

static struct ct_ptx_texture surface_of(void *texels)
{
	return (struct ct_ptx_texture){
		.handle = 3,
		.surface = 1,
		.texels = texels,
		.width = W,
		.height = H,
		.pitch = 32,
		.channels = 1,
		.bits = 32};
}

/* Loads and stores in each boundary mode; what lies outside without one ends the launch before anything is stored. */
static void surfaces(void **state)
{
	(void)state;
	uint32_t data[H][8] = {{0}}, before[H][8];
	struct lane lanes[LANES] = {{0}};
	struct ct_ptx_texture t = surface_of(data);
	struct ct_ptx_fault f;
	for (int i = 0; i < LANES; i++)
		lanes[i].i = 4 * (i - 4);
	assert_int_equal(
		launch(KERNEL("mov.u32 %r6, 2;\nsust.b.2d.b32.zero [%q2, {%r1, %r6}], %r0;\n"
	                      "suld.b.2d.b32.clamp %r2, [%q2, {%r1, %r6}];\n"
	                      "suld.b.2d.b32.zero {%r3}, [%q2, {%r1, 2}];\n"
	                      "suld.b.2d.v2.b16.zero {%s0, %s1}, [%q2, {%r1, %r6}];\ncvt.u32.u16 %r4, %s0;"),
	               &t, 1, lanes, NULL, 0),
		CT_OK);
	for (int i = 0; i < LANES; i++) {
		int x = i - 4, inside = x >= 0 && x < W, near = x < 0 ? 0 : x < W ? x : W - 1;
		assert_int_equal(lanes[i].out[0], near + 4);
		assert_int_equal(lanes[i].out[1], inside ? x + 4 : 0);
		assert_int_equal(lanes[i].out[2], inside ? x + 4 : 0);
	}
	for (int x = 0; x < 8; x++)
		assert_int_equal(data[2][x], x < W ? x + 4 : 0);
	memcpy(before, data, sizeof data);
	for (int i = 0; i < LANES; i++)
		lanes[i].i = 4 * (i % 8); /* eight columns, where there are seven */
	assert_int_equal(launch(KERNEL("sust.b.2d.b32.trap [%q2, {%r1, 1}], %r0;"), &t, 1, lanes, &f, 0),
	                 CT_ERR_INPUT);
	assert_int_equal(f.kind, CT_PTX_OUT_OF_RANGE);
	assert_int_equal(f.space, CT_PTX_SURFACE);
	assert_int_equal(f.thread[0], 7);
	assert_int_equal(f.coordinate[0], 28);
	assert_int_equal(f.coordinate[1], 1);
	assert_memory_equal(before, data, sizeof data);
	assert_int_equal(
		launch(KERNEL("suld.b.2d.v2.b32 {%r2, %r3}, [%q2, {4, 1}];"), &t, 1, lanes, &f, 0),
		CT_ERR_INPUT);
	assert_int_equal(f.kind, CT_PTX_MISALIGNED);
	assert_int_equal(launch(KERNEL("tex.2d.v4.f32.f32 {%r2, %r3, %r4, %r5}, [%q2, {%f0, %f1}];"), &t,
	                        1, lanes, &f, 0),
	                 CT_ERR_INPUT);
	assert_int_equal(f.kind, CT_PTX_NO_TEXTURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fetches),
		cmocka_unit_test(samples),
		cmocka_unit_test(kinds),
		cmocka_unit_test(colors),
		cmocka_unit_test(layers),
		cmocka_unit_test(cubes),
		cmocka_unit_test(gathers),
		cmocka_unit_test(levels),
		cmocka_unit_test(levels_have_sizes),
		cmocka_unit_test(surfaces)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
