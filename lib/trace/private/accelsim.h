/* accelsim.h - reader of Accel-Sim SASS text (doc/formats.md).
 *
 * accelsim.c        kernels, thread blocks and warps: the state machine
 * accelsim_header.c kernel headers
 * accelsim_line.c   one instruction line, any shape: the slow and complete parser
 * accelsim_fast.c   lines whose static text was seen before
 * accelsim_raw.c    interleaved .trace files
 * stream.c          a warp's instructions on their way into the packed form */
#ifndef CT_TRACE_PRIVATE_ACCELSIM_H
#define CT_TRACE_PRIVATE_ACCELSIM_H

#include "trace/private/lines.h"
#include "trace/private/pack.h"
#include "trace/trace.h"

/* What all members of a trace share. */
struct ct_env {
	struct ct_store *store;
	struct ct_trace_stats *stats;
	struct ct_arrays *arrays; /* allocated so far */
	struct ct_trace_options options;
};

enum { CT_STATUS_MAX = 255 }; /* of a program's end */
/* Keeps and tells that the program of the trace `path` ended with a status that is not 0. */
void ct_env_note_status(struct ct_env *env, const char *path, unsigned status);

/* Counts a kernel whose code has bulk copies (TMA), and tells the first one. */
void ct_env_note_bulk(struct ct_env *env, const struct ct_kernel *k);

/* Counts and tells what is absent of a kernel's grid, of which there are that many thread blocks, and
 * the warps that are absent from them, of whose warps `exited` have come to their EXIT. Where none
 * has, the tracer was told to stop before it, or a trace was cut down on purpose, and a warp may
 * have had no instruction until then; where some have, each should have an EXIT at least: absent
 * ones are lost. A log of memory accesses names only warps that have one; its kernels have no binary
 * version, in any form, and lack it not because a line of their header is gone. */
void ct_env_note_absent(struct ct_env *env, const struct ct_kernel *k, uint64_t blocks, uint64_t absent,
                        uint64_t exited);

struct ct_accelsim;

/* Reader of one source of one or more kernels. Neither s nor env is taken over. */
int ct_accelsim_open(struct ct_accelsim **a, struct ct_source *s, struct ct_env *env,
                     struct ct_error *e);
/* Next kernel's header: 1 with *l (lent until the next call), 0 at the end, < 0. What
 * is left of the kernel before is read over. Then one of ct_accelsim_begin(), which
 * looks ahead to what the lines tell of the kernel, and ct_accelsim_skip(). */
int ct_accelsim_next_kernel(struct ct_accelsim *a, uint32_t id, struct ct_launch **l,
                            struct ct_error *e);
int ct_accelsim_begin(struct ct_accelsim *a, struct ct_error *e);
/* Next thread block: 1 with *cta, 0 when the kernel ends, < 0 on failure. */
int ct_accelsim_next_cta(struct ct_accelsim *a, struct ct_cta **cta, struct ct_error *e);
/* After a failure: what was read of the thread block that the damage cut, or NULL. */
struct ct_cta *ct_accelsim_partial(struct ct_accelsim *a);
/* Passes over the rest of the kernel without parsing it. */
int ct_accelsim_skip(struct ct_accelsim *a, struct ct_error *e);
uint64_t ct_accelsim_text_bytes(const struct ct_accelsim *a);
void ct_accelsim_close(struct ct_accelsim *a);

/* ---- between the files of the reader ---- */

/* Which columns the lines of a file have (section 5). */
struct ct_columns {
	unsigned lead; /* numbers before the PC */
	int cta, cluster, core, line;
	int immediates; /* 0..2; -1: to be found out */
	int expected;   /* immediates that the header promises */
};
struct ct_columns ct_columns_of(unsigned lead);

enum { CT_LEAD_MAX = 14 };

/* Transfers of a bulk copy (TMA) that have not been taken, and pieces of all of them at most: shared memory by words. */
enum { CT_BULK_MAX = 65536 };
struct ct_bulk {
	int is, begun;
	int list;         /* addresses, else differences */
	uint32_t left;    /* transfers */
	uint32_t pieces;  /* of each */
	uint32_t done;    /* of the one that comes next */
	uint64_t at;      /* where that one begins */
	const char *next; /* text of what comes behind */
};

