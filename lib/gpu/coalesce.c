/* Lane addresses to lines and sectors.
 *
 * Called once per memory instruction, so the common shapes have loops of their own:
 * lanes side by side in memory go line by line; naturally aligned accesses straddle
 * nothing and take one step per lane, with base + stride only looking at the lane
 * before; whatever is left is cut into pieces that each lie in one line. */
#include "gpu/coalesce.h"

#include <string.h>
#if defined(__SSE2__) && !defined(CT_NO_SIMD)
#include <emmintrin.h>
#endif

#include "base/bits.h"
#include "gpu/scatter.h"
#include "trace/opcode.h"

enum { TABLE = 256, TABLE_FULL = 128, NO_LINE = 0xff, SCATTERED = 8 /* lanes that are worth sorting */ };

/* Requests found so far. */
struct gather {
	struct ct_line_request *out;
	unsigned n;
	unsigned line_bits, sector_bits, track_bytes;
	uint64_t line_mask;
	uint8_t table[TABLE];    /* of the first TABLE_FULL requests, when hashing */
};

static inline struct ct_line_request *append(struct gather *g, uint64_t line)
{
	struct ct_line_request *r = &g->out[g->n++];
	r->line = line;
	r->sectors = r->lanes = 0;
	r->bytes[0] = r->bytes[1] = 0;
	return r;
}

/* The request of a line, found through the table. */
static inline struct ct_line_request *hashed(struct gather *g, uint64_t line)
{
	unsigned s = (unsigned)(line * UINT64_C(0x9e3779b97f4a7c15) >> 56);
	for (; g->table[s] != NO_LINE; s = (s + 1) % TABLE)
		if (g->out[g->table[s]].line == line)
			return &g->out[g->table[s]];
	if (g->n < TABLE_FULL) {
		g->table[s] = (uint8_t)g->n;
		return append(g, line);
	}
	for (unsigned i = TABLE_FULL; i < g->n; i++) /* wide local accesses only */
		if (g->out[i].line == line)
			return &g->out[i];
	return append(g, line);
}

/* Marks count bytes (1 to 64) from offset on, all inside the line. */
static inline void mark(const struct gather *g, struct ct_line_request *r, unsigned offset,
                        unsigned count)
{
	unsigned first = offset >> g->sector_bits, last = (offset + count - 1) >> g->sector_bits;
	r->sectors |= (uint32_t)(((uint64_t)2 << last) - ((uint64_t)1 << first));
	if (!g->track_bytes)
		return;
	uint64_t bits = ~UINT64_C(0) >> (64 - count), at = offset % 64;
	r->bytes[offset / 64] |= bits << at;
	if (at + count > 64)
		r->bytes[1] |= bits >> (64 - at);
}

/* One lane's bytes [a, a + count), which may straddle lines. The table is in use. */
static void add(struct gather *g, uint64_t a, unsigned count, uint32_t lanes)
{
	for (;;) {
		unsigned offset = (unsigned)(a & g->line_mask);
		uint64_t room = g->line_mask + 1 - offset;
		unsigned here = count < room ? count : (unsigned)room;
		struct ct_line_request *r = hashed(g, a >> g->line_bits);
		r->lanes |= lanes;
		mark(g, r, offset, here);
		if ((count -= here) == 0 || a + here == 0) /* done, or the end of the address space */
			return;
		a += here;
	}
}

static struct ct_line_request *searched(struct gather *g, uint64_t line)
{
	for (unsigned i = 0; i < g->n; i++)
		if (g->out[i].line == line)
			return &g->out[i];
	return append(g, line);
}

/* Lanes of one contiguous run of the mask side by side in memory: `size` bytes each
 * (a power of two up to the line), aligned to it. Walks lines instead of lanes; `first`
 * says that no line of theirs has been seen. */
static void add_run(struct gather *g, uint64_t a, unsigned size, unsigned lane, unsigned lanes,
                    int first)
{
	unsigned size_bits = ct_low_bit(size);
	while (lanes) {
		unsigned offset = (unsigned)(a & g->line_mask);
		uint64_t room = (g->line_mask + 1 - offset) >> size_bits;
		unsigned here = lanes < room ? lanes : (unsigned)room, bytes = here << size_bits;
		uint64_t line = a >> g->line_bits;
		struct ct_line_request *r = first ? append(g, line) : searched(g, line);
		r->lanes |= (uint32_t)((((uint64_t)1 << here) - 1) << lane);
		for (; bytes > 64; bytes -= 64, offset += 64)
			mark(g, r, offset, 64);
		mark(g, r, offset, bytes);
		a += (uint64_t)here * size;
		lane += here;
		lanes -= here;
	}
}

