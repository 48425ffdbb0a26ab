#include "models/common/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum {
	BLOCK_MIN = 8,
	BLOCK_MAX = 4096,
	PEEK = 64 * 1024,
	NPY_HEADER_MAX = 1 << 20 /* NumPy itself refuses headers above 10000 characters */
};

/* Bytes of the source, in pieces of the size that is asked for. */
struct feed {
	struct ct_source *src;
	const char *run; /* the source's present run of bytes */
	size_t left;
	uint64_t total; /* bytes taken so far */
};

/* Takes up to n bytes into out; *got is less only at the end. */
static int take_bytes(struct feed *f, void *out, size_t n, size_t *got, struct ct_error *e)
{
	*got = 0;
	while (*got < n) {
		if (f->left == 0) {
			int rc = ct_source_read(f->src, &f->run, &f->left, e);
			if (rc < 0)
				return rc;
			if (rc == 0)
				break;
			continue;
		}
		size_t here = n - *got < f->left ? n - *got : f->left;
		memcpy((char *)out + *got, f->run, here);
		f->run += here;
		f->left -= here;
		f->total += here;
		*got += here;
	}
	return 0;
}

static uint64_t little_endian(const unsigned char *p, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

/* Memory lines that somebody dumped: aligned addresses that rise, nothing cut. */
static int looks_like_dump(const char *data, size_t n)
{
	uint64_t last = 0;
	size_t records = n / CT_BLOCKS_DUMP_RECORD;
	if (records == 0 || (n < PEEK && n % CT_BLOCKS_DUMP_RECORD && records < 4))
		return 0;
	for (size_t i = 0; i < records; i++) {
		uint64_t a = little_endian((const unsigned char *)data + i * CT_BLOCKS_DUMP_RECORD, 8);
		if (a == 0 || a % CT_BLOCKS_DUMP_LINE || a <= last)
			return 0;
		last = a;
	}
	return 1;
}

/* Any bytes are raw data, also those of an .npy file whose mark is damaged: what has the mark, or most of
 * it and room for a header, is one, and is refused then. */
static int looks_like_npy(const char *data, size_t n)
{
	enum { MARK = 6, MOST = 4, HEADER = 10 };
	int equal = 0;
	for (size_t i = 0; i < MARK && i < n; i++)
		equal += data[i] == "\x93NUMPY"[i];
	return equal == MARK || (equal >= MOST && n >= HEADER);
}

static int recognise_format(struct ct_source *src, enum ct_blocks_format *format, struct ct_error *e)
{
	const char *data;
	size_t n;
	int rc = ct_source_peek(src, PEEK, &data, &n, e);
	if (rc < 0)
		return rc;
	if (looks_like_npy(data, n))
		*format = CT_BLOCKS_NPY;
	else
		*format = looks_like_dump(data, n) ? CT_BLOCKS_DUMP : CT_BLOCKS_RAW;
	return 0;
}

struct reading {
	struct feed feed;
	size_t block;
	void (*fn)(void *ctx, uint64_t address, const void *data);
	void *ctx;
	struct ct_blocks_info *info;
};

static void hand_out(struct reading *r, uint64_t address, const char *data, size_t n)
{
	for (size_t at = 0; at < n; at += r->block) {
		r->fn(r->ctx, address + at, data + at);
		r->info->blocks++;
		r->info->bytes += r->block;
	}
}

static int read_raw(struct reading *r, struct ct_error *e)
{
	char data[BLOCK_MAX];
	uint64_t address = 0;
	size_t got;
	int rc;
	while ((rc = take_bytes(&r->feed, data, r->block, &got, e)) == 0 && got == r->block) {
		hand_out(r, address, data, got);
		address += got;
	}
	if (rc == 0)
		r->info->tail_bytes = got;
	return rc;
}

/* Reads records of an address and a line of memory, whose addresses have to be aligned and to rise. */
static int read_dump(struct reading *r, struct ct_error *e)
{
	unsigned char data[CT_BLOCKS_DUMP_RECORD];
	const char *name = ct_source_name(r->feed.src);
	uint64_t record = 1, last = 0;
	size_t got;
	int rc;
	for (;; record++) {
		if ((rc = take_bytes(&r->feed, data, sizeof data, &got, e)) < 0 || got == 0)
			return rc;
		uint64_t address = little_endian(data, 8);
		if (got < sizeof data)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s: record %" PRIu64 ": cut after %zu of %zu bytes", name,
			               record, got, sizeof data);
		if (address % CT_BLOCKS_DUMP_LINE)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s: record %" PRIu64 ": address 0x%" PRIx64
			               " is not the start of a line of %d bytes",
			               name, record, address, CT_BLOCKS_DUMP_LINE);
		if (record > 1 && address <= last)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s: record %" PRIu64 ": address 0x%" PRIx64
			               " does not lie above the one before",
			               name, record, address);
		last = address;
		hand_out(r, address, (const char *)data + 8, CT_BLOCKS_DUMP_LINE);
	}
}

