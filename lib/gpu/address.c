/* Address decoding: fields of the mapping string as runs of bits, then hashes. */
#include "gpu/address.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/hot.h"
#include "gpu/gpu.h"

static unsigned parity64(uint64_t v)
{
#if defined(__GNUC__)
	return (unsigned)__builtin_parityll(v);
#else
	v ^= v >> 32;
	v ^= v >> 16;
	v ^= v >> 8;
	v ^= v >> 4;
	return (0x6996u >> (v & 15)) & 1;
#endif
}

/* 0 for 0, which only an unfilled description has. */
static unsigned log2_floor(uint64_t v)
{
	return v ? ct_high_bit(v) : 0;
}

static int is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

#define B(n) (UINT64_C(1) << (n))

/* IPOLY (Rau, ISCA 1991) as Accel-Sim tabulates it: new bit k is index bit k xor the
 * parity of these bits of h (doc/replay.md section 8). */
static const uint64_t ipoly16[4] = {
	B(11) | B(10) | B(9) | B(8) | B(6) | B(4) | B(3) | B(0),
	B(12) | B(8) | B(7) | B(6) | B(5) | B(3) | B(1) | B(0),
	B(9) | B(8) | B(7) | B(6) | B(4) | B(2) | B(1),
	B(10) | B(9) | B(8) | B(7) | B(5) | B(3) | B(2),
};
static const uint64_t ipoly32[5] = {
	B(13) | B(12) | B(11) | B(10) | B(9) | B(6) | B(5) | B(3) | B(0),
	B(14) | B(13) | B(12) | B(11) | B(10) | B(7) | B(6) | B(4) | B(1),
	B(14) | B(10) | B(9) | B(8) | B(7) | B(6) | B(3) | B(2) | B(0),
	B(11) | B(10) | B(9) | B(8) | B(7) | B(4) | B(3) | B(1),
	B(12) | B(11) | B(10) | B(9) | B(8) | B(5) | B(4) | B(2),
};
static const uint64_t ipoly64[6] = {
	B(18) | B(17) | B(16) | B(15) | B(12) | B(10) | B(6) | B(5) | B(0),
	B(15) | B(13) | B(12) | B(11) | B(10) | B(7) | B(5) | B(1) | B(0),
	B(16) | B(14) | B(13) | B(12) | B(11) | B(8) | B(6) | B(2) | B(1),
	B(17) | B(15) | B(14) | B(13) | B(12) | B(9) | B(7) | B(3) | B(2),
	B(18) | B(16) | B(15) | B(14) | B(13) | B(10) | B(8) | B(4) | B(3),
	B(17) | B(16) | B(15) | B(14) | B(11) | B(9) | B(5) | B(4),
};
/* PAE (after Liu et al., ISCA 2018): which index bits and which bits of h. */
static const struct {
	uint32_t index;
	uint64_t high;
} pae32[5] = {
	{1u << 3, B(13) | B(10) | B(9) | B(5) | B(0)},
	{1u << 2 | 1u << 3, B(12) | B(11) | B(6) | B(1)},
	{1u << 1 | 1u << 2, B(14) | B(9) | B(8) | B(7) | B(2)},
	{1u << 2, B(11) | B(10) | B(8) | B(3)},
	{1u << 0 | 1u << 1 | 1u << 4, B(12) | B(9) | B(8) | B(5) | B(4)},
};

/* n is a power of two and index < n. */
static uint32_t hash_ipoly(uint32_t n, uint32_t index, uint64_t h)
{
	unsigned bits = log2_floor(n);
	const uint64_t *table = bits <= 4 ? ipoly16 : bits == 5 ? ipoly32 : ipoly64;
	if (bits > 6) { /* the index bits above the table's stay and take part in h */
		h = h << (bits - 6) | index >> 6;
		bits = 6;
	}
	for (unsigned k = 0; k < bits; k++)
		index ^= (uint32_t)parity64(h & table[k]) << k;
	return index;
}

/* The same for up to 64, spelled out by the bytes of h (the tables use 19 bits). */
static int ipoly_tables(uint8_t table[3][256], uint32_t n)
{
	if (!is_power_of_two(n) || n > 64)
		return 0;
	for (unsigned byte = 0; byte < 3; byte++)
		for (uint32_t v = 0; v < 256; v++)
			table[byte][v] = (uint8_t)hash_ipoly(n, 0, (uint64_t)v << 8 * byte);
	return 1;
}

