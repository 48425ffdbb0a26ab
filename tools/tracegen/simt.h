/* simt.h - the SIMT tracing layer: kernels written in C that really run.
 *
 * A kernel is built once, by a C function that calls k_*() for every operation, as
 * a compiler front end would; k_finish() decides where control flow can diverge,
 * gives every value registers by linear scan and every operation its opcode and
 * program counter. A launch then runs the kernel warp by warp, 32 lanes at a time
 * under an active mask, on the registers that the trace names (so that a wrong
 * allocation shows as a wrong result), and records one line per warp instruction.
 *
 *     struct kb *k = k_begin(g, "vecadd");
 *     val i = k_gid(k);
 *     k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 3)));
 *     val a = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
 *     ...
 *
 * Errors are sticky: builders and launches of a run that has failed do nothing, and
 * the run ends with the first error. Nothing here is thread-safe. */
#ifndef CT_TRACEGEN_SIMT_H
#define CT_TRACEGEN_SIMT_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tracegen/memory.h"
#include "trace/folder.h"

/* ---- values ---------------------------------------------------------------- */

enum simt_type { T_S32, T_U32, T_F32, T_U64, T_F64, T_PRED };

/* A value of a kernel: a constant, a register group or one register of it, or a
 * predicate. Passed by value; only meaningful to the builder that made it. */
typedef struct simt_val {
	uint16_t id;
	uint8_t part; /* register of the group */
	uint8_t type; /* enum simt_type */
} val;

struct kb;       /* a kernel being built, then ready to launch */
struct simt_run; /* one run of a workload: memory, sink, error */

/* ---- building a kernel ----------------------------------------------------- */

/* Starts a kernel; the run owns it. name becomes "-kernel name". */
struct kb *k_begin(struct simt_run *g, const char *name);
/* Closes it: uniformity, registers, program counters. */
void k_finish(struct kb *k);

/* Constants and launch arguments (slot i of the argument array of simt_launch()). */
val k_int(struct kb *k, int32_t v);
val k_uint(struct kb *k, uint32_t v);
val k_float(struct kb *k, float v);
val k_double(struct kb *k, double v);
val k_arg_int(struct kb *k, unsigned i);
val k_arg_float(struct kb *k, unsigned i);
val k_arg_ptr(struct kb *k, unsigned i);

/* Place of the thread; axis 0 = x. k_gid() is ctaid.x * ntid.x + tid.x. */
val k_tid(struct kb *k, unsigned axis);
val k_ctaid(struct kb *k, unsigned axis);
val k_ntid(struct kb *k, unsigned axis);
val k_nctaid(struct kb *k, unsigned axis);
val k_gid(struct kb *k);
val k_gid_axis(struct kb *k, unsigned axis);
val k_lane(struct kb *k);

/* A variable: a register group of its own that k_set() may assign again. */
val k_var(struct kb *k, val init);
void k_set(struct kb *k, val var, val x);
/* n (2 or 4) consecutive registers of 32-bit type t, unset; k_part() names one. */
val k_group(struct kb *k, enum simt_type t, unsigned n);
val k_part(struct kb *k, val group, unsigned i);
/* The same bits under another type of the same size. */
val k_as(struct kb *k, val a, enum simt_type t);

/* Arithmetic; the type of the first operand chooses the instruction. Both operands
 * have that type (S32 and U32 mix). k_mad is a*b+c (FFMA, DFMA: rounded once). */
val k_add(struct kb *k, val a, val b);
val k_sub(struct kb *k, val a, val b);
val k_mul(struct kb *k, val a, val b);
val k_mad(struct kb *k, val a, val b, val c);
val k_min(struct kb *k, val a, val b);
val k_max(struct kb *k, val a, val b);
val k_neg(struct kb *k, val a);
val k_abs(struct kb *k, val a);
val k_and(struct kb *k, val a, val b);
val k_or(struct kb *k, val a, val b);
val k_xor(struct kb *k, val a, val b);
val k_shl(struct kb *k, val a, val b);
val k_shr(struct kb *k, val a, val b);   /* arithmetic for S32 */
val k_mulhi(struct kb *k, val a, val b); /* U32 */
val k_popc(struct kb *k, val a);
val k_flo(struct kb *k, val a); /* index of the highest set bit, -1 for 0 */
/* With a small constant on the right. */
val k_addi(struct kb *k, val a, int32_t b);
val k_muli(struct kb *k, val a, int32_t b);
val k_madi(struct kb *k, val a, int32_t b, val c);
val k_andi(struct kb *k, val a, uint32_t b);
val k_shli(struct kb *k, val a, unsigned b);
val k_shri(struct kb *k, val a, unsigned b);
/* Unsigned quotient and remainder by a value, as the compiler expands them. */
val k_udiv(struct kb *k, val a, val b);
val k_umod(struct kb *k, val a, val b);

/* Floats. k_div, k_exp ... are expanded around MUFU as with -use_fast_math. */
val k_rcp(struct kb *k, val a);
val k_rsqrt(struct kb *k, val a);
val k_sqrt(struct kb *k, val a);
val k_ex2(struct kb *k, val a);
val k_lg2(struct kb *k, val a);
val k_sin(struct kb *k, val a);
val k_cos(struct kb *k, val a);
val k_div(struct kb *k, val a, val b);
val k_exp(struct kb *k, val a);
val k_log(struct kb *k, val a);
/* Conversion; float to integer truncates and saturates. */
val k_cvt(struct kb *k, val a, enum simt_type t);

/* Predicates and selection. */
enum simt_cmp { CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_EQ, CMP_NE };
val k_setp(struct kb *k, enum simt_cmp c, val a, val b);
val k_setpi(struct kb *k, enum simt_cmp c, val a, int32_t b);
val k_pand(struct kb *k, val p, val q);
val k_por(struct kb *k, val p, val q);
val k_pnot(struct kb *k, val p);
val k_sel(struct kb *k, val p, val a, val b);

