#include "tracegen/ptx.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/units.h"

/* Buffers lie where a GPU's allocator would put the first ones, so that traces have the same addresses in
 * every run: wanted, not demanded. */
#define FIRST_ADDRESS UINT64_C(0x7e0000000000)
enum { BETWEEN = 2 << 20 /* of buffers, as large allocations of a GPU lie */ };

struct buffer {
	void *memory;
	size_t bytes;
};

struct launch_state {
	const struct ptx_options *o;
	struct ct_ptx_module *m;
	const struct ct_ptx_kernel *kernel;
	struct ct_ptx_memory *memory;
	struct buffer *buffer;
	size_t buffers;
	uint64_t next; /* address wanted for the next buffer */
	unsigned char *params;
};

int ptx_parse_dimensions(const char *text, uint32_t d[3])
{
	d[0] = d[1] = d[2] = 1;
	for (unsigned i = 0; i < 3; i++) {
		char number[16];
		size_t n = strcspn(text, ",");
		uint64_t v;
		if (n == 0 || n >= sizeof number)
			return -1;
		memcpy(number, text, n);
		number[n] = '\0';
		if (ct_parse_u64_range(number, 1, UINT32_MAX, &v) < 0)
			return -1;
		d[i] = (uint32_t)v;
		if (!text[n])
			return 0;
		text += n + 1;
	}
	return -1;
}

int ptx_read_file(const char *path, struct ct_buf *b, struct ct_error *e)
{
	char block[1 << 14];
	size_t n;
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		ct_buf_add(b, block, n);
	int failed = ferror(f);
	if (f != stdin)
		fclose(f);
	if (failed)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot read", path);
	return ct_buf_check(b, e);
}

static int find_kernel(struct launch_state *s, struct ct_error *e)
{
	const char *name = s->o->kernel;
	size_t n = ct_ptx_kernel_count(s->m);
	if (!n)
		return ct_fail(e, CT_ERR_INPUT, "%s: has no kernel (.entry)", s->o->file);
	if (!name && n > 1)
		return ct_fail(e, CT_ERR_USAGE, "%s has %zu kernels: choose one with -k, as %s",
		               s->o->file, n, ct_ptx_kernel_at(s->m, 0)->name);
	s->kernel = name ? ct_ptx_find_kernel(s->m, name) : ct_ptx_kernel_at(s->m, 0);
	for (size_t i = 0; !s->kernel && i < n; i++) /* a mangled name holds the plain one */
		if (strstr(ct_ptx_kernel_at(s->m, i)->name, name))
			s->kernel = ct_ptx_kernel_at(s->m, i);
	if (!s->kernel)
		return ct_fail(e, CT_ERR_USAGE, "%s has no kernel %s: its first one is %s", s->o->file,
		               name, ct_ptx_kernel_at(s->m, 0)->name);
	return CT_OK;
}

/* What a buffer holds at first: zeros, 32-bit words that count, or reals in [0, 1). */
static int fill(const struct launch_state *s, const struct buffer *b, const char *how,
                struct ct_error *e)
{
	uint32_t *word = b->memory;
	size_t n = b->bytes / 4;
	if (!*how || strcmp(how, ":zero") == 0)
		return CT_OK;
	if (strcmp(how, ":count") == 0) {
		for (size_t i = 0; i < n; i++)
			word[i] = (uint32_t)i;
	} else if (strcmp(how, ":random") == 0) {
		for (size_t i = 0; i < n; i++) {
			uint64_t h = ct_mix64(s->o->seed + CT_GOLDEN64 * (i + 1));
			float v = (float)(h >> 40) / 16777216.0f;
			memcpy(&word[i], &v, 4);
		}
	} else {
		return ct_fail(e, CT_ERR_USAGE, "--arg buf:...%s: use :zero, :count or :random", how);
	}
	return CT_OK;
}

