#include "trace/private/list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/private/source.h"
#include "trace/private/text.h"

static const char *const suffixes[] = {".xz", ".gz", ".zst"};
/* A missing file is looked for under several names, which takes longest: the largest lists seen have some
 * 100,000 lines. */
enum { SUFFIXES = 3, KERNELS_MAX = 1 << 20 };

int ct_list_is_suffix(const char *p)
{
	int is = !*p;
	for (int i = 0; i < SUFFIXES; i++)
		is |= !strcmp(p, suffixes[i]);
	return is;
}

static int starts_with(const char *p, size_t n, const char *with)
{
	size_t k = strlen(with);
	return n >= k && memcmp(p, with, k) == 0;
}

static struct ct_list_entry *add_entry(struct ct_list *list, uint64_t line)
{
	if (ct_grow((void **)&list->entry, &list->cap, list->n + 1, sizeof *list->entry) != 0)
		return NULL;
	struct ct_list_entry *x = &list->entry[list->n++];
	*x = (struct ct_list_entry){.line = line};
	return x;
}

/* "MemcpyHtoD,0x...,bytes". Copies the other way touch nothing on the device side
 * that a later kernel would find changed, and are not kept. */
static int parse_memcpy(struct ct_list *list, const char *name, uint64_t line, const char *p,
                        const char *end, int cut, struct ct_error *e)
{
	uint64_t address = 0, bytes = 0;
	char copy[128] = {0}; /* numbers are parsed up to a byte that is no digit */
	size_t n = (size_t)(end - p);
	const char *q = NULL;
	if (n < sizeof copy) {
		memcpy(copy, p, n);
		q = strchr(copy, ',');
	}
	q = q && q[1] == '0' && (q[2] | 0x20) == 'x' ? ct_text_hex(q + 1, &address) : NULL;
	q = q && *q == ',' ? ct_text_u64(q + 1, &bytes) : NULL;
	if (!q || *q || cut) /* a number that ends the file may have lost digits */
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64 ": bad memory copy (Memcpy...,0xADDRESS,BYTES "
		               "is wanted): cut or damaged",
		               name, line);
	if (!starts_with(p, (size_t)(end - p), "MemcpyHtoD")) {
		list->unknown++;
		if (!list->first_unknown)
			list->first_unknown = line;
		return CT_OK;
	}
	struct ct_list_entry *x = add_entry(list, line);
	if (!x)
		return ct_fail_nomem(e);
	x->address = address;
	x->bytes = bytes;
	list->memcpys++;
	return CT_OK;
}

/* A kernel's file: the line starts with "kernel", or its last path component does
 * (lists of several GPUs name "GPU_0/kernel-1.traceg"). */
static int is_kernel(const char *p, size_t n)
{
	if (starts_with(p, n, "kernel"))
		return 1;
	if (memchr(p, ',', n))
		return 0;
	for (size_t i = n; i > 0; i--)
		if (p[i - 1] == '/')
			return starts_with(p + i, n - i, "kernel-");
	return 0;
}

static int names_trace(const char *p, size_t n)
{
	while (n > 0 && (ct_is_blank(p[n - 1]) || p[n - 1] == '\r'))
		n--;
	for (int i = 0; i < SUFFIXES; i++) {
		size_t k = strlen(suffixes[i]);
		if (n > k && memcmp(p + n - k, suffixes[i], k) == 0)
			n -= k;
	}
	return (n > 7 &&
	        (memcmp(p + n - 7, ".traceg", 7) == 0 || memcmp(p + n - 7, ".tracez", 7) == 0)) ||
	       (n > 6 && memcmp(p + n - 6, ".trace", 6) == 0);
}

