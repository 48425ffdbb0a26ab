/* Reads the plugin's records and writes the trace. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/accelsim_write.h"
#include "tracegen/capture/capture.h"
#include "tracegen/capture/merge.h"
#include "tracegen/capture/protocol.h"

/* A work-item's record between two barriers is far below this. */
#define MAX_RECORD (UINT64_C(1) << 30)

enum { READ_BYTES = 1 << 18 };

struct reader {
	struct ct_folder *sink;
	const struct cap_options *o;
	struct cap_result *r;
	struct ct_error *e;
	int fd, done;
	unsigned char *data; /* bytes read and not yet used: data[at .. n) */
	size_t at, n, cap;
	struct cap_program *program;
	struct ct_kernel head;
	int in_kernel, in_blocks;
	uint32_t id[3], items, warps;
	struct ct_buf *stream; /* per item, since the last barrier */
	struct ct_buf *text;   /* per warp of 32 */
	uint64_t *insts;
	size_t cap_items, cap_warps, cap_insts;
};

static int stopped(const struct reader *s)
{
	return s->o->stop && *s->o->stop;
}

/* Makes at least `need` bytes available; 0 at the end of the pipe, < 0 on failure. */
static int fill(struct reader *s, size_t need)
{
	while (s->n - s->at < need) {
		struct pollfd p = {.fd = s->fd, .events = POLLIN};
		if (s->at > 0 && s->at == s->n)
			s->at = s->n = 0;
		if (s->at > s->cap / 2) {
			memmove(s->data, s->data + s->at, s->n - s->at);
			s->n -= s->at;
			s->at = 0;
		}
		/* Room follows what has come: the length in a damaged record may say anything. */
		if (ct_grow((void **)&s->data, &s->cap, s->n + READ_BYTES, 1) < 0)
			return ct_fail_nomem(s->e);
		/* poll() comes back at a signal, read() would go on. */
		if (stopped(s) || (poll(&p, 1, -1) < 0 && errno == EINTR && stopped(s)))
			return ct_fail(s->e, CT_ERR_IO, "interrupted");
		ssize_t got = read(s->fd, s->data + s->n, s->cap - s->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ct_fail_errno(s->e, CT_ERR_IO, errno,
			                     "capture: cannot read from the plugin");
		if (got == 0)
			return 0;
		s->n += (size_t)got;
	}
	return 1;
}

/* Next record; 0 at the end, also in the middle of one (the program died). */
static int next_record(struct reader *s, int *letter, const unsigned char **p, size_t *n)
{
	uint64_t length = 0;
	size_t head = 1;
	for (;; head++) {
		int st = fill(s, head + 1);
		if (st <= 0)
			return st;
		length |= (uint64_t)(s->data[s->at + head] & 0x7f) << 7 * (head - 1);
		if (!(s->data[s->at + head] & 0x80))
			break;
		if (head == 6)
			return ct_fail(s->e, CT_ERR_INPUT, "capture: the plugin's record is damaged");
	}
	if (length > MAX_RECORD)
		return ct_fail(s->e, CT_ERR_LIMIT,
		               "capture: a work-item did more between two barriers than fits 1 GiB: "
		               "record a smaller run");
	int st = fill(s, head + 1 + (size_t)length);
	if (st <= 0)
		return st;
	*letter = s->data[s->at];
	*p = s->data + s->at + head + 1;
	*n = (size_t)length;
	s->at += head + 1 + (size_t)length;
	return 1;
}

static int numbers(struct reader *s, const unsigned char *p, size_t n, uint64_t *v, unsigned count)
{
	const unsigned char *end = p + n;
	for (unsigned i = 0; i < count; i++)
		if (!cap_number(&p, end, &v[i]))
			return ct_fail(s->e, CT_ERR_INPUT, "capture: the plugin's record is damaged");
	return CT_OK;
}

static void note(struct reader *s, const char *before, const char *text, const char *after)
{
	size_t n = strlen(s->r->note);
	snprintf(s->r->note + n, sizeof s->r->note - n, "%s%s%.200s%s", n ? "; " : "", before, text,
	         after);
}

/* ---- launches ------------------------------------------------------------------------- */

static int make_room(struct reader *s)
{
	uint64_t items = (uint64_t)s->head.block[0] * s->head.block[1] * s->head.block[2];
	if (items == 0 || items > 1 << 16)
		return ct_fail(s->e, CT_ERR_UNSUPPORTED,
		               "capture: %s: work-groups of %llu items: at most 65536 are known",
		               s->head.name, (unsigned long long)items);
	s->items = (uint32_t)items;
	s->warps = (s->items + 31) / 32;
	size_t had = s->cap_items, had_warps = s->cap_warps;
	if (ct_grow((void **)&s->stream, &s->cap_items, s->items, sizeof *s->stream) < 0)
		return ct_fail_nomem(s->e);
	memset(s->stream + had, 0, (s->cap_items - had) * sizeof *s->stream);
	if (ct_grow((void **)&s->text, &s->cap_warps, s->warps, sizeof *s->text) < 0)
		return ct_fail_nomem(s->e);
	memset(s->text + had_warps, 0, (s->cap_warps - had_warps) * sizeof *s->text);
	if (ct_grow((void **)&s->insts, &s->cap_insts, s->warps, sizeof *s->insts) < 0)
		return ct_fail_nomem(s->e);
	return CT_OK;
}

static int begin_program(struct reader *s, const unsigned char *p, size_t n)
{
	cap_program_free(s->program);
	return cap_program_make(&s->program, (const char *)p, n, s->e);
}

static int begin_launch(struct reader *s, const unsigned char *p, size_t n)
{
	static char version[] = "5", maker[] = "tracegen-capture-" CT_VERSION;
	uint64_t v[7];
	int st = numbers(s, p, n, v, 7);
	if (st != CT_OK || !s->program || s->in_kernel)
		return st != CT_OK ? st
		                   : ct_fail(s->e, CT_ERR_INPUT, "capture: a launch without its kernel");
	s->head = (struct ct_kernel){
		.name = s->program->name,
		.regs = s->program->regs < 16 ? 16 : (s->program->regs + 7) / 8 * 8,
		.shmem_bytes = v[6],
		.binary_version = 80,
		.has_windows = 1,
		.shmem_base = CAP_SHARED_BASE,
		.local_base = CAP_LOCAL_BASE,
		.tracer_version = version,
		.nvbit_version = maker,
	};
	for (unsigned i = 0; i < 3; i++) {
		s->head.grid[i] = (uint32_t)v[i];
		s->head.block[i] = (uint32_t)v[3 + i];
	}
	st = make_room(s);
	if (st == CT_OK && s->items == 1 && !strstr(s->r->note, "one item"))
		note(s, "kernel ", s->head.name, " has work-groups of one item: give it a local size");
	if (st == CT_OK && s->program->unknown && !strstr(s->r->note, s->program->unknown))
		note(s, "builtin ", s->program->unknown, " is not known: its instructions are a guess");
	if (st == CT_OK)
		st = ct_folder_kernel_begin(s->sink, &s->head, s->e);
	s->in_kernel = st == CT_OK;
	s->r->launches++;
	return st;
}

static int begin_group(struct reader *s, const unsigned char *p, size_t n)
{
	uint64_t v[3];
	int st = s->in_kernel ? numbers(s, p, n, v, 3)
	                      : ct_fail(s->e, CT_ERR_INPUT, "capture: a group without a launch");
	for (unsigned i = 0; i < 3 && st == CT_OK; i++)
		s->id[i] = (uint32_t)v[i];
	for (uint32_t i = 0; i < s->items && st == CT_OK; i++)
		ct_buf_reset(&s->stream[i]);
	for (uint32_t i = 0; i < s->warps && st == CT_OK; i++) {
		ct_buf_reset(&s->text[i]);
		s->insts[i] = 0;
	}
	return st;
}

static int add_item(struct reader *s, const unsigned char *p, size_t n)
{
	uint64_t item;
	const unsigned char *end = p + n;
	if (!s->in_kernel || !cap_number(&p, end, &item) || item >= s->items)
		return ct_fail(s->e, CT_ERR_INPUT, "capture: a work-item that is not in its group");
	ct_buf_add(&s->stream[item], p, (size_t)(end - p));
	return ct_buf_check(&s->stream[item], s->e);
}

/* Everybody waits at a barrier, or has ended. */
static int merge_items(struct reader *s)
{
	int st = s->in_kernel ? CT_OK
	                      : ct_fail(s->e, CT_ERR_INPUT, "capture: a barrier without a launch");
	for (uint32_t first = 0; first < s->items && st == CT_OK; first += s->o->warp) {
		struct cap_stream stream[CAP_MAX_LANES];
		struct cap_out out[2];
		unsigned n = s->items - first < s->o->warp ? s->items - first : s->o->warp;
		for (unsigned i = 0; i < n; i++)
			stream[i] = (struct cap_stream){(const unsigned char *)s->stream[first + i].data,
			                                s->stream[first + i].len};
		for (unsigned h = 0; h < (n + 31) / 32; h++)
			out[h] = (struct cap_out){&s->text[first / 32 + h], 0};
		st = cap_merge(s->program, &s->head, stream, n, out, s->e);
		for (unsigned h = 0; h < (n + 31) / 32; h++)
			s->insts[first / 32 + h] += out[h].insts;
	}
	for (uint32_t i = 0; i < s->items && st == CT_OK; i++)
		ct_buf_reset(&s->stream[i]);
	return st;
}

static int end_group(struct reader *s)
{
	struct ct_buf b = {0};
	int st = merge_items(s);
	ct_accelsim_put_cta_begin(&b, s->id[0], s->id[1], s->id[2]);
	for (uint32_t i = 0; i < s->warps && st == CT_OK; i++) {
		ct_accelsim_put_warp(&b, i, s->insts[i]);
		ct_buf_add(&b, s->text[i].data, s->text[i].len);
		s->r->warp_insts += s->insts[i];
	}
	ct_accelsim_put_cta_end(&b);
	if (st == CT_OK)
		st = ct_buf_check(&b, s->e);
	if (st == CT_OK)
		st = ct_folder_write(s->sink, b.data, b.len, s->e);
	ct_buf_free(&b);
	return st;
}

static int add_line(struct reader *s, const unsigned char *p, size_t n)
{
	const unsigned char *end = p + n;
	uint64_t address;
	int st = CT_OK;
	if (!s->in_kernel || !cap_number(&p, end, &address) || end - p != CAP_LINE_BYTES)
		return ct_fail(s->e, CT_ERR_INPUT, "capture: the plugin's record is damaged");
	if (!s->in_blocks) {
		st = ct_folder_kernel_end(s->sink, s->e);
		if (st == CT_OK)
			st = ct_folder_blocks_begin(s->sink, s->e);
		s->in_blocks = 1;
	}
	return st == CT_OK ? ct_folder_block(s->sink, address, p, s->e) : st;
}

static int end_launch(struct reader *s)
{
	int st = s->in_kernel ? ct_folder_kernel_end(s->sink, s->e)
	                      : ct_fail(s->e, CT_ERR_INPUT, "capture: the end of no launch");
	s->in_kernel = s->in_blocks = 0;
	return st;
}

static int handle(struct reader *s, int letter, const unsigned char *p, size_t n)
{
	uint64_t v[2];
	int st = CT_OK;
	switch (letter) {
	case CAP_HELLO:
		st = numbers(s, p, n, v, 1);
		if (st == CT_OK && v[0] != CAP_VERSION)
			st = ct_fail(
				s->e, CT_ERR_INPUT,
				"capture: the plugin is of another version: install tracegen again");
		return st;
	case CAP_COPY:
		st = numbers(s, p, n, v, 2);
		return st == CT_OK ? ct_folder_memcpy(s->sink, v[0], v[1], s->e) : st;
	case CAP_PROGRAM: return begin_program(s, p, n);
	case CAP_LAUNCH: return begin_launch(s, p, n);
	case CAP_GROUP: return begin_group(s, p, n);
	case CAP_ITEM: return add_item(s, p, n);
	case CAP_MERGE: return merge_items(s);
	case CAP_GROUP_END: return end_group(s);
	case CAP_LINE: return add_line(s, p, n);
	case CAP_LAUNCH_END: return end_launch(s);
	case CAP_LOST: {
		char text[201] = "";
		memcpy(text, p, n < 200 ? n : 200);
		note(s, "not recorded: ", text, "");
		return CT_OK;
	}
	case CAP_DONE: s->done = 1; return CT_OK;
	default: return ct_fail(s->e, CT_ERR_INPUT, "capture: the plugin's record is damaged");
	}
}

int cap_read(struct ct_folder *sink, int fd, const struct cap_options *o, struct cap_result *r,
             int *done, struct ct_error *e)
{
	struct reader s = {.sink = sink, .o = o, .r = r, .e = e, .fd = fd};
	const unsigned char *p = NULL;
	size_t n = 0;
	int letter = 0, st;
	*r = (struct cap_result){.launches = 0};
	while ((st = next_record(&s, &letter, &p, &n)) > 0) {
		st = handle(&s, letter, p, n);
		if (st != CT_OK)
			break;
	}
	*done = s.done && !s.in_kernel;
	for (size_t i = 0; i < s.cap_items; i++)
		ct_buf_free(&s.stream[i]);
	for (size_t i = 0; i < s.cap_warps; i++)
		ct_buf_free(&s.text[i]);
	free(s.stream);
	free(s.text);
	free(s.insts);
	free(s.data);
	cap_program_free(s.program);
	return st;
}
