/* accelsim_header.c - kernel headers (doc/formats.md section 2). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/private/accelsim.h"
#include "trace/private/text.h"

enum {
	SEEN_NAME = 1,
	SEEN_GRID = 2,
	SEEN_BLOCK = 4,
	SEEN_SHMEM_BASE = 8,
	SEEN_LOCAL_BASE = 16,
	SEEN_SHMEM = 32,
	SEEN_REGS = 64,
	SEEN_BINARY = 128
};

struct header {
	struct ct_kernel *k;
	unsigned seen, said; /* what check_header() asks for; a bit per key */
};

struct key {
	const char *name;
	int (*set)(struct header *h, const char *p, size_t n);
};

/* Values end at the line's end; trailing blanks are gone. Each setter returns 0, or -1
 * when the value is not of its form. */
static int set_text(char **to, const char *p, size_t n)
{
	free(*to);
	*to = ct_strndup(p, n);
	return *to ? 0 : CT_ERR_NOMEM;
}

static int is_whole(const char *p, const char *end)
{
	return p && p == end ? 0 : -1;
}

static int set_number(uint64_t *to, const char *p, size_t n, uint64_t max)
{
	uint64_t v;
	if (is_whole(ct_text_u64(p, &v), p + n) != 0 || v > max)
		return -1;
	*to = v;
	return 0;
}

static int set_u32(uint32_t *to, const char *p, size_t n)
{
	uint64_t v;
	if (set_number(&v, p, n, UINT32_MAX) != 0)
		return -1;
	*to = (uint32_t)v;
	return 0;
}

static int set_name(struct header *h, const char *p, size_t n)
{
	if (h->seen & SEEN_NAME)
		return -1; /* two headers run into one another */
	h->seen |= SEEN_NAME;
	return set_text(&h->k->name, p, n);
}

static int set_id(struct header *h, const char *p, size_t n)
{
	return set_number(&h->k->header_id, p, n, UINT64_MAX);
}

/* "(X,Y,Z)", blanks allowed. */
static int set_dim(uint32_t dim[3], const char *p, const char *end)
{
	if (*p++ != '(')
		return -1;
	for (int i = 0; i < 3; i++) {
		uint64_t v;
		p = ct_text_u64(ct_skip_blanks(p), &v);
		if (!p || v == 0 || v > UINT32_MAX)
			return -1;
		dim[i] = (uint32_t)v;
		p = ct_skip_blanks(p);
		if (*p++ != (i < 2 ? ',' : ')'))
			return -1;
	}
	return p == end ? 0 : -1;
}

static int set_grid(struct header *h, const char *p, size_t n)
{
	const uint32_t *g = h->k->grid;
	h->seen |= SEEN_GRID;
	if (set_dim(h->k->grid, p, p + n) != 0)
		return -1;
	/* Linear CTA numbers have to fit. */
	uint64_t xy = (uint64_t)g[0] * g[1];
	return xy > INT64_MAX / g[2] ? -1 : 0;
}

static int set_block(struct header *h, const char *p, size_t n)
{
	const uint32_t *b = h->k->block;
	h->seen |= SEEN_BLOCK;
	if (set_dim(h->k->block, p, p + n) != 0)
		return -1;
	uint64_t xy = (uint64_t)b[0] * b[1];
	return xy > CT_BLOCK_THREADS_MAX || xy * b[2] > CT_BLOCK_THREADS_MAX ? -1 : 0;
}

static int set_shmem(struct header *h, const char *p, size_t n)
{
	h->seen |= SEEN_SHMEM;
	return set_number(&h->k->shmem_bytes, p, n, UINT64_MAX);
}

static int set_regs(struct header *h, const char *p, size_t n)
{
	h->seen |= SEEN_REGS;
	return set_u32(&h->k->regs, p, n);
}

static int set_binary(struct header *h, const char *p, size_t n)
{
	h->seen |= SEEN_BINARY;
	return set_u32(&h->k->binary_version, p, n);
}