/* One instruction line taken apart. Pointers lead into the line. */
struct ct_line {
	uint64_t lead[CT_LEAD_MAX];
	const char *fixed; /* static text starts: line number or PC */
	const char *mask_text;
	const char *address;     /* first token of the address field, NULL without */
	const char *tail;        /* after the address field's last token */
	const char *values_text; /* after "Val", NULL without */
	const char *end;         /* the newline */
	uint32_t mask;
	struct ct_sinst inst; /* opcode points to `opcode` */
	char opcode[CT_OPCODE_MAX + 1];
	struct ct_pack_addr addr;
	struct ct_bulk bulk; /* `is` 0 for all other lines */
	unsigned nvalues;
	uint32_t values[CT_MAX_VALUES];
	unsigned extra; /* tokens that nothing explains */
	int immediates; /* seen */
};

/* Parses [p, end) where *end is the newline. Texts of failures name no file. */
int ct_line_parse(const struct ct_columns *c, const char *p, const char *end, struct ct_line *t,
                  struct ct_error *e);
/* Finds the columns by a file's first instruction line. `lead` and `immediates` are
 * what the header leads to expect. Fails as ct_line_parse with the expected ones. */
int ct_columns_detect(unsigned lead, int immediates, const char *p, const char *end,
                      struct ct_columns *c, struct ct_line *t, struct ct_error *e);

/* Header of the kernel whose first line is at l->p: fills k. Consumes up to the first
 * line that is not part of it. *immediates: 0..2, as the format line says. *lost: a key that it
 * lacks and that comes with others that it has (static storage), or NULL. */
int ct_header_parse(struct ct_lines *l, struct ct_kernel *k, int *immediates, const char **lost,
                    struct ct_error *e);
/* Number before the second dot of a tracer version ("1.2" -> 1); 0 when absent. */
unsigned ct_tracer_major(const char *version);

/* Where packed records go. */
struct ct_span {
	unsigned char *p;
	unsigned char *limit; /* seal when p has reached it */
};

/* State of the warp that lines belong to. */
struct ct_stream {
	struct ct_packer packer;
	uint64_t lines; /* as in the text, to compare with "insts" */
	uint64_t insts; /* kept */
	uint32_t last;  /* template of the line before, plus 1; 0 = none */
	int32_t sm, slot;
	uint32_t seen, exited; /* lanes that any line, that an EXIT was active in */
	/* The record before, when it may turn out to be the shared half of an LDGSTS. */
	struct {
		uint8_t valid;
		uint32_t written;         /* bytes of the record */
		uint32_t op_sid, op_mask; /* of that line */
		uint32_t sid, mask, run;  /* of the encoder before it */
		uint8_t low;              /* its address is a shared-memory offset */
		uint8_t lies, nulls;      /* what it added to the tally */
		struct ct_pack_slot slot;
	} undo;
};

void ct_stream_init(struct ct_stream *w);

/* Whether every lane that was active has come to an EXIT. Only those count: an EXIT with
 * part of the lanes, or none, is not the warp's end. */
static inline int ct_stream_exited(const struct ct_stream *w)
{
	return (w->seen & ~w->exited) == 0;
}

/* Counters of a run of lines, added to the trace's statistics now and then. */
struct ct_tally {
	uint64_t lies, extra, null_global;
};

/* Shared memory ends below a megabyte on every GPU, global pointers have 47 bits
 * (doc/formats.md section 5). */
#define CT_SHARED_END 0x100000u

/* Active global lanes at address 0. */
uint64_t ct_count_nulls(const struct ct_pack_addr *a);
static inline uint64_t ct_null_lanes(const struct ct_pack_addr *a)
{
	/* The usual case: no address lies far enough below the first one. */
	if (a->base >= CT_SHARED_END && a->base < (uint64_t)1 << 62 &&
	    a->lowest > -(int64_t)CT_SHARED_END)
		return 0;
	return ct_count_nulls(a);
}

/* Encodes one parsed instruction: LDGSTS halves are paired here. flags: CT_TPL_*. */
void ct_stream_put(struct ct_stream *w, struct ct_span *o, struct ct_tally *n, uint32_t sid,
                   uint32_t mask, unsigned flags, const struct ct_pack_addr *addr,
                   const uint32_t *values, unsigned nvalues);

/* Takes the next pieces of a bulk copy, up to a warp's lanes: their number, 0 when none are left. */
unsigned ct_bulk_next(struct ct_bulk *b, unsigned piece, struct ct_pack_addr *a);
/* Encodes a parsed line: 1 when more of a bulk copy is left for another call, else 0. */
int ct_stream_put_line(struct ct_stream *w, struct ct_span *o, struct ct_tally *n, uint32_t sid,
                       struct ct_line *t, int keep_values);

enum {
	CT_TPL_ADDRESS = 1, /* an address field follows the static text */
	CT_TPL_VALUES = 2,  /* register values end the line */
	CT_TPL_LDGSTS = 4,
	CT_TPL_GLOBAL = 8,
	CT_TPL_LIES = 16,  /* the width field is not the true width */
	CT_TPL_EXTRA = 32, /* unexpected trailing tokens */
	CT_TPL_EXIT = 64
};
unsigned ct_flags_of(const struct ct_line *t);

