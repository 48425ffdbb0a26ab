/* Lane addresses to lines and sectors.
 *
 * Called once per memory instruction, so the common shapes have loops of their own:
 * lanes side by side in memory go line by line; naturally aligned accesses straddle
 * nothing and take one step per lane, with base + stride only looking at the lane
 * before; whatever is left is cut into pieces that each lie in one line. */
#include "gpu/coalesce.h"

#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/hot.h"
#include "gpu/scatter.h"
#include "trace/opcode.h"

enum { TABLE = 256, TABLE_FULL = 128, NO_LINE = 0xff, SCATTERED = 8 /* lanes that are worth sorting */ };

/* Requests found so far. */
struct gather {
	struct ct_line_request *out;
	unsigned n;
	unsigned line_bits, sector_bits, track_bytes;
	uint64_t line_mask;
	uint8_t table[TABLE]; /* of the first TABLE_FULL requests, when hashing */
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
	unsigned s = (unsigned)(line * CT_GOLDEN64 >> 56);
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
static inline void mark_bytes(const struct gather *g, struct ct_line_request *r, unsigned offset,
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
		mark_bytes(g, r, offset, here);
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

/* Bits of the bytes [lo, hi) of a line of 128. */
static CT_INLINE void span_bytes(unsigned lo, unsigned hi, uint64_t bytes[2])
{
	const uint64_t all = ~UINT64_C(0);
	bytes[0] = bytes[1] = 0;
	if (hi <= 64) {
		bytes[0] = all >> (64 - (hi - lo)) << lo;
	} else if (lo >= 64) {
		bytes[1] = all >> (64 - (hi - lo)) << (lo - 64);
	} else {
		bytes[0] = all << lo;
		bytes[1] = all >> (128 - hi);
	}
}

/* Bits of the sectors that they lie in. */
static CT_INLINE uint32_t span_sectors(unsigned lo, unsigned hi, unsigned sector_bits)
{
	return (uint32_t)(((uint64_t)2 << ((hi - 1) >> sector_bits)) -
	                  ((uint64_t)1 << (lo >> sector_bits)));
}

/* Lanes of one contiguous run of the mask side by side in memory: `size` bytes each
 * (a power of two up to the line), aligned to it. Walks lines instead of lanes; `first`
 * says that no line of theirs has been seen. */
static void add_run(struct gather *g, uint64_t a, unsigned size, unsigned lane, unsigned lanes,
                    int first)
{
	unsigned size_bits = ct_low_bit(size), line = (unsigned)g->line_mask + 1, here;
	for (unsigned left = lanes << size_bits; left; left -= here) {
		unsigned lo = (unsigned)(a & g->line_mask);
		uint64_t bytes[2] = {0, 0};
		struct ct_line_request *r = first ? append(g, a >> g->line_bits)
		                                  : searched(g, a >> g->line_bits);
		here = left < line - lo ? left : line - lo;
		if (g->track_bytes)
			span_bytes(lo, lo + here, bytes);
		r->bytes[0] |= bytes[0];
		r->bytes[1] |= bytes[1];
		r->sectors |= span_sectors(lo, lo + here, g->sector_bits);
		r->lanes |= (uint32_t)((((uint64_t)1 << (here >> size_bits)) - 1) << lane);
		lane += here >> size_bits;
		a += here;
	}
}

static int is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* Lanes side by side in the mask, and either in memory or at one address, as most are: the bytes
 * that they take together from base on. 0: they lie otherwise, or are not aligned. */
static CT_INLINE unsigned dense_bytes(const struct ct_inst *inst, unsigned width, unsigned line)
{
	uint32_t run = inst->mask + (inst->mask & (0 - inst->mask)); /* 0 or one bit where they are */
	uint64_t base = inst->base, step = (uint64_t)inst->stride;
	if (inst->nruns > 1 || !inst->naddr || (run & (run - 1)) || !is_power_of_two(width) ||
	    width > line || base & (width - 1) || !base ||
	    base > UINT64_MAX - (uint64_t)width * CT_WARP_LANES)
		return 0;
	if (inst->nruns)
		step = (uint64_t)inst->run_delta[0];
	else if (base != inst->addr[0] || (inst->addr_form != CT_ADDR_STRIDE && inst->naddr > 1))
		return 0;
	if (step == width)
		return inst->naddr * width;
	return step == 0 || inst->naddr == 1 ? width : 0;
}

/* The request asks for the bytes [lo, hi) of its line. */
static CT_INLINE void span_of(struct ct_line_request *r, unsigned lo, unsigned hi, unsigned line,
                              unsigned sector_bits)
{
	r->sectors = span_sectors(lo, hi, sector_bits);
	if (line <= 128)
		span_bytes(lo, hi, r->bytes);
	else
		r->bytes[0] = r->bytes[1] = 0;
}

/* The lines of `bytes` bytes from base on, up or down: nothing is searched or sorted. The shape of
 * the cache is constant where it is called for the usual one. */
static CT_INLINE unsigned
dense_lines(const struct ct_inst *inst, unsigned width, unsigned bytes, unsigned line_bits,
            unsigned sector_bits, int descending, struct ct_line_request *out)
{
	const unsigned line = 1u << line_bits;
	unsigned lo = (unsigned)(inst->base & (line - 1)), here, lane = 0;
	unsigned n = (lo + bytes + line - 1) >> line_bits;
	struct ct_line_request *r = descending ? out + n - 1 : out;
	r->lanes = inst->mask;
	for (unsigned i = 0; i < n; i++, lo = 0, bytes -= here, r += descending ? -1 : 1) {
		here = bytes < line - lo ? bytes : line - lo;
		r->line = (inst->base >> line_bits) + i;
		if (here == line)
			span_of(r, 0, line, line, sector_bits);
		else
			span_of(r, lo, lo + here, line, sector_bits);
		if (n > 1) { /* then each lane has bytes of its own */
			unsigned lanes = here >> ct_low_bit(width);
			r->lanes = (uint32_t)((((uint64_t)1 << lanes) - 1) << lane)
			           << ct_low_bit(inst->mask);
			lane += lanes;
		}
	}
	return n;
}

static CT_INLINE unsigned dense(const struct ct_inst *inst, unsigned width, uint32_t line,
                                uint32_t sector, int descending, struct ct_line_request *out)
{
	unsigned bytes = dense_bytes(inst, width, line);
	if (!bytes)
		return 0;
	if (line == 128 && sector == 32)
		return dense_lines(inst, width, bytes, 7, 5, descending, out);
	return dense_lines(inst, width, bytes, ct_low_bit(line), ct_low_bit(sector), descending, out);
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
			searched(g, (next - width) >> g->line_bits)
				->lanes |= (uint32_t)((((uint64_t)1 << n) - 1) << p.lane);
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
	return m->base + 4 * (word * all +
	                      (uint64_t)m->threads * (m->sm + (uint64_t)m->sms * (thread / m->threads)) +
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
		add_run(g, local_word(m, key, (inst->base + at) >> 2, lane), 4, lane, inst->naddr,
		        at == 0);
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

/* Naturally aligned global accesses of a power of two bytes, at most a sector: each
 * lies in one sector. Returns 0 at the first lane that is not aligned. The hot loop:
 * shape and kind are constants where it is called, which makes the shifts cheap. */
static CT_INLINE int add_aligned(struct gather *g, const struct ct_inst *inst, unsigned width,
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
			unsigned s = (unsigned)(line * CT_GOLDEN64 >> 56);
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
		return stride ? add_aligned(g, inst, width, 7, 5, 1)
		              : add_aligned(g, inst, width, 7, 5, 0);
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
		case CT_SPACE_SHARED: shared |= mask & (0 - mask); break;
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

static int is_global(const struct ct_kernel *k, const struct ct_sinst *s)
{
	return s->space == CT_SPACE_GLOBAL || (s->space == CT_SPACE_GENERIC && !k->has_windows);
}

/* ct_coalesce() of what is not dense. */
static CT_NOINLINE unsigned
sparse(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst, uint32_t line,
       uint32_t sector, const struct ct_local_map *local, uint64_t warp_key,
       struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes)
{
	struct gather g; /* its table stays unset until it is needed */
	unsigned width = clip_width(s);
	int global = is_global(k, s);
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
	if (global ? !add_pieces(&g, inst, width) &&
	                     (!has_stride(inst) || !add_sectors(&g, inst, width, 1))
	           : s->space != CT_SPACE_LOCAL || !add_local_uniform(&g, local, warp_key, inst, width))
		*shared_lanes = add_lanes(&g, k, s, inst, width, local, warp_key, global);
	return g.n;
}

unsigned ct_coalesce(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst,
                     uint32_t line, uint32_t sector, const struct ct_local_map *local, uint64_t warp_key,
                     struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes)
{
	unsigned n = is_global(k, s) ? dense(inst, clip_width(s), line, sector, 0, out) : 0;
	*shared_lanes = 0;
	return n ? n : sparse(k, s, inst, line, sector, local, warp_key, out, shared_lanes);
}

/* ct_coalesce_descending() of what is not dense. */
static CT_NOINLINE unsigned
sparse_descending(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst,
                  uint32_t line, uint32_t sector, const struct ct_local_map *local, uint64_t warp_key,
                  struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes)
{
	unsigned width = clip_width(s), n = 0;
	if (is_global(k, s) && !inst->nruns && inst->naddr >= SCATTERED && is_power_of_two(width) &&
	    width <= sector)
		n = ct_scatter(inst, width, ct_low_bit(line), ct_low_bit(sector), out);
	if (n)
		return n;
	n = sparse(k, s, inst, line, sector, local, warp_key, out, shared_lanes);
	ct_lines_descending(out, n);
	return n;
}

unsigned ct_coalesce_descending(
	const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst, uint32_t line,
	uint32_t sector, const struct ct_local_map *local, uint64_t warp_key,
	struct ct_line_request out[CT_MAX_LINES_PER_INST], uint32_t *shared_lanes)
{
	unsigned n = is_global(k, s) ? dense(inst, clip_width(s), line, sector, 1, out) : 0;
	*shared_lanes = 0;
	return n ? n : sparse_descending(k, s, inst, line, sector, local, warp_key, out, shared_lanes);
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

/* How many passes a shared-memory access takes: the largest number of different words in one bank. Lanes
 * that ask for the same word share a pass. */
static unsigned bank_passes(const struct ct_inst *inst, uint32_t lanes, uint32_t banks)
{
	enum { HEADS = 64, END = 0xff };
	if (lanes == ~0u && inst->mask && inst->naddr && banks <= HEADS && is_power_of_two(banks) &&
	    without_conflict(inst, banks))
		return 1;
	struct {
		uint64_t word;
		uint32_t bank;
		uint8_t next;
	} found[CT_WARP_LANES];
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
		return bank_passes(inst, lanes, banks);
	full = *inst;
	ct_inst_expand(&full);
	return bank_passes(&full, lanes, banks);
}

/* Bytes of one sector that one transaction covers. */
struct transaction {
	uint64_t sector, bytes[4];
};

enum { MAX_SECTOR_BYTES = 256 };

static int overlaps_with(const struct transaction *a, const struct transaction *b)
{
	uint64_t both = 0;
	for (int i = 0; i < 4; i++)
		both |= a->bytes[i] & b->bytes[i];
	return both != 0;
}

static unsigned place_transaction(struct transaction *t, unsigned n, const struct transaction *one)
{
	for (unsigned i = 0; i < n; i++)
		if (t[i].sector == one->sector && !overlaps_with(&t[i], one)) {
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
	struct transaction t[CT_WARP_LANES * 5]; /* 16 bytes that begin within sectors of 4 */
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
				n = place_transaction(t, n, &one);
				memset(&one, 0, sizeof one);
			}
			one.sector = at;
			one.bytes[in / 64] |= UINT64_C(1) << in % 64;
		}
		n = place_transaction(t, n, &one);
	}
	return n;
}

uint32_t ct_whole_sectors(uint32_t line, uint32_t sector, uint32_t sectors, const uint64_t bytes[2])
{
	uint32_t whole = 0;
	if (line > 128)
		return 0;
	for (uint32_t left = sectors; left; left &= left - 1) {
		uint32_t s = ct_low_bit(left), n = 0;
		for (uint32_t b = s * sector; b < (s + 1) * sector; b++)
			n += (uint32_t)(bytes[b / 64] >> b % 64 & 1);
		whole |= (uint32_t)(n == sector) << s;
	}
	return whole;
}
