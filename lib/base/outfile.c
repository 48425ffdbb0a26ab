/* O_TMPFILE is behind _GNU_SOURCE; without it a named temporary file is used. */
#define _GNU_SOURCE
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"

enum { BLOCK = 1 << 16 };

struct ct_out {
	char *path;  /* final name; NULL for standard output */
	char *tmp;   /* temporary name; NULL while the file has none */
	char *aside; /* name of what was at path before, while it may have to come back */
	int fd;
	int direct; /* written in place: standard output, pipe, device */
	int hold;   /* keep everything in buf until commit */
	int placed; /* has taken its place */
	struct ct_buf buf;
};

/* Names that a signal's handler may have to remove. Not allocated: the handler can run
 * beside a thread that frees. */
enum { PENDING = 8 };
static char pending[PENDING][PATH_MAX];
static atomic_int pending_state[PENDING]; /* 0 free, 1 being filled, 2 valid */

static void note_pending(const char *name)
{
	size_t n = strlen(name) + 1;
	for (int i = 0, none = 0; i < PENDING && n <= PATH_MAX; i++, none = 0)
		if (atomic_compare_exchange_strong(&pending_state[i], &none, 1)) {
			memcpy(pending[i], name, n);
			atomic_store(&pending_state[i], 2);
			return;
		}
}

static void forget_pending(const char *name)
{
	for (int i = 0; i < PENDING; i++)
		if (atomic_load(&pending_state[i]) == 2 && strcmp(pending[i], name) == 0)
			atomic_store(&pending_state[i], 0);
}

void ct_out_discard_all(void)
{
	for (int i = 0; i < PENDING; i++)
		if (atomic_load(&pending_state[i]) == 2)
			unlink(pending[i]);
}

static const char *shown_name(const struct ct_out *o)
{
	return o->path ? o->path : "standard output";
}

static void free_output(struct ct_out *o)
{
	ct_buf_free(&o->buf);
	if (o->tmp)
		forget_pending(o->tmp);
	free(o->path);
	free(o->tmp);
	free(o->aside);
	free(o);
}

/* Whoever reads a pipe may have said that nobody shall wait for it. poll() ends also when it is closed. */
static void wait_writable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	(void)poll(&p, 1, -1); /* interrupted: the write is tried again all the same */
}

