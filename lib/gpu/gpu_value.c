/* Values of GPU keys: text to struct ct_gpu and back. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/items.h"
#include "gpu/gpu_keys.h"

/* Above this many ways a changed size changes the ways: such caches (the L1s of
 * Volta and later in Accel-Sim) have a nominal few sets. */
enum { WAYS_OF_A_PLAIN_CACHE = 32 };

static uint32_t *u32_at(struct ct_gpu *g, const struct ct_key_row *r)
{
	return (uint32_t *)(void *)((char *)g + r->at);
}

static struct ct_cache_params *cache_of(struct ct_gpu *g, const struct ct_key_row *r)
{
	return strncmp(r->key.name, "llc.", 4) == 0 ? &g->llc : &g->l1;
}

static int bad_value(const struct ct_key_row *r, const char *value, int status, struct ct_error *e)
{
	char names[256] = "";
	switch (r->kind) {
	case CT_KEY_ENUM:
		for (size_t i = 0; r->names[i]; i++) {
			size_t used = strlen(names);
			snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", r->names[i]);
		}
		return ct_fail(e, status, "%s = %s: wanted one of %s", r->key.name, value, names);
	case CT_KEY_BOOL: return ct_fail(e, status, "%s = %s: wanted on or off", r->key.name, value);
	case CT_KEY_TEXT:
		return ct_fail(e, status, "%s = %s: wanted at most %zu printable characters",
		               r->key.name, value, r->room - 1);
	case CT_KEY_SIZES:
		return ct_fail(e, status, "%s = %s: wanted up to %d ascending sizes between commas",
		               r->key.name, value, CT_MAX_SHMEM_OPTIONS);
	case CT_KEY_TIMING:
		return ct_fail(e, status,
		               "%s = %s: wanted LATENCY,INITIATION in cycles from %.0f to %.0f",
		               r->key.name, value, r->lo, r->hi);
	default:
		return ct_fail(e, status, "%s = %s: wanted a %s%s%s from %.10g to %.10g", r->key.name,
		               value, r->kind == CT_KEY_REAL ? "number" : "whole number",
		               r->key.unit[0] ? " of " : "", r->key.unit, r->lo, r->hi);
	}
}

static int store_sizes(struct ct_gpu *g, const struct ct_key_row *r, const char *value)
{
	uint64_t sizes[CT_MAX_SHMEM_OPTIONS] = {0};
	uint32_t n = 0;
	char item[64];
	for (const char *s = value; *value && ct_item_copy(&s, item, sizeof item) != 0;) {
		if (n == CT_MAX_SHMEM_OPTIONS || ct_parse_size(item, &sizes[n]) < 0 ||
		    (double)sizes[n] > r->hi || (n && sizes[n] <= sizes[n - 1]))
			return -1;
		n++;
	}
	memcpy(g->shmem_option, sizes, sizeof sizes);
	g->shmem_options = n;
	return 0;
}

/* Reads a whole number with or without its unit, within [lo, hi]. Returns -1 for anything else. */
static int parse_whole(const char *value, enum ct_unit unit, double lo, double hi, uint64_t *out)
{
	double v;
	if (unit == CT_UNIT_BYTES) {
		if (ct_parse_size(value, out) < 0)
			return -1;
	} else if (unit == CT_UNIT_NONE) {
		if (ct_parse_u64(value, out) < 0)
			return -1;
	} else {
		if (ct_parse_unit(value, unit, &v) < 0 || v < lo || v > hi || v != floor(v))
			return -1;
		*out = (uint64_t)v;
	}
	return (double)*out < lo || (double)*out > hi ? -1 : 0;
}

/* Stores "LATENCY,INITIATION" of a unit, both in cycles. Returns -1 for anything else. */
static int store_timing(struct ct_gpu *g, const struct ct_key_row *r, const char *value)
{
	struct ct_unit_timing *t = (struct ct_unit_timing *)(void *)((char *)g + r->at);
	const char *s = value;
	char item[64];
	uint64_t v[2];
	for (int i = 0; i < 2; i++)
		if (ct_item_copy(&s, item, sizeof item) <= 0 ||
		    parse_whole(item, r->unit, r->lo, r->hi, &v[i]) < 0)
			return -1;
	if (s)
		return -1;
	t->latency = (uint32_t)v[0];
	t->initiation = (uint32_t)v[1];
	return 0;
}