/* cut: the file ends at `end`. */
static int list_line(struct ct_list *list, const char *name, uint64_t line, const char *p,
                     const char *end, int cut, struct ct_error *e)
{
	size_t n = (size_t)(end - p);
	if (memchr(p, '\0', n))
		return ct_fail(e, CT_ERR_INPUT, "%s:%" PRIu64 ": zero byte in a kernels list: damaged",
		               name, line);
	if (starts_with(p, n, "Memcpy"))
		return parse_memcpy(list, name, line, p, end, cut, e);
	if (!is_kernel(p, n)) {
		/* Other commands name no trace: passing over this one would lose a kernel. */
		if (names_trace(p, n))
			return ct_fail(e, CT_ERR_INPUT,
			               "%s:%" PRIu64 ": %.*s names a trace but no kernel (kernel-N is "
			               "wanted): damaged",
			               name, line, n > 100 ? 100 : (int)n, p);
		list->unknown++;
		if (!list->first_unknown)
			list->first_unknown = line;
		return CT_OK;
	}
	if (list->kernels == KERNELS_MAX)
		return ct_fail(e, CT_ERR_LIMIT,
		               "%s:%" PRIu64 ": more than %d kernels in one list: split it", name, line,
		               KERNELS_MAX);
	struct ct_list_entry *x = add_entry(list, line);
	if (!x || !(x->name = ct_strndup(p, n)))
		return ct_fail_nomem(e);
	x->is_kernel = 1;
	x->id = (uint32_t)++list->kernels;
	return CT_OK;
}

int ct_list_parse(struct ct_list *list, const char *name, const char *text, size_t n, struct ct_error *e)
{
	const char *p = text, *stop = text + n;
	*list = (struct ct_list){0};
	for (uint64_t line = 1; p < stop; line++) {
		const char *nl = memchr(p, '\n', (size_t)(stop - p));
		const char *next = nl ? nl + 1 : stop, *end = nl ? nl : stop;
		while (p < end && ct_is_blank(*p))
			p++;
		while (end > p && (ct_is_blank(end[-1]) || end[-1] == '\r'))
			end--;
		int st = p < end ? list_line(list, name, line, p, end, !nl, e) : CT_OK;
		if (st < 0)
			return st;
		p = next;
	}
	if (list->kernels == 0)
		return ct_fail(e, CT_ERR_INPUT, "%s:1: the kernels list names no kernel", name);
	return CT_OK;
}

void ct_list_free(struct ct_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->entry[i].name);
		free(list->entry[i].path);
	}
	for (size_t i = 0; i < list->arrays; i++)
		free((char *)(uintptr_t)list->array[i].name);
	free(list->array);
	free(list->entry);
	free(list->first_unlisted);
	*list = (struct ct_list){0};
}

/* Relative, without "..". */
static int stays_inside(const char *p)
{
	if (*p == '/')
		return 0;
	while (*p) {
		size_t n = strcspn(p, "/");
		if (n == 2 && p[0] == '.' && p[1] == '.')
			return 0;
		p += n;
		p += *p == '/';
	}
	return 1;
}

/* Whether the file is there: 1, 0, < 0 when that cannot be found out. */
static int is_there(const char *path)
{
	struct stat st;
	if (stat(path, &st) == 0)
		return 1;
	return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
}

static char *join_path(const char *folder, const char *name, size_t n, const char *suffix)
{
	struct ct_buf b = {0};
	if (*name != '/') {
		ct_buf_puts(&b, folder);
		if (b.len && b.data[b.len - 1] != '/')
			ct_buf_putc(&b, '/');
	}
	ct_buf_add(&b, name, n);
	ct_buf_puts(&b, suffix);
	if (b.failed)
		ct_buf_free(&b);
	return b.data;
}

/* The first of NAME, NAME without its suffix, and either with each suffix that is
 * there; NULL with *st 0 (none is) or < 0. */
static char *find_file(const char *folder, const char *name, int *st)
{
	size_t n = strlen(name), bare = n;
	for (int i = 0; i < SUFFIXES; i++) {
		size_t k = strlen(suffixes[i]);
		if (n > k && strcmp(name + n - k, suffixes[i]) == 0)
			bare = n - k;
	}
	for (int i = -1; i <= 2 * SUFFIXES; i++) {
		size_t length = i < SUFFIXES && i >= 0 ? n : bare;
		if (i == -1)
			length = n;
		const char *suffix = i < 0 || i == 2 * SUFFIXES ? "" : suffixes[i % SUFFIXES];
		char *path = join_path(folder, name, length, suffix);
		if (!path) {
			*st = CT_ERR_NOMEM;
			return NULL;
		}
		*st = is_there(path);
		if (*st != 0)
			return path; /* opening it will say what is wrong with it */
		free(path);
	}
	return NULL;
}

