/* Makes one library call of a command fail, or every one awkward.
 *
 * Preloaded into a plain build. CT_FAULT names the kind of call, CT_FAULT_AT which one
 * of them fails (0: none); CT_FAULT_COUNT names a file that gets how many there were.
 *
 *     alloc   malloc and its kin return NULL
 *     read    read, pread, fread, fgets and readdir fail with EIO
 *     write   write and pwrite fail with ENOSPC
 *     close   close fails with EIO (the descriptor is gone, as on Linux)
 *     open    open, openat, fopen, opendir and pipe fail with EMFILE
 *     link    link, linkat, rename, mkdir, mkdtemp, chmod, dup and fork fail with EACCES
 *     stat    stat, fstat, lstat and readlink fail with EIO
 *     thread  pthread_create fails with EAGAIN
 *     tmpfile openat cannot make nameless files (NFS and others)
 *     short   no failure: reads give one byte, writes take three
 *     eintr   no failure: every second read and write is interrupted first
 *
 * Only glibc's exported entry points and bare system calls are used, so that nothing in
 * here allocates once the program runs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { NONE, ALLOC, READ, WRITE, CLOSE, OPEN, LINK, SHORT, EINTR_TOO, TMPFILE, THREAD, STAT };

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static enum kind kind;
static uint64_t fail_at;
static atomic_uint_fast64_t calls;
static const char *count_path;

/* What glibc does, where no system call does it. */
static FILE *(*real_fopen)(const char *, const char *);
static FILE *(*real_fopen64)(const char *, const char *);
static int (*real_fclose)(FILE *);
static char *(*real_mkdtemp)(char *);
static int (*real_mkstemp64)(char *);
static pid_t (*real_fork)(void);
static size_t (*real_fread)(void *, size_t, size_t, FILE *);
static char *(*real_fgets)(char *, int, FILE *);
static DIR *(*real_opendir)(const char *);
static struct dirent *(*real_readdir)(DIR *);
static struct dirent64 *(*real_readdir64)(DIR *);
static int (*real_scandir64)(const char *, struct dirent64 ***, int (*)(const struct dirent64 *),
                             int (*)(const struct dirent64 **, const struct dirent64 **));
static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* A pointer to data cannot be cast to one to a function in ISO C. */
#define NEXT(name) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
	static const char *const names[] = {"none", "alloc", "read",  "write",   "close",  "open",
	                                    "link", "short", "eintr", "tmpfile", "thread", "stat"};
	const char *k = getenv("CT_FAULT"), *at = getenv("CT_FAULT_AT");
	for (unsigned i = 0; k && i < sizeof names / sizeof *names; i++)
		if (strcmp(k, names[i]) == 0)
			kind = (enum kind)i;
	fail_at = at ? strtoull(at, NULL, 10) : 0;
	count_path = getenv("CT_FAULT_COUNT");
	NEXT(fopen);
	NEXT(fopen64);
	NEXT(fclose);
	NEXT(mkdtemp);
	NEXT(mkstemp64);
	NEXT(fork);
	NEXT(fread);
	NEXT(fgets);
	NEXT(opendir);
	NEXT(readdir);
	NEXT(readdir64);
	NEXT(scandir64);
	NEXT(pthread_create);
	unsetenv("LD_PRELOAD"); /* children are not meant */
	atomic_store(&calls, 0);
}

/* A line for each process: triage's workers, which end in _exit(), count on from their parent. */
__attribute__((destructor)) static void end(void)
{
	char text[32];
	if (!count_path)
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
	int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)atomic_load(&calls));
	if (fd >= 0 && n > 0) {
		(void)!syscall(SYS_write, fd, text, (size_t)n);
		syscall(SYS_close, fd);
	}
}

void _exit(int status)
{
	end();
	for (;;)
		syscall(SYS_exit_group, status);
}

static int fails(enum kind k)
{
	return kind == k && atomic_fetch_add(&calls, 1) + 1 == fail_at;
}

static int interrupted(void)
{
	return kind == EINTR_TOO && atomic_fetch_add(&calls, 1) % 2 == 0;
}

#define FAIL(code, value) return errno = (code), (value)

void *malloc(size_t n)
{
	if (fails(ALLOC))
		FAIL(ENOMEM, NULL);
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	if (fails(ALLOC))
		FAIL(ENOMEM, NULL);
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	if (fails(ALLOC))
		FAIL(ENOMEM, NULL);
	return __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	if (fails(ALLOC) || (size && n > SIZE_MAX / size))
		FAIL(ENOMEM, NULL);
	return __libc_realloc(p, n * size);
}

void *aligned_alloc(size_t align, size_t n)
{
	if (fails(ALLOC))
		FAIL(ENOMEM, NULL);
	return __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	if (fails(ALLOC))
		return ENOMEM;
	void *q = __libc_memalign(align, n);
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

ssize_t read(int fd, void *p, size_t n)
{
	if (fails(READ))
		FAIL(EIO, -1);
	if (interrupted())
		FAIL(EINTR, -1);
	return syscall(SYS_read, fd, p, kind == SHORT && n > 1 ? (size_t)1 : n);
}

ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	if (fails(READ))
		FAIL(EIO, -1);
	if (interrupted())
		FAIL(EINTR, -1);
	return syscall(SYS_pread64, fd, p, kind == SHORT && n > 1 ? (size_t)1 : n, at);
}

ssize_t pread64(int fd, void *p, size_t n, off_t at)
{
	return pread(fd, p, n, at);
}