static int is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* A run of lanes with stride equal to the width: the commonest access of all. */
static int coalesced(const struct ct_inst *inst, unsigned width, unsigned line)
{
	uint32_t run = inst->mask >> ct_low_bit(inst->mask);
	return inst->addr_form == CT_ADDR_STRIDE && inst->stride == (int64_t)width &&
	       is_power_of_two(width) && width <= line && inst->base % width == 0 && inst->base &&
	       inst->base <= UINT64_MAX - (uint64_t)width * CT_WARP_LANES &&
	       is_power_of_two((uint64_t)run + 1) && (inst->nruns || inst->base == inst->addr[0]);
}

/* Lanes side by side in memory that have not been added yet. */
struct piece {
	uint64_t start;
	unsigned lane, lanes;
};

static int add_piece(struct gather *g, const struct piece *p, unsigned width)
{
	if (!p->lanes)
		return 1;
	if (!p->start || p->start > UINT64_MAX - (uint64_t)width * CT_WARP_LANES)
		return 0;
	add_run(g, p->start, width, p->lane, p->lanes, g->n == 0);
	return 1;
}

/* Addresses that are runs, of lanes side by side in the mask: those side by side in memory
 * go line by line, those that share an address at once. Returns 0 where the accesses are
 * not aligned or more scattered; what has been added by then counts for nothing. */
static int add_pieces(struct gather *g, const struct ct_inst *inst, unsigned width)
{
	struct piece p = {inst->base, ct_low_bit(inst->mask), 1};
	uint64_t odd = inst->base;
	if (!inst->nruns || !is_power_of_two(width) || width > g->line_mask ||
	    !is_power_of_two((uint64_t)(inst->mask >> p.lane) + 1))
		return 0;
	for (unsigned i = 0; i < inst->nruns; i++)
		odd |= (uint64_t)inst->run_delta[i];
	if (odd & (width - 1))
		return 0;
	for (unsigned i = 0; i < inst->nruns; i++) {
		uint64_t d = (uint64_t)inst->run_delta[i];
		unsigned n = inst->run_lanes[i];
		if (d == width) {
			p.lanes += n;
			continue;
		}
		if ((d && n > 1) || !add_piece(g, &p, width))
			return 0;
		uint64_t next = p.start + (uint64_t)p.lanes * width;
		p.lane += p.lanes;
		p.lanes = 0;
		if (d) {
			p.start = next - width + d;
			p.lanes = n;
		} else {
			/* a run of no lanes behind lane 31 begins at lane 32: a single lane with a stride */
			searched(g, (next - width) >> g->line_bits)->lanes |=
				(uint32_t)((((uint64_t)1 << n) - 1) << p.lane);
			p.start = next;
			p.lane += n;
		}
	}
	return add_piece(g, &p, width);
}

/* Address of a word of a thread's local memory; see struct ct_local_map. Without a map
 * each warp has 16 MiB per lane in the upper half of the address space. */
static uint64_t local_word(const struct ct_local_map *m, uint64_t key, uint64_t word, unsigned lane)
{
	if (!m)
		return UINT64_C(1) << 63 | (key & 0x3ffffffff) << 29 | (word & 0x3fffff) << 7 |
		       (uint64_t)lane << 2;
	uint64_t thread = (uint64_t)m->hw_thread + lane;
	uint64_t all = (uint64_t)m->threads * m->ctas * m->sms;
	return m->base + 4 * (word * all + (uint64_t)m->threads *
	                      (m->sm + (uint64_t)m->sms * (thread / m->threads)) +
	                      thread % m->threads);
}

static void add_local(struct gather *g, const struct ct_local_map *m, uint64_t key, uint64_t offset,
                      unsigned width, unsigned lane)
{
	while (width) {
		unsigned in_word = (unsigned)(offset & 3), here = 4 - in_word;
		if (here > width)
			here = width;
		add(g, local_word(m, key, offset >> 2, lane) + in_word, here, UINT32_C(1) << lane);
		offset += here;
		width -= here;
	}
}

