/* What a program was compiled with: its modules of PTX, their kernels, variables and references.
 *
 * clang makes a program register each of its translation units before main(). A unit's module is read
 * when something of it is used, so that a program that uses little starts at once. Units that need functions or variables
 * of one another are joined then (runtime/link.c). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "ptx/link.h"
#include "runtime/register.h"
#include "runtime/runtime.h"

/* Marks in front of a fat binary: the wrapper that compilers make, and NVIDIA's container behind it. */
#define WRAPPER_MAGIC 0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u

struct wrapper {
	unsigned magic, version;
	const void *data;
	void *unused;
};

/* A variable of a program: the host knows it by the address of its shadow. */
struct symbol {
	struct symbol *next;
	struct ct_cuda_module *module;
	const void *shadow;
	void *managed; /* where the device has it, of a __managed__ variable; else NULL */
	int valued; /* of such a one: it has its first value, and the program may have given it another */
	void *kept;   /* its value while its module is read; NULL: none is kept */
	size_t bytes; /* of that */
	char *name;
};

static struct ct_cuda_module *modules;
static struct ct_cuda_function *functions;
static struct symbol *symbols;
static struct ct_cuda_texture_reference *textures;
static unsigned units; /* translation units so far */
static int unlinked;   /* 1: units have been registered since it was looked which need one another */

/* A copy of a string, or the end of the program: registration has no way to fail. */
static char *must_copy(const char *s)
{
	char *copy = ct_strndup(s, strlen(s));
	if (!copy) {
		ct_cuda_say("out of memory");
		exit(2);
	}
	return copy;
}

static void *must_have(size_t bytes)
{
	void *p = ct_calloc(1, bytes);
	if (!p) {
		ct_cuda_say("out of memory");
		exit(2);
	}
	return p;
}

struct ct_cuda_module *ct_cuda_add_module(const char *name, const char *text, int copy)
{
	struct ct_cuda_module *m = ct_calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->name = ct_strndup(name, strlen(name));
	m->owned = copy ? ct_strndup(text, strlen(text)) : NULL;
	m->text = copy ? m->owned : text;
	if (!m->name || !m->text) {
		free(m->name);
		free(m);
		return NULL;
	}
	m->next = modules;
	modules = m;
	return m;
}

static void drop_functions(const struct ct_cuda_module *m)
{
	for (struct ct_cuda_function **at = &functions, *f; (f = *at);)
		if (f->module == m) {
			*at = f->next;
			free(f->prepared);
			free(f->name);
			free(f);
		} else {
			at = &f->next;
		}
}

static void drop_symbols(const struct ct_cuda_module *m)
{
	for (struct symbol **at = &symbols, *s; (s = *at);)
		if (s->module == m) {
			*at = s->next;
			free(s->name);
			free(s);
		} else {
			at = &s->next;
		}
}

static void drop_textures(const struct ct_cuda_module *m)
{
	for (struct ct_cuda_texture_reference **at = &textures, *t; (t = *at);)
		if (t->module == m) {
			*at = t->next;
			free(t->name);
			free(t);
		} else {
			at = &t->next;
		}
}

void ct_cuda_remove_module(struct ct_cuda_module *m)
{
	for (struct ct_cuda_module **at = &modules; *at; at = &(*at)->next)
		if (*at == m) {
			*at = m->next;
			break;
		}
	drop_functions(m);
	drop_symbols(m);
	drop_textures(m);
	if (m->into && --m->into->joined == 0)
		ct_cuda_remove_module(m->into);
	ct_cuda_release_variables(m);
	ct_ptx_free(m->ptx);
	free(m->access);
	free(m->owned);
	free(m->name);
	free(m);
}

struct ct_cuda_module *ct_cuda_modules(void)
{
	return modules;
}

/* What a text's .target says, of which nothing stands before it in its line; 0: it has none. */
static unsigned target_of(const char *text)
{
	static const char word[] = ".target sm_";
	const char *at = text;
	while ((at = strstr(at, word)) && at != text && at[-1] != '\n')
		at++;
	return at ? (unsigned)strtoul(at + strlen(word), NULL, 10) : 0;
}

