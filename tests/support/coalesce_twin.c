#include "tests/support/coalesce_twin.h"

#include <string.h>

static unsigned find(struct ct_line_request *out, unsigned *n, uint64_t line)
{
	for (unsigned i = 0; i < *n; i++)
		if (out[i].line == line)
			return i;
	memset(&out[*n], 0, sizeof out[*n]);
	out[*n].line = line;
	return (*n)++;
}

static int in_window(uint64_t a, uint64_t base)
{
	return a >= base && a - base < UINT64_C(0x1000000);
}

unsigned twin_coalesce(const struct ct_kernel *k, const struct ct_sinst *s, const struct ct_inst *inst,
                       uint32_t line, uint32_t sector, const struct ct_local_map *m, uint64_t key,
                       struct ct_line_request *out, uint32_t *shared_lanes)
{
	unsigned n = 0, index = 0;
	*shared_lanes = 0;
	for (unsigned lane = 0; lane < 32; lane++) {
		if (!(inst->mask >> lane & 1) || s->width == 0 || index >= inst->naddr)
			continue;
		uint64_t a = inst->addr[index++];
		int is_local = s->space == CT_SPACE_LOCAL, is_shared = s->space == CT_SPACE_SHARED;
		if (s->space == CT_SPACE_GENERIC && k->has_windows) {
			is_shared = in_window(a, k->shmem_base);
			is_local = !is_shared && in_window(a, k->local_base);
			if (is_local)
				a -= k->local_base;
		}
		if (is_shared)
			*shared_lanes |= UINT32_C(1) << lane;
		if (is_shared ||
		    (s->space != CT_SPACE_GLOBAL && s->space != CT_SPACE_GENERIC && !is_local))
			continue;
		if (!is_local && a == 0)
			continue;
		for (uint64_t b = 0; b < s->width; b++) {
			uint64_t at = a + b;
			if (!is_local && at < a)
				break;
			if (is_local && m) {
				uint64_t p = m->threads, tid = m->hw_thread + lane,
					 all = p * m->ctas * m->sms;
				uint64_t w = at / 4;
				at = m->base +
				     4 * (w * all + p * (m->sm + m->sms * (tid / p)) + tid % p) + at % 4;
			} else if (is_local) {
				at = UINT64_C(0x8000000000000000) +
				     key % (UINT64_C(1) << 34) * (UINT64_C(1) << 29) +
				     at / 4 % (1 << 22) * 128 + lane * 4 + at % 4;
			}
			struct ct_line_request *r = &out[find(out, &n, at / line)];
			r->lanes |= UINT32_C(1) << lane;
			r->sectors |= UINT32_C(1) << at % line / sector;
			if (line <= 128)
				r->bytes[at % line / 64] |= UINT64_C(1) << at % line % 64;
		}
	}
	return n;
}

unsigned twin_shared_conflicts(const struct ct_inst *inst, uint32_t lanes, uint32_t banks)
{
	uint64_t word[32];
	unsigned n = 0, index = 0, worst = 0;
	for (unsigned lane = 0; lane < 32; lane++) {
		if (!(inst->mask >> lane & 1))
			continue;
		uint64_t w = inst->addr[index++] / 4;
		int known = !(lanes >> lane & 1);
		for (unsigned i = 0; i < n; i++)
			known |= word[i] == w;
		if (!known)
			word[n++] = w;
	}
	for (uint32_t bank = 0; bank < banks; bank++) {
		unsigned count = 0;
		for (unsigned i = 0; i < n; i++)
			count += word[i] % banks == bank;
		worst = count > worst ? count : worst;
	}
	return worst;
}

/* For accesses inside one sector each: a lane's transaction number in its sector is the
 * first whose bytes it does not meet. */
unsigned twin_atomic_transactions(const struct ct_inst *inst, unsigned width, uint32_t sector)
{
	unsigned number[32], n = inst->naddr, total = 0;
	for (unsigned i = 0; i < n; i++) {
		for (number[i] = 0;; number[i]++) {
			int meets = 0;
			for (unsigned j = 0; j < i; j++)
				meets |= inst->addr[j] / sector == inst->addr[i] / sector &&
				         number[j] == number[i] &&
				         inst->addr[j] + width > inst->addr[i] &&
				         inst->addr[i] + width > inst->addr[j];
			if (!meets)
				break;
		}
		int first = 1;
		for (unsigned j = 0; j < i; j++)
			first &= !(inst->addr[j] / sector == inst->addr[i] / sector &&
			           number[j] == number[i]);
		total += (unsigned)first;
	}
	return total;
}