/* The text behind 'key': in the header's dictionary, or NULL. */
static const char *after_key(const char *header, const char *key)
{
	char quoted[32];
	for (int quote = 0; quote < 2; quote++) {
		snprintf(quoted, sizeof quoted, quote ? "\"%s\"" : "'%s'", key);
		const char *at = strstr(header, quoted);
		if (!at)
			continue;
		at += strlen(quoted);
		at += strspn(at, " ");
		if (*at == ':')
			return at + 1 + strspn(at + 1, " ");
	}
	return NULL;
}

/* Bytes of an element type like <f4, |u1, <U10; 0 when it is not a plain one. */
static uint64_t element_bytes(const char *type)
{
	uint64_t n;
	const char *p = type;
	if (strchr("<>|=", *p))
		p++;
	if (!*p || !strchr("biufcSUVmM?", *p) || ct_parse_u64_range(p + 1, 1, 1 << 20, &n) < 0)
		return strcmp(p, "?") == 0;
	return *p == 'U' ? 4 * n : n;
}

/* Fills info->type; *size gets the bytes of an element. */
static int read_type(const char *name, const char *header, char *type, size_t room, uint64_t *size,
                     struct ct_error *e)
{
	const char *p = after_key(header, "descr");
	size_t n = 0;
	if (!p || (*p != '\'' && *p != '"' && *p != '['))
		return ct_fail(e, CT_ERR_INPUT, "%s: .npy header without 'descr'", name);
	if (*p == '[')
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s: structured .npy elements are not supported: "
		               "save each field by itself",
		               name);
	while (p[1 + n] && p[1 + n] != *p)
		n++;
	if (p[1 + n] != *p || n >= room)
		return ct_fail(e, CT_ERR_INPUT, "%s: .npy element type is damaged", name);
	memcpy(type, p + 1, n);
	type[n] = 0;
	*size = element_bytes(type);
	if (*size == 0)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s: .npy elements of type '%s' are not plain data", name, type);
	if (type[0] == '>' && *size > 1)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "%s: big-endian .npy elements '%s': GPUs are "
		               "little-endian, save it as '<%s'",
		               name, type, type + 1);
	return 0;
}

/* Elements of "(3, 4)", "(5,)" or "()". */
static int read_shape(const char *name, const char *header, uint64_t *elements, struct ct_error *e)
{
	const char *p = after_key(header, "shape");
	*elements = 1;
	if (!p || *p++ != '(')
		return ct_fail(e, CT_ERR_INPUT, "%s: .npy header without 'shape'", name);
	for (;;) {
		char number[24];
		uint64_t v;
		p += strspn(p, " ,");
		if (*p == ')')
			return 0;
		size_t n = strspn(p, "0123456789");
		if (n == 0 || n >= sizeof number)
			break;
		memcpy(number, p, n);
		number[n] = 0;
		p += n + (p[n] == 'L'); /* as Python 2 wrote it */
		if (ct_parse_u64(number, &v) < 0 || (v && *elements > (UINT64_MAX >> 22) / v))
			break;
		*elements *= v;
	}
	return ct_fail(e, CT_ERR_INPUT, "%s: .npy shape is damaged or too large", name);
}

