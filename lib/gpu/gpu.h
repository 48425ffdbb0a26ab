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
#include "base/decls.h"
#include "base/error.h"
#include "trace/record.h"

CT_DECLS_BEGIN

/* Warp scheduling policies that configurations name. The engine models some of
 * them; struct ct_gpu keeps what was asked for and what is in force. */
enum ct_scheduler {
	CT_SCHED_GTO,       /* greedy, then oldest */
	CT_SCHED_LRR,       /* loose round robin */
	CT_SCHED_TWO_LEVEL, /* active and pending warps */
	CT_SCHED_OLDEST,    /* oldest first ("old") */
	CT_SCHED_STRICT_RR, /* strict round robin ("rrr") */
	CT_SCHED_WARP_LIMIT /* GTO over a limited number of warps ("warp_limiting") */
};

/* Write policies (doc/models.md section 2). */
enum ct_write_policy {
	CT_WRITE_THROUGH_NO_ALLOCATE, /* write-through, hit updates, miss passes on */
	CT_WRITE_EVICT,               /* a store drops the cached copy and goes on */
	CT_WRITE_THROUGH_ALLOCATE,    /* write-through, a store allocates its sector */
	CT_WRITE_BACK_FETCH,          /* write-back, a store miss fetches */
	CT_WRITE_BACK_VALIDATE        /* write-back, a store miss validates its sector */
};

/* Hashes of set and slice numbers (address.h says how each is computed). */
enum ct_set_hash {
	CT_HASH_LINEAR,
	CT_HASH_XOR,
	CT_HASH_IPOLY,
	CT_HASH_FERMI,
	CT_HASH_PAE,
	CT_HASH_FOLD
};
enum ct_replacement { CT_REPL_LRU, CT_REPL_FIFO };

/* When a miss takes its line: at the miss, at the fill, or at the fill with
 * unlimited outstanding misses (streaming L1). */
enum ct_allocate { CT_ALLOCATE_ON_MISS, CT_ALLOCATE_ON_FILL, CT_ALLOCATE_STREAMING };

/* Which accesses bypass L1. */
enum ct_l1_skip {
	CT_L1_SKIP_NONE,
	CT_L1_SKIP_GLOBAL, /* global loads and stores; local ones are cached */
	CT_L1_SKIP_ALL     /* there is no L1 data cache */
};
/* Whose rules the full timing follows where a board is known to do otherwise than Accel-Sim
 * (doc/replay.md section 13). */
enum ct_machine { CT_MACHINE_ACCELSIM, CT_MACHINE_SILICON };
enum ct_noc { CT_NOC_CROSSBAR, CT_NOC_MESH, CT_NOC_BUTTERFLY };

/* One cache: an L1, or one slice of the LLC. */
struct ct_cache_params {
	uint64_t size;         /* bytes = sets * ways * line */
	uint32_t line, sector; /* bytes; sector == line: not sectored */
	uint32_t sets, ways;
	uint32_t write_policy;             /* enum ct_write_policy */
	uint32_t set_hash;                 /* enum ct_set_hash */
	uint32_t replacement;              /* enum ct_replacement */
	uint32_t mshr_entries, mshr_merge; /* per sector: entries, requests per entry */
	uint32_t miss_queue;
	uint32_t banks;         /* sectors served per cycle, one per bank (LLC: per slice) */
	uint32_t port_bytes;    /* data port, bytes per cycle of each bank */
	uint32_t dirty_percent; /* modified lines may be victims only above this share */
	uint32_t allocate;      /* enum ct_allocate */
};

struct ct_unit_timing {
	uint32_t latency, initiation;
};

enum { CT_MAX_SHMEM_OPTIONS = 16 };

struct ct_gpu {
	char name[64];
	uint32_t machine;   /* enum ct_machine */
	uint32_t sms;       /* sm.count */
	uint32_t sms_asked; /* SMs of the GPU that ct_gpu_scale() made this one of; 0: it was not scaled.
	                             No key: GP records of profiles hold it */
	uint32_t schedulers;      /* per SM */
	uint32_t scheduler;       /* enum ct_scheduler in force: one the engine models */
	uint32_t scheduler_asked; /* enum ct_scheduler of the configuration */
	uint32_t active_warps;    /* per scheduler, of a two-level or limiting scheduler */
	uint32_t max_threads;     /* resident threads per SM */
	uint32_t max_ctas;
	uint32_t registers; /* 32-bit registers per SM */
	uint32_t warp_size; /* 32 */
	double core_mhz, noc_mhz, llc_mhz, dram_mhz;

