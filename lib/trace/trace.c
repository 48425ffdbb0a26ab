/* trace.c - a trace as one sequence of kernels, whatever files it comes from. */
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "trace/arrays.h"
#include "trace/private/list.h"
#include "trace/private/reader.h"
#include "trace/private/streams.h"

/* Lists are read whole; the largest seen have some 100,000 lines. */
enum { LIST_MAX = 64 << 20 };

struct ct_trace {
	struct ct_env env;
	struct ct_trace_stats stats;
	struct ct_buf
		unwanted; /* ", NAME" of kernels that the filter does not want, until one is wanted */
	char *path;
	char *file; /* path, or the list in that folder */
	char format[40];
	int is_list;
	struct ct_list list;
	size_t next_entry;
	uint32_t next_id;         /* without a list */
	struct ct_source *source; /* being read; NULL between members */
	const struct ct_reader_ops *ops;
	void *reader;                   /* of the source */
	int in_kernel;                  /* CTAs may follow */
	int kernel_of_member;           /* the member's one kernel has been handed out */
	uint64_t base_bytes, base_text; /* of what was read before the source */
	uint64_t stream;
	struct ct_error damage;
	struct ct_streams *streams;   /* launches that run together; NULL: none do */
	struct ct_filter *own_filter; /* freed with the trace, or NULL */
};

static int is_folder(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static struct ct_source_options source_options(const struct ct_trace_options *o)
{
	struct ct_source_options s = {0};
	if (o) {
		s.no_thread = o->no_threads;
		s.max_expand = o->max_expand;
		s.keep = o->keep;
	}
	return s;
}

/* Makes a trace without a reader. `path` is what the user gave, `file` what is opened. */
static int trace_new(struct ct_trace **out, const char *path, const char *file,
                     const struct ct_trace_options *o, struct ct_error *e)
{
	struct ct_trace *t = calloc(1, sizeof *t);
	*out = NULL;
	if (!t)
		return ct_fail_nomem(e);
	if (o)
		t->env.options = *o;
	t->env.stats = &t->stats;
	t->env.store = ct_store_new(t->env.options.max_memory);
	t->env.arrays = ct_arrays_new();
	t->path = ct_strndup(path, strlen(path));
	t->file = ct_strndup(file, strlen(file));
	if (!t->env.store || !t->env.arrays || !t->path || !t->file) {
		ct_trace_close(t);
		return ct_fail_nomem(e);
	}
	*out = t;
	return CT_OK;
}

/* Fails with what the input is instead of a trace, and with what to do. */
static int refuse_kind(const struct ct_source *s, enum ct_kind kind, struct ct_error *e)
{
	static const struct {
		enum ct_kind kind;
		int status;
		const char *why;
	} reasons[] = {
		{CT_KIND_EMPTY, CT_ERR_INPUT, "the input is empty: not a trace"},
		{CT_KIND_PROFILE, CT_ERR_INPUT, "this is a profile, not a trace"},
		{CT_KIND_JSON, CT_ERR_UNSUPPORTED, "JSON logs are not supported: give Accel-Sim text"},
		{CT_KIND_CTZ, CT_ERR_INPUT, "a packed trace inside a kernels list: give it alone"},
		{CT_KIND_NVBIT, CT_ERR_INPUT,
	         "an NVBit mem_trace log inside a kernels list: give it alone"},
		{CT_KIND_TEXT, CT_ERR_INPUT,
	         "unknown text, no -kernel name header: neither trace nor kernels list (see --pattern)"},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].kind == kind)
			return ct_fail(e, reasons[i].status, "%s:1: %s", ct_source_name(s),
			               reasons[i].why);
	return ct_fail(e, CT_ERR_INPUT, "%s:1: unknown binary data: neither text nor xz, gz or zst",
	               ct_source_name(s));
}

/* ---- lists ---- */

