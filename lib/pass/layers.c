/* layers.c - which layers of a pass a profile has been through. */
#include <string.h>

#include "pass/pass.h"

static int has_sms_view(const struct ct_profile *p)
{
	static const char prefix[] = "llc@sms=";
	const struct ct_record *r;
	for (size_t i = 0; (r = ct_profile_next(p, "RD", &i));)
		if (r->nfields > 1 && strncmp(r->field[1], prefix, sizeof prefix - 1) == 0)
			return 1;
	return 0;
}

unsigned ct_pass_layers_of(const struct ct_profile *p)
{
	static const struct {
		enum ct_pass_layer layer;
		const char *type, *of;
	} sign[] = {
		{CT_PASS_L1, "RD", "l1"},
		{CT_PASS_SHARING, "RJ", "nearest"},
		{CT_PASS_MERGED, "RD", "merged"},
		{CT_PASS_LLC, "RD", "llc"},
		{CT_PASS_REGISTERS, "RD", "reg_insts"},
		{CT_PASS_LINE_USE, "SN", "lines_left"},
		{CT_PASS_REPLICATION, "SN", "line_fills"},
		{CT_PASS_TIMES, "RT", "l1"},
	};
	unsigned layers = has_sms_view(p) ? 1u << CT_PASS_LLC_SMS : 0;
	for (size_t i = 0; i < sizeof sign / sizeof sign[0]; i++) {
		const char *key[2] = {"all", sign[i].of};
		if (ct_profile_find(p, sign[i].type, 2, key))
			layers |= 1u << sign[i].layer;
	}
	return layers;
}
