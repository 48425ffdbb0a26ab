/* codes.h - the operations that the emulator executes. Private.
 *
 * A name is an operation and the type of its operands: b for what does not depend on the
 * sign, u and s for integers, f for floating point. Codes of one operation stand in the order of
 * the macros here, so that a decoder adds the type's place to the first of them. */
#ifndef CT_PTX_CODES_H
#define CT_PTX_CODES_H

#include <stdint.h>

#define CT_PTX_B3(X, n) X(n##_b16) X(n##_b32) X(n##_b64)
#define CT_PTX_I6(X, n) X(n##_u16) X(n##_u32) X(n##_u64) X(n##_s16) X(n##_s32) X(n##_s64)
#define CT_PTX_F3(X, n) X(n##_f32) X(n##_f64) X(n##_ftz) /* the last: f32 that flushes */

/* clang-format off */
/* Extension of an integer: source type, then 16, 32 or 64 bits of the result. */
#define CT_PTX_CVT(X) \
	X(cvt_u8_16) X(cvt_u8_32) X(cvt_u8_64) X(cvt_s8_16) X(cvt_s8_32) X(cvt_s8_64) \
	X(cvt_u16_16) X(cvt_u16_32) X(cvt_u16_64) X(cvt_s16_16) X(cvt_s16_32) X(cvt_s16_64) \
	X(cvt_u32_16) X(cvt_u32_32) X(cvt_u32_64) X(cvt_s32_16) X(cvt_s32_32) X(cvt_s32_64) \
	X(cvt_u64_16) X(cvt_u64_32) X(cvt_u64_64) X(cvt_s64_16) X(cvt_s64_32) X(cvt_s64_64) \
	X(cvt_f32_f64) X(cvt_f64_f32) \
	X(cvt_u32_f32) X(cvt_s32_f32) X(cvt_u64_f32) X(cvt_s64_f32) \
	X(cvt_u32_f64) X(cvt_s32_f64) X(cvt_u64_f64) X(cvt_s64_f64) \
	X(cvt_f32_s32) X(cvt_f64_s32) X(cvt_f32_u32) X(cvt_f32_tf32) \
	/* rounded to an integer, in the order of enum ct_ptx_round */ \
	X(cvt_f32_near) X(cvt_f32_zero) X(cvt_f32_down) X(cvt_f32_up) \
	X(cvt_ftz_near) X(cvt_ftz_zero) X(cvt_ftz_down) X(cvt_ftz_up)

#define CT_PTX_ROW_CODES(X) \
	CT_PTX_B3(X, mov) CT_PTX_B3(X, add) CT_PTX_B3(X, sub) CT_PTX_B3(X, mul) CT_PTX_B3(X, mad) \
	CT_PTX_B3(X, and) CT_PTX_B3(X, or) CT_PTX_B3(X, xor) CT_PTX_B3(X, not) CT_PTX_B3(X, neg) \
	CT_PTX_B3(X, shl) CT_PTX_B3(X, sel) CT_PTX_B3(X, eq) CT_PTX_B3(X, cnot) \
	X(add_sat) X(sub_sat) \
	CT_PTX_I6(X, shr) CT_PTX_I6(X, min) CT_PTX_I6(X, max) CT_PTX_I6(X, mulhi) CT_PTX_I6(X, madhi) \
	CT_PTX_I6(X, lt) CT_PTX_I6(X, le) CT_PTX_I6(X, div) CT_PTX_I6(X, rem) CT_PTX_I6(X, abs) CT_PTX_I6(X, sad) \
	X(mulwide_u16) X(mulwide_u32) X(mulwide_s16) X(mulwide_s32) \
	X(madwide_u16) X(madwide_u32) X(madwide_s16) X(madwide_s32) \
	CT_PTX_F3(X, fadd) CT_PTX_F3(X, fsub) CT_PTX_F3(X, fmul) CT_PTX_F3(X, fma) CT_PTX_F3(X, fdiv) \
	CT_PTX_F3(X, fsqrt) CT_PTX_F3(X, fmin) CT_PTX_F3(X, fmax) CT_PTX_F3(X, fabs) CT_PTX_F3(X, fneg) \
	CT_PTX_F3(X, feq) CT_PTX_F3(X, fne) CT_PTX_F3(X, flt) CT_PTX_F3(X, fle) CT_PTX_F3(X, fnan) \
	CT_PTX_F3(X, frcp) CT_PTX_F3(X, frsqrt) \
	CT_PTX_CVT(X)