/* Reads a kernels list into memory. Errors name the line at which they came. */
static int read_whole(struct ct_source *s, struct ct_buf *b, struct ct_error *e)
{
	const char *p;
	size_t n;
	struct ct_error bare;
	uint64_t line = 1;
	int st;
	while ((st = ct_source_read_bare(s, &p, &n, &bare)) > 0) {
		ct_buf_add(b, p, n);
		if (b->len > LIST_MAX)
			return ct_fail(e, CT_ERR_LIMIT, "%s:1: kernels list above %d MiB",
			               ct_source_name(s), LIST_MAX >> 20);
	}
	if (st == 0)
		return ct_buf_check(b, e);
	for (size_t i = 0; i < b->len; i++)
		line += b->data[i] == '\n';
	return ct_fail(e, st, "%s:%" PRIu64 ": %s", ct_source_name(s), line, bare.text);
}

/* Warns where a kernels list and its folder do not agree: lines that are not understood, files that are missing, out of
 * order, or not in the list. */
static void say_skipped(const struct ct_trace *t, const char *name)
{
	const struct ct_list *l = &t->list;
	const struct ct_diag *d = &t->env.options.diag;
	if (l->unknown)
		ct_warn(d,
		        "%s:%" PRIu64 ": %" PRIu64 " lines of the list are no kernels or copies to the "
		        "device and were passed over, this is the first",
		        name, l->first_unknown, l->unknown);
	if (l->missing) {
		const struct ct_list_entry *x = &l->entry[l->first_missing];
		ct_warn(d,
		        "%s:%" PRIu64 ": %" PRIu64 " of %" PRIu64 " kernels of the list are missing, "
		        "%.200s is the first",
		        name, x->line, l->missing, l->kernels, x->name);
	}
	if (l->unordered)
		ct_warn(d,
		        "%s: its kernels are not in the order of their numbers, %.200s is the first: have lines changed "
		        "places?",
		        name, l->entry[l->first_unordered].name);
	if (l->unlisted)
		ct_warn(d,
		        "%s: %" PRIu64
		        " kernels of its folder are not in the list and were not read, %.200s is the "
		        "first by name",
		        name, l->unlisted, l->first_unlisted);
}

/* Reads a kernels list and what lies beside it, and finds its kernels' files. */
static int open_list(struct ct_trace *t, struct ct_source *s, struct ct_error *e)
{
	struct ct_buf text = {0};
	const char *name = ct_source_name(s);
	char *folder = NULL;
	int st = read_whole(s, &text, e);
	t->is_list = 1;
	if (st == CT_OK && !(folder = ct_list_folder(name)))
		st = ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_list_parse(&t->list, name, text.data, text.len, e);
	if (st == CT_OK)
		st = ct_list_locate(&t->list, name, folder, t->env.options.trust_paths, e);
	if (st == CT_OK)
		st = ct_list_find_unlisted(&t->list, name, folder, e);
	if (st == CT_OK)
		st = ct_list_read_beside(&t->list, name, folder, e);
	if (st == CT_OK) {
		t->stats.raw_bytes = t->base_bytes = ct_source_raw_bytes(s);
		t->stats.crc64 = ct_source_raw_crc64(s);
		t->stats.text_bytes = t->base_text = text.len;
		t->stats.unknown_commands = t->list.unknown;
		t->stats.missing_kernels = t->list.missing;
		t->stats.unlisted_kernels = t->list.unlisted;
		snprintf(t->format, sizeof t->format, "accelsim-list");
		say_skipped(t, name);
		if (t->list.status)
			ct_env_note_status(&t->env, name, t->list.status);
	}
	ct_buf_free(&text);
	free(folder);
	return st;
}

/* ---- opening ---- */

static int start_reader(struct ct_trace *t, struct ct_source *s, const struct ct_reader_ops *ops,
                        struct ct_error *e)
{
	t->source = s;
	t->ops = ops;
	return ops->open(&t->reader, s, &t->env, e);
}

