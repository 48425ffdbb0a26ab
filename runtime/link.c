/* Relocatable device code: modules of a program that need functions or variables of one another become one.
 *
 * Each translation unit has its own PTX text. Their texts are joined (lib/ptx/link.h) when one of them is used first, as the vendor's
 * linker does when the program is built. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/link.h"
#include "runtime/runtime.h"

int ct_cuda_is_relocatable(const struct ct_cuda_module *m)
{
	return strstr(m->text, CT_PTX_RELOCATABLE) != NULL;
}

cudaError_t ct_cuda_pick_variables(const struct ct_cuda_module *m,
                                   int (*wanted)(const void *module, const char *name),
                                   struct ct_buf *out)
{
	struct ct_ptx_linker *l;
	struct ct_error e;
	int rc = ct_ptx_linker_create(&l, &e);
	if (rc == CT_OK)
		rc = ct_ptx_linker_add(l, m->name, m->text, strlen(m->text), &e);
	if (rc == CT_OK)
		rc = ct_ptx_linker_pick(l, wanted, m, out, &e);
	ct_ptx_linker_free(l);
	return rc == CT_OK ? cudaSuccess : cudaErrorInvalidPtx;
}

/* A module of the program that has not been read. NVIDIA's containers are no text: they do not begin as PTX does. */
static int may_be_linked(const struct ct_cuda_module *m)
{
	return !m->owned && !m->tried && !m->into && (*m->text == '/' || *m->text == '.');
}

/* Those modules, the oldest first: NULL where they are fewer than two, none asks for another, or there is no memory, which *error tells. */
static struct ct_cuda_module **find_modules(size_t *n, cudaError_t *error)
{
	size_t all = 0;
	int asked = 0;
	for (struct ct_cuda_module *m = ct_cuda_modules(); m; m = m->next)
		if (may_be_linked(m)) {
			asked = asked || ct_ptx_asks_for_others(m->text);
			all++;
		}
	*n = all;
	*error = cudaSuccess;
	if (all < 2 || !asked)
		return NULL;
	struct ct_cuda_module **list = ct_calloc(all, sizeof(struct ct_cuda_module *));
	if (!list)
		*error = cudaErrorMemoryAllocation;
	for (struct ct_cuda_module *m = ct_cuda_modules(); m && list; m = m->next)
		if (may_be_linked(m))
			list[--all] = m;
	return list;
}

/* "app[1+3].ptx", of "app[1].ptx" and "app[3].ptx". */
static void join_names(struct ct_cuda_module *const *list, size_t n, struct ct_buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = list[i]->name, *open = strrchr(name, '['),
			   *close = strrchr(name, ']');
		if (!open || !close)
			continue;
		if (i == 0)
			ct_buf_add(out, name, (size_t)(open + 1 - name));
		else
			ct_buf_putc(out, '+');
		ct_buf_add(out, open + 1, (size_t)(close - open - 1));
	}
	ct_buf_puts(out, "].ptx");
}

/* Makes one module of those in the list. */
static cudaError_t join_modules(struct ct_cuda_module **list, size_t n)
{
	struct ct_ptx_linker *l;
	struct ct_buf text = {0}, name = {0};
	struct ct_error e;
	cudaError_t error = cudaSuccess;
	int rc = ct_ptx_linker_create(&l, &e);
	for (size_t i = 0; i < n && rc == CT_OK; i++)
		rc = ct_ptx_linker_add(l, list[i]->name, list[i]->text, strlen(list[i]->text), &e);
	if (rc == CT_OK)
		rc = ct_ptx_linker_join(l, &text, &e);
	if (rc != CT_OK) {
		ct_cuda_say("%s", e.text);
		error = rc == CT_ERR_NOMEM ? cudaErrorMemoryAllocation : cudaErrorInvalidPtx;
		ct_cuda.fault = error;
	}
	join_names(list, n, &name);
	struct ct_cuda_module *m = error == cudaSuccess && !name.failed
	                                   ? ct_cuda_add_module(name.data, text.data, 1)
	                                   : NULL;
	if (error == cudaSuccess && !m)
		error = cudaErrorMemoryAllocation;
	for (size_t i = 0; i < n; i++)
		if (error == cudaSuccess)
			error = ct_cuda_move_module(list[i], m, l, i);
		else
			list[i]->tried = 1;
	ct_buf_free(&text);
	ct_buf_free(&name);
	ct_ptx_linker_free(l);
	return error;
}

/* Joins each group of modules that has more than one. */
static cudaError_t join_groups(struct ct_cuda_module **list, const uint32_t *group, size_t n)
{
	cudaError_t error = cudaSuccess;
	struct ct_cuda_module **members = ct_calloc(n, sizeof(struct ct_cuda_module *));
	if (!members)
		return cudaErrorMemoryAllocation;
	for (size_t g = 0; g < n && error == cudaSuccess; g++) {
		size_t k = 0;
		for (size_t i = g; i < n; i++)
			if (group[i] == g)
				members[k++] = list[i];
		if (k > 1)
			error = join_modules(members, k);
	}
	free(members);
	return error;
}

/* A text that cannot be cut into directives stays alone: reading it will tell why. */
cudaError_t ct_cuda_link_modules(void)
{
	size_t n = 0, kept = 0;
	cudaError_t error;
	struct ct_error e;
	struct ct_cuda_module **list = find_modules(&n, &error);
	struct ct_ptx_linker *l = NULL;
	if (!list)
		return error;
	uint32_t *group = ct_calloc(n, sizeof *group);
	if (!group || ct_ptx_linker_create(&l, &e) != CT_OK)
		error = cudaErrorMemoryAllocation;
	for (size_t i = 0; i < n && error == cudaSuccess; i++) {
		int rc = ct_ptx_linker_add(l, list[i]->name, list[i]->text, strlen(list[i]->text), &e);
		if (rc == CT_OK)
			list[kept++] = list[i];
		else if (rc == CT_ERR_NOMEM)
			error = cudaErrorMemoryAllocation;
	}
	if (error == cudaSuccess) {
		ct_ptx_linker_groups(l, group);
		error = join_groups(list, group, kept);
	}
	ct_ptx_linker_free(l);
	free(group);
	free(list);
	return error;
}
