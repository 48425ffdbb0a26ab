/* Texts of symbols, and what comes of them: arrays that do not overlap, whatever is touched between them. The lines are
 * names of kernels, too, which are demangled. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/kernel_name.h"
#include "pass/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_arrays(const struct ct_layout *a, struct ct_buf *name)
{
	for (uint32_t i = CT_LAYOUT_FIRST; i < ct_layout_count(a); i++) {
		uint64_t first, end;
		ct_layout_range(a, i, &first, &end);
		ct_buf_reset(name);
		ct_layout_name(a, i, name);
		if (ct_layout_root(a, i) != i || first == end)
			continue;
		if (ct_layout_find(a, first) != i || ct_layout_find(a, end - 1) != i)
			abort(); /* two arrays share an address */
	}
}

static void read_symbols(const char *text, size_t n, struct ct_buf *name)
{
	struct ct_error e;
	struct ct_layout *a = ct_layout_new(&e);
	if (!a)
		return;
	if (ct_layout_declare_text(a, "symbols", text, n, &e) == CT_OK) {
		check_arrays(a, name);
		uint32_t declared = ct_layout_count(a);
		for (uint32_t i = CT_LAYOUT_FIRST; i < declared && i < 256; i++) {
			uint64_t first, end;
			ct_layout_range(a, i, &first, &end);
			ct_layout_touch(a, end);
			ct_layout_touch(a, first - 1);
			ct_layout_touch(a, end + ((end - first) << 8));
		}
		check_arrays(a, name);
	}
	ct_layout_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_buf name = {0};
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_symbols(text, size, &name);
	for (char *line = text, *end; *line; line = end + strspn(end, "\n")) {
		char *next = strchr(line, '\n');
		end = next ? next + 1 : line + strlen(line);
		if (next)
			*next = '\0';
		ct_buf_reset(&name);
		ct_kernel_name_full(&name, line);
		ct_buf_reset(&name);
		ct_kernel_name_short(&name, line);
	}
	ct_buf_free(&name);
	free(text);
	return 0;
}