/* All lanes name the same offset, as they do unless a thread indexes its own array:
 * word by word the warp's threads lie side by side, within 128 bytes. */
static int add_local_uniform(struct gather *g, const struct ct_local_map *m, uint64_t key,
                             const struct ct_inst *inst, unsigned width)
{
	unsigned lane = ct_low_bit(inst->mask);
	uint32_t run = inst->mask >> lane;
	if (inst->addr_form != CT_ADDR_STRIDE || inst->stride || inst->base & 3 || width & 3 ||
	    !is_power_of_two((uint64_t)run + 1) || g->line_mask < 127 ||
	    (m && ((m->threads | m->hw_thread) & 31 || m->base & 127)))
		return 0;
	for (unsigned at = 0; at < width; at += 4)
		add_run(g, local_word(m, key, (inst->base + at) >> 2, lane), 4, lane, inst->naddr, at == 0);
	return 1;
}

static unsigned clip_width(const struct ct_sinst *s)
{
	return s->width > CT_MAX_ACCESS_BYTES ? (unsigned)CT_MAX_ACCESS_BYTES : s->width;
}

static enum ct_space lane_space(const struct ct_kernel *k, const struct ct_sinst *s, uint64_t a)
{
	enum ct_space space = (enum ct_space)s->space;
	if (space != CT_SPACE_GENERIC)
		return space;
	space = ct_generic_space(k, a);
	return space == CT_SPACE_GENERIC ? CT_SPACE_GLOBAL : space;
}

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* Naturally aligned global accesses of a power of two bytes, at most a sector: each
 * lies in one sector. Returns 0 at the first lane that is not aligned. The hot loop:
 * shape and kind are constants where it is called, which makes the shifts cheap. */
ALWAYS_INLINE int add_aligned(struct gather *g, const struct ct_inst *inst, unsigned width,
                              unsigned line_bits, unsigned sector_bits, int stride)
{
	struct ct_line_request *const out = g->out;
	const uint64_t line_mask = ((uint64_t)1 << line_bits) - 1;
	const uint64_t bits = g->track_bytes ? ~UINT64_C(0) >> (64 - width) : 0;
	uint64_t previous = 0, next = inst->nruns ? inst->base : inst->addr[0];
	uint32_t mask = inst->mask;
	unsigned n = 0, at = 0;
	for (unsigned i = 0; mask && i < inst->naddr; i++) {
		uint64_t a = stride ? next : inst->addr[i], line = a >> line_bits;
		unsigned offset = (unsigned)(a & line_mask), half = offset >> 6 & 1;
		uint32_t lane = mask & (0 - mask);
		mask &= mask - 1;
		next += (uint64_t)inst->stride;
		if (a & (width - 1))
			return 0;
		if (a == 0)
			continue;
		if (stride) {
			at = n && line == previous ? n - 1 : n;
			previous = line;
		} else {
			unsigned s = (unsigned)(line * UINT64_C(0x9e3779b97f4a7c15) >> 56);
			while ((at = g->table[s]) != NO_LINE && out[at].line != line)
				s = (s + 1) % TABLE;
			if (at == NO_LINE)
				g->table[s] = (uint8_t)(at = n);
		}
		struct ct_line_request *r = &out[at];
		uint32_t sector = UINT32_C(1) << (offset >> sector_bits);
		uint64_t bytes = bits << (offset & 63);
		if (at == n) {
			r->line = line;
			r->sectors = sector;
			r->lanes = lane;
			r->bytes[half] = bytes;
			r->bytes[!half] = 0;
			n++;
		} else {
			r->sectors |= sector;
			r->lanes |= lane;
			r->bytes[half] |= bytes;
		}
	}
	g->n = n;
	return 1;
}

/* Strides whose lanes cannot come round again. */
static int has_stride(const struct ct_inst *inst)
{
	const int64_t far = INT64_C(1) << 48;
	return inst->addr_form == CT_ADDR_STRIDE && inst->stride < far && inst->stride > -far;
}

