/* --pattern: the first line is the pattern, the rest is read by it. */
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

static void read_text(const struct ct_pattern *p, const void *text, size_t n, int salvage)
{
	struct ct_trace_options o = {
		.pattern = p, .salvage = salvage, .max_memory = salvage ? 64 : 0, .max_expand = 1 << 22};
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	if (ct_source_open_memory(&s, "fuzz", text, n, &e) < 0 ||
	    ct_trace_open_source(&t, s, &o, &e) < 0)
		return;
	while (ct_trace_next(t, &ev, &e) > 0)
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			read_cta(cta);
			ct_cta_unref(cta);
		}
	ct_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nl = size ? memchr(data, '\n', size) : NULL;
	struct ct_pattern *p;
	if (!nl)
		return 0;
	size_t n = (size_t)(nl - data);
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, data, n);
	text[n] = '\0';
	if (ct_pattern_compile(&p, text, NULL) == 0) {
		read_text(p, nl + 1, size - n - 1, 0);
		read_text(p, nl + 1, size - n - 1, 1);
		ct_pattern_free(p);
	}
	free(text);
	return 0;
}