struct ct_templates;
struct ct_templates *ct_templates_new(void);
void ct_templates_free(struct ct_templates *s);
void ct_templates_reset(struct ct_templates *s);
/* Remembers the static text of a line. Lines that do not fit are left to the slow
 * parser. Returns the template's number plus 1, or 0. Fails silently. */
uint32_t ct_templates_add(struct ct_templates *s, const struct ct_line *t, uint32_t sid, int has_line);
/* Notes that template b came after a (numbers plus 1, 0 = none). */
void ct_templates_follow(struct ct_templates *s, uint32_t a, uint32_t b);
/* Parses the line whose static text starts at p if its text is known: returns the
 * start of the next line and has put the instruction, or NULL and nothing changed. */
const char *ct_templates_line(struct ct_templates *s, const char *p, int has_line, struct ct_stream *w,
                              struct ct_span *o, struct ct_tally *n, int keep_values);
/* Reader state; raw part in accelsim_raw.c. */
struct ct_raw_kernel;

/* A thread block being built. */
struct ct_builder {
	unsigned char *buffer; /* CT_SEGMENT_MAX bytes */
	struct ct_span span;
	struct ct_segment *segment;
	size_t segments, segment_cap;
	struct ct_warp_info *warp;
	size_t warps, warp_cap;
	struct ct_warp_start *start;
	size_t start_cap;
	uint64_t index; /* linear number in the grid */
};

int ct_builder_init(struct ct_builder *b);
void ct_builder_free(struct ct_builder *b, struct ct_store *s);
/* Stores what is in the buffer, up to an instruction that may yet be taken back. */
int ct_builder_seal(struct ct_builder *b, struct ct_stream *w, struct ct_store *s, struct ct_error *e);
int ct_builder_warp(struct ct_builder *b, uint32_t warp, struct ct_error *e);
/* Turns what was built into a CTA and starts anew. */
int ct_builder_finish(struct ct_builder *b, struct ct_launch *l, struct ct_store *s, struct ct_cta **cta,
                      struct ct_error *e);

struct ct_accelsim {
	struct ct_lines lines;
	struct ct_env *env;
	struct ct_launch *launch; /* of the kernel being read */
	struct ct_templates *templates;
	int in_kernel, raw;
	int bulk; /* the kernel has bulk copies */
	int immediates, columns_known;
	struct ct_columns columns;
	struct ct_line *line; /* what the slow parser fills */
	struct ct_tally tally;
	uint64_t grid_ctas, blocks, next_index;
	uint64_t block_sum;    /* of the mixed indices of the blocks so far */
	uint64_t absent_warps; /* of blocks that are there */
	uint64_t exited;       /* warps of the kernel that have come to their EXIT */
	uint32_t block_warps;
	uint32_t unfinished;  /* warps without EXIT, not yet in the statistics */
	struct ct_cta *ready; /* complete before anybody asked */

	/* Grouped files: the block and warp being read. */
	int in_block, has_block_id, in_warp, order_warned;
	struct ct_builder builder;
	struct ct_stream stream;
	uint64_t claimed;       /* "insts = n", or UINT64_MAX */
	int heads;              /* of the kernel's warps: bit 0 some lack "insts", bit 1 some have it */
	uint64_t warp_seen[32]; /* bit w: warp w of the block has come */
	char lead[96];          /* numbers before each line of this warp */
	int lead_length;        /* -1: not known yet */

	struct ct_raw_kernel *raw_kernel;
};

/* accelsim.c: parses the instruction line at lines.p into a->line, finding the columns
 * first where needed; *next is the start of the next line. */
int ct_accelsim_slow(struct ct_accelsim *a, const char **next, uint32_t *sid, struct ct_error *e);
/* Checks a line's CTA numbers against the grid: linear number, or fails. */
int ct_accelsim_cta_index(struct ct_accelsim *a, const uint64_t xyz[3], uint64_t *index,
                          struct ct_error *e);
/* The kernel is over: checks its blocks against the grid. Returns 0. */
int ct_accelsim_end(struct ct_accelsim *a);
/* accelsim_raw.c: reads the whole kernel, then hands out its CTAs in order. */
int ct_raw_next_cta(struct ct_accelsim *a, struct ct_cta **cta, struct ct_error *e);
void ct_raw_free(struct ct_raw_kernel *r);
/* Counters of a finished CTA go to the trace's statistics. */
void ct_accelsim_count(struct ct_accelsim *a, const struct ct_cta *cta);

#endif
