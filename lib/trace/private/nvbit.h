/* nvbit.h - NVBit mem_trace logs (doc/formats.md section 9). */
#ifndef CT_TRACE_PRIVATE_NVBIT_H
#define CT_TRACE_PRIVATE_NVBIT_H

#include "trace/private/log.h"

#define CT_NVBIT_MARK "MEMTRACE: "

/* Reads the whole log into l. With salvage, damage ends the reading and is kept in
 * l->damage. Fails with CT_ERR_INPUT (damage; neither launch nor record), CT_ERR_LIMIT,
 * CT_ERR_NOMEM, CT_ERR_IO. */
int ct_nvbit_read(struct ct_log *l, struct ct_error *e);

/* ---- between the files of the reader ---- */

enum ct_nvbit_kind { CT_NVBIT_OTHER, CT_NVBIT_LAUNCH, CT_NVBIT_ACCESS };

struct ct_nvbit_launch {
	uint64_t id;
	const char *name; /* in the text */
	size_t name_length;
	uint32_t grid[3], block[3]; /* 0: not said */
	uint64_t regs, shmem, stream;
	unsigned seen;
	int partial; /* lacks its name, or some of grid, block, registers and shared memory */
};

struct ct_nvbit_access {
	uint64_t id;
	uint64_t cta[3];
	uint64_t warp, pc, size;
	uint64_t sm;        /* UINT64_MAX: not said */
	const char *opcode; /* in the text */
	size_t opcode_length;
	uint32_t lanes; /* with an address in addr[] */
	unsigned seen;
	uint64_t addr[CT_WARP_LANES];
};

/* Whether it holds what only records and launches begin with. Pure. */
int ct_nvbit_begins(const char *p, const char *end);
/* What the text behind a mark is; [p, end) holds no other mark and *end is readable
 * and no part of a number. Pure. */
enum ct_nvbit_kind ct_nvbit_kind(const char *p, const char *end);
/* Each returns NULL, or what is wrong with the text. `cut`: the file ends at end. */
const char *ct_nvbit_launch(const char *p, const char *end, int cut, struct ct_nvbit_launch *l);
const char *ct_nvbit_access(const char *p, const char *end, int cut, struct ct_nvbit_access *a);

#endif
