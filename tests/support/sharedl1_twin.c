#include "tests/support/sharedl1_twin.h"

#include <stdlib.h>
#include <string.h>

unsigned twin_home(const struct twin *t, uint64_t line)
{
	uint64_t tag = line / t->sets;
	unsigned bits = 0;
	if (t->homes == 'h')
		return t->hashed(line);
	if (t->homes == 'm')
		return (unsigned)(tag % t->cores);
	while (1u << bits < t->cores)
		bits++;
	unsigned v = (unsigned)(tag % (1u << bits));
	return v >= t->cores ? v - t->cores : v;
}

static unsigned set_number(const struct twin *t, uint64_t line)
{
	return (unsigned)(line % t->sets);
}

static int shares(const struct twin *t, unsigned core, uint64_t line)
{
	if (t->organisation == 's')
		return 1;
	if (t->organisation == 'p' || t->mode[core] == 'p')
		return 0;
	return t->mode[core] == 'S' || set_number(t, line) % 2 == 1;
}

static void advance(struct twin *t, unsigned c, int g);

unsigned twin_route(struct twin *t, unsigned core, uint64_t line)
{
	unsigned home = shares(t, core, line) ? twin_home(t, line) : core;
	if (t->organisation == 'd' && t->mode[core] == 's')
		t->sampled++;
	if (home != core) {
		t->remotes++;
		if (t->organisation == 'd' && t->mode[core] == 's')
			t->remote[core][set_number(t, line) % 2]++;
	}
	if (t->organisation == 'd' && t->own_counts)
		advance(t, core, set_number(t, line) % 2);
	return home;
}

static struct twin_line *lookup(struct twin *t, unsigned at, uint64_t line, unsigned *where)
{
	unsigned s = set_number(t, line);
	for (unsigned i = 0; i < t->fill[at][s]; i++)
		if (t->l1[at][s][i].line == line) {
			*where = i;
			return &t->l1[at][s][i];
		}
	return NULL;
}

unsigned twin_copies(const struct twin *t, uint64_t line)
{
	unsigned n = 0, s = set_number(t, line);
	for (unsigned c = 0; c < t->cores; c++)
		for (unsigned i = 0; i < t->fill[c][s]; i++)
			n += t->l1[c][s][i].line == line && t->l1[c][s][i].valid;
	return n;
}

static void to_front(struct twin *t, unsigned at, uint64_t line)
{
	unsigned s = set_number(t, line), i;
	if (!lookup(t, at, line, &i))
		return;
	struct twin_line l = t->l1[at][s][i];
	memmove(&t->l1[at][s][1], &t->l1[at][s][0], i * sizeof l);
	t->l1[at][s][0] = l;
}

/* Puts a line in front, in the place of the least recent one that is not reserved. */
static int insert(struct twin *t, unsigned at, uint64_t line, int reserved)
{
	unsigned s = set_number(t, line), n = t->fill[at][s];
	struct twin_line *l = t->l1[at][s];
	if (n == t->ways) {
		while (n > 0 && l[n - 1].reserved)
			n--;
		if (n == 0)
			return 0;
		memmove(&l[n - 1], &l[n], (t->ways - n) * sizeof *l);
		t->fill[at][s]--;
	}
	memmove(&l[1], &l[0], t->fill[at][s] * sizeof *l);
	l[0] = (struct twin_line){line, 0, reserved};
	t->fill[at][s]++;
	return 1;
}

static uint32_t under_way(const struct twin *t, unsigned at, uint64_t line)
{
	uint32_t m = 0;
	for (unsigned i = 0; i < t->fetches; i++)
		if (t->fetch[i].at == at && t->fetch[i].line == line)
			m |= t->fetch[i].mask;
	return m;
}

static double eb(const struct twin *t, unsigned c, int g)
{
	if (t->served[c][g] == 0)
		return t->home[c][g];
	double rate = t->missed[c][g] / t->served[c][g], least = 1 / t->served[c][g];
	return t->llc[c][g] / (rate > least ? rate : least) + t->home[c][g];
}

static double amat(const struct twin *t, unsigned c, int g)
{
	double l = t->local[c][g], r = t->remote[c][g], a = 28;
	if (l > 0)
		a += l / (l + r) * (t->local_missed[c][g] / l) * 275;
	if (r > 0)
		a += r / (l + r) * (82 + t->remote_missed[c][g] / r * 275);
	return a;
}

static void begin(struct twin *t, unsigned c, char mode)
{
	t->mode[c] = mode;
	for (int g = 0; g < 2; g++)
		t->progress[c][g] = t->served[c][g] = t->missed[c][g] = t->local[c][g] =
			t->local_missed[c][g] = t->remote[c][g] = t->remote_missed[c][g] = t->llc[c][g] =
				t->home[c][g] = 0;
}

static void end_sampling(struct twin *t, unsigned c)
{
	double p = t->by_amat ? -amat(t, c, 0) : eb(t, c, 0);
	double s = t->by_amat ? -amat(t, c, 1) : eb(t, c, 1);
	char mode = s > p ? 'S' : 'p';
	if (s == p)
		mode = t->last[c] == 'S' ? 'S' : 'p';
	if (t->served[c][0] == 0 || t->missed[c][0] / t->served[c][0] < t->guard)
		mode = 'p';
	if (t->guard == 0 && t->served[c][0] == 0)
		mode = s > p ? 'S' : 'p';
	t->last[c] = mode;
	t->decisions++;
	t->shared_decisions += mode == 'S';
	begin(t, c, mode);
}