static uint32_t look_up(const uint8_t table[3][256], uint64_t h)
{
	return (uint32_t)(table[0][h & 255] ^ table[1][h >> 8 & 255] ^ table[2][h >> 16 & 255]);
}

static uint32_t hash_pae(uint32_t index, uint64_t h)
{
	uint32_t out = 0;
	for (unsigned k = 0; k < 5; k++)
		out |= (uint32_t)(parity64(h & pae32[k].high) ^ parity64(index & pae32[k].index)) << k;
	return out;
}

static uint32_t hash_fold(uint32_t n, uint32_t index, uint64_t h)
{
	uint32_t turn = (uint32_t)(((ct_mix64(h + CT_GOLDEN64) >> 32) * n) >> 32);
	uint64_t sum = (uint64_t)index + turn;
	return (uint32_t)(sum >= n ? sum - n : sum);
}

/* Fermi's L1: bits 13, 14, 15, 17, 19 of the byte address at 128 B lines
 * (Nugteren et al., HPCA 2014). */
static uint32_t hash_fermi(uint32_t sets, uint64_t line)
{
	uint32_t upper = (uint32_t)(line >> 6 & 7) | (uint32_t)(line >> 10 & 1) << 3 |
	                 (uint32_t)(line >> 12 & 1) << 4;
	uint32_t low = ((uint32_t)line & 31) ^ upper;
	return sets == 64 ? low | (uint32_t)(line & 32) : low;
}

uint32_t ct_set_hashed(enum ct_set_hash hash, uint32_t sets, uint64_t line)
{
	if (sets <= 1)
		return 0;
	if (!is_power_of_two(sets)) {
		uint32_t index = (uint32_t)(line % sets);
		return hash == CT_HASH_LINEAR ? index : hash_fold(sets, index, line / sets);
	}
	uint32_t index = (uint32_t)line & (sets - 1);
	uint64_t h = line >> log2_floor(sets);
	switch (hash) {
	case CT_HASH_LINEAR: return index;
	case CT_HASH_XOR: return index ^ ((uint32_t)h & (sets - 1));
	case CT_HASH_FERMI:
		if (sets == 32 || sets == 64)
			return hash_fermi(sets, line);
		return index ^ ((uint32_t)h & (sets - 1));
	case CT_HASH_PAE:
		if (sets == 32)
			return hash_pae(index, h);
		return hash_ipoly(sets, index, h);
	case CT_HASH_IPOLY: return hash_ipoly(sets, index, h);
	case CT_HASH_FOLD: break;
	}
	return hash_fold(sets, index, h);
}

/* Reads the mapping string into one mask per field. */
struct mapping {
	int start; /* of "dramid@N", -1 without */
	uint64_t channel, bank, row;
};

/* Reads a mapping string of GPGPU-Sim: 64 letters, one per address bit from the top, that say which bits
 * name channel (D), bank (B), row (R) and column (C, S). "dramid@BIT;" in front says instead from which bit on the
 * channel is, and then there is no D. */
static int parse_mapping(const char *text, struct mapping *m, struct ct_error *e)
{
	const char *s = text;
	int bit = 63;
	memset(m, 0, sizeof *m);
	m->start = -1;
	if (strncmp(s, "dramid@", 7) == 0) {
		m->start = 0;
		for (s += 7; *s >= '0' && *s <= '9' && m->start < 64; s++)
			m->start = m->start * 10 + (*s - '0');
		if (*s != ';' || m->start > 40)
			return ct_fail(e, CT_ERR_INPUT,
			               "dram.mapping '%s': wanted dramid@BIT; "
			               "with BIT at most 40",
			               text);
		s++;
	}
	for (; *s; s++) {
		if (strchr(".| ", *s))
			continue;
		if (bit < 0 || !strchr("0DdBbRrCcSs", *s))
			return ct_fail(e, CT_ERR_INPUT, "dram.mapping '%s': wanted 64 of 0 D B R C S",
			               text);
		uint64_t at = B(bit);
		if (*s == 'D' || *s == 'd')
			m->channel |= at;
		else if (*s == 'B' || *s == 'b')
			m->bank |= at;
		else if (*s == 'R' || *s == 'r')
			m->row |= at;
		bit--;
	}
	if (bit >= 0)
		return ct_fail(e, CT_ERR_INPUT, "dram.mapping '%s': %d of 64 symbols", text, 63 - bit);
	if ((m->start >= 0) == (m->channel != 0))
		return ct_fail(e, CT_ERR_INPUT,
		               "dram.mapping '%s': wanted either dramid@BIT or "
		               "channel bits D",
		               text);
	return 0;
}