/* Starts the reader for what the input is. It takes the source over, also when it fails. */
static int open_source(struct ct_trace *t, struct ct_source *s, struct ct_error *e)
{
	enum ct_kind kind = CT_KIND_EMPTY;
	if (t->env.options.pattern) { /* looked at only for what it is packed with */
		int sniffed = ct_source_sniff(s, &kind, e);
		if (sniffed < 0) {
			ct_source_close(s);
			return sniffed;
		}
		snprintf(t->format, sizeof t->format, "pattern/%s", ct_source_format(s));
		return start_reader(t, s, &ct_pattern_ops, e);
	}
	int st = ct_source_sniff(s, &kind, e);
	if (st == CT_OK && kind == CT_KIND_ACCELSIM) {
		snprintf(t->format, sizeof t->format, "accelsim/%s", ct_source_format(s));
		return start_reader(t, s, &ct_accelsim_ops, e);
	}
	if (st == CT_OK && kind == CT_KIND_TRACEZ) {
		snprintf(t->format, sizeof t->format, "tracez/%s", ct_source_format(s));
		return start_reader(t, s, &ct_tracez_ops, e);
	}
	if (st == CT_OK && kind == CT_KIND_NVBIT) {
		snprintf(t->format, sizeof t->format, "nvbit-log/%s", ct_source_format(s));
		return start_reader(t, s, &ct_nvbit_ops, e);
	}
	if (st == CT_OK && kind == CT_KIND_CTZ) {
		snprintf(t->format, sizeof t->format, "ctz/%s", ct_source_format(s));
		return start_reader(t, s, &ct_ctz_ops, e);
	}
	if (st == CT_OK)
		st = kind == CT_KIND_KERNELSLIST ? open_list(t, s, e) : refuse_kind(s, kind, e);
	ct_source_close(s);
	return st;
}

/* Finds the launches that run together, which takes another look at the trace. The filter chooses among them then. */
static int join_streams(struct ct_trace *t, const struct ct_trace_options *o, struct ct_error *e)
{
	if (strcmp(t->path, "-") == 0 || (!t->is_list && t->ops != &ct_ctz_ops))
		return ct_fail(
			e, CT_ERR_USAGE,
			"%s: --streams looks at all launches first: give a kernels list or a packed "
			"trace, and no pipe",
			t->path);
	t->env.options.filter = NULL;
	return ct_streams_new(&t->streams, t, t->path, &t->env, o, e);
}

/* Opens a trace from a source, which it takes over, also when it fails. */
static int open_as(struct ct_trace **out, const char *path, struct ct_source *s,
                   const struct ct_trace_options *o, struct ct_error *e)
{
	struct ct_trace *t;
	*out = NULL;
	int st = trace_new(&t, path, ct_source_name(s), o, e);
	if (st < 0) {
		ct_source_close(s);
		return st;
	}
	st = open_source(t, s, e);
	if (st == CT_OK && o && o->streams)
		st = join_streams(t, o, e);
	if (st < 0) {
		ct_trace_close(t);
		return st;
	}
	*out = t;
	return CT_OK;
}

int ct_trace_open_source(struct ct_trace **out, struct ct_source *s, const struct ct_trace_options *o,
                         struct ct_error *e)
{
	return open_as(out, ct_source_name(s), s, o, e);
}

int ct_trace_open(struct ct_trace **out, const char *path, const struct ct_trace_options *o,
                  struct ct_error *e)
{
	struct ct_source_options so = source_options(o);
	struct ct_source *s;
	char *list = NULL;
	*out = NULL;
	if (is_folder(path)) {
		int st = ct_list_in_folder(path, o ? &o->diag : NULL, &list, e);
		if (st < 0)
			return st;
	}
	int st = list ? ct_list_open_member(&s, list, &so, e) : ct_source_open(&s, path, &so, e);
	free(list);
	return st < 0 ? st : open_as(out, path, s, o, e);
}

/* ---- reading ---- */

static void update_stats(struct ct_trace *t)
{
	if (!t->source)
		return;
	t->stats.raw_bytes = t->base_bytes + ct_source_raw_bytes(t->source);
	t->stats.crc64 = ct_source_raw_crc64(t->source);
	t->stats.text_bytes = t->base_text + (t->reader ? t->ops->text_bytes(t->reader) : 0);
	if (t->reader && t->ops->totals)
		(void)t->ops->totals(t->reader, &t->stats.raw_bytes, &t->stats.crc64);
}

