#include "trace/operands.h"
#include "trace/private/launch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "trace/private/accelsim.h"

/* A log may have as many launches as records: small ones take little. */
enum { FIRST_TEXT = 256, TEXT_BLOCK = 4096 };

struct ct_code_text {
	struct ct_code_text *next;
	size_t used, size;
	char text[];
};

struct ct_launch *ct_launch_new(void)
{
	struct ct_launch *l = calloc(1, sizeof *l);
	if (l)
		atomic_init(&l->refs, 1);
	return l;
}

struct ct_launch *ct_launch_ref(struct ct_launch *l)
{
	atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
	return l;
}

static void code_free(struct ct_code *c)
{
	for (int i = 0; i < CT_CODE_CHUNKS; i++) {
		struct ct_sinst *p = atomic_load_explicit(&c->chunk[i], memory_order_relaxed);
		if (!p)
			break;
		free(p);
	}
	while (c->text) {
		struct ct_code_text *next = c->text->next;
		free(c->text);
		c->text = next;
	}
	ct_index_free(&c->index);
}

void ct_launch_unref(struct ct_launch *l)
{
	if (!l || atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) != 1)
		return;
	code_free(&l->code);
	free(l->kernel.name);
	free(l->kernel.nvbit_version);
	free(l->kernel.tracer_version);
	free(l->kernel.path);
	free(l->kernel.sources);
	free(l);
}

void ct_env_note_absent(struct ct_env *env, const struct ct_kernel *k, uint64_t blocks, uint64_t absent,
                        uint64_t exited)
{
	const uint64_t grid = ct_kernel_ctas(k);
	if (blocks < grid) {
		env->stats->short_grids++;
		ct_warn(&env->options.diag,
		        "%s: kernel %u has %" PRIu64 " of the %" PRIu64 " thread blocks of its grid",
		        k->path, k->id, blocks, grid);
	}
	if (absent == 0 || (!k->binary_version && !k->partial_header))
		return;
	env->stats->absent_warps += absent;
	env->stats->lost_warps += exited ? absent : 0;
	ct_warn(&env->options.diag, "%s: kernel %u lacks %" PRIu64 " warps of its thread blocks%s",
	        k->path, k->id, absent, exited ? ": they are lost" : "");
}

void ct_env_note_bulk(struct ct_env *env, const struct ct_kernel *k)
{
	if (env->stats->bulk_kernels++ == 0)
		ct_warn(&env->options.diag,
		        "%s: kernel %u has bulk copies (TMA): they go to the LLC, and no warp waits for them, "
		        "so that its cycles are too few",
		        k->path, k->id);
}

void ct_env_note_status(struct ct_env *env, const char *path, unsigned status)
{
	env->stats->program_status = status;
	ct_warn(&env->options.diag,
	        "%s: the program ended with status %u: its trace may lack what it did not come to", path,
	        status);
}

/* The chunk that has number sid, and where. */
static unsigned chunk_of(uint32_t sid, uint32_t *at)
{
	unsigned i = ct_high_bit(sid / CT_CODE_CHUNK + 1);
	*at = sid + CT_CODE_CHUNK - ((uint32_t)CT_CODE_CHUNK << i);
	return i;
}

const struct ct_sinst *ct_code_at(const struct ct_code *code, uint32_t sid)
{
	/* Written before the CTA that names sid was handed out. */
	struct ct_code *c = (struct ct_code *)(uintptr_t)code;
	uint32_t at;
	unsigned i = chunk_of(sid, &at);
	return atomic_load_explicit(&c->chunk[i], memory_order_acquire) + at;
}

uint32_t ct_code_count(const struct ct_code *code)
{
	struct ct_code *c = (struct ct_code *)(uintptr_t)code;
	return atomic_load_explicit(&c->count, memory_order_acquire);
}

static uint64_t mix_in(uint64_t h, uint64_t v)
{
	return ct_mix64(h ^ v) + CT_GOLDEN64;
}

