/* journal.c - points that are done, in a file of --resume, so that a sweep that ended early goes on where it stopped.
 *
 *   #cachetriage-sweep<TAB>1
 *   K<TAB>key<TAB>bytes<TAB>crc<TAB>workload
 *   ... as many bytes of lines as point.c writes them
 *
 * The key is a digest of the input's bytes, the options, the systems, the metrics and the point. What a process was
 * writing when it was killed is cut off; a point stands in the file when all of it is there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "common/digest.h"
#include "sweep/sweep.h"

static const char head[] = "#cachetriage-sweep\t1\n";

struct sw_journal {
	int fd;
	const char *path;
};

/* ---- keys ---- */

static int digest_question(struct ct_tool *t, uint64_t *crc, struct ct_error *e)
{
	const struct sw_own *o = t->own;
	struct ct_buf b = {0};
	*crc = 0;
	int st = ct_digest_settings(t, crc, e);
	for (unsigned i = 0; i < o->n_systems; i++)
		ct_buf_printf(&b, "%s:%s\n", sw_mechanism_name(&o->system[i]),
		              sw_system_name(&o->system[i]));
	for (unsigned i = 0; i < o->n_metrics; i++)
		ct_buf_printf(&b, "%s\n", o->metric[i]);
	sw_keys(o, &b);
	if (st == CT_OK)
		st = ct_buf_check(&b, e);
	if (st == CT_OK)
		*crc = ct_crc64(*crc, b.data, b.len);
	ct_buf_free(&b);
	return st;
}

/* 0 when memory is short: no point has that key then. */
static uint64_t key_of(const struct sw_own *o, size_t input, size_t point)
{
	struct ct_buf b = {0};
	sw_values(o, point, ',', &b);
	uint64_t key = b.failed ? 0 : ct_crc64(o->input[input].digest, b.data, b.len);
	ct_buf_free(&b);
	return key;
}

/* ---- reading ---- */

struct entry {
	uint64_t key;
	const char *name, *text;
	size_t name_length, length;
};

/* The entry at `at`; 1, or 0 where no whole one stands. */
static int read_entry(const char *at, const char *end, struct entry *x, const char **next)
{
	unsigned long long key, crc;
	size_t length;
	int used = 0;
	const char *line = memchr(at, '\n', (size_t)(end - at));
	if (!line || sscanf(at, "K\t%16llx\t%zu\t%16llx\t%n", &key, &length, &crc, &used) != 3 ||
	    !used || at + used > line || length > (size_t)(end - line - 1))
		return 0;
	*x = (struct entry){.key = key,
	                    .name = at + used,
	                    .name_length = (size_t)(line - at) - (size_t)used,
	                    .text = line + 1,
	                    .length = length};
	*next = x->text + length;
	return x->name_length < CT_WORKLOAD_NAME_MAX && ct_crc64(0, x->text, length) == crc;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const struct entry *)a)->key, y = ((const struct entry *)b)->key;
	return x < y ? -1 : x > y;
}

/* Takes the points that this sweep asks for. */
static int take_entries(struct sw_own *o, struct entry *x, size_t n, struct ct_error *e)
{
	if (n)
		qsort(x, n, sizeof *x, by_key);
	for (size_t i = 0; n && i < o->n_inputs; i++)
		for (size_t k = 0; k < o->points; k++) {
			struct entry wanted = {.key = key_of(o, i, k)};
			const struct entry *found = bsearch(&wanted, x, n, sizeof *x, by_key);
			struct sw_result *r = &o->input[i].result[k];
			if (!found || !wanted.key)
				continue;
			if (!(r->text = ct_strndup(found->text, found->length)))
				return ct_fail_nomem(e);
			r->kept = 1;
			snprintf(o->input[i].name, sizeof o->input[i].name, "%.*s",
			         (int)found->name_length, found->name);
		}
	return CT_OK;
}

