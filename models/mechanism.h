/* mechanism.h - the one interface through which the rest of the program knows a mechanism.
 *
 * A mechanism is a folder under models/ with one `const struct ct_mechanism ct_mechanism_FOLDER` in its mechanism.c,
 * and a line in registry.c. Commands, verdicts, reports, completions, fuzz targets and tests go over the registry
 * (registry.h) and name none of them.
 *
 * The table holds constants and functions. What a mechanism computes lives in the state of a run (struct
 * ct_mechanism_run): two runs share nothing, so distinct runs may be in distinct threads. A command does:
 *
 *     run = {.mechanism = m, .set = ..., .option = ..., ...};
 *     m->open(&run)                        checks the parameters, makes run.state
 *     make or read a profile               with m->observer in the pass where it has one
 *     run.p, run.base, run.gpu = ...
 *     m->estimate(&run)                    ES records, from the profile
 *     m->replay(&run)                      ES records of method replay, from the trace, where asked for
 *     m->sweep(&run)                       SW records, where asked for
 *     m->show(&run, ...)                   the table for people
 *     m->close(&run)
 */
#ifndef CT_MODELS_MECHANISM_H
#define CT_MODELS_MECHANISM_H

#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"
#include "base/error.h"
#include "base/range.h"
#include "base/table.h"
#include "gpu/gpu.h"
#include "models/common/constants.h"
#include "models/common/number.h"
#include "pass/pass.h"
#include "pass/replays.h"
#include "profile/profile.h"
#include "profile/schema.h"

CT_DECLS_BEGIN

struct ct_figure;
struct ct_mechanism;
struct ct_records;
struct ct_workload;

/* Raised whenever a member changes its meaning; members may be added behind the last without that. */
#define CT_MECHANISM_ABI 1u

/* The places of the engine that a mechanism's parts take. Two mechanisms can be replayed together when they claim no
 * place in common. */
enum ct_mechanism_place {
	CT_PLACE_COALESCER =
		1u << 0, /* how the lanes of an instruction become requests, and in which order */
	CT_PLACE_L1_LINES = 1u << 1,   /* what a line of an L1 is and which one leaves */
	CT_PLACE_L1_SHARING = 1u << 2, /* which SM's L1 serves an access */
	CT_PLACE_NETWORK = 1u << 3,
	CT_PLACE_LLC = 1u << 4,
	CT_PLACE_SCHEDULER = 1u << 5,
	CT_PLACE_COLLECTOR = 1u << 6,   /* operand collectors and register banks */
	CT_PLACE_SMS = 1u << 7,         /* how many SMs compute */
	CT_PLACE_L1_ADMISSION = 1u << 8 /* which loads may put their lines into an L1 */
};

/* The views of a profile that a mechanism's estimate reads: a pass may leave out the others. */
enum ct_mechanism_view {
	CT_READS_L1 = 1u << 0,         /* RD l1, l1_sector */
	CT_READS_MERGED = 1u << 1,     /* RD merged, merged_sector; RJ */
	CT_READS_LLC = 1u << 2,        /* RD llc */
	CT_READS_LLC_SMS = 1u << 3,    /* RD llc@sms=N */
	CT_READS_REGISTERS = 1u << 4,  /* RD reg_insts, reg_distinct */
	CT_READS_LINE_USE = 1u << 5,   /* SN line_*, useful_bytes_* */
	CT_READS_REPLICATION = 1u << 6 /* SN replicated_misses, line_fills and their ratios */
};

/* The curve that stands for a mechanism in a row of triage: misses by size of what it works on. */
enum ct_mechanism_curve { CT_DRAWS_L1, CT_DRAWS_LLC, CT_DRAWS_REGISTERS };

enum ct_mechanism_method { CT_BY_AUTO, CT_BY_ANALYTIC, CT_BY_REPLAY };

/* The level that a mechanism works on. Nothing that it does there can gain more than a level that never fails: an L1
 * or an LLC in which every access hits, first touches too, or register banks without conflicts. */
enum ct_mechanism_bound { CT_BOUND_NONE, CT_BOUND_L1, CT_BOUND_LLC, CT_BOUND_REGISTERS };