/* Reads magic, version and header text; the caller frees *header. */
static int npy_header(struct reading *r, char **header, struct ct_error *e)
{
	const char *name = ct_source_name(r->feed.src);
	unsigned char head[12];
	size_t got, fixed = 10, n;
	int rc = take_bytes(&r->feed, head, 10, &got, e);
	if (rc < 0)
		return rc;
	if (got < 10 || memcmp(head, "\x93NUMPY", 6) != 0)
		return ct_fail(e, CT_ERR_INPUT, "%s: not an .npy file", name);
	if (head[6] < 1 || head[6] > 3)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "%s: .npy version %u is not known", name, head[6]);
	if (head[6] > 1) {
		if ((rc = take_bytes(&r->feed, head + 10, 2, &got, e)) < 0)
			return rc;
		fixed += got;
	}
	n = (size_t)little_endian(head + 8, head[6] > 1 ? 4 : 2);
	if (fixed + (head[6] == 1 ? 2 : 0) != 12 || n > NPY_HEADER_MAX)
		return ct_fail(e, CT_ERR_INPUT, "%s: .npy header is cut or too long", name);
	char *text = malloc(n + 1);
	if (!text)
		return ct_fail_nomem(e);
	rc = take_bytes(&r->feed, text, n, &got, e);
	text[got] = 0;
	if (rc == 0 && (got < n || strlen(text) != n))
		rc = ct_fail(e, CT_ERR_INPUT, "%s: .npy header is cut or binary", name);
	if (rc < 0)
		free(text);
	else
		*header = text;
	return rc;
}

/* Reads an array of NumPy: the header has to announce as many bytes as follow it. */
static int read_npy(struct reading *r, struct ct_error *e)
{
	const char *name = ct_source_name(r->feed.src);
	char *header = NULL;
	uint64_t size = 0, elements = 0, begin;
	int rc = npy_header(r, &header, e);
	if (rc < 0)
		return rc;
	rc = read_type(name, header, r->info->type, sizeof r->info->type, &size, e);
	if (rc == 0)
		rc = read_shape(name, header, &elements, e);
	free(header);
	if (rc < 0)
		return rc;
	begin = r->feed.total;
	if ((rc = read_raw(r, e)) < 0)
		return rc;
	if (r->feed.total - begin != size * elements)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s: .npy header says %" PRIu64 " bytes of data, there are %" PRIu64,
		               name, size * elements, r->feed.total - begin);
	return 0;
}

int ct_blocks_read(struct ct_source *src, enum ct_blocks_format format, size_t block,
                   void (*fn)(void *ctx, uint64_t address, const void *data), void *ctx,
                   struct ct_blocks_info *info, struct ct_error *e)
{
	struct reading r = {.feed = {.src = src}, .block = block, .fn = fn, .ctx = ctx, .info = info};
	int rc = 0;
	memset(info, 0, sizeof *info);
	if (block < BLOCK_MIN || block > BLOCK_MAX || block & (block - 1))
		return ct_fail(e, CT_ERR_USAGE,
		               "blocks of %zu bytes: wanted a power of two from %d to %d", block,
		               BLOCK_MIN, BLOCK_MAX);
	if (format == CT_BLOCKS_AUTO)
		rc = recognise_format(src, &format, e);
	if (rc < 0)
		return rc;
	info->format = format;
	if (format == CT_BLOCKS_DUMP && block > CT_BLOCKS_DUMP_LINE)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: a dump has lines of %d bytes: blocks of %zu bytes are "
		               "too large",
		               ct_source_name(src), CT_BLOCKS_DUMP_LINE, block);
	if (format == CT_BLOCKS_NPY)
		return read_npy(&r, e);
	return format == CT_BLOCKS_DUMP ? read_dump(&r, e) : read_raw(&r, e);
}