/* Operations that go lane by lane, whatever their type. */
#define CT_PTX_LANE_CODES(X) \
	X(float_any) X(compare_any) X(cvt_any) X(testp) X(slct) \
	X(mul24) X(mad24) X(add_carry) X(sub_carry) \
	X(popc) X(clz) X(bfind) X(brev) X(bfe) X(bfi) X(fns) X(bmsk) X(szext) X(lop3) X(shf) X(prmt) X(cvt_pack) X(dp4a) X(dp2a) \
	X(video_parts) X(video) \
	X(pred) X(pack) X(unpack) X(local_address) X(clock) X(active_mask) X(special_zero)

/* Memory and exchange between lanes. */
#define CT_PTX_WARP_CODES(X) \
	X(load) X(store) X(load_param) X(atom) X(prefetch) X(async_load) X(async_store) X(ldmatrix) X(surface) X(tex) X(isspacep) X(mma) X(movmatrix) \
	X(shfl) X(vote) X(match) X(redux) X(fence) X(nanosleep)
/* clang-format on */

/* What the interpreter does itself: it moves lanes, or ends the kernel. */
#define CT_PTX_CONTROL_CODES(X) \
	X(bra) X(brx) X(call) X(call_row) X(ret) X(exit) X(bar) X(bar_warp) X(trap)

#define CT_PTX_CODES(X) \
	CT_PTX_ROW_CODES(X) CT_PTX_LANE_CODES(X) CT_PTX_WARP_CODES(X) CT_PTX_CONTROL_CODES(X)

#define CT_PTX_CODE(n) CT_PTX_##n,
enum ct_ptx_code { CT_PTX_CODES(CT_PTX_CODE) CT_PTX_CODE_COUNT };
#undef CT_PTX_CODE

/* Modifiers of floating-point operations and conversions, in `mode`. */
enum {
	CT_PTX_FTZ = 1, /* subnormal inputs and results become zero */
	CT_PTX_SAT = 2, /* results are clamped: to [0, 1], or to the range of an integer type */
	CT_PTX_APPROX = 4,
	CT_PTX_WITH_NAN = 8, /* min and max give NaN where either input is */
	CT_PTX_XORSIGN = 16, /* min and max of magnitudes, sign from both */
	CT_PTX_RELU = 32,    /* negative results become zero */
	CT_PTX_INTEGRAL = 64 /* a conversion rounds to an integer */
};

/* What float_any computes, in `count`; the type is in `width`. */
enum ct_ptx_float_code {
	CT_PTX_FADD,
	CT_PTX_FSUB,
	CT_PTX_FMUL,
	CT_PTX_FFMA,
	CT_PTX_FDIV,
	CT_PTX_FSQRT,
	CT_PTX_FRCP,
	CT_PTX_FMIN,
	CT_PTX_FMAX,
	CT_PTX_FABS,
	CT_PTX_FNEG,
	CT_PTX_FRSQRT,
	CT_PTX_FSIN,
	CT_PTX_FCOS,
	CT_PTX_FLG2,
	CT_PTX_FEX2,
	CT_PTX_FTANH,
	CT_PTX_FCOPYSIGN
};

/* Comparisons of compare_any, in `count`. */
enum ct_ptx_compare { CT_PTX_EQ, CT_PTX_NE, CT_PTX_LT, CT_PTX_LE, CT_PTX_NAN };

/* How a comparison ends: bit 7 of `mode` turns it around, `round` joins it with a predicate. */
enum { CT_PTX_TURNED = 128 };
enum ct_ptx_join { CT_PTX_JOIN_NONE, CT_PTX_JOIN_AND, CT_PTX_JOIN_OR, CT_PTX_JOIN_XOR, CT_PTX_JOIN_NOT };

/* Bits of `mode` in operations that access memory. */
enum {
	CT_PTX_EXTEND_SIGN = 1, /* a narrow value fills its register with its sign */
	CT_PTX_IN_FRAME = 2,    /* the address is relative to the function's frame of local memory */
	CT_PTX_ADDRESS_32 = 4   /* the address register has 32 bits */
};

/* Bits of `imm` in a read of a texture: what its coordinates are, and from the shift on which channel is gathered.
 * `count` says how many coordinates there are beside the layer. */
enum {
	CT_PTX_LAYERED = 1,
	CT_PTX_CUBE = 2,
	CT_PTX_GATHER = 4,
	CT_PTX_GATHER_SHIFT = 3, /* two bits */
	CT_PTX_LEVEL = 32,       /* behind the coordinates and the layer stands a level */
	CT_PTX_GRADIENTS = 64    /* or there stand two gradients */
};

