/* stack.h - exact LRU stack distances of one stream of lines.
 *
 * The distance of an access is the number of distinct other lines touched since
 * this line was last touched: 0 is an immediate reuse, CT_COLD a first touch; an
 * LRU cache of C lines hits if and only if distance < C. Two engines share this
 * interface: the textbook one (hash + Fenwick tree over time + compaction), kept
 * as the twin that tests compare with, and the fast one. */
#ifndef CT_LOCALITY_STACK_H
#define CT_LOCALITY_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"
#include "locality/hist.h"

CT_DECLS_BEGIN

struct ct_stack;

enum ct_stack_engine { CT_STACK_AUTO, CT_STACK_TEXTBOOK, CT_STACK_FAST };

struct ct_stack_options {
	enum ct_stack_engine engine;
	uint32_t sectors;        /* per line, 1..4 (0 = 1); above 1 sector distances are kept */
	int stamps;              /* 1: keep a number of the caller's per line, see struct
	                          ct_stack_op */
	uint64_t expected_lines; /* hint, 0 = unknown */
	uint64_t depth;          /* largest capacity of interest: distances from here on are
	                          reported as this (a known line is never reported cold);
	                          0 = unbounded. Exact below; the tree then stays small.
	                          (A line that only invalidations of others would bring
	                          nearer again stays at the bound.) */
	unsigned threads;        /* 2: large batches run as a pipeline of two threads */
	size_t slack;            /* bytes beyond those per line that the map may use before it
	                          turns to the compact form for sparse addresses; 0 = 16 MiB.
	                          Smaller where many streams live side by side. */
	uint64_t window;         /* time slots between two compactions, 0 = the engine's choice;
	                          for tests, which force compaction */
	int isa;                 /* enum ct_isa (isa.h), 0 = best; for tests and benches */
	int sparse;              /* 1: start with the sparse map; for tests and benches */
};

/* New empty stream; o may be NULL. NULL and *e on CT_ERR_NOMEM, CT_ERR_USAGE (more
 * than 4 sectors). Caller frees. Streams are independent: one thread each. */
struct ct_stack *ct_stack_new(const struct ct_stack_options *o, struct ct_error *e);
void ct_stack_free(struct ct_stack *s); /* NULL allowed */

/* Moves the line to the top. Returns its distance before the move, or CT_COLD. */
uint64_t ct_stack_touch(struct ct_stack *s, uint64_t line);
/* As touch, for n accesses in order; distance[i] gets each result. The fast engine
 * hides memory latency here. */
void ct_stack_touch_batch(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance);
/* The same distances and the same stack afterwards, with chunks of `chunk` accesses
 * analysed on up to `threads` threads at once. What a chunk touches first is done twice
 * more, one chunk after the other: it pays where chunks touch each line many times, and
 * several streams at once, a thread each, pay more. */
void ct_stack_touch_chunks(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance,
                           unsigned threads, size_t chunk);
/* Touch with a sector mask: besides the line's distance, sector[i] of each set bit
 * i gets the sector's distance = the largest line distance since that sector was
 * last touched, CT_COLD for its first touch. Bits at and above `sectors`
 * are ignored; a plain touch touches every sector. With one sector per line the
 * sector's distance is the line's. */
uint64_t ct_stack_touch_sectors(struct ct_stack *s, uint64_t line, uint32_t mask, uint64_t sector[4]);
/* A batch of mixed operations, done in order, with the speed of touch_batch. */
enum ct_stack_kind {
	CT_STACK_TOUCH,         /* as ct_stack_touch_sectors() */
	CT_STACK_STORE_NOALLOC, /* as ct_stack_store_noalloc_sectors() */
	CT_STACK_EVICT,         /* distances of a touch, then the line is forgotten */
	CT_STACK_PROBE          /* as ct_stack_probe(); sector[] untouched */
};
struct ct_stack_op {
	uint64_t line;
	uint64_t distance;  /* out */
	uint64_t sector[4]; /* out, for the bits of mask */
	uint64_t stamp;     /* in: kept with the line where the operation moves it; out: what
	                       was kept before, 0 for an unknown line. Other calls keep 0.
	                       Untouched for a probe, and without options.stamps */
	uint8_t kind, mask;
};
/* Does the n operations in order and writes the results into them. One thread at a time for a stack. */
void ct_stack_ops(struct ct_stack *s, struct ct_stack_op *op, size_t n);

/* Distance that a touch would return, without moving anything. */
uint64_t ct_stack_probe(const struct ct_stack *s, uint64_t line);
/* A store without allocation: a line never touched stays out; a known line moves
 * to the top (what a write-through no-allocate cache does when it hits; for
 * capacities at which it would have missed this is an approximation, stated in
 * cachetriage-locality.7). Returns as touch. */
uint64_t ct_stack_store_noalloc(struct ct_stack *s, uint64_t line);
/* The same with a sector mask: sector[i] as in ct_stack_touch_sectors(), but the
 * store brings no sector in, so that a later read of it still sees every distance
 * since the sector's last real touch. */
uint64_t
ct_stack_store_noalloc_sectors(struct ct_stack *s, uint64_t line, uint32_t mask, uint64_t sector[4]);
/* Forgets the line (write-evict, invalidation): its next touch is cold. */
void ct_stack_invalidate(struct ct_stack *s, uint64_t line);
/* Forgets every line for which keep(ctx, line) is 0; distances of the others are as if those had never been there, but
 * for what their sectors have met already. Memory falls to what the remaining lines need. 0, or CT_ERR_NOMEM: the stack
 * has failed. */
int ct_stack_keep(struct ct_stack *s, int (*keep)(const void *ctx, uint64_t line), const void *ctx);
/* Forgets everything, keeps the memory. */
void ct_stack_flush(struct ct_stack *s);

uint64_t ct_stack_lines(const struct ct_stack *s); /* lines on the stack */
size_t ct_stack_bytes(const struct ct_stack *s);   /* memory in use */
/* 0, or CT_ERR_NOMEM (also for more than 2^29 lines on one stack) if any call since creation could not get memory (the stack
 * then no longer changes: results are void). One check per batch is enough. */
int ct_stack_check(const struct ct_stack *s, struct ct_error *e);

CT_DECLS_END

#endif
