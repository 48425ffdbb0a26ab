#include "tests/support/ptx_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

struct ct_ptx_module *ptx_must_read(const char *text)
{
	struct ct_ptx_module *m = NULL;
	struct ct_error e = {0};
	if (ct_ptx_read(&m, text, strlen(text), "t.ptx", &e) < 0)
		fail_msg("%s\n%s", e.text, text);
	return m;
}

int ptx_run(const struct ct_ptx_module *m, uint32_t grid, uint32_t block, void *buffer, size_t bytes,
            uint64_t max_steps, struct ct_ptx_fault *fault, struct ct_error *e)
{
	struct ct_ptx_memory *memory;
	struct ct_ptx_result r;
	uint64_t param = (uint64_t)(uintptr_t)buffer;
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_kernel_at(m, 0),
		.grid = {grid, 1, 1},
		.block = {block, 1, 1},
		.params = &param,
		.param_bytes = sizeof param,
		.max_steps = max_steps};
	int rc = ct_ptx_memory_create(&memory, e);
	assert_int_equal(rc, CT_OK);
	assert_int_equal(ct_ptx_memory_add(memory, buffer, bytes, e), CT_OK);
	l.memory = memory;
	rc = ct_ptx_launch(&l, &r, e);
	if (fault)
		*fault = r.fault;
	ct_ptx_memory_free(memory);
	return rc;
}

void ptx_must_run(const char *text, uint32_t grid, uint32_t block, void *buffer, size_t bytes)
{
	struct ct_ptx_module *m = ptx_must_read(text);
	struct ct_error e = {0};
	if (ptx_run(m, grid, block, buffer, bytes, 10000000, NULL, &e) < 0)
		fail_msg("%s", e.text);
	ct_ptx_free(m);
}

static const char *type_of(char kind)
{
	return kind == 'h' ? "b16" : kind == 'w' ? "b32" : "b64";
}

/* A thread a triple: operands of 8 bytes each, then the result. */
static void make_text(struct ct_buf *b, const char *instruction, const char *kinds)
{
	ct_buf_printf(
		b, PTX_HEAD
		".entry k(.param .u64 p) {\n.reg .pred %%p<4>;\n.reg .b16 %%h<4>;\n.reg .b32 %%w<4>;\n.reg .b32 %%t<4>;\n"
		".reg .b64 %%l<4>;\n.reg .b64 %%q<4>;\nld.param.u64 %%q0, [p];\nmov.u32 %%t0, %%tid.x;\nmov.u32 %%t1, %%ctaid.x;\n"
		"mov.u32 %%t2, %%ntid.x;\nmad.lo.s32 %%t0, %%t1, %%t2, %%t0;\nmad.wide.u32 %%q1, %%t0, 32, %%q0;\n"
		"ld.global.b8 %%t3, [%%q1+16];\nsetp.ne.u32 %%p3, %%t3, 0;\n");
	for (int i = 1; kinds[i]; i++)
		if (kinds[i] != 'p')
			ct_buf_printf(b, "ld.global.%s %%%c%d, [%%q1+%d];\n", type_of(kinds[i]),
			              kinds[i], i, 8 * (i - 1));
	ct_buf_printf(b, "%s\nmov.b64 %%q2, 0;\nst.global.b64 [%%q1+24], %%q2;\n", instruction);
	if (kinds[0] == 'p')
		ct_buf_printf(b, "selp.u32 %%w0, 1, 0, %%p0;\nst.global.b32 [%%q1+24], %%w0;\n");
	else
		ct_buf_printf(b, "st.global.%s [%%q1+24], %%%c0;\n", type_of(kinds[0]), kinds[0]);
	ct_buf_puts(b, "ret;\n}\n");
}

void ptx_apply(const char *instruction, const char *kinds, size_t n, const uint64_t (*operands)[3],
               uint64_t *results)
{
	enum { BLOCK = 64 };
	struct ct_buf text = {0};
	size_t blocks = (n + BLOCK - 1) / BLOCK;
	uint64_t(*rows)[4] = calloc(blocks * BLOCK, sizeof *rows);
	assert_non_null(rows);
	make_text(&text, instruction, kinds);
	assert_false(text.failed);
	for (size_t i = 0; i < n; i++)
		memcpy(rows[i], operands[i], sizeof operands[i]);
	struct ct_ptx_module *m = ptx_must_read(text.data);
	struct ct_error e = {0};
	if (ptx_run(m, (uint32_t)blocks, BLOCK, rows, blocks * BLOCK * sizeof *rows, 0, NULL, &e) < 0)
		fail_msg("%s: %s", instruction, e.text);
	for (size_t i = 0; i < n; i++)
		results[i] = rows[i][3];
	ct_ptx_free(m);
	ct_buf_free(&text);
	free(rows);
}
