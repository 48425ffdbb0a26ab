#include "ptx/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

unsigned ct_ptx_type_bytes(enum ct_ptx_type t)
{
	static const unsigned char bytes[CT_PTX_TYPES] = {
		1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 2, 4, 4, 8, 4};
	return bytes[t];
}

int ct_ptx_type_named(const char *name, size_t n)
{
	static const char *const known[CT_PTX_TYPES] = {
		"b8",  "b16", "b32", "b64",   "u8",   "u16",    "u32", "u64", "s8",  "s16",
		"s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "pred"};
	for (int i = 0; i < CT_PTX_TYPES; i++)
		if (strlen(known[i]) == n && memcmp(known[i], name, n) == 0)
			return i;
	return -1;
}

struct ct_ptx_block {
	struct ct_ptx_block *next;
	size_t used, size;
};

void *ct_ptx_keep(struct ct_ptx_module *m, size_t bytes)
{
	enum { HEAD = (sizeof(struct ct_ptx_block) + 15) / 16 * 16, ROOM = 16384 };
	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + 15) / 16 * 16;
	struct ct_ptx_block *b = m->blocks;
	if (!b || b->size - b->used < bytes) {
		size_t size = bytes > ROOM ? bytes : ROOM;
		b = ct_calloc(1, HEAD + size);
		if (!b)
			return NULL;
		b->size = size;
		b->next = m->blocks;
		m->blocks = b;
	}
	void *p = (char *)b + HEAD + b->used;
	b->used += bytes;
	return p;
}

const char *ct_ptx_keep_text(struct ct_ptx_module *m, const char *s, size_t n)
{
	char *p = ct_ptx_keep(m, n + 1);
	if (p)
		memcpy(p, s, n);
	return p;
}

static size_t home(const struct ct_ptx_names *names, const char *name, size_t n, uint32_t scope)
{
	uint64_t h = CT_FNV_START ^ scope;
	for (size_t i = 0; i < n; i++)
		h = ct_fnv_byte(h, (unsigned char)name[i]);
	return (size_t)ct_mix64(h) & (names->cap - 1);
}

/* The place of a name, or the empty place where it belongs. */
static struct ct_ptx_name *place(const struct ct_ptx_names *names, const char *name, size_t n,
                                 uint32_t scope)
{
	size_t i = home(names, name, n, scope);
	for (;; i = (i + 1) & (names->cap - 1)) {
		struct ct_ptx_name *s = &names->slot[i];
		if (!s->name ||
		    (s->scope == scope && strncmp(s->name, name, n) == 0 && s->name[n] == '\0'))
			return s;
	}
}

static int widen(struct ct_ptx_names *names)
{
	struct ct_ptx_names wider = {.cap = names->cap ? 2 * names->cap : 64};
	wider.slot = ct_calloc(wider.cap, sizeof *wider.slot);
	if (!wider.slot)
		return -1;
	for (size_t i = 0; i < names->cap; i++)
		if (names->slot[i].name)
			*place(&wider, names->slot[i].name, strlen(names->slot[i].name),
			       names->slot[i].scope) = names->slot[i];
	wider.used = names->used;
	free(names->slot);
	*names = wider;
	return 0;
}

int ct_ptx_names_put(struct ct_ptx_names *names, const char *name, uint32_t scope, uint32_t value)
{
	if (2 * (names->used + 1) > names->cap && widen(names) < 0)
		return -1;
	struct ct_ptx_name *s = place(names, name, strlen(name), scope);
	names->used += !s->name;
	*s = (struct ct_ptx_name){name, scope, value};
	return 0;
}

int64_t ct_ptx_names_get(const struct ct_ptx_names *names, const char *name, size_t n, uint32_t scope)
{
	if (!names->cap)
		return -1;
	const struct ct_ptx_name *s = place(names, name, n, scope);
	return s->name ? (int64_t)s->value : -1;
}

void ct_ptx_names_free(struct ct_ptx_names *names)
{
	free(names->slot);
	memset(names, 0, sizeof *names);
}

void ct_ptx_free(struct ct_ptx_module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nfunctions; i++) {
		free(m->function[i].param);
		free(m->function[i].result);
		free(m->function[i].callee);
		free(m->function[i].variable);
	}
	for (size_t i = 0; i < m->nsymbols; i++)
		free(m->symbol[i].block);
	for (struct ct_ptx_block *b = m->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	ct_ptx_names_free(&m->functions);
	ct_ptx_names_free(&m->symbols);
	ct_ptx_names_free(&m->constants);
	free(m->function);
	free(m->symbol);
	free(m->kernel);
	free(m->kernel_function);
	free(m->global);
	free(m->fixup);
	free(m->use);
	free(m->op);
	free(m->line);
	free(m->source);
	free(m->operand);
	free(m->extra);
	free(m->table);
	free(m->constant);
	free(m->file);
	free(m);
}

int ct_ptx_is_placed(const struct ct_ptx_module *m)
{
	return m->placed;
}

unsigned ct_ptx_version(const struct ct_ptx_module *m)
{
	return m->version;
}

unsigned ct_ptx_target(const struct ct_ptx_module *m)
{
	return m->target;
}

size_t ct_ptx_kernel_count(const struct ct_ptx_module *m)
{
	return m->nkernels;
}

const struct ct_ptx_kernel *ct_ptx_kernel_at(const struct ct_ptx_module *m, size_t index)
{
	return index < m->nkernels ? &m->kernel[index] : NULL;
}

const struct ct_ptx_kernel *ct_ptx_find_kernel(const struct ct_ptx_module *m, const char *name)
{
	for (size_t i = 0; i < m->nkernels; i++)
		if (strcmp(m->kernel[i].name, name) == 0)
			return &m->kernel[i];
	return NULL;
}

size_t ct_ptx_variable_count(const struct ct_ptx_module *m)
{
	return m->nglobals;
}

const struct ct_ptx_variable *ct_ptx_variable_at(const struct ct_ptx_module *m, size_t index)
{
	return index < m->nglobals ? &m->symbol[m->global[index]].v : NULL;
}

const struct ct_ptx_variable *ct_ptx_find_variable(const struct ct_ptx_module *m, const char *name)
{
	int64_t i = ct_ptx_names_get(&m->symbols, name, strlen(name), 0);
	if (i < 0 || (m->symbol[i].space != CT_PTX_GLOBAL && m->symbol[i].space != CT_PTX_CONST))
		return NULL;
	return &m->symbol[i].v;
}

size_t ct_ptx_instruction_count(const struct ct_ptx_module *m)
{
	return m->nlines;
}

struct ct_ptx_instruction ct_ptx_instruction_at(const struct ct_ptx_module *m, size_t index)
{
	if (index >= m->nlines)
		return (struct ct_ptx_instruction){0};
	return (struct ct_ptx_instruction){
		m->line[index].opcode, m->line[index].line, m->line[index].function};
}
