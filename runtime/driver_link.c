/* CUDA's driver API: linking. A module is one PTX text, so that the result of linking one is the text itself. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/driver.h"
#include "runtime/runtime.h"

struct CUlinkState_st {
	struct CUlinkState_st *next;
	struct ct_buf text; /* with its NUL */
	unsigned n;
};
static struct CUlinkState_st *states;

static int is_state(CUlinkState state)
{
	const struct CUlinkState_st *at = states;
	while (at && at != state)
		at = at->next;
	return at != NULL;
}

CUresult cuLinkCreate(unsigned n, CUjit_option *options, void **values, CUlinkState *state)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !state)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		struct CUlinkState_st *s = ct_calloc(1, sizeof *s);
		if (s) {
			ct_cuda_answer_options(n, options, values);
			s->next = states;
			*state = states = s;
		} else {
			r = CUDA_ERROR_OUT_OF_MEMORY;
		}
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned n, CUjit_option *options, void **values)
{
	CUresult r = ct_cuda_driver_enter();
	(void)name;
	if (r == CUDA_SUCCESS && (!is_state(state) || !data))
		r = data ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && type != CU_JIT_INPUT_PTX)
		r = (CUresult)ct_cuda_refuse("cuLinkAddData", "binary images for a GPU: give PTX text");
	if (r == CUDA_SUCCESS && state->n)
		r = (CUresult)ct_cuda_refuse("cuLinkAddData", "texts are not linked together: give one");
	if (r == CUDA_SUCCESS) {
		ct_cuda_answer_options(n, options, values);
		ct_buf_add(&state->text, data, strnlen(data, bytes));
		ct_buf_putc(&state->text, '\0');
		state->n++;
		if (state->text.failed)
			r = CUDA_ERROR_OUT_OF_MEMORY;
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *file, unsigned n,
                       CUjit_option *options, void **values)
{
	struct ct_buf text = {0};
	CUresult r = file ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && ct_cuda_read_file(file, &text) < 0)
		r = CUDA_ERROR_FILE_NOT_FOUND;
	if (r == CUDA_SUCCESS)
		r = cuLinkAddData(state, type, text.data, text.len, file, n, options, values);
	ct_buf_free(&text);
	return r;
}

/* The image is the state's, and is there until that is destroyed. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !is_state(state))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS && (!image || !state->n))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		*image = state->text.data;
		if (bytes)
			*bytes = state->text.len;
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuLinkDestroy(CUlinkState state)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !is_state(state))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS) {
		struct CUlinkState_st **at = &states;
		while (*at != state)
			at = &(*at)->next;
		*at = state->next;
		ct_buf_free(&state->text);
		free(state);
	}
	return ct_cuda_driver_leave(r);
}
