#include "models/morpheus/capacity.h"

#include <math.h>
#include <string.h>

enum { REGISTER_BYTES = 4 };

unsigned ct_morpheus_registers_per_warp(uint64_t rf_bytes, unsigned warp_bytes, unsigned warps,
                                        unsigned max_registers)
{
	if (warp_bytes == 0 || warps == 0)
		return 0;
	uint64_t r = rf_bytes / ((uint64_t)warp_bytes * warps);
	return r < max_registers ? (unsigned)r : max_registers;
}

unsigned ct_morpheus_data_registers(unsigned registers, unsigned lanes, unsigned aux)
{
	if (lanes == 0 || registers <= aux)
		return 0;
	unsigned room = registers - aux;
	/* lanes data registers and their metadata register take lanes + 1. */
	unsigned full = room / (lanes + 1), rest = room % (lanes + 1);
	return full * lanes + (rest > 0 ? rest - 1 : 0);
}

uint64_t ct_morpheus_rf_bytes(uint64_t rf_bytes, unsigned warp_bytes, unsigned lanes, unsigned warps,
                              unsigned max_registers, unsigned aux)
{
	unsigned r = ct_morpheus_registers_per_warp(rf_bytes, warp_bytes, warps, max_registers);
	return (uint64_t)ct_morpheus_data_registers(r, lanes, aux) * warps * warp_bytes;
}

double ct_morpheus_ratio(const struct ct_morpheus_mix *mix)
{
	return 1 / (mix->none + mix->low / 2 + mix->high / 4);
}

struct ct_morpheus_mix ct_morpheus_mix_of_ratio(double ratio)
{
	double high = ratio > 1 ? (1 - 1 / ratio) / 0.75 : 0;
	return (struct ct_morpheus_mix){.high = fmin(high, 1), .low = 0, .none = fmax(1 - high, 0)};
}

unsigned ct_morpheus_set_blocks(unsigned registers, unsigned lanes, unsigned aux,
                                const struct ct_morpheus_mix *mix, int charged)
{
	unsigned plain = ct_morpheus_data_registers(registers, lanes, aux);
	double ratio = mix ? ct_morpheus_ratio(mix) : 1;
	if (!mix || !charged || plain == 0)
		return (unsigned)(plain * ratio + 1e-9);
	/* Largest number of data registers whose blocks' metadata and bases still fit. */
	for (unsigned d = registers - aux; d > 0; d--) {
		double blocks = floor(d * ratio + 1e-9);
		double packed = ceil(blocks * (1 - mix->none) - 1e-9);
		if (d + ceil(blocks / lanes) + ceil(packed / lanes) <= registers - aux)
			return (unsigned)blocks;
	}
	return 0;
}

static unsigned lanes_of(const struct ct_gpu *g)
{
	return g->warp_size ? g->warp_size : 32;
}

/* What the L1 and the shared memory lend: one array where they are unified. */
static uint64_t sram_bytes(const struct ct_gpu *g)
{
	uint64_t plain = g->l1.size;
	return g->unified_bytes > plain ? g->unified_bytes : plain;
}

/* Warps that keep blocks in registers; the others keep them in the L1's array. */
static unsigned register_warps(const struct ct_morpheus_params *p, unsigned warps)
{
	if (p->helper == CT_MO_HELPER_RF || p->helper == CT_MO_HELPER_IDEAL)
		return warps;
	if (p->helper == CT_MO_HELPER_L1 || p->helper == CT_MO_HELPER_SHARED)
		return 0;
	unsigned given = (unsigned)p->v[CT_MO_RF_WARPS];
	return given ? given : (2 * warps + 1) / 3;
}

