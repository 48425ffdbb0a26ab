/* gpgpusim.config, with a trace.config behind a line "====", and cache strings. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu_keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *ctx, const char *text)
{
	(void)ctx;
	if (strlen(text) == 0 || strchr(text, '\n'))
		abort();
}

static void cache_string(const uint8_t *data, size_t size)
{
	struct ct_cache_params c = {0};
	char text[256], note[160];
	size_t n = size < sizeof text - 1 ? size : sizeof text - 1;
	memcpy(text, data, n);
	text[n] = 0;
	(void)ct_sim_cache(&c, text, note, sizeof note);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n====\n";
	const struct ct_diag diag = {ignore, NULL};
	struct ct_sim_text config = {"a/b/gpgpusim.config", (const char *)data, size}, trace = config;
	struct ct_gpu g, again;
	struct ct_error e;
	int two = 0;
	for (size_t i = 0; i + sizeof mark - 1 <= size && !two; i++)
		if (memcmp(data + i, mark, sizeof mark - 1) == 0) {
			config.n = i;
			trace.text = config.text + i + sizeof mark - 1;
			trace.n = size - i - (sizeof mark - 1);
			two = 1;
		}
	cache_string(data, size);
	if (ct_sim_parse(&g, &config, two ? &trace : NULL, &diag, &e) == 0 &&
	    ct_gpu_check(&g, &e) == 0) {
		struct ct_buf b = {0};
		ct_gpu_print(&g, &b);
		if (!b.failed && (ct_gpu_parse(&again, "again", b.data, b.len, NULL, &e) < 0 ||
		                  memcmp(&g, &again, sizeof g) != 0))
			abort();
		ct_buf_free(&b);
	}
	return 0;
}
