/* capacity.h - how much LLC a cache-mode SM lends, and what the controllers cost.
 *
 * The arithmetic of the paper (doc/papers/morpheus.md) for any register file, warp
 * count and GPU. Everything is pure and thread-safe. */
#ifndef CT_MODELS_MORPHEUS_CAPACITY_H
#define CT_MODELS_MORPHEUS_CAPACITY_H

#include <stdint.h>

#include "gpu/gpu.h"
#include "models/morpheus/params.h"

/* Registers that each of `warps` equal warps can have in a register file of
 * `rf_bytes` (warp registers of warp_bytes = 128 B): min(max, floor(rf / (128 w))). */
unsigned ct_morpheus_registers_per_warp(uint64_t rf_bytes, unsigned warp_bytes, unsigned warps,
                                        unsigned max_registers);
/* Largest d with d + ceil(d / lanes) + aux <= registers: data registers of a set, one
 * block each, next to one metadata register per `lanes` blocks. 0 when none fits. */
unsigned ct_morpheus_data_registers(unsigned registers, unsigned lanes, unsigned aux);
/* Bytes that the register-file kernel holds with that many warps (reading register-budget). */
uint64_t ct_morpheus_rf_bytes(uint64_t rf_bytes, unsigned warp_bytes, unsigned lanes, unsigned warps,
                              unsigned max_registers, unsigned aux);

/* Shares of resident blocks by compression level (reading compression-levels): 4:1, 2:1, none. */
struct ct_morpheus_mix {
	double high, low, none; /* sum 1 */
};
/* Blocks per register: 1 / (none + low / 2 + high / 4), the harmonic mean
 * (doc/models.md section 8). */
double ct_morpheus_ratio(const struct ct_morpheus_mix *mix);
/* Blocks of one set of `registers` warp registers (metadata and all). charged = 0: the
 * paper's accounting, the data registers of an uncompressed set hold ratio times the
 * blocks; 1: ceil(blocks / lanes) metadata and ceil(compressed blocks / lanes) base
 * registers are subtracted as well (reading charged-metadata). */
unsigned ct_morpheus_set_blocks(unsigned registers, unsigned lanes, unsigned aux,
                                const struct ct_morpheus_mix *mix, int charged);

/* The helper kernel of one cache-mode SM. */
struct ct_morpheus_kernel {
	unsigned warps, rf_warps, l1_warps; /* = sets: one per warp */
	unsigned rf_registers;              /* per RF warp */
	unsigned rf_blocks, l1_blocks;      /* per set */
	double ratio;                       /* blocks against an uncompressed RF set */
	uint64_t rf_bytes, l1_bytes;        /* of data that it holds, compression included */
};
/* The kernel that p chooses (by default RF + L1: 32 + 16 warps, 328 KiB) for the GPU g. mix NULL: no
 * compression. Only registers and
 * shared memory are compressible, the L1 is managed by hardware. Fails with CT_ERR_USAGE when the
 * parameters leave no room for a block. */
int ct_morpheus_kernel(const struct ct_gpu *g, const struct ct_morpheus_params *p,
                       const struct ct_morpheus_mix *mix, struct ct_morpheus_kernel *k,
                       struct ct_error *e);
/* A mix that yields the given ratio (1 to 4) out of uncompressed and 4:1 blocks. */
struct ct_morpheus_mix ct_morpheus_mix_of_ratio(double ratio);

/* Storage that Morpheus adds to the GPU (reading added-storage). */
struct ct_morpheus_storage {
	unsigned max_cache_sms;            /* floor(0.75 SMs) */
	unsigned sets;                     /* on them: 2448 */
	unsigned sets_per_partition;       /* rounded up to a power of two: 256 */
	uint64_t bloom_bytes, query_bytes; /* per partition */
	uint64_t total_bytes;              /* whole GPU: 215040 */
	double share_of_llc;               /* 0.041 */
};
void ct_morpheus_storage(const struct ct_gpu *g, const struct ct_morpheus_params *p,
                         struct ct_morpheus_storage *s);

/* Most data per time that w warps with one request each can serve: w * bytes / ns, in
 * GB/s (reading bandwidth-bound). */
double ct_morpheus_warp_bandwidth(double warps, double bytes, double ns);

#endif