/* What the estimates of a mechanism's speed-ups were off against replays in full timing, nine in ten of them: of the
 * logarithm at least `floor`, else `share` of it; of a gain all of it at least. Measured by make verdicts (cachetriage-validation.7); zeroed: not. */
struct ct_mechanism_error {
	double floor, share;
};

/* A setting of a system that was replayed, such as how many SMs compute, and what came of it. */
struct ct_mechanism_tried {
	double setting;
	double cycles; /* core cycles without launches */
};
enum { CT_CANDIDATES_MAX = 16 };

struct ct_mechanism_system {
	const char *name;   /* as ES prints it, "TSC+" */
	const char *help;   /* what it is, in a few words */
	int reconstruction; /* described too briefly where it was published, and rebuilt from that */
};

/* An option of the mechanism's own command, beside those that all estimators have. */
struct ct_mechanism_option {
	const char *name;  /* without the dashes, "helper" */
	const char *value; /* name of its value in --help, or NULL for a flag */
	const char *help;  /* lines of at most 57 characters */
	int replays;       /* asking for it needs the trace */
};

/* A key that --sweep takes of this mechanism and that the mechanism sweeps in a way of its own: what is no parameter, or
 * what is measured for all points in one pass. */
struct ct_mechanism_sweep {
	const char *key;           /* without a prefix, "private_bits" */
	struct ct_range_rule rule; /* which values it may have */
	const char *example;       /* "private_bits=0..20" */
	int is_setting; /* its values are run->setting: estimate() and engine() take one at a time, too */
};

/* One question to a mechanism. The caller fills it; what it points at outlives the run. */
struct ct_mechanism_run {
	const struct ct_mechanism *mechanism;

	/* Known before open(). */
	const char *const
		*set; /* the assignments KEY=VALUE that are the mechanism's own (ct_mechanism_is_key) */
	size_t n_set;
	const char *const *
		option; /* value of each of its options in the table's order: NULL not given, "" a flag */
	const struct ct_range_spec *
		sweep; /* of one of mechanism->sweeps, or NULL; observers measure its points in their pass */
	enum ct_mechanism_method method;
	int check;       /* both methods are wanted, to be held against each other */
	int judged_only; /* nobody sees more than the verdict: leave the other systems out */
	int charted; /* a report may draw the profile: estimate() adds the SW records that its charts show */
	const char *data_dir; /* folder of the data files */
	const struct ct_pass_settings *settings;

	/* Known after the profile is there. */
	struct ct_profile *p; /* read, and appended to */
	const struct ct_workload
		*workload;           /* read from p; NULL where p has none, which only some need */
	const struct ct_gpu *base;   /* that p was made with */
	const struct ct_gpu *gpu;    /* in force */
	int changed;                 /* the two differ */
	int l1_changed, llc_changed; /* in the capacity of that level */
	int from_trace; /* p was made by this command, with the mechanism's observer and settings */
	/* Makes the whole pass again on the GPU in force, with the mechanism's observer, and gives the new profile: the
	 * mechanism's to free or to hand to take(). `why` is the option that needs the trace. Fails as ct_pass_reopen()
	 * and ct_pass_run() do. NULL: a pass is not to be made. */
	int (*pass_again)(struct ct_mechanism_run *run, const char *why, struct ct_profile **p,
	                  struct ct_error *e);
	/* Puts such a profile in the place of run->p: run->base is run->gpu then, and nothing is changed any more. */
	void (*take)(struct ct_mechanism_run *run, struct ct_profile *p);
	void *caller; /* for these two */
	double setting; /* of the systems that have one, as candidates() gives them: for engine() and, where a sweep's key is
	                   its name, for estimate() and replay(), too; 0: the one that estimate() chooses, or the only one */

	uint32_t
		sms; /* for engine(): how many SMs compute, the first ones, where another mechanism beside this one has
	                 taken the others; 0: all */

	void *state; /* the mechanism's own, from open() to close() */
};

/* Bytes that choose the settings of any_engine(). */
enum { CT_ANY_ENGINE_BYTES = 4 };

struct ct_mechanism {
	uint32_t abi;  /* CT_MECHANISM_ABI */
	uint32_t size; /* sizeof(struct ct_mechanism) */