/* The masks of plain interleaving: rows of row_bytes, banks above them. */
static void plain_mapping(const struct ct_gpu *g, struct mapping *m)
{
	unsigned column = log2_floor(g->dram_row_bytes), bank = log2_floor(g->dram_banks);
	m->start = (int)log2_floor(g->partition_interleave);
	m->channel = 0;
	m->bank = (B(bank) - 1) << column;
	m->row = ~UINT64_C(0) << (column + bank);
}

static uint64_t spread_bits(uint64_t mask, unsigned at, unsigned by)
{
	uint64_t low = mask & (B(at) - 1), high = mask & ~(B(at) - 1);
	return low | (by < 64 ? high << by : 0);
}

/* Runs of the set bits of mask, packed from bit 0 up. */
static int make_field(struct ct_bit_field *f, uint64_t mask, const char *what, struct ct_error *e)
{
	unsigned to = 0, bit = 0;
	memset(f, 0, sizeof *f);
	while (bit < 64 && mask >> bit) {
		unsigned width = 0;
		while (!(mask >> bit & 1))
			bit++;
		while (bit + width < 64 && mask >> (bit + width) & 1)
			width++;
		if (f->runs == CT_FIELD_RUNS)
			return ct_fail(e, CT_ERR_INPUT, "dram.mapping: %s bits in more than %d runs",
			               what, CT_FIELD_RUNS);
		f->bits[f->runs] = (~UINT64_C(0) >> (64 - width)) << bit;
		f->down[f->runs++] = (uint8_t)(bit - to);
		to += width;
		bit += width;
	}
	return 0;
}

static uint64_t lowest_bits(uint64_t mask, unsigned n)
{
	uint64_t out = 0;
	while (n-- > 0 && mask) {
		out |= mask & (0 - mask);
		mask &= mask - 1;
	}
	return out;
}

/* Which bits choose the slice inside a channel: the lowest bank bits of a mapping
 * string (as Accel-Sim), else the lowest bits above the line. */
static uint64_t sub_mask(const struct ct_gpu *g, const struct ct_address_map *m,
                         const struct mapping *map)
{
	unsigned bits = log2_floor(m->per_channel);
	uint64_t usable = ~((B(m->llc_line_bits) - 1) | map->channel);
	uint64_t mask = g->dram_mapping[0] ? lowest_bits(map->bank & usable, bits) : 0;
	unsigned got = 0;
	for (uint64_t v = mask; v; v &= v - 1)
		got++;
	return got == bits ? mask : lowest_bits(usable, bits);
}

/* Puts the channel bits into the mapping and moves the others above them. */
static int place_channels(struct ct_address_map *m, struct mapping *map, struct ct_error *e)
{
	unsigned bits = log2_floor(m->channels);
	if (map->start >= 0) {
		m->low_bit = (unsigned)map->start;
		if (!m->gap) {
			map->bank = spread_bits(map->bank, m->low_bit, bits);
			map->row = spread_bits(map->row, m->low_bit, bits);
			map->channel = (B(bits) - 1) << m->low_bit;
		}
		return 0;
	}
	m->low_bit = log2_floor(map->channel & (0 - map->channel));
	unsigned found = 0;
	for (uint64_t v = map->channel; v; v &= v - 1)
		found++;
	if (m->gap || found != bits)
		return ct_fail(e, CT_ERR_INPUT,
		               "dram.mapping: %u channel bits do not fit "
		               "dram.channels = %u",
		               found, m->channels);
	return 0;
}

/* Makes the fields of an address out of the mapping string, or of the plain layout, and checks that the
 * GPU has as many banks. */
