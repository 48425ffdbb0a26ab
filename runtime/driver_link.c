/* CUDA's driver API: linking. A module is one PTX text: the result of linking one is the text itself, that of several the text that
 * they are joined to. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/driver.h"
#include "runtime/runtime.h"

struct CUlinkState_st {
	struct CUlinkState_st *next;
	struct input {
		char *name, *text;
	} * input;
	size_t n, cap;
	struct ct_buf image; /* with its NUL */
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

static CUresult add_input(CUlinkState state, const char *name, const char *text, size_t bytes)
{
	struct input in = {ct_strndup(name, strlen(name)), ct_strndup(text, bytes)};
	if (!in.name || !in.text ||
	    ct_grow((void **)&state->input, &state->cap, state->n + 1, sizeof *state->input) < 0) {
		free(in.name);
		free(in.text);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	state->input[state->n++] = in;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                       const char *name, unsigned n, CUjit_option *options, void **values)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!is_state(state) || !data))
		r = data ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && type != CU_JIT_INPUT_PTX)
		r = (CUresult)ct_cuda_refuse("cuLinkAddData", "binary images for a GPU: give PTX text");
	if (r == CUDA_SUCCESS) {
		ct_cuda_answer_options(n, options, values);
		r = add_input(state, name ? name : "text", data, strnlen(data, bytes));
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

/* Joins the texts of a state, of which there is at least one. */
static CUresult make_image(CUlinkState state)
{
	struct ct_ptx_linker *l = NULL;
	struct ct_error e;
	ct_buf_reset(&state->image);
	int rc = state->n > 1 ? ct_ptx_linker_create(&l, &e) : CT_OK;
	for (size_t i = 0; i < state->n && l && rc == CT_OK; i++)
		rc = ct_ptx_linker_add(l, state->input[i].name, state->input[i].text,
		                       strlen(state->input[i].text), &e);
	if (l && rc == CT_OK)
		rc = ct_ptx_linker_join(l, &state->image, &e);
	if (!l && rc == CT_OK)
		ct_buf_puts(&state->image, state->input[0].text);
	ct_buf_putc(&state->image, '\0');
	ct_ptx_linker_free(l);
	if (rc == CT_ERR_NOMEM || state->image.failed)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (rc != CT_OK)
		ct_cuda_say("%s", e.text);
	return rc == CT_OK ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

/* The image is the state's, and is there until that is destroyed. */
CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !is_state(state))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS && (!image || !state->n))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		r = make_image(state);
	if (r == CUDA_SUCCESS) {
		*image = state->image.data;
		if (bytes)
			*bytes = state->image.len;
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
		for (size_t i = 0; i < state->n; i++) {
			free(state->input[i].name);
			free(state->input[i].text);
		}
		free(state->input);
		ct_buf_free(&state->image);
		free(state);
	}
	return ct_cuda_driver_leave(r);
}
