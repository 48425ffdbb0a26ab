/* Where a captured trace goes. */
#include "lower/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "trace/accelsim_write.h"
#include "trace/arrays.h"
#include "trace/ctz.h"
#include "trace/folder.h"

/* zstd's levels: a stream is read at once and thrown away, a file is kept. */
enum { STREAM_LEVEL = 1, FILE_LEVEL = 3, TEXT_BLOCK = 1 << 16 };

struct ct_lower_output {
	struct ct_ctz_writer *ctz; /* NULL: a folder */
	struct ct_out *file;       /* NULL: fd */
	int fd;
	struct ct_folder *folder;
	int borrowed; /* the folder is the caller's */
	char *about;
	const struct ct_kernel *kernel;
	struct ct_buf text, arrays;
	struct ct_arrays *seen; /* so that a loop that allocates is told of once */
};

/* Writes n bytes to the output's file, or to its descriptor. */
static int put_bytes(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	struct ct_lower_output *o = ctx;
	const char *from = p;
	if (o->file)
		return ct_out_write(o->file, p, n, e);
	while (n > 0) {
		ssize_t w = write(o->fd, from, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "cannot write the trace");
		from += w;
		n -= (size_t)w;
	}
	return CT_OK;
}

static int is_packed(const char *path)
{
	size_t n = path ? strlen(path) : 0;
	return !path || (n > 4 && strcmp(path + n - 4, ".ctz") == 0);
}

static int open_packed(struct ct_lower_output *o, const struct ct_capture_settings *s,
                       struct ct_error *e)
{
	int st = CT_OK;
	o->fd = s->fd;
	if (s->values)
		return ct_fail(e, CT_ERR_USAGE,
		               "a packed trace has no place for contents of memory: give a folder");
	if (s->path && !s->force && access(s->path, F_OK) == 0)
		return ct_fail(e, CT_ERR_USAGE, "%s: is there already: --force replaces it", s->path);
	if (s->path)
		st = ct_out_open(&o->file, s->path, 0, e);
	return st < 0 ? st
	              : ct_ctz_writer_new(&o->ctz, s->path ? FILE_LEVEL : STREAM_LEVEL, put_bytes, o, e);
}

static int open_folder(struct ct_lower_output *o, const struct ct_capture_settings *s,
                       struct ct_error *e)
{
	struct ct_folder_options options = {
		.compress = s->plain ? CT_FOLDER_PLAIN : CT_FOLDER_ZSTD, .force = s->force};
	int st = CT_OK;
	o->borrowed = s->folder != NULL;
	o->folder = s->folder;
	if (!o->borrowed)
		st = ct_folder_open(&o->folder, s->path, &options, e);
	return st == CT_OK ? ct_folder_begin(o->folder, o->borrowed ? s->path : NULL, "", e) : st;
}

/* What the folder's tracegen.txt says, now that the program's end is known. */
static int tell_about(struct ct_lower_output *o, int status, struct ct_error *e)
{
	struct ct_buf about = {0};
	ct_buf_puts(&about, o->about);
	if (status)
		ct_buf_printf(&about, "%sstatus %d", about.len ? "\n" : "", status);
	int st = ct_buf_check(&about, e);
	if (st == CT_OK)
		st = ct_folder_about(o->folder, about.len ? about.data : "", e);
	ct_buf_free(&about);
	return st;
}

int ct_lower_output_open(struct ct_lower_output **out, const struct ct_capture_settings *s,
                         struct ct_error *e)
{
	struct ct_lower_output *o = ct_calloc(1, sizeof *o);
	*out = NULL;
	if (!o)
		return ct_fail_nomem(e);
	o->about = ct_strndup(s->about ? s->about : "", s->about ? strlen(s->about) : 0);
	o->seen = ct_arrays_new();
	int st = o->about && o->seen ? CT_OK : ct_fail_nomem(e);
	if (st == CT_OK)
		st = !s->folder && is_packed(s->path) ? open_packed(o, s, e) : open_folder(o, s, e);
	if (st < 0) {
		ct_lower_output_drop(o);
		return st;
	}
	*out = o;
	return CT_OK;
}

int ct_lower_output_copy(struct ct_lower_output *o, uint64_t address, uint64_t bytes, struct ct_error *e)
{
	return o->ctz ? ct_ctz_put_memcpy(o->ctz, address, bytes, e)
	              : ct_folder_memcpy(o->folder, address, bytes, e);
}

