/* Texts of PTX that are joined: any bytes end in one text or an error. The bytes are cut into texts at each 0x01. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/link.h"
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXTS = 4 };

static int is_short(const void *ctx, const char *name)
{
	(void)ctx;
	return strlen(name) < 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *own = ct_strndup((const char *)data, size), *at = own;
	struct ct_ptx_linker *l;
	struct ct_error e;
	struct ct_buf out = {0}, some = {0};
	uint32_t group[MAX_TEXTS];
	size_t n = 0;
	if (!own || ct_ptx_linker_create(&l, &e) != CT_OK) {
		free(own);
		return 0;
	}
	ct_ptx_asks_for_others(own);
	for (size_t left = size; n < MAX_TEXTS;) {
		char *cut = memchr(at, 1, left);
		size_t bytes = cut ? (size_t)(cut - at) : left;
		n += ct_ptx_linker_add(l, "t", at, bytes, &e) == CT_OK;
		if (!cut)
			break;
		left -= bytes + 1;
		at = cut + 1;
	}
	ct_ptx_linker_groups(l, group);
	for (size_t i = 0; i < n; i++)
		if (group[i] > i)
			abort();
	if (n && ct_ptx_linker_pick(l, is_short, NULL, &some, &e) == CT_ERR_INPUT)
		abort();
	if (ct_ptx_linker_join(l, &out, &e) == CT_OK) {
		struct ct_ptx_module *m;
		if (ct_ptx_read(&m, out.data, out.len, "joined", &e) == CT_OK)
			ct_ptx_free(m);
	}
	ct_buf_free(&out);
	ct_buf_free(&some);
	ct_ptx_linker_free(l);
	free(own);
	return 0;
}
