#include "models/shared_l1/home.h"

#include <string.h>

#include "base/bits.h"

static const char *const NAME[CT_SL_HOMES_KINDS] = {"mod", "fold", "hash"};

const char *ct_sl_homes_name(enum ct_sl_homes h)
{
	return NAME[h];
}

int ct_sl_homes_find(const char *name)
{
	for (int i = 0; i < CT_SL_HOMES_KINDS; i++)
		if (!strcmp(NAME[i], name))
			return i;
	return -1;
}

unsigned ct_sl_core_bits(unsigned cores)
{
	return cores > 1 ? ct_high_bit(cores - 1) + 1 : 0;
}

unsigned ct_sl_tag_bits(unsigned address_bits, unsigned line, unsigned sets)
{
	return address_bits - ct_sl_core_bits(line) - ct_sl_core_bits(sets);
}

/* Finaliser of a multiplicative hash: every bit of the tag moves every bit of the home. */
static uint64_t hash_of_tag(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

static uint64_t tag_of(uint64_t line, uint32_t sets)
{
	return sets & (sets - 1) ? line / sets : line >> ct_low_bit(sets);
}

static unsigned home_of_tag(enum ct_sl_homes h, uint64_t tag, unsigned cores)
{
	if (h == CT_SL_HOMES_FOLD) {
		unsigned value = (unsigned)(tag & ((UINT64_C(1) << ct_sl_core_bits(cores)) - 1));
		return value < cores ? value : value - cores;
	}
	if (h == CT_SL_HOMES_HASH)
		return (unsigned)((hash_of_tag(tag) >> 32) * cores >> 32);
	/* Hosts divide 32 bits faster. */
	return tag >> 32 ? (unsigned)(tag % cores) : (uint32_t)tag % cores;
}

unsigned ct_sl_home(enum ct_sl_homes h, uint64_t line, uint32_t sets, unsigned cores)
{
	return home_of_tag(h, tag_of(line, sets), cores);
}

void ct_sl_homes_of(uint64_t line, uint32_t sets, unsigned cores, unsigned home[CT_SL_HOMES_KINDS])
{
	const uint64_t tag = tag_of(line, sets);
	for (int h = 0; h < CT_SL_HOMES_KINDS; h++)
		home[h] = home_of_tag((enum ct_sl_homes)h, tag, cores);
}

double ct_sl_homes_beta(enum ct_sl_homes h, unsigned cores)
{
	unsigned values = 1u << ct_sl_core_bits(cores);
	return h == CT_SL_HOMES_FOLD && values > cores ? 2.0 * cores / values : 1;
}
