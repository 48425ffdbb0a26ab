/* The text of a gpgpusim.config: options, values over several words or lines in quotes,
 * comments; and what follows from several options together. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu_keys.h"
#include "gpu/sim.h"

/* What the simulator assumes where a file is silent (its option table, version 4.2). */
/* clang-format off */
static const struct { const char *key, *value; } defaults[] = {
	{"sm.scheduler", "gto"}, {"sm.schedulers", "1"}, {"sm.registers", "8192"},
	{"sm.max_threads", "1024"}, {"sm.max_ctas", "8"}, {"sm.register_banks", "8"},
	{"sm.launch_cycles", "0"}, {"clock.core", "500"}, {"clock.noc", "2000"}, {"clock.llc", "2000"},
	{"clock.dram", "2000"}, {"l1.banks", "1"}, {"l1.latency", "1"}, {"l1.flush", "off"},
	{"l1.adaptive", "off"}, {"l1.unified", "0"}, {"l1.dirty_percent", "0"}, {"shmem.size", "16KiB"},
	{"shmem.options", ""}, {"shmem.latency", "3"}, {"shmem.banks", "16"}, {"llc.latency", "85"},
	{"llc.slice_hash", "linear"}, {"llc.queue", "8"}, {"dram.latency", "30"}, {"dram.banks", "4"},
	{"dram.bank_groups", "1"}, {"dram.burst", "4"}, {"dram.data_ratio", "2"}, {"dram.ccd", "2"},
	{"dram.ccdl", "0"}, {"dram.rrd", "8"}, {"dram.rcd", "12"}, {"dram.ras", "21"}, {"dram.rp", "13"},
	{"dram.rc", "34"}, {"dram.cl", "9"}, {"dram.wl", "4"}, {"dram.cdlr", "5"}, {"dram.wr", "13"},
	{"dram.rtpl", "0"}, {"dram.queue", "1048576"}, {"dram.return_queue", "1048576"},
	{"dram.fifo", "off"}, {"dram.mapping", ""}, {"noc.flit", "32"}, {"unit.int", "4,1"},
	{"unit.sp", "4,1"}, {"unit.dp", "4,1"}, {"unit.sfu", "4,1"}, {"unit.tensor", "4,1"},
};
/* clang-format on */
static const char default_llc[] = "S:64:128:8,L:B:m:N:L,A:16:4,4";

int ct_sim_recognise(const char *text, size_t n)
{
	static const char mark[] = "-gpgpu_";
	size_t at = 0;
	while (at < n) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - (text + at)) : n - at, i = 0;
		while (i < len && (text[at + i] == ' ' || text[at + i] == '\t'))
			i++;
		if (len - i >= sizeof mark - 1 && memcmp(text + at + i, mark, sizeof mark - 1) == 0)
			return 1;
		at += len + 1;
	}
	return 0;
}

/* Reads words: blanks separate, quotes join, '#' starts a comment. */
struct words {
	const char *text;
	size_t n, at;
	unsigned line;
	unsigned word_line; /* where the last word began */
};

/* 1: the next word is in out; 0: none left; -1: it does not fit or has a NUL. */
static int next_word(struct words *w, char *out, size_t room, int *quoted)
{
	size_t used = 0;
	int started = 0, inside = 0;
	*quoted = 0;
	for (; w->at < w->n; w->at++) {
		char c = w->text[w->at];
		if (!inside && (c == '#' || isspace((unsigned char)c))) {
			if (started)
				break;
			while (c == '#' && w->at + 1 < w->n && w->text[w->at + 1] != '\n')
				w->at++;
			w->line += c == '\n';
			continue;
		}
		w->line += c == '\n';
		if (!started)
			w->word_line = w->line;
		started = 1;
		if (c == '"') {
			inside = !inside;
			*quoted = 1;
			continue;
		}
		if (c == 0 || used + 1 >= room)
			return -1;
		out[used++] = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
	}
	out[used] = 0;
	return started;
}

static int run_option(struct ct_sim *s, char *option, char *value, struct ct_error *e)
{
	size_t n = strlen(value);
	if (!*option)
		return 0;
	while (n && value[n - 1] == ' ')
		value[--n] = 0;
	s->option = option;
	s->value = value;
	return ct_sim_apply(s, e);
}

/* Collects each option's words up to the next one, and runs it. A value may go on over several lines. */
static int read_options(struct ct_sim *s, const struct ct_sim_text *text, struct ct_error *e)
{
	struct words w = {.text = text->text, .n = text->n, .line = 1};
	char word[CT_SIM_VALUE], option[CT_SIM_NAME] = "", value[CT_SIM_VALUE] = "";
	int more, quoted, rc;
	s->file = text->name;
	while ((more = next_word(&w, word, sizeof word, &quoted)) > 0) {
		if (!quoted && word[0] == '-' && isalpha((unsigned char)word[1])) {
			if ((rc = run_option(s, option, value, e)) < 0)
				return rc;
			if (strlen(word) > sizeof option)
				return ct_fail(e, CT_ERR_INPUT, "%s:%u: option name of %zu characters",
				               text->name, w.word_line, strlen(word));
			memcpy(option, word + 1, strlen(word));
			value[0] = 0;
			s->line = w.word_line;
			continue;
		}
		size_t used = strlen(value);
		if (!option[0])
			return ct_fail(e, CT_ERR_INPUT,
			               "%s:%u: '%s': wanted an option that starts with a dash",
			               text->name, w.word_line, word);
		if (used + strlen(word) + 2 > sizeof value)
			return ct_fail(e, CT_ERR_INPUT, "%s:%u: value of -%s is too long", text->name,
			               w.word_line, option);
		if (used)
			value[used++] = ' ';
		memcpy(value + used, word, strlen(word) + 1);
	}
	if (more < 0)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: a word is too long, or binary", text->name,
		               w.line);
	return run_option(s, option, value, e);
}