int ct_list_locate(struct ct_list *list, const char *name, const char *folder, int trust,
                   struct ct_error *e)
{
	for (size_t i = 0; i < list->n; i++) {
		struct ct_list_entry *x = &list->entry[i];
		int st;
		if (!x->is_kernel)
			continue;
		if (!trust && !stays_inside(x->name))
			return ct_fail(e, CT_ERR_INPUT,
			               "%s:%" PRIu64 ": %.200s leads out of the list's folder: "
			               "use --trust-paths if that is right",
			               name, x->line, x->name);
		x->path = find_file(folder, x->name, &st);
		if (!x->path && st < 0)
			return ct_fail_nomem(e);
		if (x->path)
			continue;
		if (list->missing++ == 0)
			list->first_missing = i;
	}
	if (list->missing == list->kernels) {
		const struct ct_list_entry *x = &list->entry[list->first_missing];
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:%" PRIu64 ": %.200s is not in %s, nor is any other of "
		               "the %" PRIu64 " kernels of the list: is this the right folder?",
		               name, x->line, x->name, folder, list->kernels);
	}
	return CT_OK;
}

int ct_list_open_member(struct ct_source **s, const char *path, const struct ct_source_options *o,
                        struct ct_error *e)
{
	struct stat st;
	*s = NULL;
	/* A FIFO or a device must neither block nor be read. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	if (fstat(fd, &st) != 0) {
		int err = errno;
		close(fd);
		return ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot be read", path);
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return ct_fail(e, CT_ERR_INPUT,
		               "%s: not a regular file: lists and folders may lead to files only", path);
	}
	if (fd == STDIN_FILENO) { /* standard input was closed; 0 means "not ours" to a source */
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		close(STDIN_FILENO);
		if (fd < 0)
			return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	}
	return ct_source_open_fd(s, fd, path, o, e);
}

static int is_context_list(const char *name)
{
	size_t n = strlen(name);
	return strncmp(name, "kernelslist_ctx_", 16) == 0 && n > 2 && strcmp(name + n - 2, ".g") == 0;
}

/* Smallest context list by name into *first; returns how many there are, < 0. */
static int context_lists(const char *folder, char **first, struct ct_error *e)
{
	DIR *d = opendir(folder);
	int n = 0;
	if (!d)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot read", folder);
	for (struct dirent *x; errno = 0, (x = readdir(d));) {
		if (!is_context_list(x->d_name))
			continue;
		n++;
		if (*first && strcmp(x->d_name, *first) >= 0)
			continue;
		free(*first);
		if (!(*first = ct_strndup(x->d_name, strlen(x->d_name)))) {
			closedir(d);
			return ct_fail_nomem(e);
		}
	}
	int err = errno;
	closedir(d);
	return err ? ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot read", folder) : n;
}

int ct_list_in_folder(const char *folder, const struct ct_diag *diag, char **path, struct ct_error *e)
{
	static const char *const names[] = {"kernelslist.g", "kernelslist"};
	char *first = NULL;
	int st;
	for (int i = 0; i < 2; i++) {
		*path = find_file(folder, names[i], &st);
		if (*path)
			return CT_OK;
		if (st < 0)
			return ct_fail_nomem(e);
	}
	int n = context_lists(folder, &first, e);
	if (n <= 0 || !first) {
		free(first);
		return n < 0 ? n
		             : ct_fail(e, CT_ERR_INPUT,
		                       "%s: the folder holds no kernelslist.g or "
		                       "kernelslist: name a trace file",
		                       folder);
	}
	if (n > 1)
		ct_warn(diag, "%s: %d context lists, reading %s: name the others to read them", folder,
		        n, first);
	*path = join_path(folder, first, strlen(first), "");
	free(first);
	return *path ? CT_OK : ct_fail_nomem(e);
}

char *ct_list_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return ct_strndup(".", 1);
	return ct_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}
