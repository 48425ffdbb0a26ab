/* The packed form: what goes in comes out, from memory and from the spill file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/hash.h"
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

enum { INSTS = 3000, WARPS = 5 };

struct sample {
	uint32_t sid, mask;
	struct ct_pack_addr addr;
	uint64_t lane[CT_WARP_LANES];
	uint32_t values[40];
	unsigned nvalues;
};

static uint64_t pick_u64(uint64_t *seed)
{
	static const uint64_t special[] = {
		0, 1, 127, 128, 255, UINT32_MAX, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN};
	uint64_t r = ct_rand64(seed);
	if (r % 4 == 0)
		return special[(r >> 8) % (sizeof special / sizeof special[0])];
	return ct_rand64(seed) >> (r >> 8) % 64;
}

static void pick_addresses(struct sample *x, uint64_t *seed)
{
	struct ct_pack_addr *a = &x->addr;
	uint64_t at;
	a->form = (enum ct_addr_form)(ct_rand64(seed) % 4);
	a->n = a->form == CT_ADDR_NONE ? 0 : ct_popcount(x->mask);
	a->packed = NULL;
	a->lowest = INT64_MIN;
	a->base = at = pick_u64(seed);
	a->stride = (int64_t)pick_u64(seed);
	int regular = ct_rand64(seed) % 2 == 0;
	int64_t usual = (int64_t)pick_u64(seed);
	unsigned narrow = ct_rand64(seed) % 2 ? 64 - 8 * (unsigned)(1 + ct_rand64(seed) % 5) : 0;
	for (unsigned i = 0; i < a->n; i++) {
		x->lane[i] = at;
		int64_t d = regular && ct_rand64(seed) % 8 ? usual : (int64_t)pick_u64(seed);
		if (narrow && !regular) /* differences of so many bytes at most */
			d = (int64_t)ct_rand64(seed) >> narrow;
		if (i + 1 < a->n)
			a->delta[i] = d;
		at += a->form == CT_ADDR_STRIDE ? (uint64_t)a->stride : (uint64_t)d;
	}
	/* A list of nobody has no first address. */
	if (a->form == CT_ADDR_NONE)
		a->base = 0;
}

static void pick(struct sample *x, uint32_t before, uint64_t *seed)
{
	static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 0, 1, 0x80000000u, 0xffffu};
	uint64_t r = ct_rand64(seed);
	memset(x, 0, sizeof *x);
	x->sid = r % 3 ? before + 1 : (uint32_t)(ct_rand64(seed) % 1000000);
	x->mask = r / 3 % 8 < 6 ? masks[(r / 24) % 6] : (uint32_t)ct_rand64(seed);
	if (r / 1000 % 2)
		x->mask = UINT32_MAX;
	if (r / 2000 % 3 == 0)
		pick_addresses(x, seed);
	if (r / 6000 % 16 == 0)
		for (x->nvalues = (unsigned)(ct_rand64(seed) % 40); r && x->nvalues; r = 0)
			for (unsigned i = 0; i < x->nvalues; i++)
				x->values[i] = (uint32_t)pick_u64(seed);
}

/* Builds a CTA of WARPS warps of INSTS samples each, one segment after the other. */
static struct ct_cta *build(struct ct_store *store, struct sample *all, uint64_t seed)
{
	struct ct_builder b;
	struct ct_launch *l = ct_launch_new();
	struct ct_error e = {0};
	struct ct_cta *cta;
	assert_non_null(l);
	assert_int_equal(ct_builder_init(&b), 0);
	for (uint32_t w = 0; w < WARPS; w++) {
		struct ct_packer k;
		uint32_t before = UINT32_MAX;
		ct_packer_init(&k);
		assert_int_equal(ct_builder_warp(&b, w, &e), CT_OK);
		for (int i = 0; i < INSTS; i++) {
			struct sample *x = &all[w * INSTS + (uint32_t)i];
			pick(x, before, &seed);
			before = x->sid;
			if (x->addr.form == CT_ADDR_NONE && !x->nvalues)
				b.span.p = ct_pack_plain(&k, b.span.p, x->sid, x->mask);
			else
				b.span.p = ct_pack_inst(&k, b.span.p, x->sid, x->mask,
				                        x->addr.form ? &x->addr : NULL, x->values,
				                        x->nvalues);
			if (b.span.p >= b.span.limit)
				assert_int_equal(ct_builder_seal(&b, NULL, store, &e), CT_OK);
		}
		b.span.p = ct_pack_flush(&k, b.span.p);
		b.warp[w].insts = INSTS;
	}
	b.index = 7;
	assert_int_equal(ct_builder_finish(&b, l, store, &cta, &e), CT_OK);
	ct_builder_free(&b, store);
	ct_launch_unref(l);
	return cta;
}

