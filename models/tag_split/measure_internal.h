/* Private to the room: the state of a measurement. */
#ifndef CT_MODELS_TAG_SPLIT_MEASURE_INTERNAL_H
#define CT_MODELS_TAG_SPLIT_MEASURE_INTERNAL_H

#include "gpu/coalesce.h"
#include "models/tag_split/measure.h"
#include "models/tag_split/mode.h"
#include "models/tag_split/mrpb.h"

/* A load behind MRPB's queues: its requests come back one by one. */
struct ts_waiting {
	uint32_t left, missed;
	int counted;
};

struct ts_mrpb_sm {
	struct ct_ts_measure *m;
	struct ts_one *one;
	struct ct_ts_mrpb *buffer;
	struct ts_waiting *load;
	uint32_t *free_loads, n_free;
};

/* What it takes to fetch some chunks of a line. */
struct ts_fetch {
	uint32_t sectors; /* of 32 B, a mask */
	uint16_t bytes, packets, accesses, lines, request_flits, reply_flits;
};

/* Of a line: the masks of so few have a table of struct ts_fetch, of 5 KiB at most. */
enum { TS_TABLE_CHUNKS = 8 };

/* One system. */
struct ts_one {
	struct ct_ts_system system;
	struct ct_ts_shape shape;
	struct ct_ts_l1 **l1;    /* [sm] */
	struct ts_mrpb_sm *mrpb; /* [sm], of a prioritised system */
	struct ct_ts_mode mode;
	uint8_t *role;     /* [set], of ct_ts_fetch CHOOSE */
	uint8_t *followed; /* [set] */
	int follows_all;
	int apart;              /* sectors are asked for one by one, but in the coarse mode */
	struct ts_fetch *fetch; /* [mask of chunks], NULL for lines of more chunks */
	uint64_t *set_requests, *set_misses; /* [set], of followed ones */
	struct ct_ts_counts c;
};

/* A memory instruction that waits for the systems: they take a batch one after the other,
 * so that one's L1s stay near, and what comes next can be brought. */
struct ts_inst {
	uint64_t cycle;
	uint32_t sm, warp;
	uint32_t from, n; /* its lines of 128 B in struct ct_ts_measure.line, descending */
	uint32_t sectors; /* of 32 B, of all of them */
	int load, counting;
};

/* One request of a system's own line. */
struct ts_request {
	uint64_t line;
	uint32_t chunks;  /* in the shape's */
	uint32_t sectors; /* 32 B */
	uint32_t sm, set;
};

enum { TS_BATCH = 256, TS_BATCH_LINES = 1024 };

enum { TS_PAYLOAD_MAX = 256 }; /* bytes: a 256 B line */

struct ct_ts_measure {
	struct ct_gpu g;
	struct ct_ts_measure_options o;
	struct ts_one *one;
	unsigned n;
	const struct ct_kernel *kernel;
	uint64_t bytes; /* of an L1 now; 0 before the first launch */
	uint64_t issued;
	int counting, failed;
	struct ts_inst *inst;         /* TS_BATCH */
	struct ct_line_request *line; /* TS_BATCH_LINES */
	uint32_t insts, lines;
	uint32_t packet;
	uint16_t flits[TS_PAYLOAD_MAX + 1]; /* of a packet with that payload */
	struct ts_request *own;             /* 4 * TS_BATCH_LINES: what a system makes of the batch */
	uint32_t requests;                  /* of them */
	uint32_t requests_of[TS_BATCH];     /* of each instruction */
};

/* What fetching chunks of a line takes in that system. */
struct ts_fetch ts_measure_fetch(const struct ct_ts_measure *m, const struct ct_ts_shape *s,
                                 uint32_t chunks);
/* Takes the batch through every system, and empties it. */
void ts_measure_drain(struct ct_ts_measure *m);
/* Replaces the L1s of every system by empty ones of `bytes`. */
int ts_measure_build(struct ct_ts_measure *m, uint64_t bytes, struct ct_error *e);
void ts_measure_drop(struct ct_ts_measure *m, struct ts_one *one);
/* Adds what the L1s know to the counts: use, and the deviation of the sets. */
void ts_measure_fold(struct ct_ts_measure *m, struct ts_one *one);
/* MRPB hands a request back. */
void ts_measure_mrpb_done(void *ctx, const struct ct_ts_mrpb_answer *a);

#endif
