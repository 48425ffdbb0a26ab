/* address.h - which slice, channel, bank, row and set an address belongs to.
 *
 * The mapping string of the configuration ("dramid@8;0000...RRRR...BBBCCC...") or, without
 * one, plain interleaving, gives channel, bank and row; the slice number is the channel
 * times the slices per channel plus the lowest bank bits, then hashed; the LLC set comes
 * from the address with the channel and slice bits taken out (doc/replay.md section 8).
 *
 * Hashes of a number i in [0, n) with the address bits h above it:
 *   linear  i
 *   xor     i xor the low bits of h                    (n a power of two; else fold)
 *   ipoly   polynomial hash for 16, 32, 64             (other powers of two: the table of
 *           64 on the low six bits, or that of 16; other slice counts: on the next power of
 *           two, modulo n, as Accel-Sim does, which is uneven; other set counts: fold)
 *   pae     the permutation of 32                      (other n: as ipoly)
 *   fermi   sets only: five fixed bits for 32 and 64   (other n: xor)
 *   fold    (i + hash(h)) mod n: balanced for every n, and one-to-one over each run of n
 *           neighbours */
#ifndef CT_GPU_ADDRESS_H
#define CT_GPU_ADDRESS_H

#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "gpu/gpu.h"

CT_DECLS_BEGIN

/* Where the bits of one field are in an address: runs of neighbouring bits. */
enum { CT_FIELD_RUNS = 8 };
struct ct_bit_field {
	uint32_t runs;
	uint8_t down[CT_FIELD_RUNS];  /* by so many bits a run moves to its place */
	uint64_t bits[CT_FIELD_RUNS]; /* the run's in an address */
};

/* Prepared once per GPU; private to address.c, public to be held by value. */
struct ct_address_map {
	uint32_t channels, slices;
	uint32_t per_channel; /* slices per channel, at least 1 */
	uint32_t per_slice;   /* channels per slice, at least 1 */
	uint32_t low_bit;     /* channels interleave from this address bit on */
	uint32_t gap;         /* channels are not a power of two: division */
	uint32_t odd_slices;  /* slices per channel are not a power of two: division */
	uint32_t high_shift;  /* address bits above channel and slice, for hashing */
	uint32_t chunk_shift; /* partition lines of one channel chunk in one slice, log2 */
	uint32_t slice_hash, llc_hash, l1_hash; /* enum ct_set_hash */
	uint32_t llc_sets, l1_sets, llc_line_bits, l1_line_bits;
	struct ct_bit_field channel, sub, bank, row;
	struct ct_bit_field line; /* partition line: what is left of the address */
	/* ipoly is linear: what each byte of h xors into the number, when those are in use */
	uint8_t slice_fast, llc_fast;
	uint8_t slice_table[3][256], llc_table[3][256];
	/* where slice, bank and LLC set are xors of address bits, as they mostly are: what each byte
	 * of the address contributes, slice in the low 16 bits, bank in 16, set in 32 */
	uint8_t linear;
	uint64_t table[8][256];
};

struct ct_place {
	uint32_t slice;   /* [0, llc_slices) */
	uint32_t channel; /* [0, dram_channels) */
	uint32_t bank;    /* [0, dram_banks) */
	uint64_t row;
	uint32_t llc_set; /* of the slice */
	uint32_t l1_set;  /* of any L1 with the configured number of sets */
};

/* Prepares m for a checked GPU. Fails with CT_ERR_INPUT when the mapping string is
 * malformed. m holds no memory of its own. */
int ct_address_map_init(struct ct_address_map *m, const struct ct_gpu *g, struct ct_error *e);

/* The place of a byte address; the same for every byte of an LLC line. Pure,
 * thread-safe; some 5 ns. */
struct ct_place ct_address_place(const struct ct_address_map *m, uint64_t address);

/* address.c: where the table does not hold, slice, bank and LLC set; see ct_address_slice(). */
void ct_address_slice_of(const struct ct_address_map *m, uint64_t address, uint32_t *slice,
                         uint32_t *llc_set);

/* Slice, bank and LLC set as they lie in the table, where m->linear. Pure. */
static inline uint64_t ct_address_sum(const struct ct_address_map *m, uint64_t address)
{
	uint64_t a = address;
	uint64_t sum = m->table[0][a & 255] ^ m->table[1][a >> 8 & 255] ^ m->table[2][a >> 16 & 255] ^
	               m->table[3][a >> 24 & 255] ^ m->table[4][a >> 32 & 255] ^
	               m->table[5][a >> 40 & 255];
	unsigned byte = 6;
	for (a >>= 48; a; a >>= 8) /* most addresses end here */
		sum ^= m->table[byte++][a & 255];
	return sum;
}

/* Slice and LLC set alone of that place, in half the time. Pure but for what it writes. */
static inline void ct_address_slice(const struct ct_address_map *m, uint64_t address, uint32_t *slice,
                                    uint32_t *llc_set)
{
	if (!m->linear) {
		ct_address_slice_of(m, address, slice, llc_set);
		return;
	}
	uint64_t sum = ct_address_sum(m, address);
	*slice = (uint32_t)(sum & 0xffff);
	*llc_set = (uint32_t)(sum >> 32);
}

/* address.c: any hash and number of sets; see ct_set_index(). */
uint32_t ct_set_hashed(enum ct_set_hash hash, uint32_t sets, uint64_t line);

/* Set of a line (address / line bytes) in a cache of its own with any number of sets
 * >= 1, as an L1 chooses it. Pure. */
static inline uint32_t ct_set_index(enum ct_set_hash hash, uint32_t sets, uint64_t line)
{
	if (hash == CT_HASH_LINEAR && !(sets & (sets - 1)))
		return (uint32_t)line & (sets - 1);
	return ct_set_hashed(hash, sets, line);
}

CT_DECLS_END

#endif
