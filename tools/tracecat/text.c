#include "tracecat/text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "common/tool.h"
#include "trace/accelsim_write.h"
#include "trace/tracez_write.h"

/* Fixed and on one thread: the same bytes for one version of zstd. */
enum { ZSTD_LEVEL = 3, TEXT_BLOCK = 1 << 17 };

/* Lists are some 100,000 lines at most; a packed trace may claim any launch number. */
enum { MAX_GAP = 1 << 20 };

struct text_sink {
	ct_ctz_put_fn put; /* a stream */
	void *ctx;
	char *path, *temporary; /* a folder */
	int made, committed, packed;
	struct ct_tracez_writer *tracez; /* of the kernel, where packed */
	uint32_t checked;                /* static instructions of it that text has a place for */
	struct ct_buf list, text, arrays;
	struct ct_out *file;
	ZSTD_CCtx *zstd;
	uint32_t last_id;
	struct ct_kernel written; /* its texts are the caller's */
};

/* The folder in progress, for the handler of a signal that ends us: its name and "/kernel-",
 * and the last launch that may have a file. */
static char live[PATH_MAX];
static size_t live_length; /* of the folder's name */
static volatile sig_atomic_t live_set;
static volatile uint32_t live_last;
static const char *const suffixes[] = {".traceg.zst", ".tracez"};

/* Async-signal-safe, so without the list of files that a folder's reader allocates. */
static void discard_live(void)
{
	if (!live_set)
		return;
	for (uint32_t id = 1; id <= live_last && id; id++) {
		char digits[16], *d = digits + sizeof digits, *to = live + live_length + 8;
		for (uint32_t v = id; v; v /= 10)
			*--d = (char)('0' + v % 10);
		memcpy(to, d, (size_t)(digits + sizeof digits - d));
		for (int i = 0; i < 2; i++) {
			strcpy(to + (digits + sizeof digits - d), suffixes[i]);
			unlink(live);
		}
	}
	static const char *const others[] = {"/kernelslist.g", "/arrays.tsv", "/tracegen.txt"};
	for (int i = 0; i < 3; i++) {
		strcpy(live + live_length, others[i]);
		unlink(live);
	}
	live[live_length] = '\0';
	rmdir(live);
}

