#include "models/tag_split/storage.h"

#include "base/bits.h"

static uint32_t ceil_log2(uint32_t v)
{
	return v > 1 ? ct_high_bit(v - 1) + 1 : 0;
}

uint32_t ct_ts_tag_bits(uint32_t address_bits, uint32_t sets, uint32_t line)
{
	uint32_t low = ceil_log2(sets) + ceil_log2(line);
	return address_bits > low ? address_bits - low : 0;
}

static uint64_t plain_bits(uint32_t tag_bits, uint32_t ways)
{
	return (uint64_t)ways * (tag_bits + 1 + ceil_log2(ways));
}

/* Per chunk private tag, valid bit, place in the line, NRU bit; per group the shared tag
 * (reading storage-law: 0.58 KB with 8 private bits and 0.44 KB with 5 both come out). */
static uint64_t split_bits(const struct ct_ts_shape *s)
{
	uint32_t per = s->line / s->chunk;
	return (uint64_t)s->ways * per * (s->private_bits + 1 + ceil_log2(per) + 1) +
	       (uint64_t)s->ways * (s->tag_bits - s->private_bits);
}

uint64_t ct_ts_state_bits(const struct ct_ts_shape *s)
{
	uint32_t per = s->line / s->chunk;
	uint64_t set = 0;
	switch (s->kind) {
	case CT_TS_LINE: set = plain_bits(s->tag_bits, s->ways); break;
	case CT_TS_SECTOR: /* the line's own valid bit stays: 0.063 KB */
		set = plain_bits(s->tag_bits, s->ways) + (uint64_t)s->ways * per;
		break;
	case CT_TS_SPLIT: set = split_bits(s); break;
	case CT_TS_DSC: /* reading dsc-storage; log2 N of replacement or ownership is fitted there */
		set = (uint64_t)s->ways * s->tags * (s->tag_bits + per + 1 + ceil_log2(s->tags));
		break;
	case CT_TS_PERFECT:
	case CT_TS_IDEAL: break;
	}
	return set * s->sets;
}

double ct_ts_overhead_bytes(const struct ct_ts_shape *s, const struct ct_ts_plain *plain)
{
	double base = (double)(plain_bits(plain->tag_bits, plain->ways) * plain->sets);
	if (s->kind == CT_TS_PERFECT || s->kind == CT_TS_IDEAL)
		return 0;
	return ((double)ct_ts_state_bits(s) - base) / 8;
}

uint64_t ct_ts_group_reach(const struct ct_ts_shape *s)
{
	return (UINT64_C(1) << s->private_bits) * s->sets * s->line;
}

uint32_t ct_ts_data_packets(uint32_t chunks, uint32_t chunk_bytes, uint32_t packet_bytes)
{
	return (chunks * chunk_bytes + packet_bytes - 1) / packet_bytes;
}
