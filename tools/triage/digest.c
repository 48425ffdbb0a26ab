/* digest.c - whether an input is the one that was read before. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "triage/triage.h"

struct files {
	char **path;
	size_t n, cap;
};

static void free_files(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->path[i]);
	free(f->path);
}

static int add_file(struct files *f, const char *folder, const char *name)
{
	struct ct_buf b = {0};
	ct_buf_printf(&b, "%s%s%s", folder, *folder ? "/" : "", name);
	if (b.failed || ct_grow((void **)&f->path, &f->cap, f->n + 1, sizeof *f->path) < 0) {
		ct_buf_free(&b);
		return CT_ERR_NOMEM;
	}
	f->path[f->n++] = b.data;
	return CT_OK;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_folder(struct files *f, const char *folder)
{
	struct dirent *d;
	DIR *dir = opendir(*folder ? folder : ".");
	int st = dir ? CT_OK : CT_ERR_IO;
	while (st == CT_OK && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			st = add_file(f, folder, d->d_name);
	if (dir)
		closedir(dir);
	if (f->n)
		qsort(f->path, f->n, sizeof *f->path, by_text);
	return st;
}

/* A folder stands for its files; so does a list, whose kernels lie beside it. */
static int files_of(const char *path, struct files *f)
{
	struct stat info;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (stat(path, &info) != 0)
		return CT_ERR_IO;
	if (S_ISDIR(info.st_mode))
		return list_folder(f, path);
	if (strncmp(name, "kernelslist", 11) != 0)
		return add_file(f, "", path);
	char *folder = ct_strndup(path, slash ? (size_t)(slash - path) : 0);
	int st = folder ? list_folder(f, slash == path ? "/" : folder) : CT_ERR_NOMEM;
	free(folder);
	return st;
}

static uint64_t file_bytes(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

uint64_t tr_input_bytes(const char *path)
{
	struct files f = {0};
	uint64_t sum = 0;
	if (files_of(path, &f) == CT_OK)
		for (size_t i = 0; i < f.n; i++)
			sum += file_bytes(f.path[i]);
	free_files(&f);
	return sum;
}

static int add_bytes(const char *path, uint64_t *crc, struct ct_error *e)
{
	struct stat info;
	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
		return CT_OK;
	FILE *f = fopen(path, "rb");
	char *block = malloc(1 << 16);
	int st = !block ? ct_fail_nomem(e)
	       : !f ? ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path) : CT_OK;
	size_t n;
	while (st == CT_OK && (n = fread(block, 1, 1 << 16, f)) > 0)
		*crc = ct_crc64(*crc, block, n);
	if (st == CT_OK && ferror(f))
		st = ct_fail(e, CT_ERR_IO, "%s: cannot be read", path);
	if (f)
		fclose(f);
	free(block);
	return st;
}

struct settings {
	uint64_t crc;
};

static void add_key(void *ctx, const char *key, const char *value, const char *unit)
{
	struct settings *s = ctx;
	(void)unit;
	s->crc = ct_crc64(s->crc, key, strlen(key) + 1);
	s->crc = ct_crc64(s->crc, value, strlen(value) + 1);
}

/* Everything of the command line that changes a profile or a verdict. */
static int settings_digest(struct ct_tool *t, uint64_t *crc, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	struct settings s = {*crc};
	struct ct_gpu g;
	struct ct_buf b = {0};
	int st = ct_tool_gpu(t, NULL, &g, e);
	if (st != CT_OK)
		return st;
	ct_gpu_each(&g, add_key, &s);
	ct_buf_printf(&b, "%s %d %u %d %llu %llu", CT_VERSION, t->gpu_name != NULL, o->mechanisms,
	              (int)t->method, (unsigned long long)t->warmup, (unsigned long long)t->seed);
	ct_buf_printf(&b, " %.17g %.17g %s", t->scale, t->sample, t->filter_text ? t->filter_text : "");
	for (size_t i = 0; i < t->n_set; i++)
		ct_buf_printf(&b, " -p %s", t->set[i]);
	if (ct_buf_check(&b, e) == CT_OK)
		*crc = ct_crc64(s.crc, b.data, b.len);
	else
		st = CT_ERR_NOMEM;
	ct_buf_free(&b);
	return st;
}

int tr_digest(struct ct_tool *t, const char *path, char out[32], struct ct_error *e)
{
	struct files f = {0};
	uint64_t crc = 0;
	int st = files_of(path, &f);
	if (st != CT_OK)
		st = st == CT_ERR_NOMEM ? ct_fail_nomem(e)
		                        : ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	for (size_t i = 0; i < f.n && st == CT_OK; i++) {
		const char *slash = strrchr(f.path[i], '/'), *name = slash ? slash + 1 : f.path[i];
		uint64_t bytes = file_bytes(f.path[i]);
		crc = ct_crc64(crc, name, strlen(name) + 1);
		crc = ct_crc64(crc, &bytes, sizeof bytes);
		st = add_bytes(f.path[i], &crc, e);
	}
	free_files(&f);
	if (st == CT_OK)
		st = settings_digest(t, &crc, e);
	snprintf(out, 32, "crc64:%016llx", (unsigned long long)crc);
	return st;
}
