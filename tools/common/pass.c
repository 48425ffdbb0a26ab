#include "common/pass.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "common/symbols.h"
#include "common/progress.h"
#include "models/observers.h"
#include "pass/scale.h"

int ct_tool_prints_records(const struct ct_tool *t)
{
	return t->output == CT_OUTPUT_PROFILE || t->output == CT_OUTPUT_JSON;
}

/* A profile prints what any command after this one may ask for. */
static int prints_all(const struct ct_tool *t)
{
	return t && ct_tool_prints_records(t);
}

void ct_tool_pass_only(const struct ct_tool *t, struct ct_tool_pass *pass, unsigned layers)
{
	if (prints_all(t))
		return;
	pass->without = ((1u << CT_PASS_LAYERS) - 1) & ~layers;
	pass->unwatched = UINT32_MAX;
}

void ct_tool_pass_for(const struct ct_tool *t, struct ct_tool_pass *pass, uint32_t mechanisms)
{
	if (prints_all(t))
		return;
	pass->without = ct_mechanisms_without(mechanisms);
	pass->unwatched = ~mechanisms;
}

void ct_tool_pass_settings(struct ct_tool *t, struct ct_pass_settings *s)
{
	*s = (struct ct_pass_settings){
		.threads = t->threads,
		.warmup = t->warmup,
		.sample = t->sample,
		.exact = t->exact,
		.sample_kernels = t->sample_kernels,
		.seed = t->seed,
		.max_memory = t->max_memory,
		.memory = ct_tool_memory(t),
		.diag = ct_tool_diag(t),
		.progress = ct_tool_progress(t),
		.trace_root = t->trace_root};
	ct_tool_trace_options(t, &s->trace);
}

/* What a pipe gave is gone, and opening it once more may wait without end. */
static int reads_twice(const char *path)
{
	struct stat s;
	return strcmp(path, "-") != 0 &&
	       (stat(path, &s) != 0 || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
}

static int append_records(struct ct_profile *to, const struct ct_profile *from, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && i < ct_profile_count(from); i++) {
		const struct ct_record *r = ct_profile_at(from, i);
		st = ct_profile_add(to, r->type, r->nfields, r->field, e);
	}
	return st;
}

/* A pass whose arrays, where it is to annotate, are those that symbols name and those that it finds. */
static int run_pass(struct ct_tool *t, struct ct_trace *trace, const struct ct_pass_options *po,
                    const struct ct_tool_pass *asked, struct ct_profile *p, struct ct_error *e)
{
	struct ct_pass_options o = *po;
	int st = asked->annotate ? ct_tool_layout(t, asked->symbols, &o.annotate, e) : CT_OK;
	if (st == CT_OK)
		st = ct_pass_run(trace, &o, p, e);
	ct_layout_free(o.annotate);
	return st;
}

/* A pass on the part of po's GPU that `factor` leaves; 1 leaves it as it is. */
static int run_part(struct ct_tool *t, struct ct_trace *trace, const struct ct_pass_options *po,
                    const struct ct_tool_pass *asked, double factor, struct ct_profile *p,
                    struct ct_error *e)
{
	struct ct_gpu part = *po->gpu;
	struct ct_pass_options o = *po;
	int st = factor == 1 ? CT_OK : ct_gpu_scale(&part, factor, e);
	o.gpu = &part;
	return st == CT_OK ? run_pass(t, trace, &o, asked, p, e) : st;
}

/* A pass on the part of po's GPU that the trace fills. The headers tell which that may be; only the pass itself counts
 * what decides it. Where that is another part, the trace is opened and replayed again, so that the result does not
 * depend on the guess. Its warnings are those of the second pass then. */
