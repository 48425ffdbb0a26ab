/* Functions of the host that kernels call: printf's vprintf and assert's __assertfail. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "runtime/runtime.h"

enum {
	MAX_TEXT = 1 << 16, /* bytes of a format, or of a string that %s prints */
	MAX_SPEC = 64       /* of one conversion */
};

/* Appends the string at a generic address: 0, or -1 where it cannot be read. */
static int read_string(const struct ct_ptx_call *c, uint64_t from, struct ct_buf *b)
{
	for (size_t i = 0; i < MAX_TEXT; i++) {
		char byte;
		if (c->read(c, &byte, from + i, 1) < 0)
			return -1;
		if (!byte)
			return 0;
		ct_buf_putc(b, byte);
	}
	return 0;
}

/* The arguments behind the format in local memory: each lies on a multiple of its size. */
struct arguments {
	const struct ct_ptx_call *call;
	uint64_t at;
};

static int next_argument(struct arguments *a, void *value, size_t bytes)
{
	a->at = (a->at + bytes - 1) / bytes * bytes;
	int got = a->call->read(a->call, value, a->at, bytes);
	a->at += bytes;
	return got;
}

/* A conversion: "%-8.3" and its letter; wide: its integer has 8 bytes. */
struct spec {
	char text[MAX_SPEC];
	size_t n;
	char letter;
	int wide;
};

static void add(struct spec *s, char c)
{
	if (s->n + 4 < sizeof s->text)
		s->text[s->n++] = c;
}

/* Flags, width and precision; a star takes an argument. Returns what follows them; NULL: unreadable. */
static const char *read_spec(const char *p, struct arguments *a, struct spec *s)
{
	*s = (struct spec){.text = "%", .n = 1};
	for (; *p && strchr("-+ #0123456789.*", *p); p++) {
		char digits[16];
		int value;
		if (*p != '*') {
			add(s, *p);
			continue;
		}
		if (next_argument(a, &value, sizeof value) < 0)
			return NULL;
		snprintf(digits, sizeof digits, "%d", value);
		for (const char *d = digits; *d; d++)
			add(s, *d);
	}
	for (; *p && strchr("hlLjzt", *p); p++)
		s->wide |= *p != 'h' && *p != 'L';
	s->letter = *p;
	return *p ? p + 1 : p;
}

/* The one place where a format is not a literal: it holds one conversion that fits the value behind it. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
static void put_real(struct ct_buf *out, const struct spec *s, double v)
{
	ct_buf_printf(out, s->text, v);
}
static void put_text(struct ct_buf *out, const struct spec *s, const char *v)
{
	ct_buf_printf(out, s->text, v);
}
static void put_integer(struct ct_buf *out, const struct spec *s, unsigned long long v)
{
	ct_buf_printf(out, s->text, v);
}
static void put_character(struct ct_buf *out, const struct spec *s, int v)
{
	ct_buf_printf(out, s->text, v);
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

static int convert_text(struct ct_buf *out, struct spec *s, struct arguments *a)
{
	struct ct_buf text = {0};
	uint64_t from;
	if (next_argument(a, &from, sizeof from) < 0)
		return -1;
	if (from == 0)
		ct_buf_puts(&text, "(null)");
	int got = from ? read_string(a->call, from, &text) : 0;
	s->text[s->n] = 's';
	if (got == 0)
		put_text(out, s, text.data ? text.data : "");
	ct_buf_free(&text);
	return got;
}

/* Prints one argument as its conversion says: 0, or -1 where it cannot be read. */
static int convert(struct ct_buf *out, struct spec *s, struct arguments *a)
{
	uint64_t wide;
	uint32_t narrow;
	double real;
	if (s->letter == 's')
		return convert_text(out, s, a);
	if (s->letter && strchr("eEfFgGaA", s->letter)) {
		s->text[s->n] = s->letter;
		if (next_argument(a, &real, sizeof real) < 0)
			return -1;
		put_real(out, s, real);
		return 0;
	}
	if (s->letter == 'p') {
		s->letter = 'x';
		s->wide = 1;
		ct_buf_puts(out, "0x");
	}
	if (s->wide ? next_argument(a, &wide, sizeof wide) < 0
	            : next_argument(a, &narrow, sizeof narrow) < 0)
		return -1;
	if (!s->wide)
		wide = s->letter == 'd' || s->letter == 'i' ? (uint64_t)(int64_t)(int32_t)narrow
		                                            : narrow;
	if (s->letter == 'c') {
		s->text[s->n] = 'c';
		put_character(out, s, (int)narrow);
		return 0;
	}
	s->text[s->n] = s->text[s->n + 1] = 'l';
	s->text[s->n + 2] = s->letter;
	put_integer(out, s, wide);
	return 0;
}

