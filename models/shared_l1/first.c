#include "models/shared_l1/first.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/mem.h"
#include "models/shared_l1/home.h"

enum { SLOTS = 16384, MOST = SLOTS / 2 };
enum { WAITING = 16 }; /* requests that wait until the host's memory has brought their slots near */

struct slot {
	uint64_t line; /* + 1; 0 is free */
	uint64_t read; /* sectors */
};

struct request {
	uint64_t line;
	uint8_t sectors, is_write;
};

struct ct_sl_first {
	struct request waiting[WAITING];
	unsigned n_waiting;
	struct slot slot[SLOTS], old[SLOTS];
	uint32_t used;
	unsigned shift; /* one line in 2^shift is kept */
	struct ct_sl_firsts n;
};

static uint64_t hash_of_line(uint64_t line)
{
	line *= UINT64_C(0x9e3779b97f4a7c15);
	return line ^ line >> 32;
}

int ct_sl_first_new(struct ct_sl_first **s)
{
	*s = ct_calloc(1, sizeof **s);
	return *s ? CT_OK : CT_ERR_NOMEM;
}

void ct_sl_first_free(struct ct_sl_first *s)
{
	free(s);
}

static int is_kept(const struct ct_sl_first *s, uint64_t hash)
{
	return !(hash >> 16 & ((UINT64_C(1) << s->shift) - 1));
}

static struct slot *find_slot(struct ct_sl_first *s, uint64_t line, uint64_t hash)
{
	uint32_t i = (uint32_t)hash & (SLOTS - 1);
	while (s->slot[i].line && s->slot[i].line != line + 1)
		i = (i + 1) & (SLOTS - 1);
	return &s->slot[i];
}

/* Keeps every other line of those it kept. */
static void halve_sample(struct ct_sl_first *s)
{
	memcpy(s->old, s->slot, sizeof s->old);
	memset(s->slot, 0, sizeof s->slot);
	s->used = 0;
	s->shift++;
	for (uint32_t i = 0; i < SLOTS; i++) {
		uint64_t hash = hash_of_line(s->old[i].line - 1);
		if (!s->old[i].line || !is_kept(s, hash))
			continue;
		*find_slot(s, s->old[i].line - 1, hash) = s->old[i];
		s->used++;
	}
}

/* Takes a request, whose line may not be one of the sample any more. */
static void take_request(struct ct_sl_first *s, const struct request *q)
{
	uint64_t hash = hash_of_line(q->line);
	if (!is_kept(s, hash))
		return;
	struct slot *x = find_slot(s, q->line, hash);
	if (!x->line) {
		*x = (struct slot){.line = q->line + 1};
		s->used++;
	}
	uint32_t lacks = q->sectors & ~(uint32_t)x->read;
	double each = (double)(UINT64_C(1) << s->shift);
	if (lacks) {
		*(q->is_write ? &s->n.writes : &s->n.reads) += each;
		*(q->is_write ? &s->n.write_sectors : &s->n.read_sectors) += each * ct_bits(lacks);
	}
	if (!q->is_write)
		x->read |= q->sectors;
	if (s->used > MOST)
		halve_sample(s);
}

static void take_waiting(struct ct_sl_first *s)
{
	for (unsigned i = 0; i < s->n_waiting; i++)
		take_request(s, &s->waiting[i]);
	s->n_waiting = 0;
}

void ct_sl_first_flush(struct ct_sl_first *s)
{
	take_waiting(s);
	if (s->used)
		memset(s->slot, 0, sizeof s->slot);
	s->used = 0;
}

void ct_sl_first_wipe(struct ct_sl_first *s, uint32_t sets, unsigned cores, unsigned home)
{
	take_waiting(s);
	for (uint32_t i = 0; i < SLOTS && s->used; i++)
		if (s->slot[i].line &&
		    ct_sl_home(CT_SL_HOMES_MOD, s->slot[i].line - 1, sets, cores) == home)
			s->slot[i].read = 0;
}

void ct_sl_first_access(struct ct_sl_first *s, uint64_t line, uint32_t sectors, int is_write)
{
	const uint64_t hash = hash_of_line(line);
	s->n.requests++;
	if (!is_kept(s, hash))
		return;
	CT_BRING(&s->slot[hash & (SLOTS - 1)]);
	s->waiting[s->n_waiting++] = (struct request){line, (uint8_t)sectors, is_write != 0};
	if (s->n_waiting == WAITING)
		take_waiting(s);
}

void ct_sl_first_counted(struct ct_sl_first *s)
{
	take_waiting(s);
	memset(&s->n, 0, sizeof s->n);
}

void ct_sl_first_counts(struct ct_sl_first *s, struct ct_sl_firsts *n)
{
	take_waiting(s);
	*n = s->n;
}