static void end_member(struct ct_trace *t)
{
	update_stats(t);
	t->base_bytes = t->stats.raw_bytes;
	t->base_text = t->stats.text_bytes;
	t->ops->close(t->reader);
	ct_source_close(t->source);
	t->reader = NULL;
	t->source = NULL;
	t->in_kernel = 0;
}

/* A failure: final, unless what precedes damage is to be used. */
static int give_up(struct ct_trace *t, int st, struct ct_error *e)
{
	if (st != CT_ERR_INPUT || !t->env.options.salvage || t->stats.kernels == 0)
		return st;
	if (e)
		t->damage = *e;
	t->damage.status = st;
	t->stats.truncated = 1;
	/* Count and checksum of the file are of all of it, however far its reader had got. */
	struct ct_error own;
	int rest = t->source ? ct_source_drain(t->source, &own) : CT_OK;
	update_stats(t);
	if (rest < 0 && e)
		*e = own;
	return rest;
}

/* Opens the file of a list's kernel; passes over it when its number is enough to know
 * that it is not wanted. */
static int open_member(struct ct_trace *t, const struct ct_list_entry *x, struct ct_error *e)
{
	struct ct_source_options so = source_options(&t->env.options);
	struct ct_source *s;
	enum ct_kind kind;
	int st = ct_list_open_member(&s, x->path, &so, e);
	if (st < 0)
		return st;
	ct_source_continue_crc(s, t->stats.crc64);
	st = ct_source_sniff(s, &kind, e);
	if (st == CT_OK && kind != CT_KIND_ACCELSIM && kind != CT_KIND_TRACEZ)
		st = kind == CT_KIND_KERNELSLIST
		             ? ct_fail(e, CT_ERR_INPUT, "%s:1: a kernels list inside a kernels list",
		                       x->path)
		             : refuse_kind(s, kind, e);
	if (st < 0) {
		ct_source_close(s);
		return st;
	}
	t->kernel_of_member = 0;
	return start_reader(t, s, kind == CT_KIND_TRACEZ ? &ct_tracez_ops : &ct_accelsim_ops, e);
}

/* Next of the list: 1 a copy in *ev, 2 a member was opened, 0 the end. */
static int next_of_list(struct ct_trace *t, struct ct_event *ev, struct ct_error *e)
{
	while (t->next_entry < t->list.n) {
		const struct ct_list_entry *x = &t->list.entry[t->next_entry++];
		if (!x->is_kernel) {
			t->stats.memcpys++;
			*ev = (struct ct_event){
				.kind = CT_EVENT_MEMCPY, .address = x->address, .bytes = x->bytes};
			return 1;
		}
		if (!x->path)
			continue;
		t->next_id = x->id - 1;
		int st = open_member(t, x, e);
		return st < 0 ? st : 2;
	}
	return 0;
}

static void note_stream(struct ct_trace *t, const struct ct_kernel *k)
{
	if (t->stats.kernels == 1)
		t->stream = k->stream;
	if (k->stream == t->stream || t->stats.several_streams || t->env.options.streams)
		return;
	t->stats.several_streams = 1;
	ct_warn(&t->env.options.diag, "%s: kernels of several streams are taken one after the other",
	        t->path);
}

/* Passes over a kernel that the filter does not want. A list's file holds one kernel,
 * so its rest need not even be decompressed. */
static int pass_over(struct ct_trace *t, struct ct_error *e)
{
	t->stats.skipped_kernels++;
	if (!t->is_list)
		return t->ops->skip ? t->ops->skip(t->reader, e) : CT_OK;
	int st = ct_source_drain(t->source, e);
	end_member(t);
	return st;
}