unsigned ct_cuda_highest_target(void)
{
	unsigned most = 0;
	for (const struct ct_cuda_module *m = modules; m; m = m->next) {
		const unsigned target = m->text ? target_of(m->text) : 0;
		most = target > most ? target : most;
	}
	return most;
}

/* Gives *name the name that it has in the joined text. */
static int rename_to(char **name, const struct ct_ptx_linker *l, size_t text)
{
	const char *now = ct_ptx_linker_name(l, text, *name);
	char *copy = now == *name ? *name : ct_strndup(now, strlen(now));
	if (!copy)
		return -1;
	if (copy != *name)
		free(*name);
	*name = copy;
	return 0;
}

cudaError_t ct_cuda_move_module(struct ct_cuda_module *m, struct ct_cuda_module *into,
                                const struct ct_ptx_linker *l, size_t text)
{
	int failed = 0;
	for (struct ct_cuda_function *f = functions; f; f = f->next)
		if (f->module == m) {
			failed |= rename_to(&f->name, l, text);
			f->module = into;
		}
	for (struct symbol *s = symbols; s; s = s->next)
		if (s->module == m) {
			failed |= rename_to(&s->name, l, text);
			s->module = into;
		}
	for (struct ct_cuda_texture_reference *t = textures; t; t = t->next)
		if (t->module == m) {
			failed |= rename_to(&t->name, l, text);
			t->module = into;
		}
	m->into = into;
	into->joined++;
	return failed ? cudaErrorMemoryAllocation : cudaSuccess;
}

/* Whether a __managed__ variable of any module has its value already. */
static int has_value(const void *managed)
{
	for (const struct symbol *s = symbols; s; s = s->next)
		if (s->managed == managed && s->valued)
			return 1;
	return 0;
}

/* A __managed__ variable has its place; any other gets one. */
static void *place_variable(void *ctx, const char *name, uint64_t bytes, uint32_t align)
{
	for (struct symbol *s = symbols; s; s = s->next)
		if (s->module == ctx && s->managed && strcmp(s->name, name) == 0) {
			if (!has_value(s->managed))
				return memset(s->managed, 0, bytes);
			s->bytes = bytes;
			s->kept = malloc(bytes);
			return s->kept ? memcpy(s->kept, s->managed, bytes), s->managed : NULL;
		}
	return ct_cuda_place_variable(ctx, name, bytes, align);
}

/* Gives __managed__ variables back what they had before their module was read. */
static void restore_values(void)
{
	for (struct symbol *s = symbols; s; s = s->next) {
		if (s->kept)
			memcpy(s->managed, s->kept, s->bytes);
		free(s->kept);
		s->kept = NULL;
	}
}

cudaError_t ct_cuda_read_module(struct ct_cuda_module *m)
{
	struct ct_ptx_placing placing = {place_variable, m};
	struct ct_error e;
	unsigned magic = 0;
	if (unlinked && !m->tried && !m->owned && !m->into) {
		cudaError_t error = ct_cuda_link_modules();
		if (error != cudaSuccess)
			return error;
		unlinked = 0;
	}
	if (m->into)
		return ct_cuda_read_module(m->into);
	if (m->tried)
		return m->ptx ? cudaSuccess : cudaErrorInvalidPtx;
	m->tried = 1;
	if (!m->owned)
		memcpy(&magic, m->text, sizeof magic);
	if (magic == CONTAINER_MAGIC) {
		ct_cuda_say("%s: compiled by nvcc, for a GPU: compile it with ctcc", m->name);
		ct_cuda.fault = cudaErrorNoKernelImageForDevice;
		return cudaErrorNoKernelImageForDevice;
	}
	int rc = ct_ptx_read_placed(&m->ptx, m->text, strlen(m->text), m->name, &placing, &e);
	restore_values();
	if (rc != CT_OK) {
		ct_cuda_release_variables(m);
		ct_cuda_say("%s", e.text);
		if (e.status == CT_ERR_NOMEM)
			return cudaErrorMemoryAllocation;
		/* A program that does not look at launches must not go on as if its kernels had run. */
		if (!m->owned || m->joined)
			ct_cuda.fault = cudaErrorInvalidPtx;
		return cudaErrorInvalidPtx;
	}
	m->allocates = strstr(m->text, ") malloc") != NULL; /* .extern .func (result) malloc */
	for (size_t i = 0; i < ct_ptx_variable_count(m->ptx); i++) {
		const struct ct_ptx_variable *v = ct_ptx_variable_at(m->ptx, i);
		if (v->storage && !v->texture && v->space == CT_PTX_GLOBAL &&
		    ct_cuda_trace_array((uint64_t)(uintptr_t)v->storage, v->bytes, v->name) !=
		            cudaSuccess)
			return cudaErrorMemoryAllocation;
	}
	return cudaSuccess;
}