/* Prints a format with its arguments into out; *count gets how many it has, or -1 for an unknown conversion. */
static int format(struct ct_buf *out, const char *p, struct arguments *a, int *count)
{
	*count = 0;
	while (*p) {
		struct spec s;
		if (*p != '%' || p[1] == '%') {
			ct_buf_putc(out, *p);
			p += *p == '%' ? 2 : 1;
			continue;
		}
		p = read_spec(p + 1, a, &s);
		if (!p)
			return -1;
		if (!s.letter || !strchr("diouxXcspeEfFgGaA", s.letter)) {
			*count = -1;
			return 0;
		}
		if (convert(out, &s, a) < 0)
			return -1;
		++*count;
	}
	return 0;
}

/* int vprintf(const char *format, const void *arguments) */
static int call_vprintf(const struct ct_ptx_call *c, struct ct_error *e)
{
	uint64_t place[2];
	struct ct_buf text = {0}, out = {0};
	int count = 0;
	memcpy(place, c->arguments, sizeof place);
	struct arguments a = {c, place[1]};
	int got = read_string(c, place[0], &text);
	if (got == 0)
		got = format(&out, text.data ? text.data : "", &a, &count);
	int st = got < 0 ? ct_fail(e, CT_ERR_INPUT,
	                           "kernel %s: printf cannot read its format or an argument: "
	                           "a string must lie in memory of the device",
	                           c->cta->kernel->name)
	                 : ct_buf_check(&out, e);
	if (st == CT_OK && out.len && fwrite(out.data, 1, out.len, stdout) != out.len)
		count = -1;
	memcpy(c->result, &count, sizeof count);
	ct_buf_free(&text);
	ct_buf_free(&out);
	return st;
}

/* void __assertfail(const char *condition, const char *file, unsigned line, const char *function, size_t) */
static int call_assertfail(const struct ct_ptx_call *c, struct ct_error *e)
{
	struct {
		uint64_t condition, file;
		uint32_t line;
		uint64_t function, character_bytes;
	} p;
	struct ct_buf b[3] = {{0}, {0}, {0}};
	memcpy(&p, c->arguments, sizeof p < c->argument_bytes ? sizeof p : c->argument_bytes);
	if (read_string(c, p.condition, &b[0]) < 0 || read_string(c, p.file, &b[1]) < 0 ||
	    read_string(c, p.function, &b[2]) < 0)
		ct_buf_puts(&b[0], "?");
	ct_fail(e, CT_ERR_INPUT,
	        "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
	        b[1].data ? b[1].data : "?", p.line, b[2].data ? b[2].data : "?", c->cta->id[0],
	        c->cta->id[1], c->cta->id[2], c->thread[0], c->thread[1], c->thread[2],
	        b[0].data ? b[0].data : "?");
	for (size_t i = 0; i < 3; i++)
		ct_buf_free(&b[i]);
	return CT_ERR_INPUT;
}

static int call_malloc(const struct ct_ptx_call *c)
{
	uint64_t bytes, p;
	memcpy(&bytes, c->arguments, sizeof bytes);
	p = ct_cuda_heap_malloc(bytes);
	memcpy(c->result, &p, sizeof p);
	return CT_OK;
}

static int call_free(const struct ct_ptx_call *c, struct ct_error *e)
{
	uint64_t p;
	memcpy(&p, c->arguments, sizeof p);
	if (ct_cuda_heap_free(p) == 0)
		return CT_OK;
	return ct_fail(e, CT_ERR_INPUT, "kernel %s frees 0x%" PRIx64 ", which malloc() has not given",
	               c->cta->kernel->name, p);
}

int ct_cuda_host_call(void *ctx, const struct ct_ptx_call *c, struct ct_error *e)
{
	(void)ctx;
	if (strcmp(c->name, "vprintf") == 0 && c->argument_bytes >= 16 && c->result_bytes == 4)
		return call_vprintf(c, e);
	if (strcmp(c->name, "__assertfail") == 0 && c->argument_bytes >= 32)
		return call_assertfail(c, e);
	if (strcmp(c->name, "malloc") == 0 && c->argument_bytes >= 8 && c->result_bytes == 8)
		return call_malloc(c);
	if (strcmp(c->name, "free") == 0 && c->argument_bytes >= 8)
		return call_free(c, e);
	if (strncmp(c->name, "cuda", 4) == 0)
		return ct_fail(
			e, CT_ERR_UNSUPPORTED,
			"kernel %s calls %s: kernels that launch kernels (dynamic parallelism) are "
			"not emulated",
			c->cta->kernel->name, c->name);
	return ct_fail(e, CT_ERR_UNSUPPORTED, "kernel %s calls %s, which libctcuda does not have",
	               c->cta->kernel->name, c->name);
}