/* Notes the name of a kernel that the filter does not want, each once, while there are few. */
static void note_unwanted(struct ct_trace *t, const struct ct_kernel *k)
{
	enum { FEW = 400 };
	struct ct_buf name = {0};
	ct_buf_puts(&name, ", ");
	ct_filter_listed(t->env.options.filter, k, &name);
	ct_buf_putc(&name, '\0');
	if (name.failed)
		t->unwanted.failed = 1;
	else if (t->unwanted.len < FEW && !(t->unwanted.len && strstr(t->unwanted.data, name.data)))
		ct_buf_printf(&t->unwanted, "%.200s", name.data);
	ct_buf_free(&name);
}

static int is_wanted(struct ct_trace *t, const struct ct_kernel *k, struct ct_error *e)
{
	if (!t->env.options.filter)
		return 1;
	int st = ct_filter_matches(t->env.options.filter, k);
	if (st == 0 && !t->stats.kernels)
		note_unwanted(t, k);
	if (st == CT_ERR_NOMEM || t->unwanted.failed)
		return ct_fail_nomem(e);
	return st < 0 ? ct_fail(e, st, "%s: the -k pattern takes too long on the name of kernel %u",
	                        k->path, k->id)
	              : st;
}

/* What the list says of the kernel. A tracer gives a kernel's file the number that its header has. */
static void check_name(struct ct_trace *t, struct ct_kernel *k)
{
	const struct ct_list_entry *x = &t->list.entry[t->next_entry - 1];
	k->unordered = x->unordered;
	t->stats.unordered_kernels += k->unordered;
	const char *slash = strrchr(x->name, '/'), *name = slash ? slash + 1 : x->name;
	uint64_t n = 0;
	if (strncmp(name, "kernel-", 7) != 0 || !k->header_id)
		return;
	const char *p = name + 7;
	for (; *p >= '0' && *p <= '9' && n < UINT64_MAX / 10 - 1; p++)
		n = 10 * n + (uint64_t)(*p - '0');
	if (p == name + 7 || n == k->header_id)
		return;
	k->misnamed = 1;
	if (t->stats.misnamed_kernels++ == 0)
		ct_warn(&t->env.options.diag,
		        "%s: its header says kernel %" PRIu64 ": were files of the list "
		        "swapped, copied or renamed?",
		        x->path, k->header_id);
}

/* Makes those arrays known that arrays.tsv has before the launch. */
static int give_arrays(struct ct_trace *t, const struct ct_kernel *k, struct ct_error *e)
{
	return ct_list_give_arrays(
		&t->list, k->header_id ? k->header_id : k->id, k->id, t->env.arrays, e);
}

/* Next kernel of the file being read: 1, 0 when it has no more wanted one. */
static int next_of_source(struct ct_trace *t, struct ct_event *ev, struct ct_error *e)
{
	struct ct_launch *l;
	while (t->reader) {
		int st = t->ops->next_kernel(t->reader, t->next_id + 1, &l, e);
		if (st <= 0)
			return st;
		if (t->is_list && t->kernel_of_member)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s: a second kernel in one file of a list: list them one "
			               "by one",
			               ct_source_name(t->source));
		t->next_id++;
		t->kernel_of_member = 1;
		if (t->is_list) {
			check_name(t, &l->kernel);
			st = give_arrays(t, &l->kernel, e);
		}
		if (st >= 0)
			st = is_wanted(t, &l->kernel, e);
		if (st > 0) {
			st = t->ops->begin ? t->ops->begin(t->reader, e) : CT_OK;
			if (st < 0)
				return st;
			t->stats.kernels++;
			note_stream(t, &l->kernel);
			t->in_kernel = 1;
			*ev = (struct ct_event){.kind = CT_EVENT_KERNEL, .kernel = &l->kernel};
			return 1;
		}
		if (st == 0)
			st = pass_over(t, e);
		if (st < 0)
			return st;
	}
	return 0;
}

