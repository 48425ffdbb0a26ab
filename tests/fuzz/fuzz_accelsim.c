/* Trace text, plain or compressed: any bytes end in instructions or an error, within
 * a small memory budget so that streams spill too. */
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int salvage = 0; salvage < 2; salvage++) {
		struct ct_trace_options o = {.keep_values = 1,
		                             .salvage = salvage,
		                             .max_memory = salvage ? 64 : 0,
		                             .max_expand = 1 << 22};
		struct ct_source *s;
		struct ct_trace *t;
		struct ct_event ev;
		struct ct_cta *cta;
		struct ct_error e;
		if (ct_source_open_memory(&s, "fuzz", data, size, &e) < 0)
			return 0;
		/* Lists would open files that the input names. */
		enum ct_kind kind;
		if (ct_source_sniff(s, &kind, &e) < 0 || kind == CT_KIND_KERNELSLIST) {
			ct_source_close(s);
			return 0;
		}
		if (ct_trace_open_source(&t, s, &o, &e) < 0)
			return 0;
		while (ct_trace_next(t, &ev, &e) > 0)
			while (ct_trace_next_cta(t, &cta, &e) > 0) {
				sink += read_cta(cta);
				ct_cta_unref(cta);
			}
		ct_trace_close(t);
	}
	return 0;
}
