#include "trace/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"
#include "trace/accelsim_write.h"

/* Fixed, single-threaded: the same bytes for one version of zstd. */
enum { ZSTD_LEVEL = 3, OUT_BLOCK = 1 << 17 };

/* tracegen.txt marks a folder as ours, so that --force can tell. */
#define MARKER "tracegen.txt"
#define MARKER_HEAD "written by tracegen"

struct ct_folder {
	char *path, *tmp, *old; /* final name; temporary one; what --force moves away */
	char *dir;              /* folder of the trace in progress: tmp or a sub-folder */
	struct ct_folder_options o;
	struct ct_buf list, about;
	char *file; /* kernel file in progress */
	int fd;
	unsigned kernels;
	ZSTD_CCtx *zstd;
	char *out;
};

static char *join_path(const char *dir, const char *name)
{
	struct ct_buf b = {0};
	ct_buf_printf(&b, "%s/%s", dir, name);
	if (b.failed) {
		ct_buf_free(&b);
		return NULL;
	}
	return b.data;
}

static int is_ours(const char *name, int depth)
{
	size_t digits = strspn(name + (strncmp(name, "kernel-", 7) == 0 ? 7 : 0), "0123456789");
	if (strcmp(name, MARKER) == 0 || strcmp(name, "kernelslist.g") == 0 ||
	    strcmp(name, "arrays.tsv") == 0)
		return 1;
	if (strncmp(name, "kernel-", 7) == 0 && digits > 0) {
		const char *rest = name + 7 + digits;
		return strcmp(rest, ".traceg") == 0 || strcmp(rest, ".traceg.zst") == 0 ||
		       strcmp(rest, ".blocks") == 0 || strcmp(rest, ".blocks.zst") == 0;
	}
	return depth == 0 ? -1 : 0; /* -1: fine if it is a folder of ours */
}

static int is_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Walks a folder (and, at depth 0, its sub-folders): with `erase`, removes what is in
 * it and itself; without, says whether it holds nothing but a tracegen output: 1 yes,
 * 0 no, -1 unreadable. *entries counts what was seen. */
static int walk_folder(const char *path, int depth, int erase, unsigned *entries)
{
	DIR *d = opendir(path);
	int ours = 1;
	if (!d)
		return -1;
	for (struct dirent *de; ours > 0 && (de = readdir(d));) {
		if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0)
			continue;
		char *name = join_path(path, de->d_name);
		if (!name) {
			ours = -1;
			break;
		}
		++*entries;
		int known = is_ours(de->d_name, depth), folder = is_folder(name);
		if (folder)
			ours = known == -1 || erase ? walk_folder(name, depth + 1, erase, entries) : 0;
		else if (known != 1 && !erase)
			ours = 0;
		else if (erase && unlink(name) != 0)
			ours = -1;
		free(name);
	}
	closedir(d);
	if (erase && rmdir(path) != 0)
		ours = -1;
	return ours;
}

/* The folder has a tracegen.txt that begins as we write it. */
static int has_marker(const char *path)
{
	char head[sizeof MARKER_HEAD] = {0};
	char *name = join_path(path, MARKER);
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd >= 0 ? read(fd, head, sizeof MARKER_HEAD - 1) : 0;
	if (fd >= 0)
		close(fd);
	free(name);
	return n == (ssize_t)sizeof MARKER_HEAD - 1 && strcmp(head, MARKER_HEAD) == 0;
}

/* Whether the folder may be written: it is not there, empty, or holds nothing but an earlier output of
 * tracegen and may be replaced. */
static int check_target(struct ct_folder *s, struct ct_error *e)
{
	struct stat st;
	unsigned entries = 0;
	if (lstat(s->path, &st) != 0)
		return errno == ENOENT
		               ? CT_OK
		               : ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot look at it", s->path);
	if (!S_ISDIR(st.st_mode))
		return ct_fail(e, CT_ERR_USAGE, "%s: exists and is not a folder: give another -o",
		               s->path);
	int ours = walk_folder(s->path, 0, 0, &entries);
	if (ours >= 0 && entries == 0)
		return CT_OK;
	if (ours < 0)
		return ct_fail(e, CT_ERR_IO, "%s: cannot read the folder", s->path);
	if (!ours || !has_marker(s->path))
		return ct_fail(
			e, CT_ERR_USAGE,
			"%s: the folder is not empty and not (only) a tracegen output: give another -o",
			s->path);
	if (!s->o.force)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s: holds an earlier output of tracegen: --force replaces it", s->path);
	return CT_OK;
}