	struct ct_cache_params l1;
	uint32_t l1_latency;                         /* core cycles, tag to data */
	uint32_t l1_flush;                           /* invalidated at every kernel */
	uint32_t l1_skip;                            /* enum ct_l1_skip */
	uint32_t l1_adaptive;                        /* L1 takes what shared memory leaves */
	uint64_t unified_bytes;                      /* L1 + shared memory when adaptive */
	uint64_t shmem_bytes;                        /* for occupancy */
	uint32_t shmem_options;                      /* number of splits */
	uint64_t shmem_option[CT_MAX_SHMEM_OPTIONS]; /* bytes, ascending */
	uint32_t shmem_latency, shmem_banks;

	struct ct_cache_params llc; /* one slice */
	uint32_t llc_slices;        /* a multiple of dram_channels, or a divisor */
	uint32_t llc_partitions;    /* memory partitions (controllers) the slices belong to */
	uint32_t llc_latency;       /* rop: core cycles from network to tag */
	uint32_t
		llc_merge_cycles; /* a slice serves a store of part of a sector; 0: as any other request */
	uint32_t llc_hash;        /* slice hash, enum ct_set_hash */
	uint32_t llc_flush;       /* flushed between kernels */
	uint32_t llc_memcpy_fill; /* memcpys fill the LLC */
	uint32_t llc_queue;       /* input queue entries per slice */

	uint32_t dram_channels;
	uint32_t dram_latency; /* core cycles added to every access */
	uint32_t dram_banks, dram_bank_groups, dram_row_bytes;
	uint32_t dram_bus_bytes, dram_burst, dram_data_ratio; /* atom = bus * burst */
	uint32_t dram_ccd, dram_ccdl, dram_rrd, dram_rcd, dram_ras, dram_rp, dram_rc, dram_cl, dram_wl,
		dram_cdlr, dram_wr, dram_rtpl, dram_dual_bus;
	uint32_t dram_queue;           /* FR-FCFS window per channel */
	uint32_t dram_return_queue;    /* answers of a channel that wait for its slices */
	uint32_t dram_fifo;            /* 1: first come, first served; 0: FR-FCFS */
	double dram_efficiency;        /* usable share of peak bandwidth in analytic models */
	uint64_t partition_interleave; /* bytes per channel before the next */
	char dram_mapping[96];         /* Accel-Sim mapping string, "" = interleave */

	uint32_t noc; /* enum ct_noc */
	uint32_t noc_flit_bytes, noc_header_bytes;
	uint32_t noc_piece_bytes;  /* least that travels of a sector touched in part; 0: all of it */
	uint32_t noc_flits_as_one; /* every packet is one flit (Accel-Sim's local crossbar) */
	uint32_t noc_latency;      /* core cycles, SM <-> slice, one way, unloaded, beyond
	                                  what llc_latency holds */
	uint32_t noc_hop_cycles;   /* NoC cycles of a router and its link, unloaded */

	struct ct_unit_timing unit[CT_CLASS_COUNT];
	uint32_t collectors;     /* operand collectors per scheduler */
	uint32_t register_banks; /* per SM */
	uint32_t launch_cycles, cta_launch_cycles;
	uint32_t cta_gap_cycles; /* from a CTA's end to the first instruction of the one in its place */
	uint32_t branch_cycles;  /* to an instruction that is not the next one */
	uint32_t code_first_cycles,
		code_line_cycles; /* an SM's first line of code and each further one, where caches
	                                                 are cold (llc_flush) */

	uint64_t llc_total; /* llc.size as set, until ct_gpu_check() spreads it over
	                                  the slices; then 0 */

	double power_watt; /* average board power, for perf/W */
	double sm_static_watt;
	double llc_pj_per_byte, dram_pj_per_byte, noc_pj_per_byte;

