/* Packed text: any bytes behind a header end in instructions or an error. What is read is written again, and that reads
 * back as the same number of instructions. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "trace/trace.h"
#include "trace/tracez_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char header[] =
	"-kernel name = k\n-grid dim = (4,1,1)\n-block dim = (64,1,1)\n-accelsim tracer version = 5\n\n#traces format\n";

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

/* Warp instructions of a file; < 0 where it is refused. out (NULL: nowhere) gets it as our writer writes it. */
static int64_t read_one(const char *p, size_t n, int salvage, struct ct_buf *out)
{
	struct ct_trace_options o = {.salvage = salvage, .max_expand = 1 << 22, .no_threads = 1};
	struct ct_tracez_writer *w = NULL;
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	int st;
	if (ct_source_open_memory(&s, "fuzz", p, n, &e) < 0 || ct_trace_open_source(&t, s, &o, &e) < 0)
		return -1;
	while ((st = ct_trace_next(t, &ev, &e)) > 0) {
		if (out && !w)
			st = ct_tracez_writer_new(&w, ev.kernel, put, out, &e);
		while (st >= 0 && (st = ct_trace_next_cta(t, &cta, &e)) > 0) {
			if (w)
				st = ct_tracez_put_cta(w, cta, NULL, NULL, &e);
			ct_cta_unref(cta);
		}
		if (w && st >= 0)
			st = ct_tracez_finish(w, &e);
		ct_tracez_writer_free(w);
		w = NULL;
		out = NULL;
		if (st < 0)
			break;
	}
	int64_t insts = st < 0 ? -1 : (int64_t)ct_trace_stats(t)->warp_insts;
	ct_trace_close(t);
	return insts;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_buf whole = {0}, again = {0};
	/* the header is another target's; offsets in the index count from the file's beginning */
	ct_buf_add(&whole, header, sizeof header - 1);
	if (size)
		ct_buf_add(&whole, data, size);
	if (!whole.failed) {
		int64_t insts = read_one(whole.data, whole.len, 0, &again);
		if (insts >= 0 && !again.failed && again.len &&
		    read_one(again.data, again.len, 0, NULL) != insts)
			abort();
		read_one(whole.data, whole.len, 1, NULL);
	}
	ct_buf_free(&whole);
	ct_buf_free(&again);
	return 0;
}
