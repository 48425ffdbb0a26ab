/* list_beside.c - what tracegen puts beside a list: arrays.tsv and tracegen.txt. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/private/list.h"
#include "trace/private/text.h"

/* Bytes of such a file: of as many arrays as a table keeps, with long names. */
enum { BESIDE_MAX = 64 << 20 };

/* Reads a regular file of the folder into *b: 1; 0 where there is none. The text ends in a newline. */
static int read_file(const char *folder, const char *name, struct ct_buf *path, struct ct_buf *b,
                     struct ct_error *e)
{
	char block[1 << 14];
	struct stat st;
	ssize_t n = 0;
	ct_buf_reset(path);
	ct_buf_reset(b);
	ct_buf_printf(path, "%s/%s", folder, name);
	if (ct_buf_check(path, e) < 0)
		return CT_ERR_NOMEM;
	int fd = open(path->data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path->data);
	if (fstat(fd, &st) != 0) {
		int why = errno;
		close(fd);
		return ct_fail_errno(e, CT_ERR_IO, why, "%s: cannot read", path->data);
	}
	int regular = S_ISREG(st.st_mode);
	while (regular && b->len <= BESIDE_MAX && !b->failed && (n = read(fd, block, sizeof block)) > 0)
		ct_buf_add(b, block, (size_t)n);
	int err = errno;
	close(fd);
	if (!regular || b->len > BESIDE_MAX)
		return ct_fail(e, CT_ERR_INPUT, "%s: not a file of at most %d MiB", path->data,
		               BESIDE_MAX >> 20);
	if (n < 0)
		return ct_fail_errno(e, CT_ERR_IO, err, "%s: cannot read", path->data);
	if (!b->len || b->data[b->len - 1] != '\n')
		ct_buf_putc(b, '\n');
	return ct_buf_check(b, e) < 0 ? CT_ERR_NOMEM : 1;
}

/* "0x7f00 TAB 65536 TAB name TAB 1 NEWLINE": 0, or -1. The text at p ends in a newline. */
static int parse_array(const char *p, struct ct_array *x, size_t *name_length)
{
	uint64_t *launch = &x->launch;
	if (p[0] != '0' || (p[1] | 0x20) != 'x' || !(p = ct_text_hex(p, &x->first)) || *p++ != '\t' ||
	    !(p = ct_text_u64(p, &x->bytes)) || *p++ != '\t')
		return -1;
	x->name = p;
	while (*p != '\t' && *p != '\n')
		p++;
	*name_length = (size_t)(p - x->name);
	if (*p++ != '\t' || !(p = ct_text_u64(p, launch)))
		return -1;
	p += *p == '\r';
	return *p == '\n' && x->bytes && x->bytes - 1 <= UINT64_MAX - x->first &&
	                       *name_length <= CT_ARRAY_NAME_MAX
	               ? 0
	               : -1;
}

static int add_array(struct ct_list *list, const struct ct_array *x, size_t name_length,
                     struct ct_error *e)
{
	if (ct_grow((void **)&list->array, &list->array_cap, list->arrays + 1, sizeof *x) != 0)
		return ct_fail_nomem(e);
	struct ct_array *to = &list->array[list->arrays];
	*to = *x;
	if (!(to->name = ct_strndup(x->name, name_length)))
		return ct_fail_nomem(e);
	/* A name that says only where the array is stands for none. */
	to->named = strncmp(to->name, "array@0x", 8) != 0;
	list->arrays++;
	return CT_OK;
}

/* Reads arrays.tsv: a head, then a line per array. Everything else in it is damage, told with its
 * line. */
static int read_arrays(struct ct_list *list, const char *path, const struct ct_buf *text,
                       struct ct_error *e)
{
	static const char head[] = "first\tbytes\tname\tlaunch";
	const char *p = text->data, *end = p + text->len;
	if (memchr(p, '\0', text->len))
		return ct_fail(e, CT_ERR_INPUT, "%s:1: zero byte: damaged", path);
	if (strncmp(p, head, sizeof head - 1) != 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s:1: the line \"first bytes name launch\", with tabs, is missing",
		               path);
	p = (const char *)memchr(p, '\n', text->len) + 1;
	for (uint64_t line = 2; p < end; line++) {
		const char *next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		struct ct_array x = {0};
		size_t n;
		if (parse_array(p, &x, &n) != 0)
			return ct_fail(
				e, CT_ERR_INPUT,
				"%s:%" PRIu64
				": bad array (0xFIRST, BYTES, NAME and LAUNCH with tabs are wanted)",
				path, line);
		int st = add_array(list, &x, n, e);
		if (st < 0)
			return st;
		p = next;
	}
	return CT_OK;
}

/* The line "status N" of a tracegen.txt. Other files of that name say nothing. */
static void read_status(struct ct_list *list, const struct ct_buf *text)
{
	static const char ours[] = "written by trace";
	uint64_t status;
	if (text->len < sizeof ours || strncmp(text->data, ours, sizeof ours - 1) != 0)
		return;
	const char *end = text->data + text->len, *p = ct_text_find(text->data, end, "\nstatus ");
	if (p && (p = ct_text_u64(p + strlen("\nstatus "), &status)) && *p == '\n' && status > 0 &&
	    status <= CT_STATUS_MAX)
		list->status = (unsigned)status;
}

int ct_list_read_beside(struct ct_list *list, const char *name, const char *folder, struct ct_error *e)
{
	struct ct_buf path = {0}, text = {0};
	int st = 0;
	if (ct_list_is_of_folder(name)) {
		st = read_file(folder, "arrays.tsv", &path, &text, e);
		if (st == 1)
			st = read_arrays(list, path.data, &text, e);
		if (st == CT_OK && (st = read_file(folder, "tracegen.txt", &path, &text, e)) == 1)
			read_status(list, &text);
	}
	ct_buf_free(&path);
	ct_buf_free(&text);
	return st < 0 ? st : CT_OK;
}

int ct_list_give_arrays(struct ct_list *list, uint64_t launch, uint64_t id, struct ct_arrays *to,
                        struct ct_error *e)
{
	int st = CT_OK;
	for (; st >= 0 && list->next_array < list->arrays; list->next_array++) {
		const struct ct_array *x = &list->array[list->next_array];
		if (x->launch > launch)
			break;
		st = ct_arrays_add(to, x->first, x->bytes, x->named ? x->name : NULL, id, e);
	}
	return st < 0 ? st : CT_OK;
}
