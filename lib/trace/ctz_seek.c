/* ctz_seek.c - the index of a packed trace, read before the blocks that it tells of. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/private/ctz.h"

static uint64_t get_le(const unsigned char *p, int bytes)
{
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

int ctz_read_at(int fd, uint64_t at, void *p, size_t n)
{
	size_t done = 0;
	while (done < n) {
		ssize_t got = pread(fd, (char *)p + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		done += (size_t)got;
	}
	return 0;
}

/* Reads the end record, which is stored as is: its place and fields, and the checksum of the whole file. */
static int read_end(int fd, uint64_t size, struct ctz_index *x)
{
	unsigned char b[CTZ_HEAD + 8 * CTZ_END_FIELDS + 4];
	const size_t body = sizeof b - 4;
	if (size < CTZ_MAGIC_BYTES + sizeof b || ctz_read_at(fd, size - sizeof b, b, sizeof b) != 0 ||
	    b[0] != CTZ_END || b[1] != CTZ_STORED || get_le(b + 2, 4) != 8 * CTZ_END_FIELDS ||
	    ct_crc32(0, b, body) != get_le(b + body, 4))
		return -1;
	for (int i = 0; i < CTZ_END_FIELDS; i++)
		x->end[i] = get_le(b + CTZ_HEAD + 8 * i, 8);
	x->end_at = size - sizeof b;
	x->size = size;
	x->crc = ct_crc64(x->end[1], b, sizeof b);
	return 0;
}

/* Unpacks the block of the index into *raw, which is the caller's to free. 0, or -1 where it is damaged. */
static int read_block_at(int fd, uint64_t at, uint64_t limit, unsigned char **raw, size_t *n)
{
	unsigned char head[CTZ_HEAD];
	int st = -1;
	*raw = NULL;
	if (at > limit || limit - at < CTZ_HEAD + 4 || ctz_read_at(fd, at, head, sizeof head) != 0)
		return -1;
	const size_t stored = (size_t)get_le(head + 2, 4);
	*n = (size_t)get_le(head + 6, 4);
	if (head[0] != CTZ_INDEX || stored > CTZ_BLOCK_MAX || *n > CTZ_BLOCK_MAX ||
	    limit - at != CTZ_HEAD + stored + 4)
		return -1;
	unsigned char *block = malloc(CTZ_HEAD + stored + 4);
	*raw = malloc(*n ? *n : 1);
	if (block && *raw && ctz_read_at(fd, at, block, CTZ_HEAD + stored + 4) == 0 &&
	    ct_crc32(0, block, CTZ_HEAD + stored) == get_le(block + CTZ_HEAD + stored, 4)) {
		if (head[1] == CTZ_ZSTD)
			st = ZSTD_decompress(*raw, *n, block + CTZ_HEAD, stored) == *n ? 0 : -1;
		else if (stored == *n) {
			memcpy(*raw, block + CTZ_HEAD, stored);
			st = 0;
		}
	}
	free(block);
	return st;
}

/* Takes in the frames of a kernel, whose blocks may lie anywhere behind *at. */
static int add_frames(struct ctz_index *x, struct ctz_in *in, uint64_t n, uint64_t *at)
{
	struct ctz_indexed_kernel *k = &x->kernel[x->kernels - 1];
	uint64_t first = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t v[4];
		for (int j = 0; j < 4; j++)
			if (ctz_get(in, &v[j]) != 0)
				return -1;
		if (ct_grow((void **)&x->frame, &x->cap_frames, x->frames + 1, sizeof *x->frame) < 0)
			return -1;
		*at += v[0];
		first += ctz_unzigzag(v[1]);
		x->frame[x->frames++] = (struct ctz_indexed_frame){first, v[2], v[3]};
		k->insts += v[3];
		k->frames++;
	}
	return 0;
}

static int parse_index(struct ctz_index *x, struct ctz_in *in)
{
	uint64_t v[3], at = 0;
	while (in->p != in->end) {
		for (int i = 0; i < 3; i++)
			if (ctz_get(in, &v[i]) != 0)
				return -1;
		if (ct_grow((void **)&x->kernel, &x->cap_kernels, x->kernels + 1, sizeof *x->kernel) < 0)
			return -1;
		x->kernel[x->kernels++] = (struct ctz_indexed_kernel){.frame = x->frames};
		at += v[1];
		if (add_frames(x, in, v[2], &at) != 0)
			return -1;
	}
	return x->kernels == x->end[2] ? 0 : -1;
}

/* Whether a frame begins with the rest of the block with which the one before it ends, where no number is left out. */
static int goes_on(const struct ctz_indexed_frame *f)
{
	return f->first + 1 == f[-1].first + f[-1].ctas;
}

/* 1 when the frames have as many blocks as the file. A block that is missing before one that is cut makes its frames look
 * as if that had been whole: then they have one more. */
static int counts_agree(const struct ctz_index *x)
{
	enum { CTAS = 4 };
	uint64_t ctas = 0;
	for (size_t k = 0; k < x->kernels; k++)
		for (size_t i = 0; i < x->kernel[k].frames; i++) {
			const struct ctz_indexed_frame *f = &x->frame[x->kernel[k].frame + i];
			ctas += f->ctas - (i > 0 && goes_on(f));
		}
	return ctas == x->end[CTAS];
}

int ctz_index_read(struct ctz_index *x, int fd, uint64_t size)
{
	unsigned char *raw = NULL;
	size_t n = 0;
	memset(x, 0, sizeof *x);
	int st = read_end(fd, size, x);
	if (st == 0)
		st = read_block_at(fd, x->end[0], x->end_at, &raw, &n);
	if (st == 0) {
		struct ctz_in in = {raw, raw + n};
		st = parse_index(x, &in);
		x->agrees = st == 0 && counts_agree(x);
	}
	free(raw);
	if (st != 0)
		ctz_index_free(x);
	return st;
}

/* A frame that begins with the rest of a block names and counts that block again. */
int ctz_index_is_dense(const struct ctz_index *x, size_t kernel, uint64_t grid)
{
	const struct ctz_indexed_kernel *k = &x->kernel[kernel];
	uint64_t next = 0;
	for (size_t i = 0; i < k->frames; i++) {
		const struct ctz_indexed_frame *f = &x->frame[k->frame + i];
		if ((f->first != next && (i == 0 || !goes_on(f))) || f->ctas == 0 ||
		    f->ctas > grid - f->first)
			return 0;
		next = f->first + f->ctas;
	}
	return x->agrees && next == grid;
}

void ctz_index_free(struct ctz_index *x)
{
	free(x->kernel);
	free(x->frame);
	memset(x, 0, sizeof *x);
}