/* Writes n bytes, whatever pieces the system takes them in. A pipe that would block is waited for. */
static int write_all(const struct ct_out *o, const char *p, size_t n, struct ct_error *e)
{
	while (n > 0) {
		ssize_t w = write(o->fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EAGAIN) {
			wait_writable(o->fd);
			continue;
		}
		if (w < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot write", shown_name(o));
		p += w;
		n -= (size_t)w;
	}
	return CT_OK;
}

/* "dir/.name.PID.N.tmp" beside the final name: rename() needs one file system. Another name at
 * each call: only a file that a process of this number left behind can have it. */
static char *temp_name(const char *path)
{
	static atomic_uint number;
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
	struct ct_buf b = {0};
	ct_buf_add(&b, path, dir);
	ct_buf_printf(&b, ".%.200s.%ld.%u.tmp", path + dir, (long)getpid(),
	              atomic_fetch_add(&number, 1));
	if (b.failed) {
		ct_buf_free(&b);
		return NULL;
	}
	return b.data;
}

static int open_anonymous(struct ct_out *o)
{
#ifdef O_TMPFILE
	const char *slash = strrchr(o->path, '/');
	char *dir = slash ? ct_strndup(o->path, (size_t)(slash - o->path) + 1) : ct_strndup(".", 1);
	if (!dir)
		return -1;
	o->fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(dir);
	return o->fd < 0 ? -1 : 0;
#else
	(void)o;
	return -1;
#endif
}

/* Gives the file a temporary name that no file has, where create() makes it exist: 0, or -1 with errno. */
static int take_temp_name(struct ct_out *o, int (*create)(struct ct_out *o), struct ct_error *e)
{
	for (unsigned attempt = 0; attempt < 100; attempt++) {
		free(o->tmp);
		o->tmp = temp_name(o->path);
		if (!o->tmp)
			return ct_fail_nomem(e);
		note_pending(o->tmp); /* before it exists: the number of the process is in it */
		if (create(o) == 0)
			return CT_OK;
		int err = errno;
		forget_pending(o->tmp);
		errno = err;
		if (err != EEXIST)
			break;
	}
	int err = errno;
	free(o->tmp);
	o->tmp = NULL;
	return ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot create", o->path);
}

static int create_named(struct ct_out *o)
{
	o->fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return o->fd < 0 ? -1 : 0;
}

/* The descriptor that a path like /dev/stdout or /dev/fd/3 stands for, or -1. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]);
		uint64_t fd;
		if (strncmp(path, folders[i], n) == 0 &&
		    ct_parse_u64_range(path + n, 0, INT_MAX, &fd) == 0)
			return (int)fd;
	}
	return -1;
}

/* What a symbolic link leads to is written, and the link stays: /dev/stdout is one. */
static int follow_descriptor(struct ct_out *o, int *fd, struct ct_error *e)
{
	char to[PATH_MAX];
	struct stat st;
	*fd = descriptor_of(o->path);
	for (int hops = 0; *fd < 0 && lstat(o->path, &st) == 0 && S_ISLNK(st.st_mode); hops++) {
		if (hops == 40)
			return ct_fail_errno(e, CT_ERR_IO, ELOOP, "%s: cannot follow the link", o->path);
		const char *slash = strrchr(o->path, '/');
		ssize_t n = readlink(o->path, to, sizeof to - 1);
		if (n < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot follow the link", o->path);
		to[n] = '\0';
		struct ct_buf b = {0};
		if (*to != '/' && slash)
			ct_buf_add(&b, o->path, (size_t)(slash - o->path) + 1);
		ct_buf_puts(&b, to);
		if (b.failed) {
			ct_buf_free(&b);
			return ct_fail_nomem(e);
		}
		free(o->path);
		o->path = b.data;
		*fd = descriptor_of(o->path);
	}
	return CT_OK;
}

/* Opens the output: in place for one of our own descriptors, a pipe or a device, else a file without a
 * name, or with a temporary one, that takes its place at the end. */
static int open_path(struct ct_out *o, struct ct_error *e)
{
	struct stat st;
	int own, rc = follow_descriptor(o, &own, e);
	if (rc < 0)
		return rc;
	if (own >= 0) {
		o->direct = 1;
		o->fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
		return o->fd < 0 ? ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open for writing",
		                                 o->path)
		                 : CT_OK;
	}
	if (stat(o->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		o->direct = 1;
		o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
		if (o->fd < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open for writing",
			                     o->path);
		return CT_OK;
	}
	if (open_anonymous(o) == 0)
		return CT_OK;
	return take_temp_name(o, create_named, e);
}

int ct_out_open(struct ct_out **out, const char *path, int flags, struct ct_error *e)
{
	*out = NULL;
	if (path && !*path)
		return ct_fail(e, CT_ERR_USAGE, "the output file has an empty name");
	struct ct_out *o = calloc(1, sizeof *o);
	if (!o)
		return ct_fail_nomem(e);
	if (!path || strcmp(path, "-") == 0) {
		o->direct = 1;
		o->fd = STDOUT_FILENO;
	} else {
		o->path = ct_strndup(path, strlen(path));
		int st = o->path ? open_path(o, e) : ct_fail_nomem(e);
		if (st < 0) {
			free_output(o);
			return st;
		}
	}
	o->hold = o->direct && !(flags & CT_OUT_STREAM);
	*out = o;
	return CT_OK;
}

static int flush_buffer(struct ct_out *o, struct ct_error *e)
{
	int st = ct_buf_check(&o->buf, e);
	if (st == CT_OK)
		st = write_all(o, o->buf.data, o->buf.len, e);
	ct_buf_reset(&o->buf);
	return st;
}

int ct_out_write(struct ct_out *o, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(&o->buf, p, n);
	if (o->buf.failed)
		return ct_fail_nomem(e);
	return o->hold || o->buf.len < BLOCK ? CT_OK : flush_buffer(o, e);
}

/* linkat cannot replace a file. */
static int link_anonymous(struct ct_out *o)
{
	char self[64];
	snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, o->tmp, AT_SYMLINK_FOLLOW);
}

/* All of it on its way to the disk: under a temporary name, or where it goes directly. */
static int finish_file(struct ct_out *o, struct ct_error *e)
{
	int st = flush_buffer(o, e);
	if (!o->direct && st == CT_OK && !o->tmp)
		st = take_temp_name(o, link_anonymous, e);
	if (o->path && close(o->fd) != 0 && st == CT_OK)
		st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot close", o->path);
	o->fd = -1;
	return st;
}

/* ---- several files, all or none ---- */

/* Gives the file that is at o->path, if there is one, a second name, by which it can come
 * back. File systems without links give it another instead. */
static int keep_old(struct ct_out *o, struct ct_error *e)
{
	struct stat st;
	int err = EEXIST;
	for (unsigned attempt = 0; err == EEXIST && attempt < 100; attempt++) {
		free(o->aside);
		o->aside = temp_name(o->path);
		if (!o->aside)
			return ct_fail_nomem(e);
		err = link(o->path, o->aside) == 0 ? 0 : errno;
	}
	if (err && err != EEXIST && err != ENOENT && lstat(o->path, &st) == 0 && S_ISREG(st.st_mode))
		err = rename(o->path, o->aside) == 0 ? 0 : errno;
	if (err == 0)
		return CT_OK;
	free(o->aside);
	o->aside = NULL;
	return err == ENOENT ? CT_OK
	                     : ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot keep what is there aside",
	                                     o->path);
}