/* What the file holds, with a NUL behind it. */
static int read_whole(const struct sw_journal *j, char **data, size_t *n, struct ct_error *e)
{
	struct stat info;
	*data = NULL;
	if (fstat(j->fd, &info) < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot be read", j->path);
	if (!S_ISREG(info.st_mode))
		return ct_fail(e, CT_ERR_USAGE, "--resume %s: name a file", j->path);
	if (!(*data = ct_calloc((size_t)info.st_size + 1, 1)))
		return ct_fail_nomem(e);
	*n = 0;
	for (ssize_t k; (off_t)*n < info.st_size; *n += (size_t)k)
		if ((k = read(j->fd, *data + *n, (size_t)info.st_size - *n)) <= 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot be read", j->path);
	return CT_OK;
}

static int write_all(const struct sw_journal *j, const char *p, size_t n, struct ct_error *e)
{
	while (n) {
		ssize_t k = write(j->fd, p, n);
		if (k < 0 && errno != EINTR)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot write", j->path);
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return CT_OK;
}

/* Reads the entries and leaves the file at the end of the last whole one. */
static int read_journal(struct sw_journal *j, struct sw_own *o, struct ct_error *e)
{
	char *data;
	size_t n = 0, count = 0, cap = 0;
	struct entry *x = NULL;
	int st = read_whole(j, &data, &n, e);
	const char *at = data ? data + strlen(head) : NULL, *end = data ? data + n : NULL;
	if (st == CT_OK && n && (n < strlen(head) || memcmp(data, head, strlen(head)) != 0))
		st = ct_fail(e, CT_ERR_USAGE, "--resume %s: this is no file of a sweep: name another",
		             j->path);
	else if (st == CT_OK && !n)
		st = write_all(j, head, strlen(head), e);
	else
		while (st == CT_OK) {
			if (ct_grow((void **)&x, &cap, count + 1, sizeof *x) < 0)
				st = ct_fail_nomem(e);
			else if (!read_entry(at, end, &x[count], &at))
				break;
			else
				count++;
		}
	if (st == CT_OK && n) {
		off_t whole = (off_t)(at - data);
		if (ftruncate(j->fd, whole) < 0 || lseek(j->fd, whole, SEEK_SET) < 0)
			st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot write", j->path);
	}
	if (st == CT_OK)
		st = take_entries(o, x, count, e);
	free(x);
	free(data);
	return st;
}

/* ---- the file ---- */

int sw_journal_open(struct sw_journal **out, struct ct_tool *t, struct ct_error *e)
{
	struct sw_own *o = t->own;
	uint64_t question;
	*out = NULL;
	if (!o->resume)
		return CT_OK;
	int st = digest_question(t, &question, e);
	for (size_t i = 0; st == CT_OK && i < o->n_inputs; i++) {
		o->input[i].digest = question;
		st = ct_digest_input(t, o->input[i].path, &o->input[i].digest, e);
	}
	if (st != CT_OK)
		return st;
	struct sw_journal *j = ct_calloc(1, sizeof *j);
	if (!j)
		return ct_fail_nomem(e);
	*out = j;
	j->path = o->resume;
	j->fd = open(o->resume, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (j->fd < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "--resume %s: cannot open", o->resume);
	const struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	if (fcntl(j->fd, F_SETLK, &lock) < 0 && (errno == EACCES || errno == EAGAIN))
		return ct_fail(e, CT_ERR_USAGE,
		               "--resume %s: another sweep writes to it: wait for that, or name "
		               "another file",
		               o->resume);
	return read_journal(j, o, e);
}

/* A point that failed is tried again the next time. */
static int has_failed(const char *text)
{
	return *text == 'E' || strstr(text, "\nE\t") != NULL;
}

int sw_journal_append(struct sw_journal *j, const struct sw_own *o, size_t input, size_t point,
                      struct ct_error *e)
{
	const struct sw_input *in = &o->input[input];
	const char *text = in->result[point].text;
	struct ct_buf b = {0};
	if (!j || has_failed(text))
		return CT_OK;
	ct_buf_printf(&b, "K\t%016llx\t%zu\t%016llx\t", (unsigned long long)key_of(o, input, point),
	              strlen(text), (unsigned long long)ct_crc64(0, text, strlen(text)));
	for (const char *c = in->name; *c; c++)
		ct_buf_putc(&b, *c == '\n' ? '?' : *c);
	ct_buf_printf(&b, "\n%s", text);
	int st = ct_buf_check(&b, e);
	if (st == CT_OK)
		st = write_all(j, b.data, b.len, e);
	ct_buf_free(&b);
	return st;
}

void sw_journal_close(struct sw_journal *j)
{
	if (j && j->fd >= 0)
		close(j->fd);
	free(j);
}
