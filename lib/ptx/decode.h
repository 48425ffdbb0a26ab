/* decode.h - what the decoders of instruction families share. Private. */
#ifndef CT_PTX_DECODE_H
#define CT_PTX_DECODE_H

#include "ptx/codes.h"
#include "ptx/reader.h"

/* Modifiers of arithmetic, as bits: an instruction says which it takes. */
enum ct_ptx_modifier {
	CT_PTX_M_FTZ = 1 << 0,
	CT_PTX_M_SAT = 1 << 1,
	CT_PTX_M_APPROX = 1 << 2,
	CT_PTX_M_FULL = 1 << 3,
	CT_PTX_M_LO = 1 << 4,
	CT_PTX_M_HI = 1 << 5,
	CT_PTX_M_WIDE = 1 << 6,
	CT_PTX_M_CC = 1 << 7,
	CT_PTX_M_NAN = 1 << 8,
	CT_PTX_M_XORSIGN = 1 << 9,
	CT_PTX_M_ABS = 1 << 10,
	CT_PTX_M_RELU = 1 << 11,
	CT_PTX_M_ROUND = 1 << 12,
	CT_PTX_M_INTEGRAL = 1 << 13,
	CT_PTX_M_NOFTZ = 1 << 14,
	CT_PTX_M_L = 1 << 15,
	CT_PTX_M_R = 1 << 16,
	CT_PTX_M_CLAMP = 1 << 17,
	CT_PTX_M_WRAP = 1 << 18,
	CT_PTX_M_SHIFTAMT = 1 << 19
};

/* The opcode's parts behind its name. */
struct ct_ptx_form {
	unsigned modifiers; /* enum ct_ptx_modifier */
	enum ct_ptx_round round;
	enum ct_ptx_type type[3];
	unsigned ntypes;
};

/* Reads the atoms that nobody took: modifiers among `allowed` and exactly `ntypes` types. */
int ct_ptx_form(struct ct_ptx_reader *r, unsigned allowed, unsigned ntypes, struct ct_ptx_form *f);
/* 1 and a step where the next atom is that one. */
int ct_ptx_take(struct ct_ptx_reader *r, const char *atom);
/* The next atom's place in a list that ends with NULL, and a step; -1 where it is in none. */
int ct_ptx_take_one(struct ct_ptx_reader *r, const char *const *list);
/* Fails: the form is not known. `why` may be NULL. */
int ct_ptx_unknown(struct ct_ptx_reader *r, const char *why);
/* Fails where the number of operands is another or atoms are left over. */
int ct_ptx_want_args(struct ct_ptx_reader *r, unsigned least, unsigned most);

/* A new operation with the statement's guard; NULL when out of memory (the error is set). It
 * stays valid until the next call. */
struct ct_ptx_op *ct_ptx_emit(struct ct_ptx_reader *r, int code);
/* Row of a register of the type's width or of a constant. */
int ct_ptx_row(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
               uint32_t *ref);
/* Row of a constant: the same bits in every lane. */
int ct_ptx_constant(struct ct_ptx_reader *r, uint64_t bits, unsigned width, uint32_t *ref);
/* Row that an instruction writes: a register of the type's width, or a scratch row for '_'. */
int ct_ptx_result(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, enum ct_ptx_type type,
                  uint32_t *ref);
/* Row of the address of a shared variable of the module plus an offset. */
int ct_ptx_shared_constant(struct ct_ptx_reader *r, uint32_t symbol, int64_t offset, unsigned width,
                           uint32_t *ref);
/* Notes a use of a shared variable of the module, at an operation or a constant row. */
int ct_ptx_use_shared(struct ct_ptx_reader *r, uint32_t symbol, int in_constant, uint32_t at);
int ct_ptx_predicate(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, uint32_t *ref);
/* Predicate that an instruction writes. */
int ct_ptx_predicate_result(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, uint32_t *ref);
/* Rows of d and the operands a, b, c, all of that type. */
int ct_ptx_rows(struct ct_ptx_reader *r, struct ct_ptx_op *o, unsigned sources, enum ct_ptx_type type);
/* Appends a row reference to the module's list. */
int ct_ptx_extra(struct ct_ptx_reader *r, uint32_t ref);
/* A register of the function for the use of expansions. */
uint32_t ct_ptx_scratch(struct ct_ptx_reader *r, int which);

/* Address of a memory operand into o->a and o->imm, in a space that the opcode names. */
int ct_ptx_memory_address(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, struct ct_ptx_op *o,
                          int space);
/* The state space that the next atom names, or CT_PTX_GENERIC; its window of generic addresses. */
int ct_ptx_take_space(struct ct_ptx_reader *r);
uint64_t ct_ptx_window(int space);

int ct_ptx_is_float(enum ct_ptx_type t);
int ct_ptx_is_signed(enum ct_ptx_type t);
/* Place of a type in CT_PTX_B3 and CT_PTX_I6: -1 where it has none. */
int ct_ptx_place3(enum ct_ptx_type t);
int ct_ptx_place6(enum ct_ptx_type t);

/* The families. */
typedef int ct_ptx_decoder(struct ct_ptx_reader *r);
ct_ptx_decoder ct_ptx_decode_add, ct_ptx_decode_sub, ct_ptx_decode_mul, ct_ptx_decode_mad,
	ct_ptx_decode_carry, ct_ptx_decode_div, ct_ptx_decode_rem, ct_ptx_decode_unary,
	ct_ptx_decode_minmax, ct_ptx_decode_logic, ct_ptx_decode_shift, ct_ptx_decode_bits,
	ct_ptx_decode_fields, ct_ptx_decode_mul24, ct_ptx_decode_sad, ct_ptx_decode_dot;
ct_ptx_decoder ct_ptx_decode_fma, ct_ptx_decode_function, ct_ptx_decode_copysign, ct_ptx_decode_testp;
ct_ptx_decoder ct_ptx_decode_setp, ct_ptx_decode_set, ct_ptx_decode_selp, ct_ptx_decode_slct;
ct_ptx_decoder ct_ptx_decode_mov, ct_ptx_decode_cvt, ct_ptx_decode_cvta, ct_ptx_decode_isspacep;
ct_ptx_decoder ct_ptx_decode_load, ct_ptx_decode_store, ct_ptx_decode_atom, ct_ptx_decode_prefetch;
ct_ptx_decoder ct_ptx_decode_bra, ct_ptx_decode_brx, ct_ptx_decode_call, ct_ptx_decode_ret,
	ct_ptx_decode_exit, ct_ptx_decode_trap, ct_ptx_decode_bar, ct_ptx_decode_fence,
	ct_ptx_decode_vote, ct_ptx_decode_shfl, ct_ptx_decode_match, ct_ptx_decode_redux,
	ct_ptx_decode_activemask, ct_ptx_decode_nothing;
ct_ptx_decoder ct_ptx_decode_async, ct_ptx_decode_ldmatrix, ct_ptx_decode_mma, ct_ptx_decode_movm,
	ct_ptx_decode_tex, ct_ptx_decode_tld4, ct_ptx_decode_surface;
ct_ptx_decoder ct_ptx_decode_video;
/* Floating-point arithmetic, once the decoder of the name has seen that its type is one. */
int ct_ptx_decode_float(struct ct_ptx_reader *r, int fast, int any, unsigned sources);

#endif