	const char *name;           /* as ES and TV name it, "tag-split" */
	const char *const *aliases; /* other names and prefixes of keys, NULL at the end; or NULL */
	const char *command;        /* its estimator, "tsc-est" */
	const char *summary;        /* of the command, one line: also .Nd of its man page */
	const char *title;          /* for headings, "Tag-Split Cache" */
	const char *page;           /* its man page in section 7 */
	const char *folder;         /* of its data files, under data/; NULL: it has none */
	int published;              /* triage judges it without being asked */

	const char *judged;   /* the system that a verdict is about */
	const char *baseline; /* the system that `speedup` is against */
	const char *const *
		alternatives; /* simpler systems, the best of which it has to beat; NULL at the end, or NULL: none */
	const char *ideal;             /* the system that bounds it; NULL: none is estimated */
	enum ct_mechanism_bound bound; /* the level whose ideal bounds it in replays */
	struct ct_mechanism_error estimate_error;
	const struct ct_mechanism_system *systems;
	unsigned n_systems;
	const struct ct_metric *metrics; /* its own of ES, with units and how they merge */
	unsigned n_metrics;
	const struct ct_metric *items; /* its own of IM and SN */
	unsigned n_items;
	const struct ct_constants *parameters; /* typed, with range, help and source */
	const struct ct_mechanism_option *options;
	unsigned n_options;
	const struct ct_mechanism_sweep *sweeps;
	unsigned n_sweeps;

	unsigned places; /* enum ct_mechanism_place */
	unsigned views;  /* enum ct_mechanism_view */
	enum ct_mechanism_curve curve;
	/* The SN metric that tells the sector miss rate of all L1s taken as one cache, for which the mechanism has a name; NULL:
	 * it has none. Static storage. */
	const char *merged_miss_rate;
	int needs_pass; /* no histogram can express it: reuse --mechanisms or the trace */
	int by_cache;   /* lives from reuse in a cache, so that first touches tell nothing of it */

	/* In every pass, whether or not the mechanism is asked for; its ctx is not used. NULL: none. */
	const struct ct_pass_observer *always;
	/* In passes that measure the mechanism: its ctx is the struct ct_mechanism_run, after open(). NULL: none. */
	const struct ct_pass_observer *observer;

	/* Checks set, option and sweep and makes run->state. Fails with CT_ERR_USAGE naming what is wrong, CT_ERR_IO of
	 * files that options name, CT_ERR_NOMEM; close() is called all the same. */
	int (*open)(struct ct_mechanism_run *run, struct ct_error *e);
	void (*close)(struct ct_mechanism_run *run);
	/* The value in force of each parameter, in the table's order; lives as long as run->state. */
	const double *(*values)(const struct ct_mechanism_run *run);