/* mkdtemp, known to discard_live() from the moment that it exists. */
static int make_folder(char *path)
{
	size_t n = strlen(path);
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	char *made = mkdtemp(path);
	int err = errno;
	if (made && n + 32 < sizeof live) {
		memcpy(live, path, n); /* NOLINT(bugprone-not-null-terminated-result): by the next one */
		memcpy(live + n, "/kernel-", 9);
		live_length = n;
		live_last = 0;
		live_set = 1;
		ct_tool_at_end(discard_live);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return made ? 0 : -1;
}

static int sink_new(struct text_sink **out, struct ct_error *e)
{
	struct text_sink *s = calloc(1, sizeof *s);
	*out = s;
	return s ? CT_OK : ct_fail_nomem(e);
}

int text_sink_stream(struct text_sink **out, ct_ctz_put_fn put, void *ctx, struct ct_error *e)
{
	int st = sink_new(out, e);
	if (st == CT_OK) {
		(*out)->put = put;
		(*out)->ctx = ctx;
	}
	return st;
}

int text_sink_folder(struct text_sink **out, const char *path, int packed, struct ct_error *e)
{
	struct ct_buf b = {0};
	size_t n = strlen(path);
	struct stat sb;
	if (lstat(path, &sb) == 0)
		return ct_fail(e, CT_ERR_USAGE, "%s exists: name a new folder", path);
	int st = sink_new(out, e);
	if (st < 0)
		return st;
	struct text_sink *s = *out;
	while (n > 1 && path[n - 1] == '/')
		n--;
	s->packed = packed;
	s->path = ct_strndup(path, n);
	ct_buf_printf(&b, "%.*s.XXXXXX", (int)n, path);
	s->temporary = b.data;
	s->zstd = ZSTD_createCCtx();
	if (!s->path || b.failed || !s->zstd)
		return ct_fail_nomem(e);
	if (make_folder(s->temporary) != 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot make a folder there", path);
	s->made = 1;
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	return CT_OK;
}

/* ---- text on its way out ---- */

static int compress_text(struct text_sink *s, ZSTD_EndDirective end, struct ct_error *e)
{
	char out[1 << 14];
	ZSTD_inBuffer in = {s->text.data ? s->text.data : "", s->text.len, 0};
	size_t left;
	do {
		ZSTD_outBuffer o = {out, sizeof out, 0};
		left = ZSTD_compressStream2(s->zstd, &o, &in, end);
		if (ZSTD_isError(left))
			return ct_fail_nomem(e);
		int st = ct_out_write(s->file, out, o.pos, e);
		if (st < 0)
			return st;
	} while (in.pos < in.size || (end == ZSTD_e_end && left));
	return CT_OK;
}

static int flush_text(struct text_sink *s, int end, struct ct_error *e)
{
	int st = ct_buf_check(&s->text, e);
	if (st == CT_OK && s->put)
		st = s->put(s->ctx, s->text.data, s->text.len, e);
	else if (st == CT_OK)
		st = compress_text(s, end ? ZSTD_e_end : ZSTD_e_continue, e);
	ct_buf_reset(&s->text);
	return st;
}

int text_sink_array(struct text_sink *s, const struct ct_array *a, uint64_t launch, struct ct_error *e)
{
	if (s->put)
		return CT_OK;
	if (!s->arrays.len)
		ct_buf_puts(&s->arrays, "first\tbytes\tname\tlaunch\n");
	ct_buf_printf(&s->arrays, "0x%" PRIx64 "\t%" PRIu64 "\t%s\t%" PRIu64 "\n", a->first, a->bytes,
	              a->name, launch);
	return ct_buf_check(&s->arrays, e);
}

int text_sink_memcpy(struct text_sink *s, uint64_t address, uint64_t bytes, struct ct_error *e)
{
	ct_buf_printf(&s->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
	return ct_buf_check(&s->list, e);
}

static int put_file_bytes(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	return ct_out_write(((struct text_sink *)ctx)->file, p, n, e);
}

static void list_kernel(struct text_sink *s, uint32_t id)
{
	ct_buf_printf(&s->list, "kernel-%" PRIu32 ".trace%c\n", id, s->packed ? 'z' : 'g');
}

static int open_kernel_file(struct text_sink *s, uint32_t id, struct ct_error *e)
{
	struct ct_buf name = {0};
	ct_buf_printf(&name, "%s/kernel-%" PRIu32 "%s", s->temporary, id, suffixes[s->packed]);
	if (id > live_last)
		live_last = id;
	int st = ct_buf_check(&name, e);
	if (st == CT_OK)
		st = ct_out_open(&s->file, name.data, 0, e);
	ct_buf_free(&name);
	return st;
}

int text_sink_kernel(struct text_sink *s, const struct ct_kernel *k, int gaps, struct ct_error *e)
{
	if (gaps && k->id - s->last_id > MAX_GAP)
		return ct_fail(e, CT_ERR_LIMIT,
		               "launch %" PRIu32 " after launch %" PRIu32 ": too many are "
		               "missing to list; take it alone with -k",
		               k->id, s->last_id);
	int st = s->put ? CT_OK : open_kernel_file(s, k->id, e);
	if (st < 0)
		return st;
	for (uint32_t id = s->last_id + 1; gaps && id <= k->id; id++)
		list_kernel(s, id);
	if (!gaps)
		list_kernel(s, k->id);
	s->last_id = k->id;
	s->checked = 0;
	s->written = *k;
	if (!s->put)
		s->written
			.header_id = k->id; /* that of its file: what it is read from may have others */
	if (s->packed) {
		st = ct_tracez_writer_new(&s->tracez, &s->written, put_file_bytes, s, e);
		return st < 0 ? st : ct_buf_check(&s->list, e);
	}
	ct_accelsim_put_header(&s->text, &s->written);
	return ct_buf_check(&s->list, e);
}

void text_sink_lost(struct text_sink *s, uint32_t id)
{
	if (id <= s->last_id)
		return;
	list_kernel(s, id);
	s->last_id = id;
}

/* Instructions that are kept: their number, or < 0. */
static int64_t count_kept(struct ct_cursor *c, struct ct_cta *cta, ct_ctz_keep_fn keep, void *ctx,
                          struct ct_error *e)
{
	struct ct_inst inst;
	int64_t n = 0;
	int st;
	while ((st = ct_cursor_next(c, &inst, e)) > 0)
		n += keep(ctx, ct_cta_kernel(cta), ct_code_at(ct_cta_code(cta), inst.sid), &inst);
	return st < 0 ? st : n;
}

static int put_warp(struct text_sink *s, struct ct_cursor *c, struct ct_cta *cta, uint32_t i,
                    ct_ctz_keep_fn keep, void *ctx, struct ct_error *e)
{
	const struct ct_warp_info *w = ct_cta_warp(cta, i);
	struct ct_inst inst;
	int64_t n = (int64_t)w->insts;
	int st = CT_OK;
	if (keep) {
		if ((n = count_kept(c, cta, keep, ctx, e)) < 0)
			return (int)n;
		if ((st = ct_cursor_reset(c, cta, i, e)) < 0)
			return st;
	}
	ct_accelsim_put_warp(&s->text, w->warp, (uint64_t)n);
	while ((st = ct_cursor_next(c, &inst, e)) > 0) {
		const struct ct_sinst *x = ct_code_at(ct_cta_code(cta), inst.sid);
		if (keep && !keep(ctx, ct_cta_kernel(cta), x, &inst))
			continue;
		ct_accelsim_put_inst(&s->text, &s->written, x, &inst);
		if (s->text.len >= TEXT_BLOCK && (st = flush_text(s, 0, e)) < 0)
			return st;
	}
	return st;
}

/* Accel-Sim's own readers need what our records do not keep of a bulk copy. */
static int check_code(struct text_sink *s, const struct ct_code *code, struct ct_error *e)
{
	for (uint32_t n = ct_code_count(code); s->checked < n; s->checked++) {
		const struct ct_sinst *x = ct_code_at(code, s->checked);
		if (x->mods & CT_MOD_BULK)
			return ct_fail(e, CT_ERR_UNSUPPORTED,
			               "launch %" PRIu32
			               " has %s: who waits for a bulk copy (TMA) is not kept, "
			               "which text needs; write the packed form, without -O",
			               s->last_id, x->opcode);
	}
	return CT_OK;
}

int text_sink_cta(struct text_sink *s, struct ct_cta *cta, ct_ctz_keep_fn keep, void *ctx,
                  struct ct_error *e)
{
	const uint32_t *g = ct_cta_kernel(cta)->grid;
	uint64_t index = ct_cta_index(cta);
	struct ct_cursor *c = NULL;
	int st = check_code(s, ct_cta_code(cta), e);
	if (st < 0)
		return st;
	if (s->packed)
		return ct_tracez_put_cta(s->tracez, cta, keep, ctx, e);
	ct_accelsim_put_cta_begin(&s->text, (uint32_t)(index % g[0]), (uint32_t)(index / g[0] % g[1]),
	                          (uint32_t)(index / g[0] / g[1]));
	for (uint32_t i = 0; i < ct_cta_warps(cta) && st == CT_OK; i++) {
		st = c ? ct_cursor_reset(c, cta, i, e) : ct_cursor_open(&c, cta, i, e);
		if (st == CT_OK)
			st = put_warp(s, c, cta, i, keep, ctx, e);
	}
	ct_cursor_close(c);
	ct_accelsim_put_cta_end(&s->text);
	return st < 0 ? st : flush_text(s, 0, e);
}

int text_sink_kernel_end(struct text_sink *s, struct ct_error *e)
{
	int st = s->packed ? ct_tracez_finish(s->tracez, e) : flush_text(s, 1, e);
	ct_tracez_writer_free(s->tracez);
	s->tracez = NULL;
	if (!s->file)
		return st;
	struct ct_out *file = s->file;
	s->file = NULL;
	if (st < 0) {
		ct_out_abort(file);
		return st;
	}
	return ct_out_commit(file, e);
}

/* Writes a file of the folder. */
static int put_file(const struct text_sink *s, const char *file, const struct ct_buf *text,
                    struct ct_error *e)
{
	struct ct_buf name = {0};
	struct ct_out *out;
	ct_buf_printf(&name, "%s/%s", s->temporary, file);
	int st = ct_buf_check(&name, e);
	if (st == CT_OK && (st = ct_out_open(&out, name.data, 0, e)) == CT_OK) {
		st = ct_out_write(out, text->data, text->len, e);
		if (st == CT_OK)
			st = ct_out_commit(out, e);
		else
			ct_out_abort(out);
	}
	ct_buf_free(&name);
	return st;
}

/* The list, and what else readers look for beside it. */
static int put_files(struct text_sink *s, unsigned status, struct ct_error *e)
{
	int st = put_file(s, "kernelslist.g", &s->list, e);
	if (st == CT_OK && s->arrays.len)
		st = put_file(s, "arrays.tsv", &s->arrays, e);
	if (st < 0 || !status)
		return st;
	ct_buf_reset(&s->text);
	ct_buf_printf(&s->text, "written by tracecat\nstatus %u\n", status);
	st = ct_buf_check(&s->text, e);
	return st < 0 ? st : put_file(s, "tracegen.txt", &s->text, e);
}

int text_sink_commit(struct text_sink *s, unsigned status, struct ct_error *e)
{
	if (s->put)
		return CT_OK;
	int st = put_files(s, status, e);
	if (st < 0)
		return st;
	/* Like any folder that one makes, not only for its owner. */
	mode_t mask = umask(0);
	umask(mask);
	if (chmod(s->temporary, 0777 & ~mask) != 0 || rename(s->temporary, s->path) != 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot put the folder there", s->path);
	live_set = 0;
	s->committed = 1;
	return CT_OK;
}

static void remove_folder(const char *path)
{
	DIR *d = opendir(path);
	for (struct dirent *de; d && (de = readdir(d));) {
		struct ct_buf name = {0};
		ct_buf_printf(&name, "%s/%s", path, de->d_name);
		if (!name.failed && de->d_name[0] != '.')
			unlink(name.data);
		ct_buf_free(&name);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

void text_sink_free(struct text_sink *s)
{
	if (!s)
		return;
	ct_out_abort(s->file);
	ct_tracez_writer_free(s->tracez);
	if (s->made && !s->committed)
		remove_folder(s->temporary);
	live_set = 0;
	ZSTD_freeCCtx(s->zstd);
	ct_buf_free(&s->list);
	ct_buf_free(&s->text);
	ct_buf_free(&s->arrays);
	free(s->path);
	free(s->temporary);
	free(s);
}
