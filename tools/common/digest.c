#include "common/digest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"
#include "common/plugin.h"

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

/* For a guess at the work: a folder stands for its files; so does a list, whose kernels mostly
 * lie beside it. */
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

uint64_t ct_digest_bytes(const char *path)
{
	struct files f = {0};
	uint64_t sum = 0;
	if (files_of(path, &f) == CT_OK)
		for (size_t i = 0; i < f.n; i++)
			sum += file_bytes(f.path[i]);
	free_files(&f);
	return sum;
}

struct digest {
	uint64_t crc;
	struct ct_error *e;
};

/* Adds a file's path, length and bytes. */
static int add_bytes(void *ctx, const char *path)
{
	struct digest *d = ctx;
	struct stat info;
	if (stat(path, &info) != 0)
		return ct_fail_errno(d->e, CT_ERR_IO, errno, "%s: cannot open", path);
	if (!S_ISREG(info.st_mode)) /* is refused when it is read */
		return CT_OK;
	FILE *f = fopen(path, "rb");
	char *block = malloc(1 << 16);
	uint64_t bytes = 0;
	int st = !block ? ct_fail_nomem(d->e)
	         : !f   ? ct_fail_errno(d->e, CT_ERR_IO, errno, "%s: cannot open", path)
	                : CT_OK;
	size_t n;
	d->crc = ct_crc64(d->crc, path, strlen(path) + 1);
	while (st == CT_OK && (n = fread(block, 1, 1 << 16, f)) > 0) {
		d->crc = ct_crc64(d->crc, block, n);
		bytes += n;
	}
	d->crc = ct_crc64(d->crc, &bytes, sizeof bytes);
	if (st == CT_OK && ferror(f))
		st = ct_fail(d->e, CT_ERR_IO, "%s: cannot be read", path);
	if (f)
		fclose(f);
	free(block);
	return st;
}

/* Every file that a trace is read from, wherever a list's kernels lie. What is no trace, a profile
 * for example, stands for itself. */
static int add_input(struct ct_tool *t, const char *path, struct digest *d)
{
	struct ct_trace_options o;
	struct ct_trace *trace;
	struct stat info;
	if (stat(path, &info) != 0)
		return ct_fail_errno(d->e, CT_ERR_IO, errno, "%s: cannot open", path);
	if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode))
		return ct_fail(d->e, CT_ERR_INPUT,
		               "%s: neither a file nor a folder: --resume needs what can "
		               "be read twice",
		               path);
	ct_tool_trace_options(t, &o);
	o.diag = (struct ct_diag){0};
	o.no_threads = 1;
	int st = ct_trace_open(&trace, path, &o, d->e);
	if (st == CT_ERR_INPUT &&
	    !S_ISDIR(info.st_mode)) /* measuring it says what is wrong, if anything is */
		return add_bytes(d, path);
	if (st == CT_OK) {
		/* Kernels beside the list that it does not name are not read, but told of. */
		uint64_t unlisted = ct_trace_stats(trace)->unlisted_kernels;
		d->crc = unlisted ? ct_crc64(d->crc, &unlisted, sizeof unlisted) : d->crc;
		st = ct_trace_each_file(trace, add_bytes, d);
		ct_trace_close(trace);
	}
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

int ct_digest_settings(struct ct_tool *t, uint64_t *crc, struct ct_error *e)
{
	struct settings s = {*crc};
	struct ct_gpu g;
	struct ct_buf b = {0};
	int st = ct_tool_gpu(t, NULL, &g, e);
	if (st != CT_OK)
		return st;
	if ((st = ct_gpu_each(&g, add_key, &s, e)) != CT_OK)
		return st;
	ct_buf_printf(&b, "%s %d %d %llu %llu", CT_VERSION, t->gpu_name != NULL, (int)t->method,
	              (unsigned long long)t->warmup, (unsigned long long)t->seed);
	ct_buf_printf(&b, " %.17g %.17g %d %d %d %s", t->scale, t->sample, t->no_verify, t->salvage,
	              t->trust_paths, t->filter_text ? t->filter_text : "");
	ct_buf_printf(&b, " --pattern %s", t->pattern_text ? t->pattern_text : "");
	if (t->sample_kernels != 1)
		ct_buf_printf(&b, " --sample-kernels %.17g", t->sample_kernels);
	if (t->exact)
		ct_buf_puts(&b, " --sample 1");
	if (t->timing != CT_REPLAY_FULL)
		ct_buf_puts(&b, " --timing quick");
	if (t->streams)
		ct_buf_puts(&b, " --streams");
	for (size_t i = 0; i < t->n_set; i++)
		ct_buf_printf(&b, " -p %s", t->set[i]);
	if (ct_buf_check(&b, e) == CT_OK)
		*crc = ct_plugins_digest(t, ct_crc64(s.crc, b.data, b.len));
	else
		st = ct_fail_nomem(e);
	ct_buf_free(&b);
	return st;
}

int ct_digest_input(struct ct_tool *t, const char *path, uint64_t *crc, struct ct_error *e)
{
	struct digest d = {*crc, e};
	if (strcmp(path, "-") == 0)
		return ct_fail(e, CT_ERR_USAGE,
		               "--resume knows inputs by their bytes, which standard input gives but "
		               "once: name a file");
	int st = add_input(t, path, &d);
	*crc = d.crc;
	return st;
}
