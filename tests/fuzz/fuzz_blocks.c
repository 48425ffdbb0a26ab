/* Memory contents: .npy arrays, block dumps, raw bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "models/common/bdi.h"
#include "models/common/blocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *ctx, uint64_t address, const void *block)
{
	(void)address;
	ct_bdi_count(ctx, block, 32, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int format = CT_BLOCKS_AUTO; format <= CT_BLOCKS_DUMP; format++) {
		struct ct_bdi_counts c = {0};
		struct ct_blocks_info info;
		struct ct_source *s;
		struct ct_error e;
		if (ct_source_open_memory(&s, "fuzz", data, size, &e) < 0)
			return 0;
		int rc = ct_blocks_read(s, (enum ct_blocks_format)format, 32, count, &c, &info, &e);
		if (c.blocks != info.blocks || info.bytes != 32 * info.blocks ||
		    (rc == 0 && info.tail_bytes >= 32) || c.code_bytes > c.bytes)
			abort();
		ct_source_close(s);
	}
	return 0;
}
