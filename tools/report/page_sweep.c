/* page_sweep.c - what estimates over several values of keys (SW records) come to: heat maps of two keys, and what can be had
 * for how much storage and energy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/items.h"
#include "base/mem.h"
#include "common/chart.h"
#include "gpu/gpu.h"
#include "report/page.h"

enum { SCOPE, MECHANISM, SYSTEM, KEY, X, METRIC, VALUE, SW_FIELDS = 9 };
enum { HEAT_MAPS_MAX = 12, ITEM = 48 };

/* A system at a point: what of its numbers is drawn. */
struct point {
	const struct ct_record *r; /* the first of them */
	size_t order;
	double speedup, storage, energy;
};

struct points {
	struct point *p;
	size_t n;
};

/* ---- reading ---- */

static int by_name(const void *va, const void *vb)
{
	const struct point *a = va, *b = vb;
	for (unsigned i = SCOPE; i <= X; i++) {
		int c = strcmp(a->r->field[i], b->r->field[i]);
		if (c)
			return c;
	}
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_order(const void *va, const void *vb)
{
	const struct point *a = va, *b = vb;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int same_point(const struct point *a, const struct point *b)
{
	for (unsigned i = SCOPE; i <= X; i++)
		if (strcmp(a->r->field[i], b->r->field[i]) != 0)
			return 0;
	return 1;
}

/* A record of one of the three metrics as a point of its own. */
static int read_point(const struct ct_record *r, size_t order, struct point *p)
{
	double v;
	*p = (struct point){r, order, NAN, NAN, NAN};
	if (r->nfields < SW_FIELDS || !ct_field_real(r->field[VALUE], &v) || !isfinite(v))
		return 0;
	if (strcmp(r->field[METRIC], "speedup_configured") == 0)
		p->speedup = v;
	else if (strcmp(r->field[METRIC], "storage_bytes") == 0)
		p->storage = v;
	else if (strcmp(r->field[METRIC], "energy_j") == 0)
		p->energy = v;
	else
		return 0;
	return 1;
}

static void join_points(struct points *all)
{
	size_t kept = 0;
	if (all->n)
		qsort(all->p, all->n, sizeof *all->p, by_name);
	for (size_t i = 0; i < all->n; i++) {
		struct point *p = &all->p[i], *q = kept ? &all->p[kept - 1] : NULL;
		if (!q || !same_point(p, q)) {
			all->p[kept++] = *p;
			continue;
		}
		q->speedup = isnan(p->speedup) ? q->speedup : p->speedup;
		q->storage = isnan(p->storage) ? q->storage : p->storage;
		q->energy = isnan(p->energy) ? q->energy : p->energy;
	}
	all->n = kept;
	if (kept)
		qsort(all->p, kept, sizeof *all->p, by_order);
}

/* The points of all systems that have a speed-up, in the order of the profile. */
static int read_points(const struct ct_profile *profile, struct points *all)
{
	const struct ct_record *r;
	size_t n = 0, room = 0;
	for (size_t i = 0; ct_profile_next(profile, "SW", &i);)
		room++;
	all->n = 0;
	if (!(all->p = ct_calloc(room ? room : 1, sizeof *all->p)))
		return -1;
	for (size_t i = 0; (r = ct_profile_next(profile, "SW", &i)); n++)
		all->n += (size_t)read_point(r, n, &all->p[all->n]);
	join_points(all);
	size_t kept = 0;
	for (size_t i = 0; i < all->n; i++)
		if (!isnan(all->p[i].speedup))
			all->p[kept++] = all->p[i];
	all->n = kept;
	return 0;
}

/* ---- heat maps ---- */

/* The points of one system over the same keys. */
static int same_map(const struct point *a, const struct point *b)
{
	for (unsigned i = SCOPE; i <= KEY; i++)
		if (strcmp(a->r->field[i], b->r->field[i]) != 0)
			return 0;
	return 1;
}

static unsigned count_items(const char *list)
{
	unsigned n = 1;
	for (; *list; list++)
		n += *list == ',';
	return n;
}

/* The i-th item of a list. */
static void item_at(const char *list, unsigned i, char out[ITEM])
{
	const char *at = list;
	*out = '\0';
	for (unsigned k = 0; at && k <= i; k++)
		if (ct_item_copy(&at, out, ITEM) <= 0)
			return;
}

/* The values that a key has, in the order in which they come. */
struct values {
	char text[CH_HEAT_MAX][ITEM], name[CH_HEAT_MAX][32];
	const char *shown[CH_HEAT_MAX];
	size_t n;
	int many; /* more than there is room for */
};

static int is_bytes(const char *key)
{
	for (size_t i = 0; i < ct_gpu_key_count(); i++)
		if (strcmp(ct_gpu_key_at(i)->name, key) == 0)
			return strcmp(ct_gpu_key_at(i)->unit, "bytes") == 0;
	return 0;
}

static size_t value_index(struct values *v, const char *text)
{
	size_t i = 0;
	while (i < v->n && strcmp(v->text[i], text) != 0)
		i++;
	return i;
}

static void add_value(struct values *v, const char *text, int bytes)
{
	double number;
	if (value_index(v, text) < v->n)
		return;
	if (v->n == CH_HEAT_MAX) {
		v->many = 1;
		return;
	}
	snprintf(v->text[v->n], ITEM, "%s", text);
	if (bytes && ct_field_real(text, &number))
		ch_size(number, v->name[v->n]);
	else
		snprintf(v->name[v->n], sizeof v->name[0], "%.31s", text);
	v->shown[v->n] = v->name[v->n];
	v->n++;
}

struct map {
	const struct points *all;
	size_t first; /* point of it */
	char key[2][ITEM];
	unsigned at[2]; /* of the list of keys: of the rows, of the columns */
	unsigned keys;
	struct values v[2];
	double cell[CH_HEAT_MAX * CH_HEAT_MAX];
};

static void collect_values(struct map *m)
{
	const struct point *first = &m->all->p[m->first];
	for (int d = 0; d < 2; d++) {
		int bytes;
		item_at(first->r->field[KEY], m->at[d], m->key[d]);
		bytes = is_bytes(m->key[d]);
		m->v[d].n = 0;
		m->v[d].many = 0;
		for (size_t i = m->first; i < m->all->n; i++) {
			char text[ITEM];
			if (!same_map(&m->all->p[i], first))
				continue;
			item_at(m->all->p[i].r->field[X], m->at[d], text);
			add_value(&m->v[d], text, bytes);
		}
	}
}

/* The two keys with the most values, the one with more of them for the columns; of equals those that come first. */
static void choose_keys(struct map *m)
{
	size_t most[2] = {0, 0};
	unsigned best[2] = {0, 0};
	for (unsigned k = 0; k < m->keys; k++) {
		m->at[0] = m->at[1] = k;
		collect_values(m);
		size_t n = m->v[0].n + (size_t)m->v[0].many;
		if (n > most[0]) {
			most[1] = most[0];
			best[1] = best[0];
			most[0] = n;
			best[0] = k;
		} else if (n > most[1]) {
			most[1] = n;
			best[1] = k;
		}
	}
	m->at[0] = best[1];
	m->at[1] = best[0];
	collect_values(m);
}

/* Of points that differ in other keys the best. */
static void fill_cells(struct map *m)
{
	const struct point *first = &m->all->p[m->first];
	for (size_t i = 0; i < m->v[0].n * m->v[1].n; i++)
		m->cell[i] = NAN;
	for (size_t i = m->first; i < m->all->n; i++) {
		const struct point *p = &m->all->p[i];
		char text[2][ITEM];
		if (!same_map(p, first))
			continue;
		item_at(p->r->field[X], m->at[0], text[0]);
		item_at(p->r->field[X], m->at[1], text[1]);
		size_t row = value_index(&m->v[0], text[0]), column = value_index(&m->v[1], text[1]);
		if (row < m->v[0].n && column < m->v[1].n)
			m->cell[row * m->v[1].n + column] = fmax(
				p->speedup, m->cell[row * m->v[1].n + column]);
	}
}

static void draw_map(struct map *m, size_t workload, unsigned number, struct ct_buf *b)
{
	const char *const *f = m->all->p[m->first].r->field;
	char id[48], title[200], desc[240];
	snprintf(id, sizeof id, "w%zu-heat%u", workload, number);
	snprintf(title, sizeof title, "%s%s%s, %s: speed-up by %s and %s",
	         strcmp(f[SCOPE], "all") == 0 ? "" : f[SCOPE], strcmp(f[SCOPE], "all") == 0 ? "" : ", ",
	         f[MECHANISM], f[SYSTEM], m->key[0], m->key[1]);
	snprintf(desc, sizeof desc,
	         "Each cell is the speed-up against the GPU of its point without the mechanism%s%s.",
	         m->keys > 2 ? ", the best over the other keys" : "",
	         m->v[0].many || m->v[1].many ? "; the first 40 values of a key" : "");
	struct ch_axes a = {
		.id = id, .title = title, .desc = desc, .x = m->key[1], .y = m->key[0], .mark_x = NAN};
	struct ch_heat h = {m->v[0].shown, m->v[1].shown, m->v[0].n, m->v[1].n, m->cell};
	ct_buf_puts(b, "<figure>");
	ch_heat(b, &a, &h);
	ct_buf_puts(b, "<figcaption>");
	ct_escape_markup(b, title);
	ct_buf_puts(b, m->keys > 2 ? ", the best over the other keys</figcaption></figure>\n"
	                           : "</figcaption></figure>\n");
}

static int is_flat(const struct map *m)
{
	for (size_t i = 0; i < m->v[0].n * m->v[1].n; i++)
		if (isnan(m->cell[i]) || fabs(m->cell[i] - 1) >= 0.005)
			return 0;
	return 1;
}

/* A map for each system that was estimated over two keys or more. */
static void heat_maps(const struct points *all, size_t workload, struct ct_buf *b)
{
	struct map *m = ct_calloc(1, sizeof *m);
	struct ct_buf flat = {0};
	unsigned drawn = 0, left = 0;
	if (!m)
		b->failed = 1;
	for (size_t i = 0; m && i < all->n; i++) {
		size_t before = 0;
		m->keys = count_items(all->p[i].r->field[KEY]);
		if (m->keys < 2)
			continue;
		while (before < i && !same_map(&all->p[before], &all->p[i]))
			before++;
		if (before < i)
			continue;
		m->all = all;
		m->first = i;
		choose_keys(m);
		if (m->v[0].n < 2 || m->v[1].n < 2)
			continue;
		if (drawn == HEAT_MAPS_MAX) {
			left++;
			continue;
		}
		fill_cells(m);
		if (is_flat(m))
			ct_buf_printf(&flat, "%s%s", flat.len ? ", " : "", all->p[i].r->field[SYSTEM]);
		else
			draw_map(m, workload, drawn++, b);
	}
	b->failed |= flat.failed;
	if (flat.len && !flat.failed) {
		ct_buf_puts(b, "<p class=\"lacking\">Speed-up 1.00 at every point: ");
		ct_escape_markup(b, flat.data);
		ct_buf_puts(b, ".</p>\n");
	}
	if (left)
		ct_buf_printf(b, "<p class=\"lacking\">%u more systems are in the profile.</p>\n", left);
	ct_buf_free(&flat);
	free(m);
}

/* ---- fronts ---- */

/* Systems of a scope by name; those behind the seventh share a colour. */
struct sets {
	const char *name[CH_SERIES_MAX];
	unsigned n;
};

static unsigned set_of(struct sets *s, const char *system)
{
	static const char others[] = "others";
	for (unsigned i = 0; i < s->n; i++)
		if (strcmp(s->name[i], system) == 0)
			return i;
	if (s->n < CH_SERIES_MAX) {
		s->name[s->n] = s->n == CH_SERIES_MAX - 1 ? others : system;
		s->n++;
	}
	return s->n - 1;
}

static double cost_of(const struct point *p, int energy)
{
	return energy ? p->energy : p->storage;
}

/* Names of points for who points at them: "SYSTEM, llc.size,sms = 5242880,54: 1.12". */
static int name_points(const struct points *all, const char *scope, int energy, struct ct_buf *names,
                       struct ch_choice *choice, struct sets *sets, size_t *n)
{
	double first = NAN;
	int differ = 0;
	for (size_t i = 0, at = 0; i < all->n; i++) {
		const struct point *p = &all->p[i];
		const char *const *f = p->r->field;
		double cost = cost_of(p, energy);
		if (strcmp(f[SCOPE], scope) != 0 || isnan(cost))
			continue;
		ct_buf_printf(names, "%s, %s = %s: %.3g", f[SYSTEM], f[KEY], f[X], p->speedup);
		ct_buf_putc(names, '\0');
		if (names->failed)
			return -1;
		choice[at++] = (struct ch_choice){NULL, cost, p->speedup, set_of(sets, f[SYSTEM])};
		*n = at;
		differ |= !isnan(first) && cost != first;
		first = isnan(first) ? cost : first;
	}
	const char *name = names->data;
	for (size_t i = 0; i < *n; i++, name += strlen(name) + 1)
		choice[i].name = name;
	return differ;
}

/* One number of storage or energy is no choice: nothing is drawn then. */
static void draw_front(const struct points *all, const char *scope, int energy, const char *id,
                       struct ct_buf *b)
{
	struct ch_choice *choice = ct_calloc(all->n, sizeof *choice);
	struct ct_buf names = {0};
	struct sets sets = {.n = 0};
	char title[160];
	size_t n = 0;
	int some = choice ? name_points(all, scope, energy, &names, choice, &sets, &n) : -1;
	snprintf(title, sizeof title, "%s%sSpeed-up against %s", strcmp(scope, "all") == 0 ? "" : scope,
	         strcmp(scope, "all") == 0 ? "" : ": ", energy ? "energy" : "added storage");
	if (some < 0)
		b->failed = 1;
	if (some > 0) {
		struct ch_axes a = {
			.id = id,
			.title = title,
			.desc = "A point for each system and point that was estimated; no other "
				"takes less and gains more than those on the line.",
			.x = energy ? "energy, J" : "added storage, bytes",
			.y = "speed-up",
			.size_x = !energy,
			.mark_x = NAN};
		ct_buf_puts(b, "<figure>");
		ch_front(b, &a, sets.name, sets.n, choice, n);
		ct_buf_puts(b, "<figcaption>");
		ct_escape_markup(b, title);
		ct_buf_puts(b, "</figcaption></figure>\n");
	}
	ct_buf_free(&names);
	free(choice);
}

static void fronts(const struct points *all, size_t workload, struct ct_buf *b)
{
	unsigned scopes = 0;
	for (size_t i = 0; i < all->n; i++) {
		const char *scope = all->p[i].r->field[SCOPE];
		size_t before = 0;
		while (before < i && strcmp(all->p[before].r->field[SCOPE], scope) != 0)
			before++;
		if (before < i)
			continue;
		for (int energy = 0; energy < 2; energy++) {
			char id[64];
			snprintf(id, sizeof id, "w%zu-front%u-%s", workload, scopes,
			         energy ? "energy" : "storage");
			draw_front(all, scope, energy, id, b);
		}
		scopes++;
	}
}

void rep_page_sweep(const struct rep_workload *w, size_t i, struct ct_buf *b)
{
	struct points all;
	if (read_points(w->p, &all) < 0) {
		b->failed = 1;
		return;
	}
	heat_maps(&all, i, b);
	fronts(&all, i, b);
	free(all.p);
}