int ct_lower_output_array(struct ct_lower_output *o, uint64_t first, uint64_t bytes, const char *name,
                          uint64_t launch, struct ct_error *e)
{
	uint64_t lost = ct_arrays_lost(o->seen);
	int st = ct_arrays_add(o->seen, first, bytes, name, launch, e);
	if (st < 0 || (st == 0 && ct_arrays_lost(o->seen) == lost))
		return st;
	if (o->ctz)
		return ct_ctz_put_array(o->ctz, first, bytes, name, e);
	if (!o->arrays.len)
		ct_buf_puts(&o->arrays, "first\tbytes\tname\tlaunch\n");
	ct_buf_printf(&o->arrays, "0x%" PRIx64 "\t%" PRIu64 "\t", first, bytes);
	if (name)
		ct_buf_puts(&o->arrays, name);
	else
		ct_buf_printf(&o->arrays, "array@0x%" PRIx64 "+%" PRIu64, first, bytes);
	ct_buf_printf(&o->arrays, "\t%" PRIu64 "\n", launch);
	return ct_buf_check(&o->arrays, e);
}

int ct_lower_output_kernel(struct ct_lower_output *o, struct ct_kernel *k, struct ct_error *e)
{
	o->kernel = k;
	return o->ctz ? ct_ctz_put_kernel(o->ctz, k, e) : ct_folder_kernel_begin(o->folder, k, e);
}

static int write_text(struct ct_lower_output *o, size_t least, struct ct_error *e)
{
	int st = ct_buf_check(&o->text, e);
	if (st < 0 || o->text.len < least)
		return st;
	st = ct_folder_write(o->folder, o->text.data, o->text.len, e);
	ct_buf_reset(&o->text);
	return st;
}

/* Writes a CTA as text, piece by piece. */
static int put_text(struct ct_lower_output *o, struct ct_cta *cta, struct ct_error *e)
{
	const struct ct_kernel *k = o->kernel;
	uint64_t at = ct_cta_index(cta);
	struct ct_cursor *c = NULL;
	struct ct_inst inst;
	int st = CT_OK;
	ct_accelsim_put_cta_begin(
		&o->text, (uint32_t)(at % k->grid[0]), (uint32_t)(at / k->grid[0] % k->grid[1]),
		(uint32_t)(at / k->grid[0] / k->grid[1]));
	for (uint32_t w = 0; w < ct_cta_warps(cta) && st >= 0; w++) {
		const struct ct_warp_info *info = ct_cta_warp(cta, w);
		st = c ? ct_cursor_reset(c, cta, w, e) : ct_cursor_open(&c, cta, w, e);
		ct_accelsim_put_warp(&o->text, info->warp, info->insts);
		while (st >= 0 && (st = ct_cursor_next(c, &inst, e)) > 0) {
			ct_accelsim_put_inst(&o->text, k, ct_code_at(ct_cta_code(cta), inst.sid), &inst);
			st = write_text(o, TEXT_BLOCK, e);
		}
	}
	ct_cursor_close(c);
	ct_accelsim_put_cta_end(&o->text);
	return st < 0 ? st : CT_OK;
}

int ct_lower_output_takes_streams(const struct ct_lower_output *o)
{
	return o->ctz != NULL;
}

/* What the writer of a packed trace is told of a stream. */
struct encoding {
	struct ct_ctz_writer *writer;
	const struct ct_code *code;
	const struct ct_lower_program *program;
};

static int encode_plain(void *ctx, uint32_t sid, uint32_t n, uint32_t mask, struct ct_error *e)
{
	const struct encoding *c = ctx;
	return ct_ctz_put_plain(c->writer, c->code, sid, n, mask, e);
}

/* An instruction whose opcode tells a width has a field of addresses all the same. */
static int encode_none(void *ctx, uint32_t sid, struct ct_error *e)
{
	const struct encoding *c = ctx;
	return ct_code_at(c->code, sid)->width_field
	               ? ct_ctz_put_strided(c->writer, c->code, sid, 0, 0, 0, e)
	               : ct_ctz_put_plain(c->writer, c->code, sid, 1, 0, e);
}

static int encode_strided(void *ctx, uint32_t sid, uint32_t mask, uint64_t first, int64_t stride,
                          struct ct_error *e)
{
	const struct encoding *c = ctx;
	return ct_ctz_put_strided(c->writer, c->code, sid, mask, first, stride, e);
}

static int encode_lanes(void *ctx, uint32_t sid, uint32_t mask, const uint64_t *addresses,
                        struct ct_error *e)
{
	const struct encoding *c = ctx;
	return ct_ctz_put_lanes(c->writer, c->code, sid, mask, addresses, e);
}

