/* What app.h promises to workloads, on lib's emulator of PTX. */
#include "tracegen/cuda_workload.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/mem.h"
#include "tracegen/ptx.h"

/* Memory lies where libctcuda's lies, so that a workload has the same addresses here and as a program. */
#define ARENA UINT64_C(0x700000000000)
#define ARENA_BYTES (UINT64_C(32) << 30) /* reserved, not used: a V100's memory */
enum {
	GRANULE = 512,  /* cudaMalloc's alignment */
	PAGE = 1 << 16, /* a multiple of every host's page */
	LEAST_ARENA = 1 << 26,
	MAX_PARAMS = 4096 /* bytes of a launch's arguments, as the CUDA C++ Programming Guide says */
};

struct app_host {
	const struct cuda_workload *w;
	struct ct_error *e;
	int status;
	jmp_buf failed; /* in run(): where a call that fails goes on */
	struct ct_capture *capture;
	struct ct_ptx_memory *memory;
	struct ct_ptx_module *module; /* NULL: not yet read */
	struct ct_ptx_texture *texture;
	size_t textures, texture_room;
	struct ct_ptx_observer observer;
	uint64_t arena, arena_bytes, used;
	void **kept; /* memory of the host */
	size_t n_kept, kept_room;
};

/* Ends the workload with the error that *e holds. */
static _Noreturn void give_up(struct app *a, int status)
{
	a->host->status = status;
	longjmp(a->host->failed, 1);
}

static void require(struct app *a, int status)
{
	if (status < 0)
		give_up(a, status);
}

/* ---- memory ---- */

void *app_host(struct app *a, size_t n, size_t size)
{
	struct app_host *h = a->host;
	void *p = ct_calloc(n ? n : 1, size);
	if (!p || ct_grow((void **)&h->kept, &h->kept_room, h->n_kept + 1, sizeof *h->kept) < 0) {
		free(p);
		give_up(a, ct_fail_nomem(h->e));
	}
	h->kept[h->n_kept++] = p;
	return p;
}