/* Global accesses that each lie in one sector; 0 where one does not. */
static int add_sectors(struct gather *g, const struct ct_inst *inst, unsigned width, int stride)
{
	if (!is_power_of_two(width) || ct_low_bit(width) > g->sector_bits)
		return 0;
	if (!stride)
		memset(g->table, NO_LINE, sizeof g->table);
	if (g->line_bits == 7 && g->sector_bits == 5)
		return stride ? add_aligned(g, inst, width, 7, 5, 1) : add_aligned(g, inst, width, 7, 5, 0);
	return add_aligned(g, inst, width, g->line_bits, g->sector_bits, stride);
}

/* Global addresses in addr[]. */
static void add_global(struct gather *g, const struct ct_inst *inst, unsigned width)
{
	unsigned i = 0;
	if (add_sectors(g, inst, width, 0))
		return;
	g->n = 0;
	memset(g->table, NO_LINE, sizeof g->table);
	for (uint32_t mask = inst->mask; mask && i < inst->naddr; mask &= mask - 1, i++)
		if (inst->addr[i])
			add(g, inst->addr[i], width, mask & (0 - mask));
}

/* Lanes of local memory, or that may each be somewhere else. */
static uint32_t add_any(struct gather *g, const struct ct_kernel *k, const struct ct_sinst *s,
                        const struct ct_inst *inst, unsigned width, const struct ct_local_map *m,
                        uint64_t key)
{
	uint32_t shared = 0;
	unsigned i = 0;
	memset(g->table, NO_LINE, sizeof g->table);
	for (uint32_t mask = inst->mask; mask && i < inst->naddr; mask &= mask - 1, i++) {
		uint64_t a = inst->addr[i];
		switch (lane_space(k, s, a)) {
		case CT_SPACE_SHARED:
			shared |= mask & (0 - mask);
			break;
		case CT_SPACE_LOCAL:
			if (s->space == CT_SPACE_GENERIC)
				a -= k->local_base;
			add_local(g, m, key, a, width, ct_low_bit(mask));
			break;
		default:
			if (a)
				add(g, a, width, mask & (0 - mask));
		}
	}
	return shared;
}

/* Shapes that need every address by itself. Returns the lanes in shared memory. */
static uint32_t add_lanes(struct gather *g, const struct ct_kernel *k, const struct ct_sinst *s,
                          const struct ct_inst *inst, unsigned width, const struct ct_local_map *m,
                          uint64_t key, int global)
{
	struct ct_inst full;
	if (inst->nruns) {
		full = *inst;
		ct_inst_expand(&full);
		inst = &full;
	}
	if (!global)
		return add_any(g, k, s, inst, width, m, key);
	add_global(g, inst, width);
	return 0;
}

unsigned ct_coalesce(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst,
                     uint32_t line, uint32_t sector, const struct ct_local_map *local,
                     uint64_t warp_key, struct ct_line_request out[CT_MAX_LINES_PER_INST],
                     uint32_t *shared_lanes)
{
	struct gather g; /* its table stays unset until it is needed */
	unsigned width = clip_width(s);
	int global = s->space == CT_SPACE_GLOBAL || (s->space == CT_SPACE_GENERIC && !k->has_windows);
	*shared_lanes = 0;
	if (width == 0 || inst->naddr == 0 || inst->mask == 0)
		return 0;
	if (s->space == CT_SPACE_SHARED)
		*shared_lanes = inst->mask;
	if (!global && s->space != CT_SPACE_GENERIC && s->space != CT_SPACE_LOCAL)
		return 0;
	g.out = out;
	g.n = 0;
	g.line_bits = ct_low_bit(line);
	g.sector_bits = ct_low_bit(sector);
	g.line_mask = line - 1;
	g.track_bytes = line <= 128;
	if (global && coalesced(inst, width, line))
		add_run(&g, inst->base, width, ct_low_bit(inst->mask), inst->naddr, 1);
	else if (global ? !add_pieces(&g, inst, width) &&
	                  (!has_stride(inst) || !add_sectors(&g, inst, width, 1))
	                : s->space != CT_SPACE_LOCAL ||
	                  !add_local_uniform(&g, local, warp_key, inst, width))
		*shared_lanes = add_lanes(&g, k, s, inst, width, local, warp_key, global);
	return g.n;
}

/* Scattered lanes: each request counts those that come before it, without a branch, since which of
 * two lines is higher is anybody's guess. */
