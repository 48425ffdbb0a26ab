/* O_TMPFILE is behind _GNU_SOURCE; without it a named file is removed at once. */
#define _GNU_SOURCE
#include "trace/private/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define DEFAULT_MEMORY (UINT64_C(1) << 30)

/* File space is handed out in powers of two from 512 bytes up and reused by size. */
enum { CLASS_MIN_LOG = 9, CLASSES = 8 };

struct free_list {
	uint64_t *offset;
	size_t n, cap;
};

struct ct_store {
	atomic_uint refs;
	uint64_t max_memory;
	_Atomic uint64_t resident;
	_Atomic uint64_t spilled;
	pthread_mutex_t lock; /* of the file's space */
	int fd;               /* -1 until the first spill */
	uint64_t end;
	struct free_list list[CLASSES];
};

struct ct_store *ct_store_new(uint64_t max_memory)
{
	struct ct_store *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	atomic_init(&s->refs, 1);
	s->max_memory = max_memory ? max_memory : DEFAULT_MEMORY;
	s->fd = -1;
	if (pthread_mutex_init(&s->lock, NULL) != 0) {
		free(s);
		return NULL;
	}
	return s;
}

struct ct_store *ct_store_ref(struct ct_store *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void ct_store_unref(struct ct_store *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (int i = 0; i < CLASSES; i++)
		free(s->list[i].offset);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static const char *temporary_folder(void)
{
	const char *t = getenv("TMPDIR");
	return t && *t ? t : "/tmp";
}

/* A file that goes when its descriptor does, however we end; < 0 with errno. */
static int open_nameless(const char *folder, char *name)
{
	sigset_t all, before;
	int fd = -1;
#ifdef O_TMPFILE
	fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#endif
	if (fd >= 0)
		return fd;
	/* No signal may end us while it has a name. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	fd = mkstemp(name);
	int err = errno;
	if (fd >= 0)
		unlink(name);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return fd;
}

int ct_store_nameless(void)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/cachetriage-XXXXXX", temporary_folder());
	return n < 0 || (size_t)n >= sizeof path ? -1 : open_nameless(temporary_folder(), path);
}

/* Called under the lock. */
static int open_file(struct ct_store *s, struct ct_error *e)
{
	char path[4096];
	const char *folder = temporary_folder();
	int n = snprintf(path, sizeof path, "%s/cachetriage-XXXXXX", folder);
	if (n < 0 || (size_t)n >= sizeof path)
		return ct_fail(e, CT_ERR_IO, "TMPDIR is too long");
	s->fd = open_nameless(folder, path);
	if (s->fd < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno,
		                     "cannot make a temporary file in %s "
		                     "(set TMPDIR or raise --max-memory)",
		                     folder);
	return CT_OK;
}

static int class_of(size_t n)
{
	int c = 0;
	while (((size_t)1 << (CLASS_MIN_LOG + c)) < n)
		c++;
	return c;
}

/* Finds a place of at least n bytes in the temporary file, a freed one of the same size class where
 * there is one. */
static int reserve_place(struct ct_store *s, size_t n, uint64_t *offset, struct ct_error *e)
{
	int c = class_of(n), st = CT_OK;
	pthread_mutex_lock(&s->lock);
	struct free_list *l = &s->list[c];
	if (s->fd < 0)
		st = open_file(s, e);
	if (st == CT_OK && l->n > 0) {
		*offset = l->offset[--l->n];
	} else if (st == CT_OK) {
		*offset = s->end;
		s->end += (uint64_t)1 << (CLASS_MIN_LOG + c);
	}
	pthread_mutex_unlock(&s->lock);
	return st;
}

/* Writes n bytes at a place of the temporary file. */
static int write_at(struct ct_store *s, const unsigned char *p, size_t n, uint64_t at,
                    struct ct_error *e)
{
	while (n > 0) {
		ssize_t w = pwrite(s->fd, p, n, (off_t)at);
		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return ct_fail_errno(e, CT_ERR_IO, w < 0 ? errno : ENOSPC,
			                     "cannot write the temporary "
			                     "file in %s (set TMPDIR or raise --max-memory)",
			                     temporary_folder());
		p += w;
		at += (uint64_t)w;
		n -= (size_t)w;
	}
	return CT_OK;
}

static int spill_segment(struct ct_store *s, const void *p, size_t n, struct ct_segment *seg,
                         struct ct_error *e)
{
	int st = reserve_place(s, n, &seg->offset, e);
	if (st == CT_OK)
		st = write_at(s, p, n, seg->offset, e);
	if (st == CT_OK)
		atomic_fetch_add_explicit(&s->spilled, n, memory_order_relaxed);
	return st;
}

int ct_store_put(struct ct_store *s, const void *p, size_t n, struct ct_segment *seg, struct ct_error *e)
{
	*seg = (struct ct_segment){.bytes = (uint32_t)n};
	if (atomic_load_explicit(&s->resident, memory_order_relaxed) + n > s->max_memory)
		return spill_segment(s, p, n, seg, e);
	seg->memory = malloc(n);
	if (!seg->memory)
		return ct_fail_nomem(e);
	memcpy(seg->memory, p, n);
	atomic_fetch_add_explicit(&s->resident, n, memory_order_relaxed);
	return CT_OK;
}

void ct_store_drop(struct ct_store *s, struct ct_segment *seg)
{
	if (seg->memory) {
		free(seg->memory);
		atomic_fetch_sub_explicit(&s->resident, seg->bytes, memory_order_relaxed);
		return;
	}
	pthread_mutex_lock(&s->lock);
	struct free_list *l = &s->list[class_of(seg->bytes)];
	/* Without memory for the note the space is merely not used again. */
	if (ct_grow((void **)&l->offset, &l->cap, l->n + 1, sizeof *l->offset) == 0)
		l->offset[l->n++] = seg->offset;
	pthread_mutex_unlock(&s->lock);
}

int ct_store_read(struct ct_store *s, const struct ct_segment *seg, uint32_t at, void *p, size_t n,
                  struct ct_error *e)
{
	unsigned char *q = p;
	uint64_t from = seg->offset + at;
	while (n > 0) {
		ssize_t r = pread(s->fd, q, n, (off_t)from);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return ct_fail_errno(e, CT_ERR_IO, r < 0 ? errno : EIO,
			                     "cannot read the temporary file in %s", temporary_folder());
		q += r;
		from += (uint64_t)r;
		n -= (size_t)r;
	}
	return CT_OK;
}

uint64_t ct_store_spilled(struct ct_store *s)
{
	return atomic_load_explicit(&s->spilled, memory_order_relaxed);
}

uint64_t ct_store_resident(struct ct_store *s)
{
	return atomic_load_explicit(&s->resident, memory_order_relaxed);
}
