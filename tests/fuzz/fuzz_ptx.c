/* PTX text: any bytes end in a module or an error, and its kernels in results or a fault, within
 * few instructions. */
#include <stdlib.h>
#include <string.h>

#include "ptx/emulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER = 4096, MAX_REGISTERS = 3000, MAX_LOCAL = 4096, MAX_STEPS = 3000 };

static uint64_t seen;

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	(void)ctx;
	(void)e;
	if ((v->mask & ~v->active) || (v->addresses && v->mask && v->width == 0))
		abort();
	for (unsigned l = 0; v->addresses && l < 32; l++)
		if (v->mask >> l & 1)
			seen += v->addresses[l];
	return 0;
}

/* A function of the host: reads where its first parameter points to. */
static int on_call(void *ctx, const struct ct_ptx_call *c, struct ct_error *e)
{
	uint64_t at = 0;
	char text[16];
	(void)ctx;
	(void)e;
	memcpy(&at, c->arguments, c->argument_bytes < sizeof at ? c->argument_bytes : sizeof at);
	if (c->read(c, text, at, sizeof text) == 0)
		seen += (unsigned char)text[0];
	memset(c->result, 1, c->result_bytes);
	return 0;
}

static void launch(const struct ct_ptx_module *m, const struct ct_ptx_kernel *k, void *buffer,
                   struct ct_ptx_memory *memory)
{
	static const struct ct_ptx_observer observer = {.instruction = on_instruction};
	uint64_t address = (uint64_t)(uintptr_t)buffer;
	struct ct_error e = {0};
	struct ct_ptx_result r;
	unsigned char *params = calloc(1, k->param_bytes + 8u);
	if (!params)
		return;
	for (uint32_t i = 0; i + 8 <= k->param_bytes; i += 8)
		memcpy(params + i, &address, sizeof address);
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = k,
		.grid = {2, 1, 1},
		.block = {20, 2, 1},
		.dynamic_shared = 64,
		.params = params,
		.param_bytes = k->param_bytes,
		.memory = memory,
		.max_steps = MAX_STEPS,
		.observer = &observer,
		.call = on_call};
	int rc = ct_ptx_launch(&l, &r, &e);
	if ((rc < 0) != (e.status != 0) || (rc == CT_OK && r.fault.kind) || r.steps > MAX_STEPS + 1)
		abort();
	free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ct_ptx_module *m;
	struct ct_ptx_memory *memory;
	struct ct_error e = {0};
	if (ct_ptx_read(&m, (const char *)data, size, "fuzz", &e) < 0)
		return 0;
	void *buffer = calloc(1, BUFFER);
	if (buffer && ct_ptx_memory_create(&memory, &e) == CT_OK) {
		if (ct_ptx_memory_add(memory, buffer, BUFFER, &e) == CT_OK)
			for (size_t i = 0; i < ct_ptx_kernel_count(m) && i < 4; i++) {
				const struct ct_ptx_kernel *k = ct_ptx_kernel_at(m, i);
				if (k->registers <= MAX_REGISTERS && k->local_bytes <= MAX_LOCAL)
					launch(m, k, buffer, memory);
			}
		ct_ptx_memory_free(memory);
	}
	free(buffer);
	ct_ptx_free(m);
	return 0;
}