/* A hash over everything in which two static instructions may differ. */
static uint64_t hash_of(const struct ct_sinst *s, size_t n)
{
	uint64_t h = mix_in(s->pc, s->line);
	h = mix_in(h, (uint64_t)s->imm);
	h = mix_in(h, (uint64_t)s->imm2);
	h = mix_in(h,
	           (uint64_t)s->has_imm << 56 | (uint64_t)s->has_gmma << 48 | (uint64_t)s->gmma << 40 |
	                   (uint64_t)s->ndst << 32 | (uint64_t)s->nsrc << 24 | s->width_field);
	for (unsigned i = 0; i < s->ndst; i++)
		h = mix_in(h, s->dst[i]);
	for (unsigned i = 0; i < s->nsrc; i++)
		h = mix_in(h, s->src[i]);
	for (size_t i = 0; i < n;
	     i += 8) { /* mixed: a file may name many opcodes that a sum would not tell apart */
		uint64_t text = 0;
		memcpy(&text, s->opcode + i, n - i < 8 ? n - i : 8);
		h = mix_in(h, text);
	}
	return ct_mix64(h);
}

static int equal_instructions(const struct ct_sinst *a, const struct ct_sinst *b, size_t n)
{
	return a->pc == b->pc && a->line == b->line && a->imm == b->imm && a->imm2 == b->imm2 &&
	       a->has_imm == b->has_imm && a->has_gmma == b->has_gmma && a->gmma == b->gmma &&
	       a->ndst == b->ndst && a->nsrc == b->nsrc && a->width_field == b->width_field &&
	       memcmp(a->dst, b->dst, b->ndst * sizeof *b->dst) == 0 &&
	       memcmp(a->src, b->src, b->nsrc * sizeof *b->src) == 0 &&
	       strncmp(a->opcode, b->opcode, n) == 0 && a->opcode[n] == '\0';
}

static uint64_t hash_of_sid(const void *code, uint32_t sid)
{
	const struct ct_sinst *s = ct_code_at(code, sid);
	return hash_of(s, strlen(s->opcode));
}

/* Keeps a copy of an opcode's text in a block that lives as long as the code. NULL when out of
 * memory. */
static const char *keep_text(struct ct_code *c, const char *p, size_t n)
{
	if (!c->text || c->text->size - c->text->used < n + 1) {
		size_t size = c->text ? TEXT_BLOCK : FIRST_TEXT; /* an opcode fits (CT_OPCODE_MAX) */
		struct ct_code_text *t = malloc(sizeof *t + size);
		if (!t)
			return NULL;
		*t = (struct ct_code_text){.next = c->text, .size = size};
		c->text = t;
	}
	char *q = c->text->text + c->text->used;
	memcpy(q, p, n);
	q[n] = '\0';
	c->text->used += n + 1;
	return q;
}

/* Adds a static instruction behind the others. Readers in other threads may look at earlier ones
 * meanwhile: chunks never move, and the count is published last. */
static int append_instruction(struct ct_code *c, const struct ct_sinst *s, size_t n, struct ct_error *e)
{
	uint32_t sid = ct_code_count(c), at;
	if (sid >= CT_CODE_MAX)
		return ct_fail(e, CT_ERR_LIMIT,
		               "more than %d different instructions in one kernel: "
		               "no program is that long",
		               CT_CODE_MAX);
	unsigned i = chunk_of(sid, &at);
	struct ct_sinst *chunk = atomic_load_explicit(&c->chunk[i], memory_order_relaxed);
	if (!chunk) {
		if (!(chunk = ct_calloc((size_t)CT_CODE_CHUNK << i, sizeof *chunk)))
			return ct_fail_nomem(e);
		atomic_store_explicit(&c->chunk[i], chunk, memory_order_release);
	}
	const char *opcode = keep_text(c, s->opcode, n);
	if (!opcode)
		return ct_fail_nomem(e);
	chunk[at] = *s;
	chunk[at].opcode = opcode;
	ct_operands_classify(&chunk[at]);
	atomic_store_explicit(&c->count, sid + 1, memory_order_release);
	return CT_OK;
}

int ct_code_add(struct ct_code *c, const struct ct_sinst *s, size_t n, uint32_t *sid, struct ct_error *e)
{
	if (ct_index_reserve(&c->index, ct_code_count(c), hash_of_sid, c) < 0)
		return ct_fail_nomem(e);
	uint64_t h = hash_of(s, n);
	uint32_t at;
	for (; (at = ct_index_at(&c->index, h)) != 0; h++)
		if (equal_instructions(ct_code_at(c, at - 1), s, n)) {
			*sid = at - 1;
			return CT_OK;
		}
	*sid = ct_code_count(c);
	int st = append_instruction(c, s, n, e);
	if (st == CT_OK)
		ct_index_put(&c->index, h, *sid);
	return st;
}