static int store_text(struct ct_gpu *g, const struct ct_key_row *r, const char *value)
{
	size_t n = strlen(value);
	if (n >= r->room)
		return -1;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)value[i] < ' ' || (unsigned char)value[i] > '~')
			return -1;
	memset((char *)g + r->at, 0, r->room);
	memcpy((char *)g + r->at, value, n);
	return 0;
}

/* Stores a word out of a list, or a switch: on, yes, true, 1 and their opposites. Returns -1 for
 * anything else. */
static int store_name(struct ct_gpu *g, const struct ct_key_row *r, const char *value)
{
	static const char *const booleans[][4] = {
		{"off", "0", "no", "false"}, {"on", "1", "yes", "true"}};
	if (r->kind == CT_KEY_ENUM) {
		for (uint32_t i = 0; r->names[i]; i++)
			if (strcmp(r->names[i], value) == 0) {
				*u32_at(g, r) = i;
				return 0;
			}
		return -1;
	}
	for (uint32_t i = 0; i < 2; i++)
		for (int k = 0; k < 4; k++)
			if (strcmp(booleans[i][k], value) == 0) {
				*u32_at(g, r) = i;
				return 0;
			}
	return -1;
}

/* Stores a real as profiles print it, so that a GPU that is read back from a profile is the one that was
 * in force. */
static int store_real(struct ct_gpu *g, const struct ct_key_row *r, const char *value)
{
	struct ct_buf b = {0};
	double v;
	int rc = -1;
	if ((ct_parse_unit(value, r->unit, &v) < 0 && ct_parse_real(value, &v) < 0) || v < r->lo ||
	    v > r->hi)
		return -1;
	/* As profiles print it, so that what is read back is what was in force. */
	ct_buf_real(&b, v);
	if (!b.failed && ct_parse_real(b.data, &v) == 0) {
		*(double *)(void *)((char *)g + r->at) = v;
		rc = 0;
	}
	ct_buf_free(&b);
	return rc;
}

/* Leaves open (0) what follows from the rest: ct_gpu_check() fills it in. */
static void apply_effect(struct ct_gpu *g, const struct ct_key_row *r, uint32_t old)
{
	struct ct_cache_params *c = cache_of(g, r);
	int is_llc = c == &g->llc, sized = c->size != 0 || (is_llc && g->llc_total);
	switch (r->effect) {
	case CT_EFFECT_SIZE:
		if (c->ways > WAYS_OF_A_PLAIN_CACHE && c->sets)
			c->ways = 0;
		else if (c->ways)
			c->sets = 0;
		break;
	case CT_EFFECT_WAYS:
		if (sized && c->ways)
			c->sets = 0;
		break;
	case CT_EFFECT_SETS:
		if (c->ways) {
			c->size = 0;
			if (is_llc)
				g->llc_total = 0;
		}
		break;
	case CT_EFFECT_SLICES:
		if (!g->llc_total && c->size && c->ways) {
			g->llc_total = c->size * old;
			c->sets = 0;
		}
		break;
	case CT_EFFECT_NONE:
	case CT_EFFECT_DERIVED:
	case CT_EFFECT_OPTIONAL: break;
	}
}