static int init_fields(struct ct_address_map *m, const struct ct_gpu *g, struct ct_error *e)
{
	struct mapping map;
	int rc = 0;
	if (!g->dram_mapping[0])
		plain_mapping(g, &map);
	else
		rc = parse_mapping(g->dram_mapping, &map, e);
	if (rc == 0 && ct_bits(map.bank) > log2_floor(g->dram_banks))
		return ct_fail(e, CT_ERR_INPUT,
		               "dram.mapping: %u bank bits are more than dram.banks = %" PRIu32 " has",
		               ct_bits(map.bank), g->dram_banks);
	if (rc == 0)
		rc = place_channels(m, &map, e);
	if (rc < 0)
		return rc;
	uint64_t sub = m->odd_slices ? 0 : sub_mask(g, m, &map);
	uint64_t line = ~((B(m->llc_line_bits) - 1) | map.channel | sub);
	if ((rc = make_field(&m->channel, map.channel, "channel", e)) < 0 ||
	    (rc = make_field(&m->sub, sub, "slice", e)) < 0 ||
	    (rc = make_field(&m->bank, map.bank, "bank", e)) < 0 ||
	    (rc = make_field(&m->row, map.row, "row", e)) < 0 ||
	    (rc = make_field(&m->line, line, "line", e)) < 0)
		return rc;
	m->high_shift = m->low_bit + log2_floor(m->channels) + log2_floor(m->per_channel);
	for (unsigned b = m->llc_line_bits; b < m->low_bit; b++)
		m->chunk_shift += line >> b & 1;
	return 0;
}

static CT_INLINE uint64_t gather_field(const struct ct_bit_field *f, uint64_t a)
{
	uint64_t v = 0;
	for (uint32_t i = 0; i < f->runs; i++)
		v |= (a & f->bits[i]) >> f->down[i];
	return v;
}

/* Hashed number among all slices. Bitwise xor works on the channel alone, as in the
 * simulator, so h counts in steps of the slices of a channel. */
static uint32_t hash_slice(const struct ct_address_map *m, uint32_t index, uint64_t high, uint64_t line)
{
	uint32_t n = m->slices, round = n;
	if (m->slice_fast)
		return index ^ look_up(m->slice_table, high);
	switch (m->slice_hash) {
	case CT_HASH_LINEAR: return index;
	case CT_HASH_XOR:
		if (!is_power_of_two(n))
			break;
		return index ^ ((uint32_t)high * m->per_channel & (n - 1));
	case CT_HASH_PAE:
		if (n == 32)
			return hash_pae(index, high);
		/* fall through */
	case CT_HASH_IPOLY:
		if (!is_power_of_two(n))
			round = 1u << (log2_floor(n) + 1);
		return hash_ipoly(round, index, high) % n;
	default: break;
	}
	return hash_fold(n, index, line >> m->chunk_shift);
}

/* Where the line of an address lies, as far as its slice decides. */
struct split {
	uint64_t base, line;  /* the address without its channel; number of the line in its slice */
	uint32_t slice, rest; /* rest: of the channels of a slice */
};

/* Step by step: channel, slice within the channel, then the LLC line number. Channels that are no power of two are
 * divided out as Accel-Sim does. */
static CT_INLINE struct split split_address(const struct ct_address_map *m, uint64_t address)
{
	struct split s = {.base = address >> m->llc_line_bits << m->llc_line_bits};
	uint64_t high;
	uint32_t channel, sub;
	if (m->gap) {
		uint64_t top = s.base >> m->low_bit;
		high = top / m->channels;
		channel = (uint32_t)(top - high * m->channels);
		s.base = high << m->low_bit | (s.base & (B(m->low_bit) - 1));
	} else {
		channel = (uint32_t)gather_field(&m->channel, s.base);
		high = m->high_shift < 64 ? s.base >> m->high_shift : 0;
	}
	uint64_t line = gather_field(&m->line, s.base);
	if (m->odd_slices) {
		sub = (uint32_t)(line % m->per_channel);
		line /= m->per_channel;
	} else {
		sub = (uint32_t)gather_field(&m->sub, s.base);
	}
	uint32_t index = channel * m->per_channel + sub;
	if (m->per_slice > 1) {
		index = channel / m->per_slice;
		s.rest = channel % m->per_slice;
	}
	s.slice = hash_slice(m, index, high, line);
	s.line = line * m->per_slice + s.rest;
	return s;
}

static CT_INLINE uint32_t llc_set_of(const struct ct_address_map *m, uint64_t line)
{
	if (m->llc_fast)
		return ((uint32_t)line & (m->llc_sets - 1)) ^
		       look_up(m->llc_table, line >> log2_floor(m->llc_sets));
	return ct_set_index((enum ct_set_hash)m->llc_hash, m->llc_sets, line);
}

