/* Packed traces, behind their checksums: the input is a list of blocks (type, length
 * of two bytes, payload) that are framed with right checksums, so that mutations reach
 * the columns. Any of them ends in instructions or an error. */
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_block(struct ct_buf *b, const uint8_t *p, uint8_t type, size_t n)
{
	unsigned char head[10] = {type, 0};
	unsigned char tail[4];
	for (int i = 0; i < 4; i++)
		head[2 + i] = head[6 + i] = (unsigned char)(n >> 8 * i);
	uint32_t crc = ct_crc32(ct_crc32(0, head, sizeof head), p, n);
	for (int i = 0; i < 4; i++)
		tail[i] = (unsigned char)(crc >> 8 * i);
	ct_buf_add(b, head, sizeof head);
	ct_buf_add(b, p, n);
	ct_buf_add(b, tail, sizeof tail);
}

static uint64_t read_cta(struct ct_cta *cta)
{
	struct ct_cursor *c = NULL;
	struct ct_inst inst;
	struct ct_error e;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		if ((c ? ct_cursor_reset(c, cta, i, &e) : ct_cursor_open(&c, cta, i, &e)) < 0)
			break;
		while (ct_cursor_next(c, &inst, &e) > 0) {
			sum += ct_code_at(ct_cta_code(cta), inst.sid)->width + inst.mask;
			for (int k = 0; k < inst.naddr; k++)
				sum += inst.addr[k];
			for (int k = 0; k < inst.nvalues; k++)
				sum += inst.values[k];
		}
	}
	ct_cursor_close(c);
	return sum;
}

/* What is read ends here, so that no read can be left out. */
static volatile uint64_t sink;

static void read_all(const struct ct_buf *b, uint64_t max_memory)
{
	struct ct_trace_options o = {
		.keep_values = 1, .salvage = 1, .max_memory = max_memory, .max_expand = 1 << 22};
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	if (ct_source_open_memory(&s, "fuzz", b->data, b->len, &e) < 0 ||
	    ct_trace_open_source(&t, s, &o, &e) < 0)
		return;
	while (ct_trace_next(t, &ev, &e) > 0)
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			sink += read_cta(cta);
			ct_cta_unref(cta);
		}
	ct_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_buf b = {0};
	ct_buf_add(&b, "CTZ\x01", 4);
	while (size > 3) {
		size_t n = (size_t)data[1] | (size_t)data[2] << 8;
		if (n > size - 3)
			n = size - 3;
		put_block(&b, data + 3, data[0], n);
		data += 3 + n;
		size -= 3 + n;
	}
	if (!b.failed) {
		read_all(&b, 0);
		read_all(&b, 64);
	}
	ct_buf_free(&b);
	return 0;
}