static int run_fitting(struct ct_tool *t, struct ct_trace *trace, const struct ct_pass_options *po,
                       const struct ct_tool_pass *asked, struct ct_profile *p, struct ct_error *e)
{
	const char *path = ct_trace_path(trace);
	double waves = 0, right;
	size_t warned = t->warnings.len;
	struct ct_trace *again = NULL;
	const int once = !reads_twice(path); /* a pipe, whose headers cannot be looked at before */
	int st = once ? CT_OK : ct_pass_waves_guess(path, &po->settings.trace, po->gpu, &waves, e);
	double factor = once ? 1 : ct_pass_scale_factor(po->gpu, waves);
	struct ct_profile *guessed = st == CT_OK ? ct_tool_profile(e) : NULL;
	if (st == CT_OK)
		st = guessed ? run_part(t, trace, po, asked, factor, guessed, e) : CT_ERR_NOMEM;
	int counted = st >= 0 ? ct_pass_waves(guessed, po->gpu, &waves, e) : 1;
	right = counted == CT_OK ? ct_pass_scale_factor(po->gpu, waves) : factor;
	if (counted == CT_OK && right != factor && once && !ct_keep_has(&t->keep, path)) {
		if (t->scale < 0)
			st = ct_fail(
				e, CT_ERR_USAGE,
				"--scale auto reads the trace twice, and it is too large to keep: name "
				"a file, give a factor, or raise --max-memory");
		right = factor;
	}
	if (counted < 0) {
		st = counted;
	} else if (st >= 0 && right != factor) {
		if (t->warnings.len > warned) {
			t->warnings.len = warned;
			t->warnings.data[warned] = '\0';
		}
		st = ct_trace_open(&again, path, &po->settings.trace, e);
		if (st == CT_OK)
			st = run_part(t, again, po, asked, right, p, e);
	} else if (st >= 0) {
		int copied = append_records(p, guessed, e);
		st = copied < 0 ? copied : st;
	}
	ct_trace_close(again);
	ct_profile_free(guessed);
	return st;
}

/* What has been measured, for -v: each layer of which anything came, and how many events it has handled. */
static void tell_layers(struct ct_tool *t, const struct ct_pass_events *events)
{
	static const char *const name[CT_PASS_LAYERS] = {
		[CT_PASS_L1] = "l1",
		[CT_PASS_SHARING] = "sharing",
		[CT_PASS_MERGED] = "merged",
		[CT_PASS_LLC] = "llc",
		[CT_PASS_LLC_SMS] = "llc@sms",
		[CT_PASS_REGISTERS] = "registers",
		[CT_PASS_LINE_USE] = "line-use",
		[CT_PASS_REPLICATION] = "replication",
		[CT_PASS_TIMES] = "times"};
	struct ct_buf b = {0};
	for (int i = 0; i < CT_PASS_LAYERS; i++)
		if (events->of[i])
			ct_buf_printf(&b, " %s %" PRIu64, name[i], events->of[i]);
	ct_tool_say(t, "measured:%s", b.len ? b.data : " nothing but the replay");
	ct_buf_free(&b);
}

int ct_tool_pass_run(struct ct_tool *t, struct ct_trace *trace, const struct ct_gpu *g,
                     const struct ct_tool_pass *o, struct ct_profile *p, struct ct_error *e)
{
	static const struct ct_tool_pass plain;
	struct ct_mechanism_observers all;
	struct ct_gpu own;
	struct ct_pass_events events = {{0}};
	struct ct_pass_options po = {.observers = all.list};
	if (!o)
		o = &plain;
	int st = ct_mechanism_observers(&all, o->unwatched, NULL, 0, e);
	ct_tool_pass_settings(t, &po.settings);
	po.timing = t->timing;
	po.per_kernel = o->per_kernel;
	po.without = o->without;
	po.events = &events;
	po.mrc = o->mrc;
	for (unsigned i = 0; i < o->n_observers && st == CT_OK; i++)
		st = ct_mechanism_observers_add(&all, o->observers[i], e);
	po.n_observers = all.n;
	if (st == CT_OK && !g)
		st = ct_tool_gpu(t, NULL, &own, e);
	po.gpu = g ? g : &own;
	if (st != CT_OK)
		return st;
	st = g || !ct_tool_scales(t) ? run_pass(t, trace, &po, o, p, e)
	                             : run_fitting(t, trace, &po, o, p, e);
	if (st >= 0 && t->tell_layers)
		tell_layers(t, &events);
	return st;
}
