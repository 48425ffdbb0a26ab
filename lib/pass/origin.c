#include "pass/origin.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "pass/pass.h"
#include "pass/private/digest.h"

void ct_pass_digest(const struct ct_trace *trace, char digest[CT_PASS_DIGEST_MAX])
{
	snprintf(digest, CT_PASS_DIGEST_MAX, "crc64:%016llx",
	         (unsigned long long)ct_trace_stats(trace)->crc64);
}

int ct_pass_put_trace(struct ct_profile *p, const struct ct_trace *trace, struct ct_error *e)
{
	const struct ct_trace_stats *s = ct_trace_stats(trace);
	char bytes[24], digest[CT_PASS_DIGEST_MAX];
	snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)s->raw_bytes);
	ct_pass_digest(trace, digest);
	const char *f[4] = {ct_trace_path(trace), ct_trace_format(trace), bytes, digest};
	return ct_profile_add(p, "TR", 4, f, e);
}

struct put_gpu {
	struct ct_profile *p;
	struct ct_error *e;
	int status;
};

static void put_key(void *ctx, const char *key, const char *value, const char *unit)
{
	struct put_gpu *a = ctx;
	const char *f[3] = {key, value, unit};
	if (a->status == CT_OK)
		a->status = ct_profile_add(a->p, "GP", 3, f, a->e);
}

int ct_pass_put_gpu(struct ct_profile *p, const struct ct_gpu *g, struct ct_error *e)
{
	struct put_gpu a = {p, e, CT_OK};
	char asked[16];
	int st = ct_gpu_each(g, put_key, &a, e);
	snprintf(asked, sizeof asked, "%u", (unsigned)g->sms_asked);
	if (st == CT_OK && g->sms_asked)
		put_key(&a, CT_PASS_ASKED_KEY, asked, "");
	return st == CT_OK ? a.status : st;
}

/* Sets one key of a GPU. Only a line that is longer than those of any GPU takes memory, so that who asks for the GPU of a profile
 * and cannot fail, as the reasons of verdicts, gets it always. */
static int set_key(struct ct_gpu *g, const char *key, const char *value, struct ct_error *e)
{
	char line[256];
	struct ct_buf b = {0};
	if (snprintf(line, sizeof line, "%s=%s", key, value) < (int)sizeof line)
		return ct_gpu_set(g, line, e);
	ct_buf_printf(&b, "%s=%s", key, value);
	int st = b.failed ? ct_fail_nomem(e) : ct_gpu_set(g, b.data, e);
	ct_buf_free(&b);
	return st;
}

int ct_pass_get_gpu(const struct ct_profile *p, struct ct_gpu *g, struct ct_error *e)
{
	const struct ct_record *r;
	size_t i = 0, seen = 0;
	uint64_t asked = 0;
	ct_gpu_defaults(g);
	while ((r = ct_profile_next(p, "GP", &i))) {
		if (r->nfields < 2)
			return ct_fail(e, CT_ERR_INPUT,
			               "profile: a GP record has no value: run reuse again");
		if (strcmp(r->field[0], CT_PASS_TIMING_KEY) == 0)
			continue; /* says how the pass ran, and is no key of the GPU */
		if (strcmp(r->field[0], CT_PASS_ASKED_KEY) == 0) {
			if (!ct_field_count(r->field[1], &asked) || asked > UINT32_MAX)
				return ct_fail(e, CT_ERR_INPUT,
				               "profile: GP " CT_PASS_ASKED_KEY " is no number of SMs: "
				               "run reuse again");
			continue;
		}
		int st = set_key(g, r->field[0], r->field[1], e);
		if (st < 0)
			return st;
		seen++;
	}
	if (!seen)
		return ct_fail(e, CT_ERR_INPUT, "profile: no GP records: make the profile with reuse");
	g->sms_asked = (uint32_t)asked;
	return ct_gpu_check(g, e);
}