static void rank_few(const struct ct_line_request *r, unsigned n, uint32_t *rank)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t mine = r[i].line;
		unsigned ahead = 0; /* it goes in front of so many of those before it */
		for (unsigned j = 0; j < i; j++) {
			unsigned lower = r[j].line < mine;
			rank[j] += lower;
			ahead += lower;
		}
		rank[i] = i - ahead;
	}
}

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
/* The same for distinct lines that lie within 2^31 of each other: 1; else 0. */
static int rank_near(const struct ct_line_request *r, unsigned n, uint32_t *rank)
{
	int32_t key[CT_WARP_LANES];
	uint64_t low = r[0].line, sum = 0;
	unsigned groups = (n + 3) / 4;
	for (unsigned i = 1; i < n; i++)
		low = r[i].line < low ? r[i].line : low;
	for (unsigned i = 0; i < n; i++) {
		sum |= r[i].line - low;
		key[i] = (int32_t)(r[i].line - low);
	}
	if (sum >> 31)
		return 0;
	for (unsigned i = n; i < 4 * groups; i++)
		key[i] = -1;
	for (unsigned g = 0; g < groups; g++) {
		__m128i mine = _mm_loadu_si128((const __m128i *)(const void *)(key + 4 * g));
		__m128i count = _mm_setzero_si128();
		for (unsigned i = 0; i < n; i++)
			count = _mm_sub_epi32(count, _mm_cmpgt_epi32(_mm_set1_epi32(key[i]), mine));
		_mm_storeu_si128((__m128i *)(void *)(rank + 4 * g), count);
	}
	sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum |= UINT64_C(1) << rank[i];
	return sum == (UINT64_C(1) << n) - 1;
}
#else
static int rank_near(const struct ct_line_request *r, unsigned n, uint32_t *rank)
{
	(void)r;
	(void)n;
	(void)rank;
	return 0;
}
#endif

static void sort_few(struct ct_line_request *r, unsigned n)
{
	struct ct_line_request copy[CT_WARP_LANES];
	uint32_t rank[CT_WARP_LANES];
	if (!rank_near(r, n, rank))
		rank_few(r, n, rank);
	memcpy(copy, r, n * sizeof *r);
	for (unsigned i = 0; i < n; i++)
		r[rank[i]] = copy[i];
}

void ct_lines_descending(struct ct_line_request *r, unsigned n)
{
	struct ct_line_request t;
	unsigned rising = n > 1;
	for (unsigned i = 1; i < n && rising; i++)
		rising = r[i - 1].line < r[i].line;
	for (unsigned i = 0; rising && i < n / 2; i++) { /* the usual case */
		t = r[i];
		r[i] = r[n - 1 - i];
		r[n - 1 - i] = t;
	}
	if (!rising && n <= CT_WARP_LANES)
		sort_few(r, n);
	for (unsigned i = 1; !rising && n > CT_WARP_LANES && i < n; i++) {
		unsigned j = i;
		for (t = r[i]; j > 0 && r[j - 1].line < t.line; j--)
			r[j] = r[j - 1];
		r[j] = t;
	}
}

unsigned ct_coalesce_descending(const struct ct_kernel *k, const struct ct_sinst *s,
                                const struct ct_inst *inst, uint32_t line, uint32_t sector,
                                const struct ct_local_map *local, uint64_t warp_key,
                                struct ct_line_request out[CT_MAX_LINES_PER_INST],
                                uint32_t *shared_lanes)
{
	unsigned width = clip_width(s), n = 0;
	int global = s->space == CT_SPACE_GLOBAL || (s->space == CT_SPACE_GENERIC && !k->has_windows);
	if (global && !inst->nruns && inst->naddr >= SCATTERED && is_power_of_two(width) &&
	    width <= sector)
		n = ct_scatter(inst, width, ct_low_bit(line), ct_low_bit(sector), out);
	if (n) {
		*shared_lanes = 0;
		return n;
	}
	n = ct_coalesce(k, s, inst, line, sector, local, warp_key, out, shared_lanes);
	ct_lines_descending(out, n);
	return n;
}

/* 1 if every bank is asked for one word at most: neighbouring words and broadcasts, the
 * usual cases. For a power of two of up to 64 banks. */