static int make_arena(struct app_host *h)
{
	for (uint64_t bytes = ARENA_BYTES; bytes >= LEAST_ARENA; bytes /= 2) {
		void *p = mmap((void *)(uintptr_t)ARENA, bytes, PROT_NONE,
		               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			continue;
		h->arena = (uint64_t)(uintptr_t)p;
		h->arena_bytes = bytes;
		return CT_OK;
	}
	return ct_fail_nomem(h->e);
}

/* The next bytes of the arena, or NULL. */
static void *take(struct app_host *h, uint64_t bytes)
{
	uint64_t room = ct_round_up(bytes ? bytes : 1, GRANULE), at = h->used;
	struct ct_error unused;
	if (room < bytes || room > h->arena_bytes - at)
		return NULL;
	unsigned char *p = (unsigned char *)(uintptr_t)h->arena + at;
	uint64_t page = at / PAGE * PAGE;
	if (mprotect((void *)(uintptr_t)(h->arena + page), ct_round_up(at + room, PAGE) - page,
	             PROT_READ | PROT_WRITE) != 0 ||
	    ct_ptx_memory_add(h->memory, p, bytes ? bytes : 1, &unused) < 0)
		return NULL;
	h->used += room;
	return p;
}

void *app_device(struct app *a, const char *name, size_t bytes)
{
	void *p = take(a->host, bytes);
	if (!p)
		give_up(a, ct_fail_nomem(a->host->e));
	require(a, ct_capture_array(a->host->capture, (uint64_t)(uintptr_t)p, bytes, name, a->host->e));
	return p;
}

void app_to_device(struct app *a, void *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	require(a, ct_capture_copy(a->host->capture, CT_CAPTURE_TO_DEVICE, (uint64_t)(uintptr_t)to,
	                           bytes, a->host->e));
}

void app_to_host(struct app *a, void *to, const void *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	require(a, ct_capture_copy(a->host->capture, CT_CAPTURE_TO_HOST, (uint64_t)(uintptr_t)from,
	                           bytes, a->host->e));
}

void app_on_device(struct app *a, void *to, const void *from, size_t bytes)
{
	if (bytes)
		memmove(to, from, bytes);
	require(a, ct_capture_copy(a->host->capture, CT_CAPTURE_ON_DEVICE, (uint64_t)(uintptr_t)to,
	                           bytes, a->host->e));
}

void *app_upload(struct app *a, const char *name, const void *from, size_t bytes)
{
	void *p = app_device(a, name, bytes);
	app_to_device(a, p, from, bytes);
	return p;
}

unsigned long long app_texture(struct app *a, const float *p, uint32_t n)
{
	struct app_host *h = a->host;
	if (ct_grow((void **)&h->texture, &h->texture_room, h->textures + 1, sizeof *h->texture) < 0)
		give_up(a, ct_fail_nomem(h->e));
	h->texture[h->textures] = (struct ct_ptx_texture){
		.handle = h->textures + 1,
		.texels = p,
		.width = n,
		.channels = 1,
		.bits = 32,
		.kind = CT_PTX_TEXEL_REAL};
	return ++h->textures;
}

/* ---- kernels ---- */

static void *place_variable(void *ctx, const char *name, uint64_t bytes, uint32_t align)
{
	(void)name;
	return align <= GRANULE ? take(ctx, bytes) : NULL;
}

/* Reads the kernels when something of them is used first, as libctcuda does. */
static void read_module(struct app *a)
{
	struct app_host *h = a->host;
	struct ct_ptx_placing placing = {.place = place_variable, .ctx = h};
	struct ct_buf path = {0}, text = {0};
	if (h->module)
		return;
	ct_buf_printf(&path, "%s/workloads/%s.ptx", h->w->data_dir, h->w->name);
	int st = ct_buf_check(&path, h->e);
	if (st == CT_OK)
		st = ptx_read_file(path.data, &text, h->e);
	if (st == CT_OK)
		st = ct_ptx_read_placed(&h->module, text.len ? text.data : "", text.len, path.data,
		                        &placing, h->e);
	ct_buf_free(&path);
	ct_buf_free(&text);
	require(a, st);
}

void app_to_symbol(struct app *a, const char *symbol, const void *from, size_t bytes)
{
	struct app_host *h = a->host;
	read_module(a);
	const struct ct_ptx_variable *v = ct_ptx_find_variable(h->module, symbol);
	if (!v || v->bytes < bytes)
		give_up(a, ct_fail(h->e, CT_ERR_INPUT, "workloads/%s.ptx has no %s of %zu bytes",
		                   h->w->name, symbol, bytes));
	app_to_device(a, v->storage, from, bytes);
}

void app_launch(struct app *a, const char *kernel, struct app_dims grid, struct app_dims block,
                uint32_t shared, const void *const *arguments, size_t n)
{
	struct app_host *h = a->host;
	unsigned char params[MAX_PARAMS];
	read_module(a);
	const struct ct_ptx_kernel *k = ct_ptx_find_kernel(h->module, kernel);
	if (!k || k->nparams != n || k->param_bytes > sizeof params)
		give_up(a,
		        ct_fail(h->e, CT_ERR_INPUT,
		                "workloads/%s.ptx has no kernel %s of %zu arguments: run make workloads",
		                h->w->name, kernel, n));
	for (size_t i = 0; i < n; i++)
		memcpy(params + k->params[i].offset, arguments[i], k->params[i].bytes);
	struct ct_ptx_launch l = {
		.module = h->module,
		.kernel = k,
		.grid = {grid.x, grid.y, grid.z},
		.block = {block.x, block.y, block.z},
		.dynamic_shared = shared,
		.params = params,
		.param_bytes = k->param_bytes,
		.memory = h->memory,
		.textures = h->texture,
		.ntextures = h->textures,
		.observer = &h->observer};
	require(a, ct_capture_launch(h->capture, &l, NULL, h->e));
}

static int look_for_stop(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e)
{
	const struct app_host *h = ctx;
	(void)cta;
	return h->w->stop && *h->w->stop ? ct_fail(e, CT_ERR_IO, "interrupted") : CT_OK;
}

/* ---- checks ---- */

void app_check_floats(struct app *a, const char *what, const float *got, const float *want, size_t n,
                      float relative)
{
	for (size_t i = 0; i < n; i++) {
		float scale = fmaxf(1.0f, fmaxf(fabsf(got[i]), fabsf(want[i])));
		if (!(fabsf(got[i] - want[i]) <= relative * scale))
			give_up(a, ct_fail(a->host->e, CT_ERR_LIMIT,
			                   "%s[%zu] is %g, the reference has %g: please report this",
			                   what, i, (double)got[i], (double)want[i]));
	}
}

void app_check_words(struct app *a, const char *what, const uint32_t *got, const uint32_t *want,
                     size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			give_up(a, ct_fail(a->host->e, CT_ERR_LIMIT,
			                   "%s[%zu] is %u, the reference has %u: please report this",
			                   what, i, got[i], want[i]));
}

/* ---- running ---- */

static int run(struct app *a)
{
	if (setjmp(a->host->failed) == 0)
		a->host->w->run(a);
	return a->host->status;
}

static void release(struct app_host *h)
{
	for (size_t i = 0; i < h->n_kept; i++)
		free(h->kept[i]);
	free(h->kept);
	free(h->texture);
	ct_ptx_free(h->module);
	ct_ptx_memory_free(h->memory);
	if (h->arena)
		munmap((void *)(uintptr_t)h->arena, h->arena_bytes);
}

int cuda_workload_trace(const struct cuda_workload *w, struct ct_capture_summary *seen,
                        struct ct_error *e)
{
	struct app_host h = {.w = w, .e = e};
	struct app a = {.random = w->seed, .size = w->size, .elements = w->elements, .host = &h};
	struct ct_error unused;
	h.observer = (struct ct_ptx_observer){.ctx = &h, .cta_begin = look_for_stop};
	int st = make_arena(&h);
	if (st == CT_OK)
		st = ct_ptx_memory_create(&h.memory, e);
	if (st == CT_OK)
		st = ct_capture_open(&w->capture, &h.capture, e);
	if (st == CT_OK)
		st = run(&a);
	int end = ct_capture_close(h.capture, st < 0 ? CT_CAPTURE_DROP : 0, seen, st < 0 ? &unused : e);
	release(&h);
	return st < 0 ? st : end;
}
