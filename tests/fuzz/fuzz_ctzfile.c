/* Whole packed traces, mutated behind their checksums (tests/support/ctz_mutate.h). Any bytes end in
 * a trace or an error, the same with little memory; a trace that is read whole can be written, reads
 * as the same then, and is written as the same bytes again. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "tests/support/ctz_mutate.h"
#include "trace/ctz.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
/* libFuzzer's own; AFL++ and the replay driver have none. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max) __attribute__((weak));

enum { MAX_EXPAND = 1 << 22 };

struct seen {
	int status;
	uint64_t digest, insts;
};

static void must(int ok)
{
	if (!ok)
		abort();
}

static uint64_t add(uint64_t h, uint64_t v)
{
	return ct_mix64(h ^ v) + 0x9e3779b97f4a7c15u;
}

static uint64_t text(uint64_t h, const char *s)
{
	return add(h, ct_crc64(strlen(s), s, strlen(s)));
}

static uint64_t of_kernel(uint64_t h, const struct ct_kernel *k)
{
	for (int i = 0; i < 3; i++)
		h = add(add(h, k->grid[i]), k->block[i]);
	h = add(add(add(h, k->id), k->header_id), k->shmem_bytes);
	h = add(add(add(h, k->regs), k->binary_version), k->stream);
	h = add(add(h, k->shmem_base), k->local_base);
	h = add(h, k->has_windows | k->has_lineinfo << 1 | k->has_core_ids << 2 | k->raw << 3);
	h = text(h, k->sources ? k->sources : "");
	return text(text(text(h, k->name), k->nvbit_version), k->tracer_version);
}

static uint64_t of_static(uint64_t h, const struct ct_sinst *s)
{
	h = text(add(add(h, s->pc), s->line), s->opcode);
	h = add(h, s->space | s->access << 4 | s->unit << 8 | (uint64_t)s->mods << 16 |
	                   (uint64_t)s->width << 32);
	h = add(h, s->width_field | (uint64_t)s->has_imm << 16 | (uint64_t)s->has_gmma << 20);
	h = add(add(h, s->has_imm > 0 ? (uint64_t)s->imm : 0), s->has_imm > 1 ? (uint64_t)s->imm2 : 0);
	for (unsigned i = 0; i < s->ndst; i++)
		h = add(h, s->dst[i]);
	for (unsigned i = 0; i < s->nsrc; i++)
		h = add(h, s->src[i]);
	return add(h, s->ndst | s->nsrc << 4);
}

static uint64_t of_inst(uint64_t h, const struct ct_inst *x)
{
	h = add(add(h, x->mask), x->addr_form | x->naddr << 4 | (uint64_t)x->nvalues << 16);
	h = add(h, x->addr_form == CT_ADDR_NONE ? 0 : x->base);
	for (unsigned i = 0; i < x->naddr; i++)
		h = add(h, x->addr[i]);
	for (unsigned i = 0; i < x->nvalues; i++)
		h = add(h, x->values[i]);
	return h;
}

static uint64_t of_cta(uint64_t h, struct ct_cta *cta, struct seen *n)
{
	struct ct_cursor *c = NULL;
	struct ct_inst x;
	struct ct_error e;
	h = add(add(h, ct_cta_index(cta)), ct_cta_warps(cta));
	for (uint32_t w = 0; w < ct_cta_warps(cta); w++) {
		const struct ct_warp_info *i = ct_cta_warp(cta, w);
		uint64_t insts = 0;
		must((c ? ct_cursor_reset(c, cta, w, &e) : ct_cursor_open(&c, cta, w, &e)) == CT_OK);
		h = add(add(h, i->warp), i->insts);
		h = add(h, (uint64_t)(uint32_t)i->sm << 32 | (uint32_t)i->slot);
		for (; ct_cursor_next(c, &x, &e) > 0; insts++)
			h = of_inst(of_static(h, ct_code_at(ct_cta_code(cta), x.sid)), &x);
		must(insts == i->insts);
		n->insts += insts;
	}
	ct_cursor_close(c);
	return h;
}

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

/* One kernel's blocks. */
static int kernel(struct ct_trace *t, const struct ct_kernel *k, struct ct_ctz_writer *w, struct seen *n,
                  struct ct_error *e)
{
	struct ct_cta *cta;
	int st;
	n->digest = of_kernel(n->digest, k);
	if (w)
		must(ct_ctz_put_kernel(w, k, e) == CT_OK);
	while ((st = ct_trace_next_cta(t, &cta, e)) > 0) {
		n->digest = of_cta(n->digest, cta, n);
		if (w)
			must(ct_ctz_put_cta(w, cta, NULL, NULL, e) == CT_OK);
		ct_cta_unref(cta);
	}
	if (w && st == 0)
		must(ct_ctz_end_kernel(w, NULL, e) == CT_OK);
	return st;
}

/* Reads it all, and writes it to `copy` unless that is NULL. */
static struct seen look(const void *p, size_t n, const struct ct_trace_options *more,
                        struct ct_buf *copy)
{
	struct seen r = {.status = CT_ERR_INPUT};
	struct ct_trace_options o = *more;
	struct ct_ctz_writer *w = NULL;
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_error e;
	o.keep_values = 1;
	o.max_expand = MAX_EXPAND;
	if (ct_source_open_memory(&s, "fuzz", p, n, &e) < 0 || ct_trace_open_source(&t, s, &o, &e) < 0)
		return r;
	if (copy)
		must(ct_ctz_writer_new(&w, 1, put, copy, &e) == CT_OK);
	while ((r.status = ct_trace_next(t, &ev, &e)) > 0) {
		if (ev.kind == CT_EVENT_KERNEL) {
			if ((r.status = kernel(t, ev.kernel, w, &r, &e)) < 0)
				break;
			continue;
		}
		r.digest = add(add(r.digest, ev.address), ev.bytes);
		if (w)
			must(ct_ctz_put_memcpy(w, ev.address, ev.bytes, &e) == CT_OK);
	}
	if (r.status < 0 && r.status != CT_ERR_NOMEM)
		must(e.text[0] != '\0' && !strchr(e.text, '\n'));
	if (w && r.status == 0)
		must(ct_ctz_finish(w, 0, 0, &e) == CT_OK);
	ct_ctz_writer_free(w);
	if (o.salvage && ct_trace_damage(t))
		r.status = CT_ERR_INPUT;
	ct_trace_close(t);
	return r;
}

static void same(struct seen a, struct seen b)
{
	must(a.status == b.status && a.digest == b.digest && a.insts == b.insts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ct_trace_options plain = {0}, little = {.max_memory = 64, .no_threads = 1},
				      salvage = {.salvage = 1};
	struct ct_buf once = {0}, twice = {0};
	struct seen whole;
	if (size < 4 || memcmp(data, "CTZ\x01", 4) != 0)
		return 0;
	whole = look(data, size, &plain, NULL);
	same(whole, look(data, size, &little, NULL));
	struct seen part = look(data, size, &salvage, NULL);
	must((part.status == 0) == (whole.status == 0));
	if (whole.status == 0) {
		same(whole, part);
		same(whole, look(data, size, &plain, &once));
		same(whole, look(once.data, once.len, &plain, &twice));
		must(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
	}
	ct_buf_free(&once);
	ct_buf_free(&twice);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n = ctz_mutate(data, size, max, seed, LLVMFuzzerMutate);
	return n || !LLVMFuzzerMutate ? n : LLVMFuzzerMutate(data, size, max);
}