	/* 1 when p holds all that estimate() needs besides the histograms; 0 when the pass or a replay has to come
	 * first. NULL: always. */
	int (*measured)(const struct ct_profile *p);
	/* Appends ES records of scope all to run->p, replacing its own. Replays what only the trace can tell where the
	 * method allows it. With method replay, or check, replay() comes next and may write them instead. Fails with
	 * CT_ERR_INPUT naming what the profile lacks, CT_ERR_USAGE, CT_ERR_NOMEM. */
	int (*estimate)(struct ct_mechanism_run *run, struct ct_error *e);
	/* Replays its systems in full timing and appends ES records of method replay. `why` is the option that asks. */
	int (*replay)(struct ct_mechanism_run *run, const char *why, struct ct_error *e);
	/* Appends the SW records of run->sweep, after estimate(). The caller sweeps any other key by estimating anew at each
	 * point. NULL where n_sweeps is 0. */
	int (*sweep)(struct ct_mechanism_run *run, struct ct_error *e);
	/* Which settings of a system to replay next: up to CT_CANDIDATES_MAX of them in value[], none of which was tried; how
	 * many, and 0 when the best of those tried is the answer. A search begins with n_tried 0. NULL: systems have one
	 * setting. Needs run->gpu and run->p, no estimate(). Deterministic. */
	unsigned (*candidates)(const struct ct_mechanism_run *run, unsigned system,
	                       const struct ct_mechanism_tried *tried, unsigned n_tried,
	                       double value[CT_CANDIDATES_MAX]);
	/* A system as an engine, for replays beside others, at run->setting; the caller may set options.timing to quick.
	 * Systems without settings, and those with one given, need no estimate() before. engine->options.parts and *parts are made, *parts is freed by
	 * engine_free. Fails with CT_ERR_UNSUPPORTED for a system that no part replays. */
	int (*engine)(const struct ct_mechanism_run *run, unsigned system,
	              struct ct_replays_engine *engine, void **parts, struct ct_error *e);
	void (*engine_free)(void *parts); /* NULL allowed */
	/* Adds to w, which names the system and the method, what follows from a setting of it, such as the SMs that are left.
	 * NULL: nothing. Failures stay in w. */
	void (*setting_records)(const struct ct_mechanism_run *run, unsigned system, double setting,
	                        struct ct_records *w);
	/* Adds to w, which names the system and the method, what a replay of such an engine has counted: total[] of the engine and
	 * what its parts keep. Of a sampled replay only rates, and ratios of two systems, say something: parts count its warm-up,
	 * too. NULL: nothing. Failures stay in w. */
	void (*replay_records)(const struct ct_mechanism_run *run, unsigned system,
	                       const struct ct_replay_counts *total, const void *parts,
	                       struct ct_records *w);
	/* For property tests and fuzz targets: an engine on g with parts whose system and settings the bytes choose, small
	 * enough for programs of a few instructions. Returns 1 when those bytes make none; *parts is freed by
	 * any_engine_free in every case. NULL: no part replays it. */
	int (*any_engine)(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
	                  struct ct_replays_engine *engine, void **parts, struct ct_error *e);
	void (*any_engine_free)(void *parts); /* NULL allowed */
	/* For fuzz targets: parses a text as the file that one of its options names. NULL: no option names a file. */
	int (*parse_file)(const char *name, const char *text, size_t n, struct ct_error *e);

	/* Whether it had anything to act on in the run that p is of: 1, or 0 with what was missing in text ("0 evictions
	 * from the L1s"), -1 when p does not tell. Pure. */
	int (*acted)(const struct ct_profile *p, char *text, size_t n);
	/* Why the judged system gains what it does, in the words of the field: at most n - 1 bytes, no tabs. Pure. */
	void (*reason)(const struct ct_profile *p, const struct ct_mechanism_number *speedup, char *text,
	               size_t n);
	/* What would narrow a range that is too wide to tell: by_parameters when the doubt lies in its parameters rather
	 * than in the method. Static storage; NULL: nothing would. */
	const char *(*cure)(const char *method, int by_parameters);

	/* The table for people, behind it its notes; replayed and checked rows as run->method and check ask. */
	int (*show)(const struct ct_mechanism_run *run, const struct ct_table_style *style,
	            struct ct_buf *b, struct ct_error *e);
	/* The paper's numbers beside ours (data/NAME/published.tsv). NULL: nothing is published. */
	int (*show_published)(const struct ct_mechanism_run *run, const struct ct_table_style *style,
	                      struct ct_buf *b, struct ct_error *e);
	/* What each system adds to that GPU in storage and area. Needs no profile. */
	int (*show_overheads)(const struct ct_mechanism_run *run, const struct ct_gpu *g,
	                      const struct ct_table_style *style, struct ct_buf *b, struct ct_error *e);

	/* The data figures of its paper, for report; how many goes to *n. NULL: none. */
	const struct ct_figure *(*figures)(unsigned *n);
	/* In its place: figures that are tables of series alone (common/figure.h), whose ids begin with its name and a
	 * colon. Those of plugins are such. */
	const struct ct_figure *figure_list;
	unsigned n_figure_list;
	int shows_replays; /* with method replay the rows of its table are the replays; else a table behind them has these */
	/* The system that stands for the GPU as configured, where the mechanism's parts model a place of it in another way than
	 * the engine does: speed-ups over the GPU as configured are over a replay of this one, so that they tell the mechanism
	 * alone. NULL: the GPU itself. */
	const char *configured;
	/* Whether that system and another one are the same on run->gpu, so that one replay tells of both. NULL: never. Pure. */
	int (*is_configured)(const struct ct_mechanism_run *run, unsigned system);
};

CT_DECLS_END

#endif