/* One more access that brings the end of a phase nearer. */
static void advance(struct twin *t, unsigned c, int g)
{
	if (t->mode[c] != 's') {
		t->progress[c][0]++;
		if (t->progress[c][0] >= t->rex)
			begin(t, c, 's');
		return;
	}
	t->progress[c][g]++;
	if (t->progress[c][0] >= t->rs && t->progress[c][1] >= t->rs)
		end_sampling(t, c);
}

static void phases(struct twin *t, unsigned at, unsigned from, uint64_t line, int missed)
{
	int g = set_number(t, line) % 2, counts = t->served_counts || (from == at && !t->own_counts);
	if (t->organisation != 'd')
		return;
	if (t->mode[at] == 's') {
		t->served[at][g]++;
		t->missed[at][g] += missed;
		if (from == at) {
			t->local[at][g]++;
			t->local_missed[at][g] += missed;
		}
	}
	if (counts)
		advance(t, at, g);
}

uint32_t twin_access(struct twin *t, unsigned at, unsigned from, uint64_t line, uint32_t mask,
                     int is_write, uint64_t token, uint32_t *hit, uint32_t *pending)
{
	unsigned where;
	struct twin_line *l = lookup(t, at, line, &where);
	uint32_t valid = l ? l->valid & mask : 0, coming = under_way(t, at, line);
	uint32_t want = mask & ~valid, need = want & ~coming;
	int touched = l != NULL;
	*hit = valid;
	*pending = want & coming;
	if (is_write) {
		if (valid)
			to_front(t, at, line);
		t->writes++;
		t->write_misses += need != 0;
		phases(t, at, from, line, need != 0);
		return 0;
	}
	if (want) {
		if (t->waits == TWIN_WAITS || t->fetches == TWIN_WAITS)
			abort();
		int fresh = !coming && !(l && l->valid);
		t->fills += (unsigned)fresh;
		if (t->reserve && !l && !insert(t, at, line, 1))
			abort(); /* the tests never reserve a whole set */
		if (t->reserve) {
			l = lookup(t, at, line, &where);
			l->reserved = 1;
			touched = 1;
		}
		t->wait[t->waits++] = (struct twin_wait){at, from, line, token, want};
		if (need)
			t->fetch[t->fetches++] = (struct twin_fetch){at, line, need, fresh};
	}
	if (touched)
		to_front(t, at, line);
	t->reads++;
	t->read_misses += need != 0;
	phases(t, at, from, line, need != 0);
	return need;
}

unsigned twin_fill(struct twin *t, unsigned at, uint64_t line, uint32_t mask, uint64_t *token)
{
	unsigned where, n = 0, fresh = 0;
	for (unsigned i = 0; i < t->fetches; i++)
		if (t->fetch[i].at == at && t->fetch[i].line == line && t->fetch[i].mask == mask) {
			fresh = (unsigned)t->fetch[i].fresh;
			memmove(&t->fetch[i], &t->fetch[i + 1],
			        (t->fetches - i - 1) * sizeof t->fetch[0]);
			t->fetches--;
			break;
		}
	struct twin_line *l = lookup(t, at, line, &where);
	uint32_t coming = under_way(t, at, line);
	if (!l && !t->reserve && insert(t, at, line, 0))
		l = lookup(t, at, line, &where);
	if (l) {
		l->valid |= mask;
		if (!coming)
			l->reserved = 0;
	}
	/* A line fetched in parts is there when the first of them is, whichever that is. */
	for (unsigned i = 0; i < t->fetches; i++)
		if (t->fetch[i].at == at && t->fetch[i].line == line) {
			fresh |= (unsigned)t->fetch[i].fresh;
			t->fetch[i].fresh = 0;
		}
	if (fresh) {
		t->landed++;
		t->copies += twin_copies(t, line);
		t->replicated += twin_copies(t, line) > 1;
	}
	if (t->organisation == 'd' && t->mode[at] == 's')
		t->llc[at][set_number(t, line) % 2]++;
	for (unsigned i = 0; i < t->waits;) {
		struct twin_wait *w = &t->wait[i];
		if (w->at == at && w->line == line && !(w->mask & coming)) {
			token[n++] = w->token;
			memmove(w, w + 1, (t->waits - i - 1) * sizeof *w);
			t->waits--;
		} else {
			i++;
		}
	}
	return n;
}

void twin_reply(struct twin *t, unsigned core, uint64_t line, int missed)
{
	if (t->organisation != 'd' || t->mode[core] != 's')
		return;
	t->home[core][set_number(t, line) % 2]++;
	t->remote_missed[core][set_number(t, line) % 2] += missed;
}

void twin_ack(struct twin *t, unsigned at, uint64_t line)
{
	if (t->organisation == 'd' && t->mode[at] == 's')
		t->llc[at][set_number(t, line) % 2]++;
}

/* Nothing may be under way. */
void twin_flush(struct twin *t, unsigned core)
{
	for (unsigned s = 0; s < t->sets; s++)
		t->fill[core][s] = 0;
}