/* The same of a packed trace, which has copies too and brings its kernels' numbers. */
static int next_packed(struct ct_trace *t, struct ct_event *ev, struct ct_error *e)
{
	struct ct_launch *l;
	for (;;) {
		int st = t->ops->next_event(t->reader, &l, ev, e);
		update_stats(t);
		if (st == 2)
			t->stats.memcpys++;
		if (st != 1)
			return st < 1 ? st : 1;
		st = is_wanted(t, &l->kernel, e);
		if (st > 0) {
			t->stats.kernels++;
			note_stream(t, &l->kernel);
			t->in_kernel = 1;
			*ev = (struct ct_event){.kind = CT_EVENT_KERNEL, .kernel = &l->kernel};
			return 1;
		}
		if (st == 0) {
			t->stats.skipped_kernels++;
			st = t->ops->skip(t->reader, e);
		}
		if (st < 0)
			return st;
	}
}

/* All was read: what was allocated behind the last launch is known, too. */
static int at_end(struct ct_trace *t, struct ct_error *e)
{
	int st = ct_list_give_arrays(&t->list, UINT64_MAX, (uint64_t)t->next_id + 1, t->env.arrays, e);
	if (st < 0)
		return st;
	if (ct_arrays_lost(t->env.arrays))
		ct_warn(&t->env.options.diag,
		        "%s: %" PRIu64 " arrays beyond the first %d are not told apart", t->path,
		        ct_arrays_lost(t->env.arrays), CT_ARRAYS_MAX);
	if (t->stats.null_global)
		ct_warn(&t->env.options.diag,
		        "%s: %" PRIu64
		        " lanes access global memory at address 0: its tracer lost their addresses, and "
		        "misses, traffic and cycles are not the program's",
		        t->path, t->stats.null_global);
	if (t->stats.kernels || t->stats.truncated || !t->stats.skipped_kernels)
		return 0;
	return ct_fail(e, CT_ERR_USAGE, "%s: -k matches none of its %" PRIu64 " kernels%s%s", t->path,
	               t->stats.skipped_kernels, t->unwanted.len ? ": " : "",
	               t->unwanted.len ? t->unwanted.data + 2 : "");
}

int ct_trace_next_launch(struct ct_trace *t, struct ct_event *ev, struct ct_error *e)
{
	while (!t->stats.truncated) {
		int st = 0;
		t->in_kernel = 0;
		if (t->reader) {
			st = t->ops->next_event ? next_packed(t, ev, e) : next_of_source(t, ev, e);
			if (st < 0)
				return give_up(t, st, e);
			if (st > 0)
				return 1;
			if (t->reader)
				end_member(t);
		}
		st = t->is_list ? next_of_list(t, ev, e) : 0;
		if (st < 0)
			return give_up(t, st, e);
		if (st == 0)
			return at_end(t, e);
		if (st == 1)
			return 1;
	}
	return 0;
}

int ct_trace_next_launch_cta(struct ct_trace *t, struct ct_cta **cta, struct ct_error *e)
{
	*cta = NULL;
	if (!t->in_kernel || !t->reader)
		return 0;
	int st = t->ops->next_cta(t->reader, cta, e);
	update_stats(t);
	if (st > 0)
		return st;
	t->in_kernel = 0;
	if (st == 0)
		return 0;
	st = give_up(t, st, e);
	if (st == 0 && t->ops->partial && (*cta = t->ops->partial(t->reader)))
		return 1;
	return st;
}

int ct_trace_skip_launch(struct ct_trace *t, uint64_t *bytes, struct ct_error *e)
{
	struct stat file;
	*bytes = 0;
	if (!t->in_kernel || !t->reader)
		return CT_OK;
	t->in_kernel = 0;
	if (t->ops->next_event) { /* packed: its blocks say where they end */
		uint64_t before = t->ops->text_bytes(t->reader);
		int st = t->ops->skip(t->reader, e);
		*bytes = t->ops->text_bytes(t->reader) - before;
		return st < 0 ? give_up(t, st, e) : st;
	}
	if (t->is_list && stat(ct_source_name(t->source), &file) == 0)
		*bytes = (uint64_t)file.st_size;
	end_member(t);
	return CT_OK;
}

int ct_trace_next(struct ct_trace *t, struct ct_event *ev, struct ct_error *e)
{
	return t->streams ? ct_streams_next(t->streams, ev, e) : ct_trace_next_launch(t, ev, e);
}

