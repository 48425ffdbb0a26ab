/* NVBit mem_trace logs: any text ends in records or an error, also in little memory. */
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is read ends here, so that no read can be left out. */
static volatile uint64_t sink;

static void read_cta(struct ct_cta *cta)
{
	struct ct_cursor *c = NULL;
	struct ct_inst inst;
	struct ct_error e;
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		if ((c ? ct_cursor_reset(c, cta, i, &e) : ct_cursor_open(&c, cta, i, &e)) < 0)
			break;
		while (ct_cursor_next(c, &inst, &e) > 0)
			for (int k = 0; k < inst.naddr; k++)
				sink += inst.addr[k] + ct_code_at(ct_cta_code(cta), inst.sid)->width;
	}
	ct_cursor_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Whatever follows, this makes it a log. */
	static const char head[] = "MEMTRACE: STARTING CONTEXT 0x1\n";
	size_t n = sizeof head - 1;
	char *text = malloc(n + size);
	if (!text)
		return 0;
	memcpy(text, head, n);
	if (size)
		memcpy(text + n, data, size);
	for (int salvage = 0; salvage < 2; salvage++) {
		struct ct_trace_options o = {.salvage = salvage, .max_memory = salvage ? 64 : 0};
		struct ct_source *s;
		struct ct_trace *t;
		struct ct_event ev;
		struct ct_cta *cta;
		struct ct_error e;
		if (ct_source_open_memory(&s, "fuzz", text, n + size, &e) < 0 ||
		    ct_trace_open_source(&t, s, &o, &e) < 0)
			break;
		while (ct_trace_next(t, &ev, &e) > 0)
			while (ct_trace_next_cta(t, &cta, &e) > 0) {
				read_cta(cta);
				ct_cta_unref(cta);
			}
		ct_trace_close(t);
	}
	free(text);
	return 0;
}
