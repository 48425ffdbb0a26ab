/* storage.h - what the organisations add to an L1, and what their requests cost, as
 * arithmetic (doc/papers/tag-split.md). Pure. */
#ifndef CT_MODELS_TAG_SPLIT_STORAGE_H
#define CT_MODELS_TAG_SPLIT_STORAGE_H

#include <stdint.h>

#include "models/tag_split/l1.h"

/* The plain L1 that overheads are counted against: tag, valid bit and log2(ways) LRU
 * bits per line (reading baseline-lru-bits). */
struct ct_ts_plain {
	uint32_t line, sets, ways, tag_bits;
};

/* Tag bits of an L1: address bits without set and line offset. */
uint32_t ct_ts_tag_bits(uint32_t address_bits, uint32_t sets, uint32_t line);
/* Bits beside the data: tags, valid bits, replacement state. */
uint64_t ct_ts_state_bits(const struct ct_ts_shape *s);
/* Bytes beyond the plain L1's (readings storage-law and dsc-storage); below 0 when it needs less. */
double ct_ts_overhead_bytes(const struct ct_ts_shape *s, const struct ct_ts_plain *plain);
/* Memory that the chunks of one group can come from, bytes. */
uint64_t ct_ts_group_reach(const struct ct_ts_shape *s);

/* Packets of one miss of n chunks: request, and data (reading packets-of-a-miss). */
uint32_t ct_ts_data_packets(uint32_t chunks, uint32_t chunk_bytes, uint32_t packet_bytes);

#endif
