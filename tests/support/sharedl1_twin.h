/* sharedl1_twin.h - L1s of several cores under private, shared and dynamic organisation, by
 * walking lists: obvious on purpose, and written without a look at models/shared_l1/org.c.
 * Aborts when memory or its fixed sizes run out. */
#ifndef TESTS_SUPPORT_SHAREDL1_TWIN_H
#define TESTS_SUPPORT_SHAREDL1_TWIN_H

#include <stdint.h>

enum { TWIN_CORES = 32, TWIN_SETS = 32, TWIN_WAYS = 8, TWIN_WAITS = 4096 };

struct twin_line {
	uint64_t line;
	uint32_t valid;
	int reserved;
};
struct twin_wait {
	unsigned at, from;
	uint64_t line, token;
	uint32_t mask;
};
struct twin_fetch {
	unsigned at;
	uint64_t line;
	uint32_t mask;
	int fresh;
};

struct twin {
	/* what it is */
	char organisation; /* 'p', 's', 'd' */
	char homes;        /* 'm', 'f', 'h' (given by a table) */
	unsigned cores, sets, ways;
	int reserve;
	double rs, rex, guard;
	int by_amat, served_counts, own_counts;
	unsigned (*hashed)(uint64_t line);
	/* what it holds: most recent first */
	struct twin_line l1[TWIN_CORES][TWIN_SETS][TWIN_WAYS];
	unsigned fill[TWIN_CORES][TWIN_SETS];
	struct twin_wait wait[TWIN_WAITS];
	struct twin_fetch fetch[TWIN_WAITS];
	unsigned waits, fetches;
	/* modes: 's'ampling, 'p'rivate, 'S'hared */
	char mode[TWIN_CORES], last[TWIN_CORES];
	double progress[TWIN_CORES][2];
	double served[TWIN_CORES][2], missed[TWIN_CORES][2], local[TWIN_CORES][2],
		local_missed[TWIN_CORES][2], remote[TWIN_CORES][2], remote_missed[TWIN_CORES][2],
		llc[TWIN_CORES][2], home[TWIN_CORES][2];
	/* counts */
	uint64_t reads, read_misses, writes, write_misses, fills, replicated, copies, landed;
	uint64_t decisions, shared_decisions, sampled, remotes;
};

unsigned twin_home(const struct twin *t, uint64_t line);
/* Core whose L1 serves an own access of `core`. */
unsigned twin_route(struct twin *t, unsigned core, uint64_t line);
/* Sectors that have to be fetched now; *hit and *pending too. */
uint32_t twin_access(struct twin *t, unsigned at, unsigned from, uint64_t line, uint32_t mask,
                     int is_write, uint64_t token, uint32_t *hit, uint32_t *pending);
/* Sectors come to `at`; tokens of the waiters that are served, in order. Returns how many. */
unsigned twin_fill(struct twin *t, unsigned at, uint64_t line, uint32_t mask, uint64_t *token);
void twin_reply(struct twin *t, unsigned core, uint64_t line, int missed);
void twin_ack(struct twin *t, unsigned at, uint64_t line);
void twin_flush(struct twin *t, unsigned core);
unsigned twin_copies(const struct twin *t, uint64_t line);

#endif