static int encode_variant(void *ctx, uint32_t variant, uint32_t mask, struct ct_error *e)
{
	const struct encoding *c = ctx;
	const struct ct_lower_variant *v = &c->program->variant[variant];
	return ct_ctz_put_sequence(
		c->writer, variant, c->program->sequence + v->step, v->step_end - v->step, mask, e);
}

static void encode_next_strided(void *ctx, uint32_t sid, uint64_t first, int64_t stride)
{
	ct_ctz_next_strided(((const struct encoding *)ctx)->writer, sid, first, stride);
}

static void encode_next_lanes(void *ctx, uint32_t sid, uint32_t mask, const uint64_t *addresses)
{
	ct_ctz_next_lanes(((const struct encoding *)ctx)->writer, sid, mask, addresses);
}

static int encode(struct ct_lower_output *o, const struct ct_lower_made *made,
                  const struct ct_lower_program *p, const struct ct_code *code, struct ct_error *e)
{
	struct encoding encoding = {o->ctz, code, p};
	const struct ct_lower_sink to = {
		.ctx = &encoding,
		.plain = encode_plain,
		.none = encode_none,
		.strided = encode_strided,
		.lanes = encode_lanes,
		.variant = encode_variant,
		.next_strided = encode_next_strided,
		.next_lanes = encode_next_lanes};
	int st = CT_OK;
	ct_ctz_begin_cta(o->ctz, made->index);
	for (uint32_t w = 0; w < made->warps && st == CT_OK; w++) {
		ct_ctz_begin_warp(o->ctz, &(struct ct_warp_info){.warp = w, .sm = -1, .slot = -1});
		st = ct_lower_stream_walk(&made->stream[w], p, &to, e);
		ct_ctz_end_warp(o->ctz);
	}
	return st < 0 ? st : ct_ctz_end_cta(o->ctz, e);
}

int ct_lower_output_cta(struct ct_lower_output *o, const struct ct_lower_made *made,
                        const struct ct_lower_program *p, const struct ct_code *code, struct ct_error *e)
{
	if (!o->ctz)
		return put_text(o, made->packed, e);
	return made->packed ? ct_ctz_put_cta(o->ctz, made->packed, NULL, NULL, e)
	                    : encode(o, made, p, code, e);
}

int ct_lower_output_kernel_end(struct ct_lower_output *o, struct ct_error *e)
{
	if (o->ctz)
		return ct_ctz_end_kernel(o->ctz, NULL, e);
	int st = write_text(o, 1, e);
	return st < 0 ? st : ct_folder_kernel_end(o->folder, e);
}

int ct_lower_output_lines_begin(struct ct_lower_output *o, struct ct_error *e)
{
	return o->ctz ? CT_OK : ct_folder_blocks_begin(o->folder, e);
}

int ct_lower_output_line(struct ct_lower_output *o, uint64_t address, const unsigned char line[128],
                         struct ct_error *e)
{
	return o->ctz ? CT_OK : ct_folder_block(o->folder, address, line, e);
}

int ct_lower_output_lines_end(struct ct_lower_output *o, struct ct_error *e)
{
	return o->ctz ? CT_OK : ct_folder_kernel_end(o->folder, e);
}

static void release(struct ct_lower_output *o)
{
	ct_ctz_writer_free(o->ctz);
	ct_buf_free(&o->text);
	ct_buf_free(&o->arrays);
	ct_arrays_free(o->seen);
	free(o->about);
	free(o);
}

int ct_lower_output_close(struct ct_lower_output *o, int status, struct ct_error *e)
{
	int st;
	if (o->ctz) {
		st = status ? ct_ctz_put_status(o->ctz, (unsigned)status, e) : CT_OK;
		if (st == CT_OK)
			st = ct_ctz_finish(o->ctz, 0, 0, e);
		if (st == CT_OK && o->file) {
			st = ct_out_commit(o->file, e);
			o->file = NULL;
		}
	} else {
		st = o->arrays.len ? ct_folder_text(o->folder, "arrays.tsv", &o->arrays, e) : CT_OK;
		if (st == CT_OK)
			st = tell_about(o, status, e);
		if (st == CT_OK)
			st = ct_folder_end(o->folder, e);
		if (st == CT_OK && !o->borrowed) {
			st = ct_folder_commit(o->folder, e);
			o->folder = NULL;
		}
	}
	if (st < 0)
		ct_lower_output_drop(o);
	else
		release(o);
	return st;
}

void ct_lower_output_drop(struct ct_lower_output *o)
{
	if (!o)
		return;
	ct_out_abort(o->file);
	if (!o->borrowed)
		ct_folder_abort(o->folder);
	release(o);
}