	uint32_t memory_collectors; /* of memory instructions alone, per scheduler; 0: none */
};

/* A GPU with every key at its default (those of data/gpus/rtx3080.conf), checked. */
void ct_gpu_defaults(struct ct_gpu *g);

/* The table of keys, in the order in which everything lists them. */
struct ct_gpu_key {
	const char *name; /* "l1.size" */
	const char *unit; /* as GP records print it: "bytes", "MHz", "cycles" ..., "" */
	const char *help; /* one line */
};
/* The number of keys that a GPU file may have. Pure. */
size_t ct_gpu_key_count(void);
/* Key i; NULL past the end. Static storage. */
const struct ct_gpu_key *ct_gpu_key_at(size_t i);

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
 * after the last. Unknown keys and bad values fail with CT_ERR_USAGE, unknown ones
 * naming the nearest. A size keeps the cache's ways and changes its sets (above
 * 32 ways: keeps the sets); sets, ways and line change the size. l1.size also fixes
 * an adaptive L1 at that size. Several overrides combine in any order. */
int ct_gpu_set(struct ct_gpu *g, const char *assignment, struct ct_error *e);

/* Consistency (sizes divide, powers of two where needed, nothing zero) and derived
 * fields (sets from size, size from sets). Fails with CT_ERR_INPUT. */
int ct_gpu_check(struct ct_gpu *g, struct ct_error *e);

/* Scales SMs, LLC slices and channels by f > 0 together, rounded up, at least 1 each
 * (--scale); slices per channel stay, and so does the size of a slice. sms_asked
 * keeps the SMs from before the first scaling. The result is checked. Fails with CT_ERR_USAGE when f is not positive and finite. */
int ct_gpu_scale(struct ct_gpu *g, double f, struct ct_error *e);

/* Gives the LLC the nearest size to `bytes` that whole sets (at least one) of the
 * present ways and slices can have: for studies of capacity. Fails as
 * ct_gpu_check() does. */
int ct_gpu_resize_llc(struct ct_gpu *g, uint64_t bytes, struct ct_error *e);

/* Calls fn for each key in table order: for GP records. Value is printable. Fails with
 * CT_ERR_NOMEM, after some of the calls. */
int ct_gpu_each(const struct ct_gpu *g,
                void (*fn)(void *ctx, const char *key, const char *value, const char *unit), void *ctx,
                struct ct_error *e);
/* Appends the file form of g with derived sizes as comments (--print-gpu). */
void ct_gpu_print(const struct ct_gpu *g, struct ct_buf *b);

/* Derived quantities. LLC bytes of all slices; peak DRAM bandwidth and LLC
 * bandwidth in 1e9 B/s; L1 bandwidth per SM in bytes per core cycle; warps per SM. */
uint64_t ct_gpu_llc_bytes(const struct ct_gpu *g);
/* Lines of the whole LLC, of all slices. */
double ct_gpu_llc_lines(const struct ct_gpu *g);
double ct_gpu_dram_gbps(const struct ct_gpu *g);
/* So many core cycles in cycles of DRAM's command clock, summed over channels. */
double ct_gpu_dram_cycles(const struct ct_gpu *g, double core_cycles);
double ct_gpu_llc_gbps(const struct ct_gpu *g);
/* How many ports bound what requests to the LLC, and replies from it, move in a cycle of the network: those that
 * packets arrive at, and where packets have several flits, which leave one port after the other, the fewer side. */
uint32_t ct_gpu_request_ports(const struct ct_gpu *g);
uint32_t ct_gpu_reply_ports(const struct ct_gpu *g);
uint32_t ct_gpu_max_warps(const struct ct_gpu *g);
uint32_t ct_gpu_l1_bytes_per_cycle(const struct ct_gpu *g);
/* Bytes of the register file of one SM. */
uint64_t ct_gpu_register_bytes(const struct ct_gpu *g);
/* Names of enumeration values, as files spell them ("gto", "ipoly"). */
const char *ct_scheduler_name(enum ct_scheduler s);
const char *ct_hash_name(enum ct_set_hash h);
const char *ct_write_policy_name(enum ct_write_policy w);

CT_DECLS_END

#endif
