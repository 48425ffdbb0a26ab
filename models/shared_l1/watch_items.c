/* The IM items of watch.h: a name for what is watched, and one for each of its counts. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "models/shared_l1/watch_internal.h"

static const char *const WATCHED[CT_SL_WATCHED] = {
	"private", "private_2x",     "private_16x",   "shared", "shared_min",
	"dynamat", "dynamat_l1mrpr", "dyneb_noguard", "dyneb",
};

/* Those that one of `when` has. */
enum { ALL = 1, FEWER = 2 /* accesses reach an L1 */, COPIES = 4, DYNAMIC = 8, ORDER = 16 };
static const struct {
	const char *name;
	size_t at;
	int when;
} COUNT[] = {
	{"read_misses", offsetof(struct ct_sl_watch_counts, read_misses), ALL},
	{"write_misses", offsetof(struct ct_sl_watch_counts, write_misses), ALL},
	{"reads", offsetof(struct ct_sl_watch_counts, reads), FEWER},
	{"writes", offsetof(struct ct_sl_watch_counts, writes), FEWER},
	{"replicated", offsetof(struct ct_sl_watch_counts, replicated), COPIES},
	{"copies", offsetof(struct ct_sl_watch_counts, copies), COPIES},
	{"misses_low", offsetof(struct ct_sl_watch_counts, misses_low), ORDER},
	{"misses_high", offsetof(struct ct_sl_watch_counts, misses_high), ORDER},
	{"edge", offsetof(struct ct_sl_watch_counts, edge), ORDER},
	{"sampled", offsetof(struct ct_sl_watch_counts, sampled), DYNAMIC},
	{"homed", offsetof(struct ct_sl_watch_counts, homed), DYNAMIC},
	{"decisions", offsetof(struct ct_sl_watch_counts, decisions), DYNAMIC},
	{"chose_shared", offsetof(struct ct_sl_watch_counts, chose_shared), DYNAMIC},
};
enum { COUNTS = sizeof COUNT / sizeof COUNT[0] };

static int counts_of(enum ct_sl_watched w)
{
	if (w >= CT_SL_WATCH_DYNAMAT)
		return ALL | FEWER | COPIES | DYNAMIC | ORDER;
	if (w == CT_SL_WATCH_PRIVATE)
		return ALL | FEWER | COPIES;
	if (w == CT_SL_WATCH_MIN)
		return ALL | FEWER | ORDER;
	return ORDER | (w == CT_SL_WATCH_SHARED ? ALL : ALL | COPIES);
}

static double *value_at(struct ct_sl_watch_counts *c, size_t i)
{
	return (double *)(void *)((char *)c + COUNT[i].at);
}

static void name_of(char *out, size_t n, enum ct_sl_watched w, size_t i)
{
	snprintf(out, n, "%s_%s", WATCHED[w], COUNT[i].name);
}

int sl_watch_put(struct ct_profile *p, enum ct_sl_watched which, const struct ct_sl_watch_counts *c,
                 struct ct_error *e)
{
	struct ct_sl_watch_counts copy = *c;
	char name[64];
	int st = CT_OK;
	for (size_t i = 0; i < COUNTS && st == CT_OK; i++) {
		if (!(COUNT[i].when & counts_of(which)))
			continue;
		name_of(name, sizeof name, which, i);
		st = ct_profile_add_im(p, "all", name, *value_at(&copy, i), NULL, e);
	}
	return st;
}

int ct_sl_watch_read(const struct ct_profile *p, enum ct_sl_watched which, struct ct_sl_watch_counts *c)
{
	char name[64];
	*c = (struct ct_sl_watch_counts){.misses_low = NAN, .misses_high = NAN, .edge = NAN};
	for (size_t i = 0; i < COUNTS; i++) {
		/* What all that is private or plainly shared has in common is kept once. */
		enum ct_sl_watched from = COUNT[i].when == FEWER && !(counts_of(which) & FEWER)
		                                  ? CT_SL_WATCH_PRIVATE
		                                  : which;
		if (!(COUNT[i].when & counts_of(from)))
			continue;
		name_of(name, sizeof name, from, i);
		if (!ct_profile_get_im(p, "all", name, value_at(c, i)) && COUNT[i].when != ORDER)
			return 0;
	}
	return 1;
}

enum { FIRSTS = 5 };
static const char *const FIRST[FIRSTS] = {"home_first_requests", "home_first_reads", "home_first_writes",
                                          "home_first_read_sectors", "home_first_write_sectors"};

int sl_watch_put_first(struct ct_profile *p, const struct ct_sl_firsts *n, struct ct_error *e)
{
	const double v[] = {n->requests, n->reads, n->writes, n->read_sectors, n->write_sectors};
	int st = CT_OK;
	for (size_t i = 0; i < FIRSTS && st == CT_OK; i++)
		st = ct_profile_add_im(p, "all", FIRST[i], v[i], NULL, e);
	return st;
}

int ct_sl_watch_read_first(const struct ct_profile *p, struct ct_sl_firsts *n)
{
	double *const v[] = {&n->requests, &n->reads, &n->writes, &n->read_sectors, &n->write_sectors};
	for (size_t i = 0; i < FIRSTS; i++)
		if (!ct_profile_get_im(p, "all", FIRST[i], v[i]))
			return 0;
	return 1;
}
