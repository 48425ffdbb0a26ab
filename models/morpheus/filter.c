#include "models/morpheus/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { BITS_MIN = 8, BITS_MAX = 65536, HASHES_MAX = 16 };

struct ct_mo_filters {
	struct ct_mo_filter_params p;
	uint64_t sets, swaps;
	unsigned words;     /* 64-bit words of one filter */
	uint64_t *bits;     /* [set][2][words] */
	unsigned *count;    /* per set */
	unsigned char *bf1; /* per set: which of the two is BF1 */
};

/* Each set has two filters: one is in use while the other one is filled anew. */
struct ct_mo_filters *
ct_mo_filters_new(const struct ct_mo_filter_params *p, uint64_t sets, struct ct_error *e)
{
	if (p->bits < BITS_MIN || p->bits > BITS_MAX || p->hashes < 1 || p->hashes > HASHES_MAX ||
	    p->hashes > p->bits || sets == 0 || sets > SIZE_MAX / 16) {
		ct_fail(e, CT_ERR_USAGE,
		        "Bloom filters of %u bits and %u hashes: use 8 to 65536 and 1 to 16", p->bits,
		        p->hashes);
		return NULL;
	}
	struct ct_mo_filters *f = ct_calloc(1, sizeof *f);
	if (!f) {
		ct_fail_nomem(e);
		return NULL;
	}
	f->p = *p;
	f->sets = sets;
	f->words = (p->bits + 63) / 64;
	f->bits = ct_calloc((size_t)sets * 2, f->words * sizeof *f->bits);
	f->count = ct_calloc((size_t)sets, sizeof *f->count);
	f->bf1 = ct_calloc((size_t)sets, 1);
	if (!f->bits || !f->count || !f->bf1) {
		ct_mo_filters_free(f);
		ct_fail_nomem(e);
		return NULL;
	}
	return f;
}

void ct_mo_filters_free(struct ct_mo_filters *f)
{
	if (!f)
		return;
	free(f->bits);
	free(f->count);
	free(f->bf1);
	free(f);
}

static uint64_t *bits_of_filter(const struct ct_mo_filters *f, uint64_t set, int bf1)
{
	unsigned which = bf1 ? f->bf1[set] : 1u - f->bf1[set];
	return f->bits + (set * 2 + which) * f->words;
}

/* A number below `range` out of 32 hash bits, without the bias of a remainder. */
static unsigned scale_hash(uint32_t h, unsigned range)
{
	return (unsigned)((uint64_t)h * range >> 32);
}

static unsigned bit_position(const struct ct_mo_filter_params *p, uint64_t block, unsigned i)
{
	/* Other constants than the set choice uses: filters of one set must not see keys
	 * that already agree in hash bits. */
	uint64_t h = ct_mix64(block + 0x632be59bd9b4e019u);
	if (p->kind == CT_MO_HASH_DOUBLE)
		return (unsigned)(((uint32_t)h + (uint64_t)i * ((uint32_t)(h >> 32) | 1u)) % p->bits);
	uint64_t hi = ct_mix64(h + (i / 2 + 1) * CT_GOLDEN64);
	uint32_t half = (uint32_t)(i & 1 ? hi >> 32 : hi);
	if (p->kind == CT_MO_HASH_PARTITIONED) {
		unsigned part = p->bits / p->hashes;
		return i * part + scale_hash(half, part);
	}
	return scale_hash(half, p->bits);
}

/* Tests all positions and sets them if `insert`: 1 when all were set before. */
static int test_bits(const struct ct_mo_filter_params *p, uint64_t *bits, uint64_t block, int insert)
{
	int all = 1;
	for (unsigned i = 0; i < p->hashes; i++) {
		unsigned at = bit_position(p, block, i);
		uint64_t bit = (uint64_t)1 << (at & 63);
		all &= (bits[at >> 6] & bit) != 0;
		if (insert)
			bits[at >> 6] |= bit;
	}
	return all;
}

int ct_mo_filter_predict(const struct ct_mo_filters *f, uint64_t set, uint64_t block)
{
	return test_bits(&f->p, bits_of_filter(f, set, 1), block, 0);
}

void ct_mo_filter_swap(struct ct_mo_filters *f, uint64_t set)
{
	memset(bits_of_filter(f, set, 1), 0, f->words * sizeof *f->bits);
	f->bf1[set] ^= 1;
	f->count[set] = 0;
	f->swaps++;
}

int ct_mo_filter_update(struct ct_mo_filters *f, uint64_t set, uint64_t block, unsigned associativity)
{
	/* The counter is compared against BF2 before the insertion: a block that BF2
	 * wrongly seems to hold is not counted, which only delays the swap. */
	int fresh = !test_bits(&f->p, bits_of_filter(f, set, 0), block, 1);
	test_bits(&f->p, bits_of_filter(f, set, 1), block, 1);
	f->count[set] += (unsigned)fresh;
	if (associativity > 0 && f->count[set] >= associativity)
		ct_mo_filter_swap(f, set);
	return fresh;
}

unsigned ct_mo_filter_count(const struct ct_mo_filters *f, uint64_t set)
{
	return f->count[set];
}

uint64_t ct_mo_filters_swaps(const struct ct_mo_filters *f)
{
	return f->swaps;
}

unsigned ct_mo_filter_ones(const struct ct_mo_filters *f, uint64_t set)
{
	unsigned n = 0;
	const uint64_t *bits = bits_of_filter(f, set, 1);
	for (unsigned w = 0; w < f->words; w++)
		for (uint64_t v = bits[w]; v; v &= v - 1)
			n++;
	return n;
}