static void same(const struct sample *x, const struct ct_inst *i)
{
	assert_int_equal(i->sid, x->sid);
	assert_int_equal(i->mask, x->mask);
	assert_int_equal(i->addr_form, x->addr.form);
	assert_int_equal(i->naddr, x->addr.n);
	assert_int_equal(i->base, x->addr.base);
	if (x->addr.form == CT_ADDR_STRIDE)
		assert_int_equal(i->stride, x->addr.stride);
	assert_memory_equal(i->addr, x->lane, x->addr.n * sizeof x->lane[0]);
	assert_int_equal(i->nvalues, x->nvalues);
	if (x->nvalues)
		assert_memory_equal(i->values, x->values, x->nvalues * sizeof x->values[0]);
}

/* The same by ct_cursor_step(), now and then with ct_cursor_next() between. */
static void step_back(struct ct_cursor *c, const struct sample *x)
{
	struct ct_error e = {0};
	struct ct_inst inst;
	uint32_t more, runs = 0, skipped = 0;
	for (int i = 0; i < INSTS; i++) {
		if (i % 50 == 49) {
			assert_int_equal(ct_cursor_next(c, &inst, &e), 1);
			assert_int_equal(inst.nruns, 0);
			same(x++, &inst);
			continue;
		}
		assert_int_equal(ct_cursor_step(c, &inst, &more, &e), 1);
		runs += inst.nruns > 0;
		if (inst.nruns)
			memset(inst.addr, 0xee, sizeof inst.addr);
		ct_inst_expand(&inst);
		same(x++, &inst);
		for (skipped += more; more; more--, i++) {
			inst.sid++;
			same(x++, &inst);
		}
	}
	assert_int_equal(ct_cursor_step(c, &inst, &more, &e), 0);
	assert_true(runs > 20 && skipped > 20);
}

/* Only which instructions: all of them, in stretches that are as long as they can be, and behind a few that were read
 * otherwise. */
static void stretch_back(struct ct_cursor *c, const struct sample *x)
{
	struct ct_error e = {0};
	struct ct_inst inst;
	uint32_t sid, insts, more, longest = 0;
	int i = 0;
	for (; i < 5; i++)
		assert_int_equal(ct_cursor_next(c, &inst, &e), 1);
	assert_int_equal(ct_cursor_step(c, &inst, &more, &e), 1);
	for (i += 1 + (int)more; i < INSTS;) {
		assert_int_equal(ct_cursor_stretch(c, &sid, &insts, &e), 1);
		assert_true(i + (int)insts <= INSTS);
		for (uint32_t k = 0; k < insts; k++)
			assert_int_equal(sid + k, x[i++].sid);
		longest = insts > longest ? insts : longest;
		assert_true(i == INSTS || x[i].sid != x[i - 1].sid + 1);
	}
	assert_int_equal(ct_cursor_stretch(c, &sid, &insts, &e), 0);
	assert_true(longest > 2);
}

static void read_back(struct ct_cta *cta, const struct sample *all)
{
	struct ct_cursor *c[WARPS];
	struct ct_error e = {0};
	struct ct_inst inst;
	assert_int_equal(ct_cta_index(cta), 7);
	assert_int_equal(ct_cta_warps(cta), WARPS);
	/* All warps side by side, as a replay reads them. */
	for (uint32_t w = 0; w < WARPS; w++)
		assert_int_equal(ct_cursor_open(&c[w], cta, w, &e), CT_OK);
	for (int i = 0; i < INSTS; i++)
		for (uint32_t w = 0; w < WARPS; w++) {
			assert_int_equal(ct_cursor_next(c[w], &inst, &e), 1);
			same(&all[w * INSTS + (uint32_t)i], &inst);
		}
	for (uint32_t w = 0; w < WARPS; w++)
		assert_int_equal(ct_cursor_next(c[w], &inst, &e), 0);
	/* Another warp with the same cursor. */
	assert_int_equal(ct_cursor_reset(c[0], cta, 3, &e), CT_OK);
	for (int i = 0; i < INSTS; i++) {
		assert_int_equal(ct_cursor_next(c[0], &inst, &e), 1);
		same(&all[3 * INSTS + i], &inst);
	}
	assert_int_equal(ct_cursor_reset(c[0], cta, WARPS, &e), CT_ERR_USAGE);
	for (uint32_t w = 0; w < WARPS; w++) {
		assert_int_equal(ct_cursor_reset(c[w], cta, w, &e), CT_OK);
		step_back(c[w], all + w * INSTS);
		assert_int_equal(ct_cursor_reset(c[w], cta, w, &e), CT_OK);
		stretch_back(c[w], all + w * INSTS);
		ct_cursor_close(c[w]);
	}
}

