/* gpu.h - the parameters of a GPU, and the files they come from.
 *
 * One table of keys (gpu_keys.c) names every parameter, its unit, its range and
 * where it lives in struct ct_gpu; GPU files, -p KEY=VALUE, the GP records of a
 * profile, --print-gpu and man/cachetriage-gpu.5 are all driven by it. */
#ifndef CT_GPU_GPU_H
#define CT_GPU_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "trace/record.h"

enum ct_scheduler { CT_SCHED_GTO, CT_SCHED_LRR, CT_SCHED_TWO_LEVEL };

/* Write policies as an enumeration (model-notes.md 1.1.3). */
enum ct_write_policy {
	CT_WRITE_THROUGH_NO_ALLOCATE, /* write-through, hit updates, miss passes on */
	CT_WRITE_EVICT,               /* a store drops the cached copy and goes on */
	CT_WRITE_THROUGH_ALLOCATE,    /* write-through, a store allocates its sector */
	CT_WRITE_BACK_FETCH,          /* write-back, a store miss fetches */
	CT_WRITE_BACK_VALIDATE        /* write-back, a store miss validates its sector */
};

enum ct_set_hash { CT_HASH_LINEAR, CT_HASH_XOR, CT_HASH_IPOLY, CT_HASH_FERMI, CT_HASH_PAE, CT_HASH_FOLD };
enum ct_replacement { CT_REPL_LRU, CT_REPL_FIFO };
enum ct_noc { CT_NOC_CROSSBAR, CT_NOC_MESH, CT_NOC_BUTTERFLY };

/* One cache: an L1, or one slice of the LLC. */
struct ct_cache_params {
	uint64_t size;          /* bytes = sets * ways * line */
	uint32_t line, sector;  /* bytes; sector == line: not sectored */
	uint32_t sets, ways;
	uint32_t write_policy;  /* enum ct_write_policy */
	uint32_t set_hash;      /* enum ct_set_hash */
	uint32_t replacement;   /* enum ct_replacement */
	uint32_t mshr_entries, mshr_merge; /* per sector: entries, requests per entry */
	uint32_t miss_queue;
	uint32_t banks;
	uint32_t dirty_percent; /* modified lines may be victims only above this share */
	uint32_t allocate_on_fill, streaming;
};

struct ct_unit_timing { uint32_t latency, initiation; };

enum { CT_MAX_SHMEM_OPTIONS = 16 };

struct ct_gpu {
	char name[64];
	uint32_t sms;                  /* sm.count */
	uint32_t schedulers;           /* per SM */
	uint32_t scheduler;            /* enum ct_scheduler in force */
	uint32_t max_threads;          /* resident threads per SM */
	uint32_t max_ctas;
	uint32_t registers;            /* 32-bit registers per SM */
	uint32_t warp_size;            /* 32 */
	uint32_t lsu_width;            /* sectors an L1 serves per cycle (banks) */
	double core_mhz, noc_mhz, llc_mhz, dram_mhz;

	struct ct_cache_params l1;
	uint32_t l1_latency;           /* core cycles, tag to data */
	uint32_t l1_flush;             /* invalidated at every kernel */
	uint32_t l1_skip;              /* global accesses bypass L1 */
	uint32_t l1_adaptive;          /* L1 takes what shared memory leaves */
	uint64_t unified_bytes;        /* L1 + shared memory when adaptive */
	uint64_t shmem_bytes;          /* for occupancy */
	uint32_t shmem_options;        /* number of splits */
	uint64_t shmem_option[CT_MAX_SHMEM_OPTIONS]; /* bytes, ascending */
	uint32_t shmem_latency, shmem_banks;

	struct ct_cache_params llc;    /* one slice */
	uint32_t llc_slices;
	uint32_t llc_latency;          /* rop: core cycles from network to tag */
	uint32_t llc_hash;             /* slice hash, enum ct_set_hash */
	uint32_t llc_flush;            /* flushed between kernels */
	uint32_t llc_memcpy_fill;      /* memcpys fill the LLC */
	uint32_t llc_queue;            /* input queue entries per slice */

