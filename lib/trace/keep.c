#include "trace/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/private/store.h"

void ct_keep_begin(struct ct_keep *k, const char *path, uint64_t limit)
{
	struct stat s;
	*k = (struct ct_keep){.limit = limit};
	int failed = strcmp(path, "-") ? stat(path, &s) : fstat(STDIN_FILENO, &s);
	if (failed || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode) || strlen(path) >= sizeof k->path)
		return;
	snprintf(k->path, sizeof k->path, "%s", path);
}

/* What is worth keeping: a stage reads a profile once. */
static int begins_as_profile(const void *p, size_t n)
{
	static const char profile[] = "#cachetriage-profile";
	return n >= sizeof profile - 1 && !memcmp(p, profile, sizeof profile - 1);
}

void ct_keep_add(struct ct_keep *k, const void *p, size_t n)
{
	const char *at = p;
	if (!*k->path || k->failed || k->complete)
		return;
	if (!n) {
		k->complete = k->opened;
		return;
	}
	if (!k->opened) {
		k->fd = begins_as_profile(p, n) ? -1 : ct_store_nameless();
		k->opened = k->fd >= 0;
	}
	k->failed = !k->opened || n > k->limit || k->bytes > k->limit - n;
	while (n && !k->failed) {
		ssize_t got = write(k->fd, at, n);
		if (got < 0 && errno == EINTR)
			continue;
		k->failed = got <= 0;
		at += k->failed ? 0 : got;
		n -= k->failed ? 0 : (size_t)got;
		k->bytes += k->failed ? 0 : (uint64_t)got;
	}
	/* Room that is of no use is given back at once. */
	if (k->failed && k->opened) {
		close(k->fd);
		k->opened = 0;
	}
}

int ct_keep_has(const struct ct_keep *k, const char *path)
{
	return k && k->complete && !k->failed && !strcmp(k->path, path);
}

int ct_keep_open(const struct ct_keep *k)
{
	int fd = dup(k->fd);
	if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || lseek(fd, 0, SEEK_SET) != 0)) {
		int err = errno;
		close(fd);
		errno = err;
		return -1;
	}
	return fd;
}

void ct_keep_end(struct ct_keep *k)
{
	if (k->opened)
		close(k->fd);
	*k = (struct ct_keep){.fd = -1};
}