/* "dir/.name.PID.try.tmp", beside the final name. */
static char *temp_name(const char *path, unsigned attempt)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
	struct ct_buf b = {0};
	ct_buf_add(&b, path, dir);
	ct_buf_printf(&b, ".%.200s.%ld.%u.tmp", path + dir, (long)getpid(), attempt);
	if (b.failed) {
		ct_buf_free(&b);
		return NULL;
	}
	return b.data;
}

/* Makes a folder beside the final one, so that a rename puts the whole output in place at once. */
static int make_temp(struct ct_folder *s, struct ct_error *e)
{
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		char *tmp = temp_name(s->path, attempt);
		if (!tmp)
			return ct_fail_nomem(e);
		if (mkdir(tmp, 0777) == 0) {
			s->tmp = tmp;
			return CT_OK;
		}
		free(tmp);
		if (errno != EEXIST)
			break;
	}
	return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot create a folder beside it", s->path);
}

/* Frees all of it. Files that were written stay. */
static void free_folder(struct ct_folder *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->dir != s->tmp)
		free(s->dir);
	free(s->path);
	free(s->tmp);
	free(s->old);
	free(s->file);
	free(s->out);
	ZSTD_freeCCtx(s->zstd);
	ct_buf_free(&s->list);
	ct_buf_free(&s->about);
	free(s);
}

int ct_folder_open(struct ct_folder **out, const char *path, const struct ct_folder_options *o,
                   struct ct_error *e)
{
	struct ct_folder *s = ct_calloc(1, sizeof *s);
	size_t n = strlen(path);
	*out = NULL;
	if (!s)
		return ct_fail_nomem(e);
	while (n > 1 && path[n - 1] == '/')
		n--;
	s->fd = -1;
	s->o = *o;
	s->path = ct_strndup(path, n);
	s->out = malloc(OUT_BLOCK);
	s->zstd = ZSTD_createCCtx();
	int st = s->path && s->out && s->zstd ? CT_OK : ct_fail_nomem(e);
	if (st == CT_OK && n == 0)
		st = ct_fail(e, CT_ERR_USAGE, "-o: the folder's name is empty");
	if (st == CT_OK)
		st = check_target(s, e);
	if (st == CT_OK)
		st = make_temp(s, e);
	if (st != CT_OK) {
		free_folder(s);
		return st;
	}
	s->dir = s->tmp;
	*out = s;
	return CT_OK;
}

int ct_folder_about(struct ct_folder *s, const char *about, struct ct_error *e)
{
	ct_buf_reset(&s->about);
	ct_buf_printf(&s->about, "%s\n%s\n", MARKER_HEAD, about);
	return ct_buf_check(&s->about, e);
}