	uint32_t dram_channels;
	uint32_t dram_latency;         /* core cycles added to every access */
	uint32_t dram_banks, dram_bank_groups, dram_row_bytes;
	uint32_t dram_bus_bytes, dram_burst, dram_data_ratio; /* atom = bus * burst */
	uint32_t dram_ccd, dram_ccdl, dram_rrd, dram_rcd, dram_ras, dram_rp, dram_rc, dram_cl,
	         dram_wl, dram_cdlr, dram_wr, dram_rtpl, dram_dual_bus;
	uint32_t dram_queue;           /* FR-FCFS window per channel */
	double dram_efficiency;        /* usable share of peak bandwidth in analytic models */
	uint64_t partition_interleave; /* bytes per channel before the next */
	char dram_mapping[80];         /* Accel-Sim mapping string, "" = interleave */

	uint32_t noc;                  /* enum ct_noc */
	uint32_t noc_flit_bytes, noc_header_bytes;
	uint32_t noc_flits_as_one;     /* every packet is one flit (Accel-Sim's local crossbar) */
	uint32_t noc_latency;          /* core cycles, SM <-> slice, one way, unloaded */

	struct ct_unit_timing unit[CT_CLASS_COUNT];
	uint32_t collectors;           /* operand collectors per scheduler */
	uint32_t register_banks;       /* per SM */
	uint32_t launch_cycles, cta_launch_cycles;

	double power_watt;             /* average board power, for perf/W */
	double sm_static_watt;
	double llc_pj_per_byte, dram_pj_per_byte, noc_pj_per_byte;
};

/* A GPU with every key at its default (those of data/gpus/rtx3080.conf). */
void ct_gpu_defaults(struct ct_gpu *g);

/* Loads NAME (data/gpus/NAME.conf under data_dir), a file of that form, or a
 * gpgpusim.config (a trace.config beside it, or after a comma, is read too); told
 * apart by content. Unknown keys of our format fail with file:line and the nearest
 * key; what is not understood of a gpgpusim.config goes to diag. The result has
 * passed ct_gpu_check(). */
int ct_gpu_load(struct ct_gpu *g, const char *name_or_file, const char *data_dir,
                const struct ct_diag *diag, struct ct_error *e);
/* The same from text in memory; `name` is for messages. For the fuzz targets too. */
int ct_gpu_parse(struct ct_gpu *g, const char *name, const char *text, size_t n,
                 const struct ct_diag *diag, struct ct_error *e);

/* Overrides one key ("l1.size=64KiB"); ct_gpu_check() is the caller's to run
 * after the last. Unknown keys fail with CT_ERR_USAGE naming the nearest. Keys that
 * start with a model's name ("morpheus.") are not GPU keys: returns 1 for them. */
int ct_gpu_set(struct ct_gpu *g, const char *assignment, struct ct_error *e);

/* Consistency (sizes divide, powers of two where needed, nothing zero) and derived
 * fields (sets from size, size from sets). Fails with CT_ERR_INPUT. */
int ct_gpu_check(struct ct_gpu *g, struct ct_error *e);

/* Scales SMs, LLC slices (or their sets) and channels by f together, rounded up,
 * at least 1 each (design 3, --scale). */
int ct_gpu_scale(struct ct_gpu *g, double f, struct ct_error *e);

/* Calls fn for each key in table order: for GP records. Value is printable. */
void ct_gpu_each(const struct ct_gpu *g,
                 void (*fn)(void *ctx, const char *key, const char *value, const char *unit),
                 void *ctx);
/* Appends the file form of g with derived sizes as comments (--print-gpu). */
void ct_gpu_print(const struct ct_gpu *g, struct ct_buf *b);

/* Derived quantities. LLC bytes of all slices; peak DRAM bandwidth and LLC
 * bandwidth in 1e9 B/s; L1 bandwidth per SM in bytes per core cycle; warps per SM. */
uint64_t ct_gpu_llc_bytes(const struct ct_gpu *g);
double ct_gpu_dram_gbps(const struct ct_gpu *g);
double ct_gpu_llc_gbps(const struct ct_gpu *g);
uint32_t ct_gpu_max_warps(const struct ct_gpu *g);

#endif