/* A stream is 0 or a host pointer; some print it as a signed number. */
static int set_stream(struct header *h, const char *p, size_t n)
{
	int64_t v;
	if (*p != '-')
		return set_number(&h->k->stream, p, n, UINT64_MAX);
	if (is_whole(ct_text_i64(p, &v), p + n) != 0)
		return -1;
	h->k->stream = (uint64_t)v;
	return 0;
}

static int set_shmem_base(struct header *h, const char *p, size_t n)
{
	h->seen |= SEEN_SHMEM_BASE;
	return is_whole(ct_text_hex(p, &h->k->shmem_base), p + n);
}

static int set_local_base(struct header *h, const char *p, size_t n)
{
	h->seen |= SEEN_LOCAL_BASE;
	return is_whole(ct_text_hex(p, &h->k->local_base), p + n);
}

static int set_nvbit(struct header *h, const char *p, size_t n)
{
	return set_text(&h->k->nvbit_version, p, n);
}

static int set_tracer(struct header *h, const char *p, size_t n)
{
	return set_text(&h->k->tracer_version, p, n);
}

static int set_lineinfo(struct header *h, const char *p, size_t n)
{
	uint64_t v;
	if (set_number(&v, p, n, 1) != 0)
		return -1;
	h->k->has_lineinfo = (uint8_t)v;
	return 0;
}

static int set_sources(struct header *h, const char *p, size_t n)
{
	return set_text(&h->k->sources, p, n);
}

static const struct key keys[] = {
	{"kernel name", set_name},
	{"kernel id", set_id},
	{"grid dim", set_grid},
	{"block dim", set_block},
	{"shmem", set_shmem},
	{"nregs", set_regs},
	{"binary version", set_binary},
	{"cuda stream id", set_stream},
	{"shmem base_addr", set_shmem_base},
	{"local mem base_addr", set_local_base},
	{"nvbit version", set_nvbit},
	{"accelsim tracer version", set_tracer},
	{"enable lineinfo", set_lineinfo},
	{"source files", set_sources},
};

/* "-key = value"; unknown keys pass. */
static int header_line(struct ct_lines *l, struct header *h, const char *p, const char *end,
                       struct ct_error *e)
{
	while (end > p && (ct_is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	const char *equals = memchr(p, '=', (size_t)(end - p));
	if (!equals)
		return ct_lines_fail(l, e, CT_ERR_INPUT, "header line without '=': cut or damaged");
	const char *key = p + 1, *key_end = equals;
	while (key_end > key && ct_is_blank(key_end[-1]))
		key_end--;
	const char *value = equals + 1;
	while (value < end && ct_is_blank(*value))
		value++;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		size_t n = strlen(keys[i].name);
		if ((size_t)(key_end - key) != n || memcmp(key, keys[i].name, n) != 0)
			continue;
		if (i > 0 && h->said >> i & 1) /* a second name has its own reason, set_name() */
			return ct_lines_fail(l, e, CT_ERR_INPUT,
			                     "the kernel's header says -%s twice: lines are doubled "
			                     "or of another header",
			                     keys[i].name);
		h->said |= 1u << i;
		int st = value == end ? -1 : keys[i].set(h, value, (size_t)(end - value));
		if (st == CT_ERR_NOMEM)
			return ct_fail_nomem(e);
		return st == 0 ? CT_OK
		               : ct_lines_fail(l, e, CT_ERR_INPUT, "bad value of -%s: %.*s",
		                               keys[i].name,
		                               value == end       ? 6
		                               : end - value > 40 ? 40
		                                                  : (int)(end - value),
		                               value == end ? "(none)" : value);
	}
	return CT_OK;
}

static int holds_word(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);
	for (; (size_t)(end - p) >= n; p++)
		if (memcmp(p, word, n) == 0)
			return 1;
	return 0;
}

unsigned ct_tracer_major(const char *version)
{
	uint64_t v = 0;
	const char *end = ct_text_u64(version, &v);
	return !end || v > 1000000 ? 0 : (unsigned)v;
}