/* buf:SIZE[:zero|count|random] */
static int make_buffer(struct launch_state *s, const char *text, uint64_t *address, struct ct_error *e)
{
	char size[32];
	size_t n = strcspn(text, ":");
	uint64_t bytes = 0;
	if (n < sizeof size) {
		memcpy(size, text, n);
		size[n] = '\0';
	}
	if (n >= sizeof size || ct_parse_size(size, &bytes) < 0 || !bytes || bytes > SIZE_MAX / 2)
		return ct_fail(e, CT_ERR_USAGE, "--arg buf:%s: give a size, as in buf:64MiB", text);
	void *p = mmap((void *)(uintptr_t)s->next, (size_t)bytes, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return ct_fail(e, CT_ERR_NOMEM, "--arg buf:%s: out of memory", text);
	s->buffer[s->buffers++] = (struct buffer){p, (size_t)bytes};
	s->next += (bytes + BETWEEN - 1) / BETWEEN * BETWEEN;
	*address = (uint64_t)(uintptr_t)p;
	int st = fill(s, &s->buffer[s->buffers - 1], text + n, e);
	return st < 0 ? st : ct_ptx_memory_add(s->memory, p, bytes, e);
}

/* The number of an integer argument, negative or hexadecimal ones too. */
static int parse_integer(const char *text, uint64_t *v)
{
	char *end;
	errno = 0;
	*v = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
	return errno || end == text || *end ? -1 : 0;
}

/* Puts one argument into its place of the parameters. */
static int put_argument(struct launch_state *s, const struct ct_ptx_param *p, const char *text,
                        struct ct_error *e)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} types[] = {{"buf:", 8}, {"f32:", 4}, {"f64:", 8}, {"u8:", 1},  {"s8:", 1}, {"u16:", 2},
	             {"s16:", 2}, {"u32:", 4}, {"s32:", 4}, {"u64:", 8}, {"s64:", 8}};
	size_t i = 0, n = sizeof types / sizeof *types;
	while (i < n && strncmp(text, types[i].name, strlen(types[i].name)) != 0)
		i++;
	if (i == n)
		return ct_fail(
			e, CT_ERR_USAGE,
			"--arg %s: use buf:SIZE, f32:, f64:, or u8: to u64: and s8: to s64:", text);
	if (types[i].bytes != p->bytes)
		return ct_fail(e, CT_ERR_USAGE, "--arg %s: parameter %s has %u bytes, not %u", text,
		               p->name, p->bytes, types[i].bytes);
	const char *value = text + strlen(types[i].name);
	uint64_t bits = 0;
	double real = 0;
	int st = CT_OK;
	if (i == 0)
		st = make_buffer(s, value, &bits, e);
	else if (types[i].name[0] == 'f')
		st = ct_parse_real(value, &real) < 0 ? -1 : CT_OK;
	else
		st = parse_integer(value, &bits);
	if (st < 0)
		return i == 0 ? st : ct_fail(e, CT_ERR_USAGE, "--arg %s: give a number", text);
	float single = (float)real;
	if (types[i].name[0] == 'f')
		memcpy(&bits, p->bytes == 4 ? (void *)&single : (void *)&real, p->bytes);
	for (unsigned k = 0; k < p->bytes; k++)
		s->params[p->offset + k] = (unsigned char)(bits >> 8 * k);
	return CT_OK;
}

static int put_arguments(struct launch_state *s, struct ct_error *e)
{
	const struct ptx_options *o = s->o;
	if (o->args != s->kernel->nparams)
		return ct_fail(e, CT_ERR_USAGE, "kernel %s has %u parameters, %zu --arg are given",
		               s->kernel->name, s->kernel->nparams, o->args);
	s->params = ct_calloc(s->kernel->param_bytes + 1u, 1);
	s->buffer = ct_calloc(o->args + 1, sizeof *s->buffer);
	if (!s->params || !s->buffer)
		return ct_fail_nomem(e);
	int st = ct_ptx_memory_create(&s->memory, e);
	for (size_t i = 0; st == CT_OK && i < o->args; i++)
		st = put_argument(s, &s->kernel->params[i], o->arg[i], e);
	return st;
}

/* Records buffers and the launch. */
static int run(struct launch_state *s, struct ct_capture_summary *seen, struct ct_error *e)
{
	const struct ptx_options *o = s->o;
	struct ct_capture *c;
	struct ct_ptx_launch l = {
		.module = s->m,
		.kernel = s->kernel,
		.grid = {o->grid[0], o->grid[1], o->grid[2]},
		.block = {o->block[0], o->block[1], o->block[2]},
		.dynamic_shared = (uint32_t)o->shared,
		.params = s->params,
		.param_bytes = s->kernel->param_bytes,
		.memory = s->memory};
	int st = ct_capture_open(&o->capture, &c, e);
	if (st < 0)
		return st;
	for (size_t i = 0; st == CT_OK && i < s->buffers; i++) {
		uint64_t at = (uint64_t)(uintptr_t)s->buffer[i].memory;
		st = ct_capture_array(c, at, s->buffer[i].bytes, NULL, e);
		if (st == CT_OK)
			st = ct_capture_copy(c, CT_CAPTURE_TO_DEVICE, at, s->buffer[i].bytes, e);
	}
	if (st == CT_OK)
		st = ct_capture_launch(c, &l, NULL, e);
	struct ct_error unused;
	int end = ct_capture_close(c, st < 0 ? CT_CAPTURE_DROP : 0, seen, st < 0 ? &unused : e);
	return st < 0 ? st : end;
}

static void release(struct launch_state *s)
{
	for (size_t i = 0; i < s->buffers; i++)
		munmap(s->buffer[i].memory, s->buffer[i].bytes);
	free(s->buffer);
	free(s->params);
	ct_ptx_memory_free(s->memory);
	ct_ptx_free(s->m);
}

int ptx_trace(const struct ptx_options *o, struct ct_capture_summary *seen, struct ct_error *e)
{
	struct launch_state s = {.o = o, .next = FIRST_ADDRESS};
	struct ct_buf text = {0};
	int st = ptx_read_file(o->file, &text, e);
	if (st == CT_OK)
		st = ct_ptx_read(&s.m, text.len ? text.data : "", text.len, o->file, e);
	ct_buf_free(&text);
	if (st == CT_OK)
		st = find_kernel(&s, e);
	if (st == CT_OK)
		st = put_arguments(&s, e);
	if (st == CT_OK)
		st = run(&s, seen, e);
	release(&s);
	return st;
}
