#include "pass/reopen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "pass/private/digest.h"

enum { TR_PATH, TR_FORMAT, TR_BYTES, TR_DIGEST }; /* fields of a TR record */

static int is_there(const char *path, struct stat *s)
{
	return stat(path, s) == 0;
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Where the trace lies below the root that was given: the whole path, then without its first folders one after
 * another, and last the root itself, for it may be the trace's own folder or file. A trace that is not there
 * leaves its name below the root in `b` for the message. */
static void locate_below(const char *root, const char *path, struct ct_buf *b)
{
	struct stat s;
	for (const char *rest = path; rest; rest = strchr(rest, '/')) {
		rest += *rest == '/';
		ct_buf_reset(b);
		ct_buf_printf(b, "%s/%s", root, rest);
		if (b->failed || is_there(b->data, &s))
			return;
	}
	if (!is_there(root, &s) || strcmp(last_name(root), last_name(path)) != 0)
		return;
	ct_buf_reset(b);
	ct_buf_puts(b, root);
}

/* Where the trace lies: the path of TR, or that below the root that was given. */
static int locate_trace(const char *root, const struct ct_keep *keep, const char *path, struct ct_buf *b,
                        struct ct_error *e)
{
	struct stat s;
	if (ct_keep_has(keep, path)) {
		ct_buf_puts(b, path);
		return ct_buf_check(b, e);
	}
	if (strcmp(path, "-") == 0)
		return ct_fail(
			e, CT_ERR_USAGE,
			"the profile's trace came from standard input: name the trace as operand");
	if (root)
		locate_below(root, path, b);
	else
		ct_buf_puts(b, path);
	if (b->failed)
		return ct_fail_nomem(e);
	if (!is_there(b->data, &s))
		return ct_fail(e, CT_ERR_IO, "%s: the profile's trace is not there: %s", b->data,
		               root ? "--trace-root names the trace's folder or the one above it"
		                    : "say --trace-root DIR");
	if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) /* opening it may wait without end */
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: the profile's trace came from a pipe: name the trace as operand",
		               b->data);
	return CT_OK;
}

/* The launches that the profile counts (KN), as a filter; NULL where it names none. */
static int launches_of(const struct ct_profile *p, struct ct_filter **f, struct ct_error *e)
{
	const struct ct_record *r;
	uint64_t *id = NULL;
	size_t n = 0, cap = 0;
	int st = CT_OK;
	*f = NULL;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(p, "KN", &i));) {
		if (ct_grow((void **)&id, &cap, n + 1, sizeof *id) < 0)
			st = ct_fail_nomem(e);
		else if (r->nfields > 0 && ct_field_count(r->field[0], &id[n]))
			n++;
	}
	if (st == CT_OK && n)
		st = ct_filter_launches(f, id, n, e);
	free(id);
	return st;
}

/* Opens it with the launches of the profile, unless the caller has named some. */
static int open_same_launches(const struct ct_profile *p, const struct ct_trace_options *o,
                              const char *path, struct ct_trace **trace, struct ct_error *e)
{
	struct ct_trace_options chosen = *o;
	struct ct_filter *own = NULL;
	int st = o->filter ? CT_OK : launches_of(p, &own, e);
	if (own)
		chosen.filter = own;
	chosen.streams |= ct_profile_method(p, "all", "joined_launches") != NULL;
	if (st == CT_OK)
		st = ct_trace_open(trace, path, &chosen, e);
	if (st == CT_OK)
		ct_trace_own_filter(*trace, own);
	else
		ct_filter_free(own);
	return st;
}

int ct_pass_reopen(const struct ct_profile *p, const struct ct_pass_settings *settings, const char *why,
                   struct ct_trace **trace, struct ct_error *e)
{
	struct ct_buf path = {0};
	size_t i = 0;
	const struct ct_record *tr = ct_profile_next(p, "TR", &i);
	*trace = NULL;
	if (!tr || ct_profile_next(p, "TR", &i))
		return ct_fail(e, CT_ERR_USAGE, "%s needs a profile of one trace: this one has %s", why,
		               tr ? "several" : "none");
	int st = locate_trace(settings->trace_root, settings->trace.keep, tr->field[TR_PATH], &path, e);
	if (st == CT_OK)
		st = open_same_launches(p, &settings->trace, path.data, trace, e);
	ct_buf_free(&path);
	return st;
}

int ct_pass_same_trace(const struct ct_profile *p, const struct ct_trace *trace, uint64_t warp_insts,
                       struct ct_error *e)
{
	size_t i = 0;
	const struct ct_record *tr = ct_profile_next(p, "TR", &i);
	char digest[CT_PASS_DIGEST_MAX];
	double had;
	ct_pass_digest(trace, digest);
	if (!tr || strcmp(tr->field[TR_DIGEST], digest) != 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s: not the trace the profile was made from: its digest differs",
		               ct_trace_path(trace));
	if (warp_insts == CT_PASS_INSTS_UNKNOWN)
		return CT_OK;
	if (!ct_profile_get(p, "all", "warp_insts", &had) || had != (double)warp_insts)
		return ct_fail(e, CT_ERR_USAGE,
		               "the replay covers other kernels than the profile: give the --warmup and "
		               "--salvage that the profile was made with, and no other -k");
	return CT_OK;
}