/* Immediates per line: the format line knows best, else the version (section 5). */
static int immediates_of(const struct ct_kernel *k, const char *p, const char *end)
{
	unsigned major = ct_tracer_major(k->tracer_version);
	if (p && holds_word(p, end, "immediate2"))
		return 2;
	if (p && holds_word(p, end, "immediate"))
		return 1;
	return major >= 6 ? 2 : major == 5 ? 1 : 0;
}

/* Every tracer writes these together (section 3), and who cuts a header down leaves all of them out.
 * What one alone would lack decides over occupancy, instructions and address spaces. */
static const char *first_lost(unsigned seen)
{
	static const struct {
		unsigned all, bit;
		const char *key;
	} row[] = {
		{SEEN_SHMEM | SEEN_REGS | SEEN_BINARY, SEEN_SHMEM, "shmem"},
		{SEEN_SHMEM | SEEN_REGS | SEEN_BINARY, SEEN_REGS, "nregs"},
		{SEEN_SHMEM | SEEN_REGS | SEEN_BINARY, SEEN_BINARY, "binary version"},
		{SEEN_SHMEM_BASE | SEEN_LOCAL_BASE, SEEN_SHMEM_BASE, "shmem base_addr"},
		{SEEN_SHMEM_BASE | SEEN_LOCAL_BASE, SEEN_LOCAL_BASE, "local mem base_addr"},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if ((seen & row[i].all) && !(seen & row[i].bit))
			return row[i].key;
	return NULL;
}

/* Refuses a header that lacks what no kernel can be read without, and fills in what older tracers leave
 * out. */
static int check_header(struct ct_lines *l, struct header *h, struct ct_error *e)
{
	static const struct {
		unsigned bit;
		const char *key;
	} needed[] = {{SEEN_NAME, "kernel name"}, {SEEN_GRID, "grid dim"}, {SEEN_BLOCK, "block dim"}};
	for (int i = 0; i < 3; i++)
		if (!(h->seen & needed[i].bit))
			return ct_lines_fail(l, e, CT_ERR_INPUT,
			                     "the kernel's header has no -%s line: cut or "
			                     "not a trace",
			                     needed[i].key);
	unsigned windows = SEEN_SHMEM_BASE | SEEN_LOCAL_BASE;
	h->k->has_windows = (h->seen & windows) == windows && h->k->shmem_base && h->k->local_base;
	if (!h->k->nvbit_version)
		h->k->nvbit_version = ct_strndup("", 0);
	if (!h->k->tracer_version)
		h->k->tracer_version = ct_strndup("", 0);
	return h->k->nvbit_version && h->k->tracer_version ? CT_OK : ct_fail_nomem(e);
}

int ct_header_parse(struct ct_lines *l, struct ct_kernel *k, int *immediates, const char **lost,
                    struct ct_error *e)
{
	struct header h = {.k = k};
	for (;;) {
		if (l->p == l->end) {
			int st = ct_lines_fill(l, e);
			if (st < 0)
				return st;
			if (st == 0)
				return ct_lines_fail(l, e, CT_ERR_INPUT,
				                     "the file ends inside a kernel's header: "
				                     "it is cut");
		}
		const char *p = ct_skip_blanks(l->p);
		const char *end = memchr(l->p, '\n', (size_t)(l->end - l->p));
		if (*p == '#') {
			int st = check_header(l, &h, e);
			if (st < 0)
				return st;
			*lost = first_lost(h.seen);
			int format = holds_word(p, end, "#traces format");
			*immediates = immediates_of(k, format ? p : NULL, end);
			if (format) {
				l->p = end + 1;
				l->line++;
			}
			return CT_OK;
		}
		if (*p == '-') {
			int st = header_line(l, &h, p, end, e);
			if (st < 0)
				return st;
		} else if (*p != '\n' && *p != '\r') {
			return ct_lines_fail(l, e, CT_ERR_INPUT,
			                     "neither header line nor '#': cut or damaged");
		}
		l->p = end + 1;
		l->line++;
	}
}
