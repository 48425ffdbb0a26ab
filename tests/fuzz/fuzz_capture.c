/* What the plugin of `tracegen capture` sends: any bytes end in a trace or an error. The input is
 * records (letter, length of two bytes, payload), which are framed rightly; with a first
 * byte of 0 the rest goes through the pipe as it is. */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "tracegen/capture/capture.h"
#include "trace/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIPE = 60000 };

/* A sink in memory: only how much it is told counts. */
struct ct_folder {
	size_t bytes;
	int open;
};

int ct_folder_memcpy(struct ct_folder *s, uint64_t address, uint64_t bytes, struct ct_error *e)
{
	(void)e;
	s->bytes += address != bytes;
	return CT_OK;
}

int ct_folder_kernel_begin(struct ct_folder *s, struct ct_kernel *k, struct ct_error *e)
{
	(void)e;
	s->bytes += strlen(k->name);
	s->open++;
	return CT_OK;
}

int ct_folder_write(struct ct_folder *s, const void *p, size_t n, struct ct_error *e)
{
	(void)e;
	if (memchr(p, '\0', n))
		abort();
	s->bytes += n;
	return CT_OK;
}

int ct_folder_kernel_end(struct ct_folder *s, struct ct_error *e)
{
	(void)e;
	s->open--;
	return CT_OK;
}

int ct_folder_blocks_begin(struct ct_folder *s, struct ct_error *e)
{
	(void)e;
	s->open++;
	return CT_OK;
}

int ct_folder_block(struct ct_folder *s, uint64_t address, const unsigned char line[128],
                    struct ct_error *e)
{
	(void)e;
	s->bytes += line[address & 127];
	return CT_OK;
}

static void frame(struct ct_buf *b, const uint8_t *p, size_t size)
{
	while (size >= 3) {
		size_t n = (size_t)p[1] | (size_t)p[2] << 8;
		if (n > size - 3)
			n = size - 3;
		ct_buf_putc(b, (char)p[0]);
		for (size_t v = n;; v >>= 7) {
			ct_buf_putc(b, (char)(v > 0x7f ? (v & 0x7f) | 0x80 : v));
			if (v <= 0x7f)
				break;
		}
		ct_buf_add(b, p + 3, n);
		p += 3 + n;
		size -= 3 + n;
	}
}

static void read_records(const void *p, size_t n, unsigned warp)
{
	struct ct_folder sink = {0, 0};
	struct cap_options o = {.warp = warp, .values = 1};
	struct cap_result r;
	struct ct_error e;
	int fd[2], done = 0;
	if (n > PIPE)
		n = PIPE;
	if (pipe(fd) != 0)
		abort();
	if (n && write(fd[1], p, n) != (ssize_t)n)
		abort();
	close(fd[1]);
	int st = cap_read(&sink, fd[0], &o, &r, &done, &e);
	if (st != CT_OK && !e.text[0])
		abort();
	close(fd[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_buf b = {0};
	if (size == 0)
		return 0;
	if (data[0] == 0)
		ct_buf_add(&b, data + 1, size - 1);
	else
		frame(&b, data + 1, size - 1);
	if (!b.failed)
		read_records(b.data, b.len, data[0] & 1 ? 32 : 64);
	ct_buf_free(&b);
	return 0;
}