/* Memory. Width in memory, then in registers: M_8 .. M_16 convert to 32 bits; M_64
 * of a 64-bit type or of a group of two; M_128 of a group of four. */
enum simt_mem { M_U8, M_S8, M_U16, M_S16, M_32, M_64, M_128 };
/* Modifier of global loads. */
enum { LD_CONSTANT = 1u << 0, LD_STRONG = 1u << 1 };
/* ptr + index * size: IMAD.WIDE (index signed for S32). */
val k_elem(struct kb *k, val ptr, val index, int32_t size);
val k_ldg(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset);
val k_ldg_mod(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset, unsigned mods);
void k_stg(struct kb *k, enum simt_mem m, val addr, int32_t offset, val x);
/* Constant bank: byte offset (32 bits) plus an immediate into the memory at base, an
 * argument. The trace shows no address (doc/formats.md section 6). */
val k_ldc(struct kb *k, enum simt_type t, val base, val offset, int32_t immediate);
/* Shared memory: 32-bit byte address in the CTA's window. */
val k_lds(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset);
void k_sts(struct kb *k, enum simt_mem m, val addr, int32_t offset, val x);
/* Local memory: byte offset (constant or value) into the thread's own frame. */
val k_ldl(struct kb *k, enum simt_mem m, enum simt_type t, val addr, int32_t offset);
void k_stl(struct kb *k, enum simt_mem m, val addr, int32_t offset, val x);
void k_local_frame(struct kb *k, uint32_t bytes);
/* Asynchronous copy global -> shared, its commit and the wait for all but n groups. */
void k_ldgsts(struct kb *k, enum simt_mem m, val saddr, int32_t soffset, val gaddr, int32_t goffset);
void k_ldgdepbar(struct kb *k);
void k_depbar(struct kb *k, unsigned n);

enum simt_atom { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_EXCH, ATOM_CAS, ATOM_OR, ATOM_AND };
val k_atomg(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x);
val k_cas(struct kb *k, val addr, int32_t offset, val compare, val x);
void k_red(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x);
val k_atoms(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x);
void k_reds(struct kb *k, enum simt_atom op, val addr, int32_t offset, val x);

/* Warp-wide: the value of another lane; a mask of the active lanes where p holds;
 * whether p holds in any, in every active lane. */
enum simt_shfl { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };
val k_shfl(struct kb *k, enum simt_shfl mode, val a, val b);
val k_ballot(struct kb *k, val p);
val k_any(struct kb *k, val p);
val k_all(struct kb *k, val p);
/* D = A*B + C of 16x8x16 half-precision fragments with float accumulators: A four,
 * B two, C and D four registers in the layout of mma.m16n8k16 (row, col). */
void k_hmma(struct kb *k, val d, val a, val b, val c);
/* LDSM.16.M88.4: each lane names a 16-byte row; returns a group of four. */
val k_ldsm4(struct kb *k, val addr, int32_t offset);

/* ---- control flow ----------------------------------------------------------- */

void k_if(struct kb *k, val p);
void k_else(struct kb *k);
void k_endif(struct kb *k);
/* Predicated block without a branch: its lines stay in the trace with the lanes
 * where p holds, also when there is none. No control flow inside. */
void k_when(struct kb *k, val p);
void k_endwhen(struct kb *k);
/* do { ... } while (p); k_break() leaves it for the lanes where p holds. */
void k_loop(struct kb *k);
void k_break(struct kb *k, val p);
void k_endloop(struct kb *k, val p);
void k_endloop_always(struct kb *k);
/* for (i = from; i < to; i += step): a guard and a bottom-tested loop. */
val k_for(struct kb *k, val from, val to, int32_t step);
val k_for_val(struct kb *k, val from, val to, val step);
void k_endfor(struct kb *k);
/* Lanes where p holds end the kernel. */
void k_exit_if(struct kb *k, val p);
void k_bar(struct kb *k);

/* ---- running ---------------------------------------------------------------- */

struct simt_dims {
	uint32_t x, y, z;
};
static inline struct simt_dims simt_1d(uint32_t x)
{
	return (struct simt_dims){x, 1, 1};
}
static inline struct simt_dims simt_2d(uint32_t x, uint32_t y)
{
	return (struct simt_dims){x, y, 1};
}

/* Launch arguments are 64-bit slots: integers, addresses, float bits. */
uint64_t simt_fbits(float f);

/* One run: what all kernels of a workload share. */
struct simt_run {
	struct simt_memory mem;
	struct ct_folder *sink; /* NULL: run without recording */
	struct ct_error *e;
	int status;                        /* first failure, or CT_OK */
	const volatile sig_atomic_t *stop; /* set from outside: give up at the next CTA; may be NULL */
	struct kb **kernels;
	size_t n_kernels, cap_kernels;
	uint64_t warp_insts;
};

/* Fails the run (keeps the first error). */
void simt_fail(struct simt_run *g, int status, const char *fmt, ...) CT_PRINTF(3, 4);
/* Device memory, zeroed; NULL when the run has failed. Owned by the run. */
struct simt_buffer *simt_alloc(struct simt_run *g, size_t bytes);
/* Records a host-to-device copy of the whole buffer (its host image is p[]). */
void simt_h2d(struct simt_run *g, const struct simt_buffer *b);
/* Runs and records one launch. */
void simt_launch(struct simt_run *g, struct kb *k, struct simt_dims grid, struct simt_dims block,
                 uint32_t shmem_bytes, const uint64_t *args, size_t n_args);
/* Frees kernels and memory. */
void simt_release(struct simt_run *g);

#endif