static void round_trip(uint64_t budget, int spills)
{
	struct sample *all = calloc(WARPS * INSTS, sizeof *all);
	struct ct_store *store = ct_store_new(budget);
	assert_non_null(all);
	assert_non_null(store);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct ct_cta *cta = build(store, all, seed);
		read_back(cta, all);
		ct_cta_unref(cta);
	}
	assert_int_equal(ct_store_spilled(store) > 0, spills);
	assert_int_equal(ct_store_resident(store), 0);
	ct_store_unref(store);
	free(all);
}

static void from_memory(void **state)
{
	(void)state;
	round_trip(0, 0);
}

static void from_the_spill_file(void **state)
{
	(void)state;
	round_trip(1, 1);
	round_trip(100000, 1); /* some of each */
}

static void spill_space_is_reused(void **state)
{
	struct ct_store *s = ct_store_new(1);
	struct ct_segment g[8];
	struct ct_error e = {0};
	static unsigned char bytes[CT_SEGMENT_MAX], back[CT_SEGMENT_MAX];
	uint64_t top = 0;
	(void)state;
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 8; i++) {
			size_t n = (size_t)(i * 9000 + round + 2);
			memset(bytes, i + round, n);
			assert_int_equal(ct_store_put(s, bytes, n, &g[i], &e), CT_OK);
			assert_null(g[i].memory);
			if (g[i].offset > top)
				top = g[i].offset;
		}
		for (int i = 0; i < 8; i++) {
			memset(bytes, i + round, g[i].bytes);
			assert_int_equal(ct_store_read(s, &g[i], 0, back, g[i].bytes, &e), CT_OK);
			assert_memory_equal(bytes, back, g[i].bytes);
			ct_store_drop(s, &g[i]);
		}
		assert_true(top < 8 * CT_SEGMENT_MAX);
	}
	ct_store_unref(s);
}

static void spill_needs_a_folder(void **state)
{
	struct ct_store *s = ct_store_new(1);
	struct ct_segment g;
	struct ct_error e = {0};
	char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
	(void)state;
	setenv("TMPDIR", "/nonexistent/folder", 1);
	assert_int_equal(ct_store_put(s, "xx", 2, &g, &e), CT_ERR_IO);
	assert_non_null(strstr(e.text, "TMPDIR"));
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
	ct_store_unref(s);
}

/* The code table: equal contents share a number, pointers stay. */
static void code_table(void **state)
{
	struct ct_launch *l = ct_launch_new();
	struct ct_error e = {0};
	uint32_t sid;
	(void)state;
	struct ct_sinst s = {.opcode = "IADD3", .ndst = 1, .nsrc = 1, .dst = {1}, .src = {2}};
	assert_int_equal(ct_code_add(&l->code, &s, 5, &sid, &e), CT_OK);
	const struct ct_sinst *first = ct_code_at(&l->code, sid);
	for (uint32_t pc = 0; pc < 5000; pc++) {
		s.pc = pc;
		assert_int_equal(ct_code_add(&l->code, &s, 5, &sid, &e), CT_OK);
		assert_int_equal(sid, pc);
	}
	assert_ptr_equal(first, ct_code_at(&l->code, 0));
	assert_string_equal(first->opcode, "IADD3");
	s.pc = 17;
	assert_int_equal(ct_code_add(&l->code, &s, 5, &sid, &e), CT_OK);
	assert_int_equal(sid, 17);
	/* Each part counts. */
	struct ct_sinst t = s;
	t.imm = 1;
	ct_code_add(&l->code, &t, 5, &sid, &e);
	assert_int_equal(sid, 5000);
	t = s;
	t.src[0] = 3;
	ct_code_add(&l->code, &t, 5, &sid, &e);
	assert_int_equal(sid, 5001);
	t = s;
	t.opcode = "IADD3.X";
	ct_code_add(&l->code, &t, 7, &sid, &e);
	assert_int_equal(sid, 5002);
	/* So do opcodes whose characters have equal sums, also with weights of powers of 31. */
	for (uint32_t i = 0; i < 8192; i++) {
		char op[32] = "A";
		for (int k = 0; k < 13; k++)
			memcpy(op + 1 + 2 * k, i >> k & 1 ? "Aa" : "BB", 3);
		t.opcode = op;
		assert_int_equal(ct_code_add(&l->code, &t, 27, &sid, &e), CT_OK);
		assert_int_equal(sid, 5003 + i);
	}
	assert_int_equal(ct_code_count(&l->code), 5003 + 8192);
	assert_ptr_equal(first, ct_code_at(&l->code, 0));
	ct_launch_unref(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_memory),
		cmocka_unit_test(from_the_spill_file),
		cmocka_unit_test(spill_space_is_reused),
		cmocka_unit_test(spill_needs_a_folder),
		cmocka_unit_test(code_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
