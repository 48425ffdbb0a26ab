/* Which organisations a run measures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "own.h"

/* A parameter that can be swept, of these systems. */
struct sweep {
	const char *key;
	const char *systems[5];
	uint64_t lo, hi;
};

static const struct sweep SWEEPS[] = {
	{"sthld", {"Malekeh"}, 0, 1000000},
	{"entries", {"Malekeh", "Malekeh_PR", "GTO+LRU"}, CT_MK_SLOTS, CT_MK_MAX_ENTRIES},
	{"window", {"BOW"}, 1, 64},
	{"collectors", {"OCU", "Malekeh"}, 1, 64},
	{"rthld", {"Malekeh"}, 0, 1000000},
	{"active", {"RFC", "SW-RFC", "LTRF"}, 1, 64},
};
enum { N_SWEEPS = sizeof SWEEPS / sizeof SWEEPS[0] };

static void set(struct ct_mk_system *s, const char *key, uint64_t v)
{
	if (!strcmp(key, "sthld"))
		s->sthld = (int32_t)v;
	else if (!strcmp(key, "entries"))
		s->entries = (uint32_t)v;
	else if (!strcmp(key, "window"))
		s->window = (uint32_t)v;
	else if (!strcmp(key, "collectors"))
		s->collectors = (uint32_t)v;
	else if (!strcmp(key, "rthld"))
		s->rthld = (uint32_t)v;
	else
		s->active = (uint32_t)v;
}

/* KEY=A..B or KEY=A..B:STEP. */
static const struct sweep *parse(const char *text, uint64_t range[3], struct ct_error *e)
{
	const char *equals = strchr(text, '='), *dots = equals ? strstr(equals, "..") : NULL;
	const char *colon = dots ? strchr(dots, ':') : NULL;
	const struct sweep *s = NULL;
	char part[3][24] = {"", "", "1"};
	for (size_t i = 0; dots && i < N_SWEEPS; i++)
		if (strlen(SWEEPS[i].key) == (size_t)(equals - text) &&
		    !strncmp(SWEEPS[i].key, text, (size_t)(equals - text)))
			s = &SWEEPS[i];
	size_t a = dots ? (size_t)(dots - equals - 1) : 0;
	size_t b = colon ? (size_t)(colon - dots - 2) : dots ? strlen(dots + 2) : 0;
	if (!s || a >= 24 || b >= 24 || (colon && strlen(colon + 1) >= 24)) {
		ct_fail(e, CT_ERR_USAGE, "--sweep %s: write KEY=A..B or KEY=A..B:STEP, KEY one of sthld, "
		        "entries, window, collectors, rthld and active", text);
		return NULL;
	}
	memcpy(part[0], equals + 1, a);
	memcpy(part[1], dots + 2, b);
	if (colon)
		memcpy(part[2], colon + 1, strlen(colon + 1) + 1);
	if (ct_parse_u64_range(part[0], s->lo, s->hi, &range[0]) < 0 ||
	    ct_parse_u64_range(part[1], range[0], s->hi, &range[1]) < 0 ||
	    ct_parse_u64_range(part[2], 1, s->hi, &range[2]) < 0 ||
	    (range[1] - range[0]) / range[2] >= 256) {
		ct_fail(e, CT_ERR_USAGE, "--sweep %s: give at most 256 values from %llu to %llu", text,
		        (unsigned long long)s->lo, (unsigned long long)s->hi);
		return NULL;
	}
	return s;
}

static void add_sweep(struct own *o, const struct sweep *s, const uint64_t range[3])
{
	for (int k = 0; k < 5 && s->systems[k]; k++)
		for (uint64_t v = range[0]; v <= range[1]; v += range[2]) {
			size_t i = o->request.n++;
			o->system[i] = *ct_mk_system_at((size_t)ct_mk_system_find(s->systems[k]));
			set(&o->system[i], s->key, v);
			snprintf(o->text[i], sizeof o->text[i], "%llu", (unsigned long long)v);
			o->key[i] = s->key;
			o->x[i] = o->text[i];
		}
}

int mk_request(struct ct_tool *t, struct ct_error *e)
{
	struct own *o = t->own;
	uint64_t range[3] = {0, 0, 1};
	const struct sweep *s = o->sweep ? parse(o->sweep, range, e) : NULL;
	if (o->sweep && !s)
		return CT_ERR_USAGE;
	o->system = ct_calloc(MK_MAX_ROWS, sizeof *o->system);
	o->key = ct_calloc(MK_MAX_ROWS, sizeof *o->key);
	o->x = ct_calloc(MK_MAX_ROWS, sizeof *o->x);
	o->text = ct_calloc(MK_MAX_ROWS, sizeof *o->text);
	if (!o->system || !o->key || !o->x || !o->text)
		return ct_fail_nomem(e);
	size_t n = o->studies ? CT_MK_ALL_SYSTEMS : CT_MK_SYSTEMS;
	for (; o->request.n < n; o->request.n++)
		o->system[o->request.n] = *ct_mk_system_at(o->request.n);
	if (s)
		add_sweep(o, s, range);
	o->request.systems = o->system;
	o->request.key = o->key;
	o->request.x = o->x;
	o->request.table = o->sthld_table;
	o->request.masks = t->method == CT_METHOD_REPLAY ? &o->masks : NULL;
	t->malekeh = &o->request;
	return CT_OK;
}

void mk_request_free(struct own *o)
{
	free(o->system);
	free(o->key);
	free(o->x);
	free(o->text);
	ct_mk_masks_clear(&o->masks);
}
