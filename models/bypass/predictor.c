#include "models/bypass/predictor.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* What a line remembers. */
struct mark {
	uint32_t entry;  /* of the load that asked for it last */
	uint32_t reused; /* it has been hit since it came */
};

struct ct_bp_predictor {
	uint32_t slots, entries, most, threshold, sample_every;
	uint64_t kernel;   /* hash of its name */
	uint16_t *counter; /* [sm][entry] */
	uint32_t *refused; /* [sm][entry]: misses since the last sample */
	struct mark *mark; /* [sm][slot] */
	struct ct_bp_learned learned;
};

int ct_bp_predictor_new(struct ct_bp_predictor **out, uint32_t sms, uint32_t slots,
                        const struct ct_bp_params *params, struct ct_error *e)
{
	struct ct_bp_predictor *p = *out = ct_calloc(1, sizeof *p);
	if (!p)
		return ct_fail_nomem(e);
	p->slots = slots;
	p->entries = (uint32_t)params->v[CT_BP_ENTRIES];
	p->most = (UINT32_C(1) << (uint32_t)params->v[CT_BP_COUNTER_BITS]) - 1;
	p->threshold = (uint32_t)params->v[CT_BP_THRESHOLD];
	p->sample_every = (uint32_t)params->v[CT_BP_SAMPLE_EVERY];
	p->counter = ct_calloc((size_t)sms * p->entries, sizeof *p->counter);
	p->refused = ct_calloc((size_t)sms * p->entries, sizeof *p->refused);
	p->mark = ct_calloc((size_t)sms * slots, sizeof *p->mark);
	if (p->counter && p->refused && p->mark)
		return CT_OK;
	ct_bp_predictor_free(p);
	*out = NULL;
	return ct_fail_nomem(e);
}

void ct_bp_predictor_free(struct ct_bp_predictor *p)
{
	if (!p)
		return;
	free(p->counter);
	free(p->refused);
	free(p->mark);
	free(p);
}

void ct_bp_predictor_kernel(struct ct_bp_predictor *p, const char *name)
{
	p->kernel = CT_FNV_START;
	for (; *name; name++)
		p->kernel = ct_fnv_byte(p->kernel, (unsigned char)*name);
}

/* Place of the load's counter in the arrays. */
static size_t entry_of(const struct ct_bp_predictor *p, uint32_t sm, uint64_t pc)
{
	return (size_t)sm * p->entries + (ct_mix64(p->kernel ^ pc * CT_GOLDEN64) & (p->entries - 1));
}

static struct mark *mark_of(const struct ct_bp_predictor *p, uint32_t sm, uint32_t slot)
{
	return &p->mark[(size_t)sm * p->slots + slot];
}

/* A load whose lines die passes, but for one miss in sample_every: its line shows whether they still do. */
int ct_bp_may_allocate(struct ct_bp_predictor *p, uint32_t sm, uint64_t pc)
{
	size_t i = entry_of(p, sm, pc);
	if (p->counter[i] < p->threshold)
		return 1;
	if (p->sample_every && ++p->refused[i] >= p->sample_every) {
		p->refused[i] = 0;
		p->learned.samples++;
		return 1;
	}
	p->learned.passes++;
	return 0;
}

void ct_bp_found(struct ct_bp_predictor *p, uint32_t sm, uint32_t slot, uint64_t pc, int hit)
{
	struct mark *m = mark_of(p, sm, slot);
	if (hit) {
		p->counter[m->entry] -= p->counter[m->entry] > 0;
		m->reused = 1;
	}
	m->entry = (uint32_t)entry_of(p, sm, pc);
}

void ct_bp_allocated(struct ct_bp_predictor *p, uint32_t sm, uint32_t slot, uint64_t pc, int evicted)
{
	struct mark *m = mark_of(p, sm, slot);
	p->learned.evictions += evicted != 0;
	if (evicted && !m->reused) {
		p->learned.dead++;
		p->counter[m->entry] = (uint16_t)(p->counter[m->entry] +
		                                  (p->counter[m->entry] < p->most));
	}
	*m = (struct mark){(uint32_t)entry_of(p, sm, pc), 0};
}

uint32_t ct_bp_counter(const struct ct_bp_predictor *p, uint32_t sm, uint64_t pc)
{
	return p->counter[entry_of(p, sm, pc)];
}

struct ct_bp_learned ct_bp_predictor_counts(const struct ct_bp_predictor *p)
{
	return p->learned;
}

void ct_bp_predictor_restart(struct ct_bp_predictor *p)
{
	p->learned = (struct ct_bp_learned){0};
}

/* Counters; the count of misses between two samples for each; for each line the number of its counter and the
 * bit that says whether it was hit. */
double ct_bp_storage_bytes(const struct ct_bp_params *params, double lines)
{
	double entries = params->v[CT_BP_ENTRIES], every = params->v[CT_BP_SAMPLE_EVERY];
	double entry = params->v[CT_BP_COUNTER_BITS] + (every > 1 ? ceil(log2(every)) : 0);
	return (entries * entry + lines * (ceil(log2(entries)) + 1)) / 8;
}
