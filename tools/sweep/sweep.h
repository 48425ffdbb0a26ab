/* sweep.h - what the parts of sweep share: its dimensions, its systems, its points. */
#ifndef CT_TOOLS_SWEEP_SWEEP_H
#define CT_TOOLS_SWEEP_SWEEP_H

#include "common/swept.h"
#include "common/tool.h"
#include "models/registry.h"
#include "models/verdict/name.h"

enum {
	SW_DIMENSIONS_MAX = 8,
	SW_SYSTEMS_MAX = 512,
	SW_POINTS_MAX = 65536, /* of one input */
	SW_METRICS_MAX = 64
};

/* What a dimension varies: a key of the GPU, a parameter of a mechanism, or the setting of a mechanism's systems. */
enum sw_kind { SW_OF_GPU, SW_PARAMETER, SW_SETTING };

struct sw_dimension {
	char key[CT_SWEPT_KEY_MAX];
	enum sw_kind kind;
	unsigned mechanism;               /* of the last two, in the registry */
	char (*value)[CT_RANGE_PART_MAX]; /* as -p takes them and as SW shows them; owned */
	size_t n;
};

/* A system that is estimated; the baseline, which is the GPU as configured, has no mechanism. */
struct sw_system {
	int mechanism; /* in the registry, or -1 */
	unsigned index;
	int of_all; /* only its mechanism was named: it is left out where nothing tells of it */
};

/* What is known of a point of an input: lines of a mechanism, a system and an ES record's values, see point.c. */
struct sw_result {
	char *text; /* owned; NULL: nothing was found out */
	int kept;   /* it was in the journal */
};

struct sw_input {
	const char *path;
	char name[CT_WORKLOAD_NAME_MAX];
	int opened;  /* base is there, or why not */
	char *error; /* owned; why its points fail, NULL: they need not */
	struct ct_profile
		*p;      /* what its points are estimated from; NULL where all are kept, or with error */
	int from_trace;  /* p was made by this command, on the GPU that its options name */
	int truncated;   /* --salvage met damage */
	uint64_t digest; /* of --resume */
	struct sw_result *result; /* of each point; owned */
};

struct sw_own {
	/* Of the command line. */
	const char *system_text, *metric_text, *resume;
	double budget; /* seconds; 0: any */
	/* What it means. */
	struct sw_dimension dimension[SW_DIMENSIONS_MAX];
	unsigned n_dimensions;
	struct sw_system system[SW_SYSTEMS_MAX];
	unsigned n_systems;
	uint32_t mechanisms; /* of these systems, a bit each */
	char metric[SW_METRICS_MAX][CT_SWEPT_KEY_MAX];
	unsigned n_metrics; /* 0: all */
	size_t points;      /* of each input */
	struct sw_input *input;
	size_t n_inputs;
	double start; /* of the budget, by ct_workers_clock() */
	size_t late;  /* points that the budget left out */
};

/* dimension.c: reads KEY=LIST into the next dimension. Fails with CT_ERR_USAGE, naming what is wrong. */
int sw_dimension_read(struct sw_own *o, const char *text, struct ct_error *e);
/* The names of a dimension's value at a point. */
const char *sw_value(const struct sw_own *o, size_t point, unsigned dimension);
/* Points that share a GPU are neighbours in groups: how many groups there are and points each has; the k-th point of a
 * group. */
size_t sw_groups(const struct sw_own *o, size_t *each);
size_t sw_group_point(const struct sw_own *o, size_t group, size_t k);
/* "1048576,20": the values of a point as SW shows them. */
void sw_values(const struct sw_own *o, size_t point, char separator, struct ct_buf *b);
/* "llc.size,sms" */
void sw_keys(const struct sw_own *o, struct ct_buf *b);

/* systems.c: reads --system, or chooses what is estimated without it. Fails with CT_ERR_USAGE. */
int sw_systems_read(struct sw_own *o, struct ct_error *e);
/* The names of a system as records have them. Static storage. */
const char *sw_mechanism_name(const struct sw_system *s);
const char *sw_system_name(const struct sw_system *s);

/* metric.c: reads --metric. Fails with CT_ERR_USAGE, naming what is no metric. */
int sw_metrics_read(struct sw_own *o, struct ct_error *e);
/* After the points: how many of the metrics that were asked for no row has; *e then tells of them with CT_ERR_USAGE, and
 * lists those that the systems have. */
unsigned sw_metrics_absent(const struct sw_own *o, struct ct_error *e);

/* What a group of points is estimated with, in a process of its own. */
struct sw_task {
	struct ct_tool *t;
	const struct sw_input *input;
	size_t group;
	int may_pass; /* the trace may be read again where the profile does not suffice */
};

/* open.c: reads the input, which a trace is made a profile of, and writes what sw_open_take() reads. */
void sw_open_input(struct ct_tool *t, size_t i, struct ct_buf *reply);
/* Takes that into the input; reply NULL: it failed as `why` tells. */
int sw_open_take(struct ct_tool *t, size_t i, char *reply, size_t n, const char *why,
                 struct ct_error *e);

/* point.c: estimates the points of a group and writes a line for each number found, behind a line "P<TAB>point":
 *
 *   R<TAB>mechanism<TAB>system<TAB>metric<TAB>value<TAB>unit<TAB>method<TAB>low<TAB>high
 *   M<TAB>mechanism<TAB>system<TAB>metric,metric...   what a system has beside, where it lacks a metric of --metric
 *   E<TAB>mechanism<TAB>system<TAB>why it has no number
 *   W<TAB>warning
 *
 * or the one line "N" when a point needs the trace and may not have it. */
void sw_estimate_group(const struct sw_task *task, struct ct_buf *reply);

/* run.c: opens the inputs and estimates all points. Fails for what stops all of them; points that fail say so. */
int sw_run(struct ct_tool *t, struct ct_error *e);

/* journal.c: --resume. Opens or makes the file and takes the points it has into o->input[].result; append adds one. */
struct sw_journal;
int sw_journal_open(struct sw_journal **j, struct ct_tool *t, struct ct_error *e);
int sw_journal_append(struct sw_journal *j, const struct sw_own *o, size_t input, size_t point,
                      struct ct_error *e);
void sw_journal_close(struct sw_journal *j); /* NULL allowed */

/* print.c: the rows in the format that -O asks for. */
int sw_print(struct ct_tool *t, struct ct_error *e);
/* Whether that is the records of a profile. */
int sw_prints_profile(const struct ct_tool *t);
/* Tells why points have failed; how many have. */
size_t sw_tell_failures(struct ct_tool *t);

#endif