/* Fills in the kernel of a function. */
static cudaError_t resolve(struct ct_cuda_function *f)
{
	cudaError_t error = ct_cuda_read_module(f->module);
	if (error == cudaSuccess && !f->kernel)
		f->kernel = ct_ptx_find_kernel(f->module->ptx, f->name);
	if (error == cudaSuccess && !f->kernel)
		error = cudaErrorInvalidDeviceFunction;
	return error;
}

cudaError_t ct_cuda_find_function(const void *stub, struct ct_cuda_function **out)
{
	for (struct ct_cuda_function *f = functions; f && stub; f = f->next)
		if (f->stub == stub || (!f->stub && f == stub)) {
			*out = f;
			return resolve(f);
		}
	return cudaErrorInvalidDeviceFunction;
}

cudaError_t ct_cuda_module_function(struct ct_cuda_module *m, const char *name,
                                    struct ct_cuda_function **out)
{
	cudaError_t error = ct_cuda_read_module(m);
	if (error != cudaSuccess)
		return error;
	for (struct ct_cuda_function *f = functions; f; f = f->next)
		if (f->module == m && !f->stub && strcmp(f->name, name) == 0) {
			*out = f;
			return cudaSuccess;
		}
	if (!ct_ptx_find_kernel(m->ptx, name))
		return cudaErrorSymbolNotFound;
	struct ct_cuda_function *f = ct_calloc(1, sizeof *f);
	if (!f || !(f->name = ct_strndup(name, strlen(name)))) {
		free(f);
		return cudaErrorMemoryAllocation;
	}
	f->module = m;
	f->next = functions;
	functions = f;
	*out = f;
	return resolve(f);
}

int ct_cuda_is_function(const struct ct_cuda_function *f)
{
	for (const struct ct_cuda_function *at = functions; at; at = at->next)
		if (at == f)
			return 1;
	return 0;
}

int ct_cuda_is_module(const struct ct_cuda_module *m)
{
	for (const struct ct_cuda_module *at = modules; at; at = at->next)
		if (at == m)
			return 1;
	return 0;
}

cudaError_t ct_cuda_find_symbol(const void *shadow, const struct ct_ptx_variable **out)
{
	/* A unit that only declares a variable may register it, too: the one that has storage counts. */
	for (struct symbol *s = symbols; s && shadow; s = s->next)
		if (s->shadow == shadow) {
			cudaError_t error = ct_cuda_read_module(s->module);
			if (error != cudaSuccess)
				return error;
			*out = ct_ptx_find_variable(s->module->ptx, s->name);
			if (*out && (*out)->storage)
				return cudaSuccess;
		}
	return cudaErrorInvalidSymbol;
}

struct ct_cuda_texture_reference *ct_cuda_find_texture(const void *host, int surface)
{
	for (struct ct_cuda_texture_reference *t = textures; t && host; t = t->next)
		if (t->host == host && t->surface == surface)
			return t;
	return NULL;
}

struct ct_cuda_texture_reference *ct_cuda_texture_references(void)
{
	return textures;
}

/* ---- what compilers call ---- */

void **__cudaRegisterFatBinary(void *binary)
{
	const struct wrapper *w = binary;
	char name[PATH_MAX + 32], self[PATH_MAX];
	ct_cuda_lock();
	if (!w || w->magic != WRAPPER_MAGIC || !w->data) {
		ct_cuda_say("a fat binary that is none: compile the program with ctcc");
		exit(2);
	}
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = '\0';
	const char *slash = strrchr(self, '/');
	snprintf(name, sizeof name, "%s[%u].ptx", slash ? slash + 1 : "program", ++units);
	struct ct_cuda_module *m = ct_cuda_add_module(name, w->data, 0);
	if (!m)
		must_have(SIZE_MAX);
	unlinked = 1;
	ct_cuda_leave_quietly(cudaSuccess);
	return (void **)m;
}