static struct ct_place decode_address(const struct ct_address_map *m, uint64_t address)
{
	struct split s = split_address(m, address);
	return (struct ct_place){
		.slice = s.slice,
		.channel = s.slice / m->per_channel * m->per_slice + s.rest,
		.bank = (uint32_t)gather_field(&m->bank, s.base),
		.row = gather_field(&m->row, s.base),
		.llc_set = llc_set_of(m, s.line),
		.l1_set = ct_set_index((enum ct_set_hash)m->l1_hash, m->l1_sets,
	                               address >> m->l1_line_bits),
	};
}

/* Fills the table if every field but the row is an xor of address bits. */
static void make_table(struct ct_address_map *m)
{
	if (m->gap || m->odd_slices || m->per_slice > 1 || m->slices > 0x10000 ||
	    !(m->slice_fast || m->slice_hash == CT_HASH_LINEAR) ||
	    !(m->llc_fast || (m->llc_hash == CT_HASH_LINEAR && is_power_of_two(m->llc_sets))))
		return;
	for (unsigned byte = 0; byte < 8; byte++)
		for (uint64_t v = 0; v < 256; v++) {
			struct ct_place p = decode_address(m, v << 8 * byte);
			m->table[byte][v] = p.slice | (uint64_t)p.bank << 16 | (uint64_t)p.llc_set << 32;
		}
	m->linear = 1;
}

void ct_address_slice_of(const struct ct_address_map *m, uint64_t address, uint32_t *slice,
                         uint32_t *llc_set)
{
	struct split s = split_address(m, address);
	*slice = s.slice;
	*llc_set = llc_set_of(m, s.line);
}

struct ct_place ct_address_place(const struct ct_address_map *m, uint64_t address)
{
	struct ct_place p;
	if (!m->linear)
		return decode_address(m, address);
	uint64_t sum = ct_address_sum(m, address);
	p.slice = (uint32_t)(sum & 0xffff);
	p.bank = (uint32_t)(sum >> 16 & 0xffff);
	p.llc_set = (uint32_t)(sum >> 32);
	p.channel = p.slice >> ct_high_bit(m->per_channel); /* a power of two here */
	p.row = gather_field(&m->row, address >> m->llc_line_bits << m->llc_line_bits);
	p.l1_set = ct_set_index((enum ct_set_hash)m->l1_hash, m->l1_sets, address >> m->l1_line_bits);
	return p;
}

static int fits_channels(uint32_t slices, uint32_t channels)
{
	return slices && channels && (slices % channels == 0 || channels % slices == 0);
}

/* Fails naming the counts of slices next to this one that share channels evenly, or have whole channels. */
static int refuse_slices(uint32_t slices, uint32_t channels, struct ct_error *e)
{
	uint32_t low = slices, high = slices;
	if (!slices || !channels)
		return ct_fail(e, CT_ERR_INPUT,
		               "llc.slices = %u and dram.channels = %u: neither can be 0", slices,
		               channels);
	while (!fits_channels(low, channels))
		low--;
	while (!fits_channels(high, channels))
		high++;
	return ct_fail(e, CT_ERR_INPUT,
	               "llc.slices = %u is neither a multiple nor a divisor of dram.channels = %u: the "
	               "nearest are %u and %u",
	               slices, channels, low, high);
}

int ct_address_map_init(struct ct_address_map *m, const struct ct_gpu *g, struct ct_error *e)
{
	memset(m, 0, sizeof *m);
	m->channels = g->dram_channels;
	m->slices = g->llc_slices;
	if (!fits_channels(m->slices, m->channels))
		return refuse_slices(m->slices, m->channels, e);
	m->per_channel = m->slices > m->channels ? m->slices / m->channels : 1;
	m->per_slice = m->channels > m->slices ? m->channels / m->slices : 1;
	m->gap = !is_power_of_two(m->channels);
	m->odd_slices = !is_power_of_two(m->per_channel);
	m->slice_hash = g->llc_hash;
	m->llc_hash = g->llc.set_hash;
	m->l1_hash = g->l1.set_hash;
	m->llc_sets = g->llc.sets;
	m->l1_sets = g->l1.sets;
	m->llc_line_bits = log2_floor(g->llc.line);
	m->l1_line_bits = log2_floor(g->l1.line);
	if (m->slice_hash == CT_HASH_IPOLY)
		m->slice_fast = (uint8_t)ipoly_tables(m->slice_table, m->slices);
	if (m->llc_hash == CT_HASH_IPOLY)
		m->llc_fast = (uint8_t)ipoly_tables(m->llc_table, m->llc_sets);
	int rc = init_fields(m, g, e);
	if (rc == 0)
		make_table(m);
	return rc;
}