int ct_folder_begin(struct ct_folder *s, const char *name, const char *about, struct ct_error *e)
{
	ct_buf_reset(&s->list);
	int st = ct_folder_about(s, about, e);
	if (st < 0)
		return st;
	s->kernels = 0;
	if (s->dir != s->tmp)
		free(s->dir);
	s->dir = name ? join_path(s->tmp, name) : s->tmp;
	if (!s->dir) {
		s->dir = s->tmp;
		return ct_fail_nomem(e);
	}
	if (name && mkdir(s->dir, 0777) != 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot create", s->path);
	return CT_OK;
}

int ct_folder_memcpy(struct ct_folder *s, uint64_t address, uint64_t bytes, struct ct_error *e)
{
	ct_buf_printf(&s->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
	return ct_buf_check(&s->list, e);
}

static int write_all(struct ct_folder *s, const char *p, size_t n, struct ct_error *e)
{
	while (n > 0) {
		ssize_t w = write(s->fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot write", s->path);
		p += w;
		n -= (size_t)w;
	}
	return CT_OK;
}

static int open_file(struct ct_folder *s, const char *name, struct ct_error *e)
{
	free(s->file);
	s->file = join_path(s->dir, name);
	if (!s->file)
		return ct_fail_nomem(e);
	s->fd = open(s->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->fd < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot create %s", s->path, name);
	return CT_OK;
}

static int close_file(struct ct_folder *s, struct ct_error *e)
{
	int fd = s->fd;
	s->fd = -1;
	return close(fd) == 0 ? CT_OK : ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot write", s->path);
}

/* Opens kernel-N.KIND, the file that ct_folder_write() goes to. */
static int open_numbered(struct ct_folder *s, const char *kind, char name[64], struct ct_error *e)
{
	snprintf(name, 64, "kernel-%u.%s%s", s->kernels, kind,
	         s->o.compress == CT_FOLDER_ZSTD ? ".zst" : "");
	ZSTD_CCtx_reset(s->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	return open_file(s, name, e);
}

int ct_folder_blocks_begin(struct ct_folder *s, struct ct_error *e)
{
	char name[64];
	return open_numbered(s, "blocks", name, e);
}

int ct_folder_kernel_begin(struct ct_folder *s, struct ct_kernel *k, struct ct_error *e)
{
	char name[64];
	struct ct_buf head = {0};
	k->header_id = ++s->kernels;
	int st = open_numbered(s, "traceg", name, e);
	ct_buf_printf(&s->list, "%s\n", name);
	ct_accelsim_put_header(&head, k);
	if (st == CT_OK && (s->list.failed || head.failed))
		st = ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_folder_write(s, head.data, head.len, e);
	ct_buf_free(&head);
	return st;
}

/* Packs n bytes into the file at hand, or ends its frame. */
static int compress_bytes(struct ct_folder *s, const void *p, size_t n, ZSTD_EndDirective end,
                          struct ct_error *e)
{
	ZSTD_inBuffer in = {p, n, 0};
	size_t left;
	do {
		ZSTD_outBuffer out = {s->out, OUT_BLOCK, 0};
		left = ZSTD_compressStream2(s->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return ct_fail(e, CT_ERR_NOMEM, "%s: zstd: %s", s->path,
			               ZSTD_getErrorName(left));
		int st = write_all(s, s->out, out.pos, e);
		if (st != CT_OK)
			return st;
	} while (in.pos < in.size || (end == ZSTD_e_end && left > 0));
	return CT_OK;
}

int ct_folder_write(struct ct_folder *s, const void *p, size_t n, struct ct_error *e)
{
	if (s->o.compress == CT_FOLDER_PLAIN)
		return write_all(s, p, n, e);
	return compress_bytes(s, p, n, ZSTD_e_continue, e);
}

int ct_folder_block(struct ct_folder *s, uint64_t address, const unsigned char line[128],
                    struct ct_error *e)
{
	unsigned char record[8 + 128];
	for (unsigned i = 0; i < 8; i++)
		record[i] = (unsigned char)(address >> 8 * i);
	memcpy(record + 8, line, 128);
	return ct_folder_write(s, record, sizeof record, e);
}

int ct_folder_kernel_end(struct ct_folder *s, struct ct_error *e)
{
	int st = s->o.compress == CT_FOLDER_PLAIN ? CT_OK : compress_bytes(s, NULL, 0, ZSTD_e_end, e);
	return st == CT_OK ? close_file(s, e) : st;
}

int ct_folder_text(struct ct_folder *s, const char *name, const struct ct_buf *b, struct ct_error *e)
{
	int st = ct_buf_check(b, e);
	if (st == CT_OK)
		st = open_file(s, name, e);
	if (st == CT_OK)
		st = write_all(s, b->data, b->len, e);
	return st == CT_OK ? close_file(s, e) : st;
}

int ct_folder_end(struct ct_folder *s, struct ct_error *e)
{
	int st = s->list.len == 0 ? CT_OK : ct_folder_text(s, "kernelslist.g", &s->list, e);
	if (st == CT_OK)
		st = ct_folder_text(s, MARKER, &s->about, e);
	return st;
}

/* Moves an earlier output (check_target() has looked at it) out of the way. */
static int move_away(struct ct_folder *s, struct ct_error *e)
{
	unsigned entries = 0;
	if (!is_folder(s->path) || (walk_folder(s->path, 0, 0, &entries) >= 0 && entries == 0))
		return CT_OK;
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		free(s->old);
		s->old = temp_name(s->path, 100 + attempt);
		if (!s->old)
			return ct_fail_nomem(e);
		if (access(s->old, F_OK) == 0)
			continue;
		if (rename(s->path, s->old) == 0)
			return CT_OK;
		break;
	}
	int err = errno;
	free(s->old);
	s->old = NULL;
	return ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot move the earlier output away", s->path);
}

int ct_folder_commit(struct ct_folder *s, struct ct_error *e)
{
	unsigned entries = 0;
	int st = check_target(s, e);
	if (st == CT_OK)
		st = move_away(s, e);
	if (st == CT_OK && rename(s->tmp, s->path) != 0) {
		st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot rename into place", s->path);
		if (s->old && rename(s->old, s->path) == 0) {
			free(s->old);
			s->old = NULL;
		}
	}
	if (st != CT_OK)
		walk_folder(s->tmp, 0, 1, &entries);
	else if (s->old)
		walk_folder(s->old, 0, 1, &entries);
	free_folder(s);
	return st;
}

void ct_folder_abort(struct ct_folder *s)
{
	unsigned entries = 0;
	if (!s)
		return;
	walk_folder(s->tmp, 0, 1, &entries);
	free_folder(s);
}