/* Begins with the values that GPGPU-Sim has for options that a file leaves out. */
static int start_defaults(struct ct_sim *s, const char *path, struct ct_error *e)
{
	char note[160];
	int rc;
	s->option = "default";
	s->value = "";
	s->file = path;
	ct_gpu_defaults(s->g);
	for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
		if ((rc = ct_sim_set(s, defaults[i].key, defaults[i].value, e)) < 0)
			return rc;
	(void)ct_sim_cache(&s->g->llc, default_llc, note, sizeof note);
	s->clusters = 10;
	s->cores = 3;
	s->channels = 8;
	s->per_channel = s->chips = 1;
	s->bus = 4;
	for (unsigned i = 0; i < CT_SIM_UNITS; i++)
		s->unit[i] = (struct ct_unit_timing){4, 4};
	return 0;
}

/* The folder's name, which is what configurations are called by; else the file's. */
static void name_gpu(struct ct_gpu *g, const char *path)
{
	const char *slash = strrchr(path, '/'), *begin = slash, *name = path;
	size_t n = strlen(path), k = 0;
	if (slash && slash != path) {
		while (begin > path && begin[-1] != '/')
			begin--;
		name = begin;
		n = (size_t)(slash - begin);
	}
	memset(g->name, 0, sizeof g->name);
	for (size_t i = 0; i < n && k + 1 < sizeof g->name; i++)
		if (name[i] > ' ' && name[i] <= '~' && name[i] != '#')
			g->name[k++] = name[i];
	if (k == 0 || strcmp(g->name, ".") == 0 || strcmp(g->name, "..") == 0)
		snprintf(g->name, sizeof g->name, "gpgpusim");
}

/* Gives special units their timing, by the names that the configuration gives them, and those without a
 * timing of their own that of a near one. */
static void finish_units(struct ct_sim *s)
{
	static const struct {
		const char *name;
		enum ct_unit_class class;
	} names[] = {
		{"BRA", CT_CLASS_BRANCH},
		{"TEX", CT_CLASS_TEX},
		{"TENSOR", CT_CLASS_TENSOR},
		{"UDP", CT_CLASS_UNIFORM},
	};
	struct ct_unit_timing *u = s->g->unit;
	u[CT_CLASS_ALU] = u[CT_CLASS_DEPBAR] = u[CT_CLASS_LDGDEPBAR] = u[CT_CLASS_INT];
	u[CT_CLASS_HALF] = u[CT_CLASS_SP];
	u[CT_CLASS_HALF].initiation = u[CT_CLASS_SP].initiation > 1 ? u[CT_CLASS_SP].initiation / 2 : 1;
	for (unsigned i = 0; i < CT_SIM_UNITS; i++)
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
			if (strcmp(s->unit_name[i], names[k].name) == 0)
				u[names[k].class] = s->unit[i];
}

/* Puts together what several options decide: numbers of SMs, channels and slices, collectors, and a GPU
 * without an L1. */
static int finish_gpu(struct ct_sim *s, struct ct_error *e)
{
	struct ct_gpu *g = s->g;
	uint32_t collectors = s->generic_only ? s->collectors_generic : s->collectors;
	if ((uint64_t)s->clusters * s->cores > 4096 || (uint64_t)s->channels * s->per_channel > 4096 ||
	    (uint64_t)s->chips * s->bus > 4096)
		return ct_fail(e, CT_ERR_INPUT, "%s: over 4096 SMs, slices or bytes of a channel",
		               s->file);
	g->sms = s->clusters * s->cores;
	g->dram_channels = g->llc_partitions = s->channels;
	g->llc_slices = s->channels * s->per_channel;
	g->dram_bus_bytes = s->chips * s->bus;
	g->noc_flits_as_one = s->local_crossbar;
	if (collectors)
		g->collectors = collectors > g->schedulers ? collectors / g->schedulers : 1;
	if (g->collectors > 64)
		g->collectors = 64;
	if (!s->have_l1) {
		g->l1_skip = CT_L1_SKIP_ALL;
		g->l1.line = g->llc.line;
		g->l1.sector = g->llc.sector;
		g->l1.sets = g->l1.ways = 1;
		g->l1.size = 0;
		g->l1_adaptive = 0;
	}
	if (g->dram_mapping[0] == 0 && g->partition_interleave < g->llc.line)
		g->partition_interleave = g->llc.line;
	finish_units(s);
	return 0;
}

/* Reads the configuration first and trace.config over it, since Accel-Sim does the same. */
int ct_sim_parse(struct ct_gpu *g, const struct ct_sim_text *config, const struct ct_sim_text *trace,
                 const struct ct_diag *diag, struct ct_error *e)
{
	struct ct_sim s = {.g = g, .diag = diag, .have_trace = trace != NULL};
	int rc = start_defaults(&s, config->name, e);
	name_gpu(g, config->name);
	if (rc == 0)
		rc = read_options(&s, config, e);
	if (rc == 0 && trace)
		rc = read_options(&s, trace, e);
	if (rc < 0)
		return rc;
	s.file = config->name;
	ct_sim_tell_lost(&s);
	return finish_gpu(&s, e);
}
