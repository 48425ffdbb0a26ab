/* keys.c - a -p that would do nothing is an error. */
#include "common/tool.h"
#include "models/registry.h"

static int refuse_key(const struct ct_tool *t, const char *assignment, const struct ct_mechanism *m,
                      struct ct_error *e)
{
	return ct_fail(
		e, CT_ERR_USAGE,
		"-p %s: would do nothing here, %s does not estimate the %s: %s and triage read it%s%s",
		assignment, t->spec->name, m->title, m->command,
		m->observer ? ", and reuse --mechanisms " : "", m->observer ? m->name : "");
}

int ct_tool_check_keys(const struct ct_tool *t, uint32_t reads, struct ct_error *e)
{
	struct ct_gpu any;
	ct_gpu_defaults(&any);
	for (size_t i = 0; i < t->n_set; i++) {
		int m = ct_mechanism_of_key(t->set[i]);
		int st = m < 0 ? ct_gpu_set(&any, t->set[i], e) : ct_mechanism_check_key(t->set[i], e);
		if (st == CT_OK && m >= 0 && !(reads >> m & 1))
			st = refuse_key(t, t->set[i], ct_mechanism_at((unsigned)m), e);
		if (st != CT_OK)
			return st;
	}
	return CT_OK;
}