ssize_t write(int fd, const void *p, size_t n)
{
	if (fd != STDERR_FILENO && fails(WRITE))
		FAIL(ENOSPC, -1);
	if (interrupted())
		FAIL(EINTR, -1);
	return syscall(SYS_write, fd, p, kind == SHORT && n > 3 ? (size_t)3 : n);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	if (fails(WRITE))
		FAIL(ENOSPC, -1);
	if (interrupted())
		FAIL(EINTR, -1);
	return syscall(SYS_pwrite64, fd, p, kind == SHORT && n > 3 ? (size_t)3 : n, at);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off_t at)
{
	return pwrite(fd, p, n, at);
}

int close(int fd)
{
	int failed = fails(CLOSE);
	long st = syscall(SYS_close, fd);
	if (failed)
		FAIL(EIO, -1);
	return (int)st;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	if (fails(OPEN))
		FAIL(EMFILE, -1);
	if (kind == TMPFILE && (flags & __O_TMPFILE))
		FAIL(EOPNOTSUPP, -1);
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

#define MODE_OF(flags, last) \
	mode_t mode = 0; \
	if ((flags) & (O_CREAT | __O_TMPFILE)) { \
		va_list ap; \
		va_start(ap, last); \
		mode = va_arg(ap, mode_t); \
		va_end(ap); \
	}

int open(const char *path, int flags, ...)
{
	MODE_OF(flags, flags)
	return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	MODE_OF(flags, flags)
	return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
	MODE_OF(flags, flags)
	return open_at(dir, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	MODE_OF(flags, flags)
	return open_at(dir, path, flags | O_LARGEFILE, mode);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
	if (fails(LINK))
		FAIL(EACCES, -1);
	return (int)syscall(SYS_linkat, a, from, b, to, flags);
}

int link(const char *from, const char *to)
{
	if (fails(LINK))
		FAIL(EACCES, -1);
	return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int rename(const char *from, const char *to)
{
	if (fails(LINK))
		FAIL(EACCES, -1);
	return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0u);
}

FILE *fopen(const char *path, const char *mode)
{
	if (fails(OPEN))
		FAIL(EMFILE, NULL);
	return real_fopen(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	if (fails(OPEN))
		FAIL(EMFILE, NULL);
	return real_fopen64(path, mode);
}

int fclose(FILE *f)
{
	int failed = fails(CLOSE), st = real_fclose(f);
	if (failed)
		FAIL(EIO, EOF);
	return st;
}

int mkstemp64(char *name)
{
	if (fails(OPEN))
		FAIL(EMFILE, -1);
	return real_mkstemp64(name);
}

int scandir64(const char *path, struct dirent64 ***list, int (*want)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **))
{
	if (fails(OPEN))
		FAIL(EMFILE, -1);
	return real_scandir64(path, list, want, order);
}

DIR *opendir(const char *path)
{
	if (fails(OPEN))
		FAIL(EMFILE, NULL);
	return real_opendir(path);
}

int pipe(int fd[2])
{
	if (fails(OPEN))
		FAIL(EMFILE, -1);
	return (int)syscall(SYS_pipe2, fd, 0);
}

size_t fread(void *p, size_t size, size_t n, FILE *f)
{
	if (fails(READ)) {
		f->_flags |= 0x20; /* glibc's error mark, for ferror() */
		FAIL(EIO, 0);
	}
	return real_fread(p, size, n, f);
}

char *fgets(char *p, int n, FILE *f)
{
	if (fails(READ)) {
		f->_flags |= 0x20;
		FAIL(EIO, NULL);
	}
	return real_fgets(p, n, f);
}

struct dirent *readdir(DIR *d)
{
	if (fails(READ))
		FAIL(EIO, NULL);
	return real_readdir(d);
}

struct dirent64 *readdir64(DIR *d)
{
	if (fails(READ))
		FAIL(EIO, NULL);
	return real_readdir64(d);
}

#define STAT_CALL(...) \
	{ \
		if (fails(STAT)) \
			FAIL(EIO, -1); \
		return (int)syscall(SYS_newfstatat, __VA_ARGS__); \
	}
int stat(const char *path, struct stat *st) STAT_CALL(AT_FDCWD, path, st,
                                                      0) int stat64(const char *path, struct stat64 *st)
	STAT_CALL(AT_FDCWD, path, st, 0) int lstat(const char *path, struct stat *st) STAT_CALL(
		AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW) int lstat64(const char *path, struct stat64 *st)
		STAT_CALL(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW) int fstat(int fd, struct stat *st)
			STAT_CALL(fd, "", st, AT_EMPTY_PATH) int fstat64(int fd, struct stat64 *st)
				STAT_CALL(fd, "", st, AT_EMPTY_PATH)

					ssize_t readlink(const char *path, char *p, size_t n)
{
	if (fails(STAT))
		FAIL(EIO, -1);
	return syscall(SYS_readlinkat, AT_FDCWD, path, p, n);
}

char *mkdtemp(char *name)
{
	if (fails(LINK))
		FAIL(EACCES, NULL);
	return real_mkdtemp(name);
}

int chmod(const char *path, mode_t mode)
{
	if (fails(LINK))
		FAIL(EACCES, -1);
	return (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
}

int dup(int fd)
{
	if (fails(LINK))
		FAIL(EMFILE, -1);
	return (int)syscall(SYS_dup, fd);
}

int dup2(int fd, int to)
{
	if (fails(LINK))
		FAIL(EMFILE, -1);
	return (int)syscall(SYS_dup3, fd, to, 0);
}

pid_t fork(void)
{
	if (fails(LINK))
		FAIL(EAGAIN, -1);
	return real_fork();
}

int mkdir(const char *path, mode_t mode)
{
	if (fails(LINK))
		FAIL(EACCES, -1);
	return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	if (fails(THREAD))
		return EAGAIN;
	return real_pthread_create(t, a, f, arg);
}
