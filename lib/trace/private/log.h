/* log.h - traces that are logs: access records of any launch, CTA and warp in any
 * order. All of it is read first (packed, see group.h), then handed out in order.
 *
 * log.c           launches and records, handing out
 * nvbit.c         NVBit mem_trace logs; nvbit_line.c takes their lines apart
 * pattern.c       any text, by a pattern */
#ifndef CT_TRACE_PRIVATE_LOG_H
#define CT_TRACE_PRIVATE_LOG_H

#include "base/index.h"
#include "trace/private/group.h"

enum { CT_LOG_ITEMS = 1 << 17 }; /* launch lines and launches with records, at most */

/* A launch line, or the records of one launch. */
struct ct_log_item {
	uint32_t epoch; /* runs in one log, from 0 */
	uint64_t id;    /* as printed */
	uint8_t is_line;
	uint64_t line;            /* in the text, from 1 */
	struct ct_kernel kernel;  /* launch lines: what they tell; zero elsewhere */
	struct ct_launch *launch; /* records: holds their code */
	size_t first, end;        /* records: range in the group's order */
};

/* One access record. */
struct ct_log_record {
	uint32_t cta[3];
	uint32_t warp; /* any number that names the warp in its CTA */
	int32_t sm;    /* -1: not known */
	uint32_t mask;
	uint64_t addr[CT_WARP_LANES]; /* by lane */
	struct ct_sinst inst;         /* classified; opcode needs no NUL */
	size_t opcode_length;
};

struct ct_log {
	struct ct_lines lines;
	struct ct_env *env;
	struct ct_group group;
	struct ct_log_item *item;
	size_t items, cap;
	struct ct_index index;    /* by kind, epoch and id */
	uint32_t *out;            /* order of handing out */
	size_t next_item;         /* in out */
	uint64_t id_offset;       /* printed id of a launch line minus that of its records */
	char *nvbit_version;      /* NULL: unknown */
	int done;                 /* all is read */
	struct ct_error damage;   /* salvage: what ended the reading */
	struct ct_launch *launch; /* being handed out */
	size_t first, end;        /* its warps left to hand out */
	struct ct_tally tally;
};

void ct_log_init(struct ct_log *l, struct ct_source *s, struct ct_env *env);
void ct_log_free(struct ct_log *l);
/* The item of that kind, epoch and id; a new one when add is set. NULL: none, out of
 * memory or, with CT_ERR_LIMIT in *e, too many. */
struct ct_log_item *ct_log_item(struct ct_log *l, int is_line, uint32_t epoch, uint64_t id, int add,
                                struct ct_error *e);
/* Adds a record. */
int ct_log_put(struct ct_log *l, struct ct_log_item *x, const struct ct_log_record *r,
               struct ct_error *e);
/* All records are there. */
int ct_log_complete(struct ct_log *l, struct ct_error *e);
/* These do what the calls of struct ct_accelsim do, once all records are there. */
int ct_log_next_kernel(struct ct_log *l, uint32_t id, struct ct_launch **out, struct ct_error *e);
int ct_log_next_cta(struct ct_log *l, struct ct_cta **cta, struct ct_error *e);

#endif