static int without_conflict(const struct ct_inst *inst, uint32_t banks)
{
	uint64_t word[64], seen = 0;
	unsigned n = ct_bits(inst->mask);
	n = n < inst->naddr ? n : inst->naddr;
	for (unsigned i = 0; i < n; i++) {
		uint64_t w = inst->addr[i] >> 2, bank = w & (banks - 1), bit = UINT64_C(1) << bank;
		if ((seen & bit) && word[bank] != w)
			return 0;
		word[bank] = w;
		seen |= bit;
	}
	return 1;
}

static unsigned conflicts(const struct ct_inst *inst, uint32_t lanes, uint32_t banks)
{
	enum { HEADS = 64, END = 0xff };
	if (lanes == ~0u && inst->mask && inst->naddr && banks <= HEADS && is_power_of_two(banks) &&
	    without_conflict(inst, banks))
		return 1;
	struct { uint64_t word; uint32_t bank; uint8_t next; } found[CT_WARP_LANES];
	uint8_t head[HEADS];
	unsigned degree = 0, n = 0, i = 0;
	memset(head, END, sizeof head);
	for (uint32_t mask = inst->mask; mask && i < inst->naddr; mask &= mask - 1, i++) {
		uint64_t word = inst->addr[i] >> 2;
		uint32_t bank = is_power_of_two(banks) ? (uint32_t)word & (banks - 1)
		                                       : (uint32_t)(word % banks);
		unsigned in_bank = 1, at = head[bank % HEADS];
		if (!(lanes & mask & (0 - mask)))
			continue;
		for (; at != END && found[at].word != word; at = found[at].next)
			in_bank += found[at].bank == bank;
		if (at != END)
			continue; /* broadcast */
		found[n].word = word;
		found[n].bank = bank;
		found[n].next = head[bank % HEADS];
		head[bank % HEADS] = (uint8_t)n++;
		if (in_bank > degree)
			degree = in_bank;
	}
	return degree;
}

unsigned ct_shared_conflicts(const struct ct_inst *inst, uint32_t lanes, uint32_t banks)
{
	struct ct_inst full;
	if (!inst->nruns)
		return conflicts(inst, lanes, banks);
	full = *inst;
	ct_inst_expand(&full);
	return conflicts(&full, lanes, banks);
}

/* Bytes of one sector that one transaction covers. */
struct transaction {
	uint64_t sector, bytes[4];
};

enum { MAX_SECTOR_BYTES = 256 };

static int overlaps(const struct transaction *a, const struct transaction *b)
{
	uint64_t both = 0;
	for (int i = 0; i < 4; i++)
		both |= a->bytes[i] & b->bytes[i];
	return both != 0;
}

static unsigned place(struct transaction *t, unsigned n, const struct transaction *one)
{
	for (unsigned i = 0; i < n; i++)
		if (t[i].sector == one->sector && !overlaps(&t[i], one)) {
			for (int k = 0; k < 4; k++)
				t[i].bytes[k] |= one->bytes[k];
			return n;
		}
	t[n] = *one;
	return n + 1;
}

unsigned ct_atomic_transactions(const struct ct_kernel *k, const struct ct_sinst *s,
                                const struct ct_inst *inst, uint32_t sector)
{
	struct transaction t[CT_WARP_LANES * 3];
	struct ct_inst full;
	unsigned n = 0, i = 0, width = s->width > 16 ? 16 : s->width; /* no atomic is wider */
	if (inst->nruns) {
		full = *inst;
		ct_inst_expand(&full);
		inst = &full;
	}
	if (sector > MAX_SECTOR_BYTES)
		sector = MAX_SECTOR_BYTES;
	for (uint32_t mask = inst->mask; mask && i < inst->naddr; mask &= mask - 1, i++) {
		uint64_t a = inst->addr[i];
		struct transaction one = {0, {0, 0, 0, 0}};
		if (lane_space(k, s, a) != CT_SPACE_GLOBAL || a == 0 || width == 0)
			continue;
		for (unsigned b = 0; b < width; b++) {
			uint64_t at = (a + b) / sector, in = (a + b) % sector;
			if (b && at != one.sector) {
				n = place(t, n, &one);
				memset(&one, 0, sizeof one);
			}
			one.sector = at;
			one.bytes[in / 64] |= UINT64_C(1) << in % 64;
		}
		n = place(t, n, &one);
	}
	return n;
}
