/* sm_stacks.h - the LRU stacks of all SMs of a GPU, over one directory of lines. Private to
 * the room.
 *
 * RJ asks, at every read, for the line's distance in each SM that holds it: on a GPU of many
 * SMs tens of questions for one touch. So the directory keeps, beside the set of those SMs,
 * the line's last times in all of them in a row (a chunk, in the order of the SMs), and an
 * SM's stack is only its window of time slots (window.h): a question is one of those times
 * and a load per level of a window, without a search.
 *
 * Compaction renumbers the times of all SMs at once, in one walk through the directory, when
 * any of their windows is full. */
#ifndef CT_LOCALITY_SM_STACKS_H
#define CT_LOCALITY_SM_STACKS_H

#include "base/access.h"
#include "locality/sectors.h"
#include "locality/sharing.h"
#include "locality/stack.h"
#include "locality/window.h"

struct ct_fast_kernel;

/* What a question needs of an SM's window; its word being filled is apart from the levels. */
struct ct_sm_head {
	const uint64_t *bits;
	const uint16_t *l1, *l2;
	const uint32_t *up0;
	uint64_t word;    /* number of the word being filled */
	uint64_t end;     /* slot at which the window is full */
	uint32_t in_word; /* live slots in that word */
	uint32_t depth;   /* levels above l2 */
};

struct ct_sm_window {
	struct ct_sm_head head;
	struct ct_window window;
};

/* Directory entry, followed by one bit per SM: those that touched the line since the last
 * flush. Valid when the epoch is the current one. */
struct ct_sm_line {
	uint32_t epoch : 28, ever : 4; /* ever: sectors that any SM has touched, flushes or not */
	uint32_t chunk; /* place in the arena; a chunk holds as many SMs as there are bits */
};

enum {
	CT_SM_EPOCHS = 1 << 28,
	CT_SM_CLASSES = 36 /* sizes of chunks: 2^k and 3 * 2^k of up to 65536 SMs */
};

/* What an access met on its SM's stack; CT_SECTOR_COLD stands for CT_COLD. */
struct ct_sm_met {
	uint32_t sector[4]; /* those of the mask count */
	uint32_t distance;
	uint8_t mask;
	uint64_t stamp; /* the cycle of the last access there, 0 unknown */
};

struct ct_sm_stacks {
	const struct ct_fast_kernel *kernel;
	uint32_t sms, sectors, words; /* words: of a set of SMs */
	int store;                    /* enum ct_stack_kind of stores */
	struct ct_sm_window *sm;
	uint64_t *dir; /* struct ct_sm_line and `words` words, per line */
	size_t dir_cap;
	uint64_t *arena; /* chunks: times, then struct ct_sector_run of each SM */
	size_t arena_used, arena_cap;
	uint32_t vacant[CT_SM_CLASSES]; /* first free chunk of a size, + 1 */
	size_t lines;                   /* in the directory */
	uint64_t entries;               /* times in chunks: lines on the stacks of all SMs */
	uint64_t distinct_sectors;
	uint64_t step; /* slots between compactions, 0 = automatic */
	uint32_t epoch;
	uint8_t runs_at
		[65]; /* where in the chunk of a line the sectors begin, by how many SMs hold it */
	int failed;   /* out of memory: sticky, results are void */
};

struct ct_sm_stacks_options {
	uint32_t sms, sectors;
	int store;     /* enum ct_stack_kind: what a store does */
	uint64_t step; /* as ct_stack_options.window, for tests */
	int isa;       /* enum ct_isa, 0 = best; for tests */
};

/* Zero-initialised before; free also after a failure. 0, or -1 when out of memory. */
int ct_sm_stacks_init(struct ct_sm_stacks *s, const struct ct_sm_stacks_options *o);
void ct_sm_stacks_free(struct ct_sm_stacks *s);
/* Makes room for lines numbered below n. 0, or -1 when out of memory. */
int ct_sm_stacks_lines(struct ct_sm_stacks *s, size_t n);
/* Forgets what is on the stacks, keeps the memory and which sectors were ever touched. */
void ct_sm_stacks_flush(struct ct_sm_stacks *s);
/* n accesses in order; number[i] is the line's place in the directory. met[i] gets the
 * distances in the own SM. Reads are counted in *sharing (NULL allowed) before they move their own line. */
void ct_sm_stacks_run(struct ct_sm_stacks *s, const struct ct_line_access *ev, const uint32_t *number,
                      size_t n, struct ct_sm_met *met, struct ct_sharing *sharing);

/* For the compiled variants: slow paths. */

/* Gives line n, which `sms` SMs hold, a place for one more: the k-th in the row. The place
 * is empty. 0, or -1 when out of memory (the stacks have failed). */
int ct_sm_stacks_insert(struct ct_sm_stacks *s, uint32_t n, uint32_t sms, uint32_t k);
/* Renumbers all times. 0, or -1 when out of memory. */
int ct_sm_stacks_compact(struct ct_sm_stacks *s);

static inline struct ct_sm_line *ct_sm_line(const struct ct_sm_stacks *s, uint32_t n)
{
	return (struct ct_sm_line *)(void *)&s->dir[(size_t)n * (1 + s->words)];
}

static inline uint64_t *ct_sm_sharers(struct ct_sm_line *line)
{
	return (uint64_t *)(void *)(line + 1);
}

/* How many SMs a chunk has room for that n of them share (n > 0). */
static inline uint32_t ct_sm_room(const struct ct_sm_stacks *s, uint32_t n)
{
	uint32_t half = n > 1 ? (uint32_t)1 << ct_high_bit(n - 1) : 0;
	uint32_t room = n <= 1 ? 1 : n <= half + half / 2 ? half + half / 2 : 2 * half;
	return room < s->sms ? room : s->sms;
}

static inline uint32_t *ct_sm_times(const struct ct_sm_stacks *s, const struct ct_sm_line *line)
{
	return (uint32_t *)(void *)&s->arena[line->chunk];
}

/* Words of a chunk of so many times before its sectors. */
static inline uint32_t ct_sm_times_words(uint32_t room)
{
	return (room + 1) / 2;
}

static inline struct ct_sector_run *
ct_sm_runs(const struct ct_sm_stacks *s, const struct ct_sm_line *line, uint32_t room)
{
	return (struct ct_sector_run *)(void *)&s->arena[line->chunk + ct_sm_times_words(room)];
}

#endif