int ct_trace_next_cta(struct ct_trace *t, struct ct_cta **cta, struct ct_error *e)
{
	return t->streams ? ct_streams_next_cta(t->streams, cta, e)
	                  : ct_trace_next_launch_cta(t, cta, e);
}

int ct_trace_skip_kernel(struct ct_trace *t, uint64_t *bytes, struct ct_error *e)
{
	return t->streams ? ct_streams_skip_kernel(t->streams, bytes, e)
	                  : ct_trace_skip_launch(t, bytes, e);
}

/* Reads CTAs and drops them. */
static int drop_ctas(struct ct_trace *t, uint64_t n, struct ct_trace_skipped *skipped,
                     struct ct_error *e)
{
	int st = 1;
	while (skipped->ctas < n && st > 0) {
		struct ct_cta *cta;
		if ((st = ct_trace_next_cta(t, &cta, e)) <= 0)
			break;
		skipped->ctas++;
		skipped->warps += ct_cta_warps(cta);
		for (uint32_t i = 0; i < ct_cta_warps(cta); i++)
			skipped->insts += ct_cta_warp(cta, i)->insts;
		ct_cta_unref(cta);
	}
	return st < 0 ? st : CT_OK;
}

int ct_trace_skip_ctas(struct ct_trace *t, uint64_t n, struct ct_trace_skipped *skipped,
                       struct ct_error *e)
{
	*skipped = (struct ct_trace_skipped){0};
	if (t->streams)
		return drop_ctas(t, n, skipped, e);
	if (!t->in_kernel || !t->reader)
		return CT_OK;
	int st = t->ops->skip_ctas ? t->ops->skip_ctas(t->reader, n, skipped, e) : CT_OK;
	update_stats(t);
	if (st < 0)
		return give_up(t, st, e);
	return drop_ctas(t, n, skipped, e);
}

uint64_t ct_trace_kernel_size(struct ct_trace *t, int *is_insts)
{
	struct stat file;
	*is_insts = 0;
	if (t->streams || !t->in_kernel || !t->reader)
		return 0;
	if (t->ops->kernel_insts) {
		*is_insts = 1;
		return t->ops->kernel_insts(t->reader);
	}
	return t->is_list && stat(ct_source_name(t->source), &file) == 0 ? (uint64_t)file.st_size : 0;
}

const struct ct_arrays *ct_trace_arrays(const struct ct_trace *t)
{
	return t->env.arrays;
}

const struct ct_trace_stats *ct_trace_stats(const struct ct_trace *t)
{
	return &t->stats;
}

int ct_trace_is_damaged(const struct ct_trace *t)
{
	return t->stats.truncated || t->stats.lost_warps;
}

const struct ct_error *ct_trace_damage(const struct ct_trace *t)
{
	return t->stats.truncated ? &t->damage : NULL;
}

const char *ct_trace_path(const struct ct_trace *t)
{
	return t->path;
}

const char *ct_trace_format(const struct ct_trace *t)
{
	return t->format;
}

int ct_trace_each_file(const struct ct_trace *t, int (*f)(void *ctx, const char *path), void *ctx)
{
	int st = f(ctx, t->file);
	for (size_t i = 0; st == 0 && i < t->list.n; i++)
		if (t->list.entry[i].path)
			st = f(ctx, t->list.entry[i].path);
	return st;
}

void ct_trace_own_filter(struct ct_trace *t, struct ct_filter *f)
{
	t->own_filter = f;
}

void ct_trace_close(struct ct_trace *t)
{
	if (!t)
		return;
	if (t->ops)
		t->ops->close(t->reader);
	ct_source_close(t->source);
	ct_streams_free(t->streams);
	ct_list_free(&t->list);
	ct_arrays_free(t->env.arrays);
	ct_store_unref(t->env.store);
	ct_filter_free(t->own_filter);
	ct_buf_free(&t->unwanted);
	free(t->path);
	free(t->file);
	free(t);
}