/* Whether the module has a __managed__ variable of that name. */
static int is_managed(const void *ctx, const char *name)
{
	for (const struct symbol *s = symbols; s; s = s->next)
		if (s->module == ctx && s->managed && strcmp(s->name, name) == 0)
			return 1;
	return 0;
}

/* Gives the __managed__ variables of a module their first values while modules that it needs may not be there yet. Returns 0 where these
 * values cannot be had from the variables alone. */
static int give_values(struct ct_cuda_module *m)
{
	struct ct_ptx_placing placing = {place_variable, m};
	struct ct_ptx_module *variables = NULL;
	struct ct_buf text = {0};
	struct ct_error e;
	int given = ct_cuda_pick_variables(m, is_managed, &text) == cudaSuccess &&
	            ct_ptx_read_placed(&variables, text.data, text.len, m->name, &placing, &e) == CT_OK;
	for (struct symbol *s = symbols; s && given; s = s->next)
		if (s->module == m && s->managed && ct_ptx_find_variable(variables, s->name))
			s->valued = 1;
	if (given)
		ct_ptx_free(variables);
	ct_buf_free(&text);
	return given;
}

/* The program may use __managed__ variables from now on: they get their first values. */
void __cudaRegisterFatBinaryEnd(void **handle)
{
	struct ct_cuda_module *m = (struct ct_cuda_module *)handle;
	if (!m->managed)
		return;
	ct_cuda_enter();
	if (!ct_cuda_is_relocatable(m) || !give_values(m))
		ct_cuda_read_module(m);
	ct_cuda_leave_quietly(cudaSuccess);
}

void __cudaUnregisterFatBinary(void **handle)
{
	ct_cuda_lock();
	ct_cuda_remove_module((struct ct_cuda_module *)handle);
	ct_cuda_leave_quietly(cudaSuccess);
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *device_name, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *warp_size)
{
	struct ct_cuda_function *f = must_have(sizeof *f);
	(void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
	(void)warp_size;
	ct_cuda_lock();
	f->module = (struct ct_cuda_module *)handle;
	f->stub = stub;
	f->name = must_copy(device_name);
	f->next = functions;
	functions = f;
	ct_cuda_leave_quietly(cudaSuccess);
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *device_name,
                       int external, size_t bytes, int constant, int global)
{
	struct symbol *s = must_have(sizeof *s);
	(void)device_address, (void)external, (void)bytes, (void)constant, (void)global;
	ct_cuda_lock();
	s->module = (struct ct_cuda_module *)handle;
	s->shadow = shadow;
	s->name = must_copy(device_name);
	s->managed = (void *)(uintptr_t)ct_cuda_managed_place(shadow);
	s->module->managed |= s->managed != NULL;
	s->next = symbols;
	symbols = s;
	ct_cuda_leave_quietly(cudaSuccess);
}

static void register_reference(void **handle, const void *host, const char *name, int normalized,
                               int surface)
{
	struct ct_cuda_texture_reference *t = must_have(sizeof *t);
	ct_cuda_lock();
	t->module = (struct ct_cuda_module *)handle;
	t->host = host;
	t->surface = surface;
	t->name = must_copy(name);
	t->normalized_values = normalized != 0;
	t->next = textures;
	textures = t;
	ct_cuda_leave_quietly(cudaSuccess);
}

void __cudaRegisterTexture(void **handle, const struct textureReference *host,
                           const void **device_address, const char *device_name, int dimensions,
                           int normalized, int external)
{
	(void)device_address, (void)dimensions, (void)external;
	register_reference(handle, host, device_name, normalized, 0);
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device_address,
                           const char *device_name, int dimensions, int external)
{
	(void)device_address, (void)dimensions, (void)external;
	register_reference(handle, host, device_name, 0, 1);
}