int ct_morpheus_kernel(const struct ct_gpu *g, const struct ct_morpheus_params *p,
                       const struct ct_morpheus_mix *mix, struct ct_morpheus_kernel *k,
                       struct ct_error *e)
{
	unsigned lanes = lanes_of(g), warp_bytes = lanes * REGISTER_BYTES;
	unsigned block = (unsigned)p->v[CT_MO_BLOCK_BYTES], aux = (unsigned)p->v[CT_MO_AUX_REGISTERS];
	unsigned most = (unsigned)p->v[CT_MO_MAX_REGISTERS];
	memset(k, 0, sizeof *k);
	k->warps = (unsigned)p->v[CT_MO_HELPER_WARPS];
	if (k->warps == 0)
		k->warps = ct_gpu_max_warps(g);
	k->rf_warps = register_warps(p, k->warps);
	if (k->rf_warps > k->warps)
		return ct_fail(e, CT_ERR_USAGE, "morpheus.rf_warps=%u is more than the %u helper warps",
		               k->rf_warps, k->warps);
	k->l1_warps = k->warps - k->rf_warps;
	uint64_t rf = (uint64_t)g->registers * REGISTER_BYTES, used;
	used = (uint64_t)k->l1_warps * (unsigned)p->v[CT_MO_L1_WARP_REGISTERS] * warp_bytes;
	if (k->rf_warps > 0)
		k->rf_registers = ct_morpheus_registers_per_warp(
			rf > used ? rf - used : 0, warp_bytes, k->rf_warps, most);
	unsigned plain = ct_morpheus_set_blocks(k->rf_registers, lanes, aux, NULL, 0);
	k->rf_blocks = ct_morpheus_set_blocks(
		k->rf_registers, lanes, aux, mix, p->v[CT_MO_META_CHARGED] > 0.5);
	/* A set of data registers holds whole blocks when a block is a warp register. */
	k->rf_blocks = (unsigned)((uint64_t)k->rf_blocks * warp_bytes / block);
	plain = (unsigned)((uint64_t)plain * warp_bytes / block);
	if (k->l1_warps > 0)
		k->l1_blocks = (unsigned)(sram_bytes(g) / block / k->l1_warps);
	if (k->rf_blocks + k->l1_blocks == 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "a helper kernel of %u warps leaves no room for a block: use fewer warps "
		               "(morpheus.helper_warps)",
		               k->warps);
	k->ratio = plain > 0 ? (double)k->rf_blocks / plain : 1;
	if (p->helper == CT_MO_HELPER_SHARED && mix) {
		/* Its lookups are the register kernel's, so its blocks compress, too. */
		k->ratio = ct_morpheus_ratio(mix);
		k->l1_blocks = (unsigned)(k->l1_blocks * k->ratio + 1e-9);
	}
	k->rf_bytes = (uint64_t)k->rf_blocks * k->rf_warps * block;
	k->l1_bytes = (uint64_t)k->l1_blocks * k->l1_warps * block;
	return CT_OK;
}

static unsigned power_of_two_above(unsigned v)
{
	unsigned p = 1;
	while (p < v && p < 1u << 31)
		p <<= 1;
	return p;
}

/* What the controllers need: Bloom filters and query rows for each set, rounded up to a power of two per
 * partition (section 4 of the paper). */
void ct_morpheus_storage(const struct ct_gpu *g, const struct ct_morpheus_params *p,
                         struct ct_morpheus_storage *s)
{
	unsigned partitions = g->llc_partitions ? g->llc_partitions : 1;
	unsigned warps = (unsigned)p->v[CT_MO_HELPER_WARPS];
	if (warps == 0)
		warps = ct_gpu_max_warps(g);
	s->max_cache_sms = (unsigned)(p->v[CT_MO_CACHE_SM_MAX] * g->sms);
	s->sets = s->max_cache_sms * warps;
	s->sets_per_partition = power_of_two_above((s->sets + partitions - 1) / partitions);
	s->bloom_bytes = (uint64_t)(p->v[CT_MO_BLOOM_BYTES] * p->v[CT_MO_BLOOM_FILTERS]) *
	                 s->sets_per_partition;
	s->query_bytes = (uint64_t)p->v[CT_MO_QUERY_ROW_BYTES] * s->sets_per_partition;
	s->total_bytes = (s->bloom_bytes + s->query_bytes) * partitions;
	s->share_of_llc = (double)s->total_bytes / (double)ct_gpu_llc_bytes(g);
}

double ct_morpheus_warp_bandwidth(double warps, double bytes, double ns)
{
	return warps * bytes / ns;
}