/* Bits of `mode` in an access to a surface; without CLAMP and ZERO an access outside of it ends the launch. `imm`
 * says how many coordinates there are beside the layer. */
enum {
	CT_PTX_SURFACE_STORE = 1,
	CT_PTX_SURFACE_CLAMP = 2, /* the nearest place inside is accessed */
	CT_PTX_SURFACE_ZERO = 4,  /* loads give zero, stores do nothing */
	CT_PTX_SURFACE_LAYERED = 8
};

enum ct_ptx_atom {
	CT_PTX_ATOM_ADD,
	CT_PTX_ATOM_MIN,
	CT_PTX_ATOM_MAX,
	CT_PTX_ATOM_INC,
	CT_PTX_ATOM_DEC,
	CT_PTX_ATOM_AND,
	CT_PTX_ATOM_OR,
	CT_PTX_ATOM_XOR,
	CT_PTX_ATOM_EXCH,
	CT_PTX_ATOM_CAS
};

/* Values of `mode` in vote, shfl, match and bar. */
enum { CT_PTX_VOTE_ALL, CT_PTX_VOTE_ANY, CT_PTX_VOTE_UNI, CT_PTX_VOTE_BALLOT };
enum { CT_PTX_SHFL_UP, CT_PTX_SHFL_DOWN, CT_PTX_SHFL_BFLY, CT_PTX_SHFL_IDX };
enum { CT_PTX_BAR_SYNC, CT_PTX_BAR_ARRIVE, CT_PTX_BAR_POPC, CT_PTX_BAR_AND, CT_PTX_BAR_OR };

/* Factors of matrix products, and what a lane holds of each matrix, in registers. */
enum {
	CT_PTX_X_F16,
	CT_PTX_X_BF16,
	CT_PTX_X_TF32,
	CT_PTX_X_F64,
	CT_PTX_X_S8, /* from here on integers */
	CT_PTX_X_U8,
	CT_PTX_X_S4,
	CT_PTX_X_U4,
	CT_PTX_X_B1
};
struct ct_ptx_product {
	unsigned short rows, depth; /* of the first factor; the result has 8 columns */
	unsigned char factor;
	unsigned char accumulators, a, b;
};
/* The product of an mma operation, by its `imm`. */
const struct ct_ptx_product *ct_ptx_product_at(unsigned index);
/* Whether a warp computes four such products, each by four lanes of its lower half and the four that are 16 further. */
static inline int ct_ptx_is_by_quads(const struct ct_ptx_product *p)
{
	return p->factor == CT_PTX_X_F16 && p->depth == 4;
}

/* What a video instruction does, in its `imm`; the operation is in `count`. */
struct ct_ptx_video {
	uint16_t a,
		b; /* parts: of video_parts four bits for each that say which of b:a; else the bits of one, and 256 times which */
	uint8_t d; /* video_parts: a bit for each part that is written; else as a and b, in steps of 8 bits and 64 */
	uint8_t second; /* enum ct_ptx_second */
	uint8_t flags;
	uint8_t relation; /* enum ct_ptx_relation of a comparison; of mad the bits that its result is shifted by */
};
enum ct_ptx_video_code {
	CT_PTX_VADD,
	CT_PTX_VSUB,
	CT_PTX_VABSDIFF,
	CT_PTX_VMIN,
	CT_PTX_VMAX,
	CT_PTX_VAVRG,
	CT_PTX_VSET,
	CT_PTX_VSHL,
	CT_PTX_VSHR,
	CT_PTX_VMAD
};
enum ct_ptx_second { CT_PTX_SECOND_NONE, CT_PTX_SECOND_ADD, CT_PTX_SECOND_MIN, CT_PTX_SECOND_MAX };
enum ct_ptx_relation {
	CT_PTX_IS_EQ,
	CT_PTX_IS_NE,
	CT_PTX_IS_LT,
	CT_PTX_IS_LE,
	CT_PTX_IS_GT,
	CT_PTX_IS_GE
};
enum {
	CT_PTX_VIDEO_SIGNED_A = 1,
	CT_PTX_VIDEO_SIGNED_B = 2,
	CT_PTX_VIDEO_SIGNED_D = 4,
	CT_PTX_VIDEO_SAT = 8,
	CT_PTX_VIDEO_WRAP = 16,    /* of a shift: its amount counts modulo 32 */
	CT_PTX_VIDEO_PLUS_ONE = 32 /* of mad */
};

#define CT_PTX_NO_PREDICATE UINT32_MAX

#endif