int ct_key_store(struct ct_gpu *g, const struct ct_key_row *r, const char *value, int status,
                 struct ct_error *e)
{
	uint64_t v = 0;
	uint32_t old = 0;
	int rc;
	switch (r->kind) {
	case CT_KEY_U32:
	case CT_KEY_SIZE32:
		rc = parse_whole(value, r->unit, r->lo, r->hi, &v);
		if (rc == 0) {
			old = *u32_at(g, r);
			*u32_at(g, r) = (uint32_t)v;
		}
		break;
	case CT_KEY_SIZE64:
		rc = parse_whole(value, r->unit, r->lo, r->hi, &v);
		if (rc == 0)
			*(uint64_t *)(void *)((char *)g + r->at) = v;
		break;
	case CT_KEY_LLC_SIZE:
		rc = parse_whole(value, r->unit, r->lo, r->hi, &v);
		if (rc == 0)
			g->llc_total = v;
		break;
	case CT_KEY_REAL: rc = store_real(g, r, value); break;
	case CT_KEY_TEXT: rc = store_text(g, r, value); break;
	case CT_KEY_SIZES: rc = store_sizes(g, r, value); break;
	case CT_KEY_TIMING: rc = store_timing(g, r, value); break;
	default: rc = store_name(g, r, value);
	}
	if (rc < 0)
		return bad_value(r, value, status, e);
	apply_effect(g, r, old);
	return 0;
}

void ct_key_format(const struct ct_gpu *g, const struct ct_key_row *r, struct ct_buf *b)
{
	const char *at = (const char *)g + r->at;
	const uint32_t *u = (const uint32_t *)(const void *)at;
	const struct ct_unit_timing *t;
	switch (r->kind) {
	case CT_KEY_U32:
	case CT_KEY_SIZE32: ct_buf_printf(b, "%" PRIu32, *u); break;
	case CT_KEY_SIZE64: ct_buf_printf(b, "%" PRIu64, *(const uint64_t *)(const void *)at); break;
	case CT_KEY_LLC_SIZE:
		ct_buf_printf(b, "%" PRIu64, g->llc_total ? g->llc_total : ct_gpu_llc_bytes(g));
		break;
	case CT_KEY_REAL: ct_buf_real(b, *(const double *)(const void *)at); break;
	case CT_KEY_BOOL: ct_buf_puts(b, *u ? "on" : "off"); break;
	case CT_KEY_ENUM: ct_buf_puts(b, r->names[*u]); break;
	case CT_KEY_TEXT: ct_buf_puts(b, at); break;
	case CT_KEY_SIZES:
		for (uint32_t i = 0; i < g->shmem_options; i++)
			ct_buf_printf(b, "%s%" PRIu64, i ? "," : "", g->shmem_option[i]);
		break;
	case CT_KEY_TIMING:
		t = (const struct ct_unit_timing *)(const void *)at;
		ct_buf_printf(b, "%" PRIu32 ",%" PRIu32, t->latency, t->initiation);
		break;
	}
}

int ct_key_in_range(const struct ct_gpu *g, const struct ct_key_row *r, struct ct_error *e)
{
	const char *at = (const char *)g + r->at;
	const struct ct_unit_timing *t;
	uint32_t u = 0, names = 0;
	double v;
	switch (r->kind) {
	case CT_KEY_ENUM:
		while (r->names[names])
			names++;
		memcpy(&u, at, sizeof u);
		return u < names ? 0 : ct_fail(e, CT_ERR_INPUT, "%s: no such value", r->key.name);
	case CT_KEY_TEXT:
	case CT_KEY_SIZES: return 0;
	case CT_KEY_TIMING:
		t = (const struct ct_unit_timing *)(const void *)at;
		v = t->latency < t->initiation ? t->latency : t->initiation;
		if (v >= r->lo && t->latency <= r->hi && t->initiation <= r->hi)
			return 0;
		break;
	case CT_KEY_REAL: v = *(const double *)(const void *)at; break;
	case CT_KEY_SIZE64: v = (double)*(const uint64_t *)(const void *)at; break;
	case CT_KEY_LLC_SIZE: v = (double)ct_gpu_llc_bytes(g); break;
	default: memcpy(&u, at, sizeof u); v = u;
	}
	if (v >= r->lo && v <= r->hi)
		return 0;
	return ct_fail(e, CT_ERR_INPUT, "%s = %.10g: wanted from %.10g to %.10g", r->key.name, v, r->lo,
	               r->hi);
}