static int take_place(struct ct_out *o, int may_come_back, struct ct_error *e)
{
	int st = may_come_back ? keep_old(o, e) : CT_OK;
	if (st < 0)
		return st;
	if (rename(o->tmp, o->path) != 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot rename into place", o->path);
	o->placed = 1;
	return CT_OK;
}

/* Undoes take_place(). A file that cannot be put back is not lost: it keeps its other name. */
static void give_back(struct ct_out *o, struct ct_error *e)
{
	if (!o->aside) {
		if (o->placed)
			unlink(o->path);
	} else if (rename(o->aside, o->path) != 0) {
		ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot put back what was there: it is %s now",
		              o->path, o->aside);
	} else {
		unlink(o->aside); /* there still when both were names of one file, which rename() leaves alone */
	}
}

/* Gives the n outputs their places, or none of them. */
static int put_in_place(struct ct_out **out, size_t n, struct ct_error *e)
{
	size_t last = n, i = 0;
	int st = CT_OK;
	while (last > 0 && out[last - 1]->direct)
		last--;
	for (; i < last && st == CT_OK; i++)
		if (!out[i]->direct)
			st = take_place(out[i], i + 1 < last, e);
	while (st != CT_OK && i-- > 0)
		if (!out[i]->direct)
			give_back(out[i], e);
	for (i = 0; st == CT_OK && i < n; i++)
		if (out[i]->aside)
			unlink(out[i]->aside);
	return st;
}

/* The same with signals held back: one that ends us in the middle would leave some files
 * in their places, and others' second names behind. */
static int put_in_place_undisturbed(struct ct_out **out, size_t n, struct ct_error *e)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int st = put_in_place(out, n, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return st;
}

int ct_out_commit_all(struct ct_out **out, size_t n, struct ct_error *e)
{
	int st = CT_OK;
	/* What goes to standard output or a pipe cannot be taken back: it comes last. */
	for (int direct = 0; direct < 2; direct++)
		for (size_t i = 0; i < n && st == CT_OK; i++)
			if (out[i]->direct == direct)
				st = finish_file(out[i], e);
	if (st == CT_OK)
		st = put_in_place_undisturbed(out, n, e);
	for (size_t i = 0; i < n; i++) {
		if (st != CT_OK)
			ct_out_abort(out[i]);
		else
			free_output(out[i]);
	}
	return st;
}

int ct_out_commit(struct ct_out *o, struct ct_error *e)
{
	return ct_out_commit_all(&o, 1, e);
}

void ct_out_abort(struct ct_out *o)
{
	if (!o)
		return;
	if (o->path && o->fd >= 0)
		close(o->fd);
	if (o->tmp)
		unlink(o->tmp);
	free_output(o);
}
