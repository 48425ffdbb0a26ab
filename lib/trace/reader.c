/* reader.c - the readers behind one face. */
#include "trace/private/reader.h"

#include <stdlib.h>

#include "trace/private/nvbit.h"
#include "trace/private/pattern.h"
#include "trace/private/tracez.h"

/* ---- Accel-Sim text ---- */

static int accelsim_open(void **r, struct ct_source *s, struct ct_env *env, struct ct_error *e)
{
	struct ct_accelsim *a;
	int st = ct_accelsim_open(&a, s, env, e);
	*r = a;
	return st;
}

static int accelsim_next_kernel(void *r, uint32_t id, struct ct_launch **l, struct ct_error *e)
{
	return ct_accelsim_next_kernel(r, id, l, e);
}

static int accelsim_begin(void *r, struct ct_error *e)
{
	return ct_accelsim_begin(r, e);
}

static int accelsim_next_cta(void *r, struct ct_cta **cta, struct ct_error *e)
{
	return ct_accelsim_next_cta(r, cta, e);
}

static struct ct_cta *accelsim_partial(void *r)
{
	return ct_accelsim_partial(r);
}

static int accelsim_skip(void *r, struct ct_error *e)
{
	return ct_accelsim_skip(r, e);
}

static uint64_t accelsim_text_bytes(const void *r)
{
	return ct_accelsim_text_bytes(r);
}

static void accelsim_close(void *r)
{
	ct_accelsim_close(r);
}

const struct ct_reader_ops ct_accelsim_ops = {
	.open = accelsim_open,
	.next_kernel = accelsim_next_kernel,
	.begin = accelsim_begin,
	.next_cta = accelsim_next_cta,
	.partial = accelsim_partial,
	.skip = accelsim_skip,
	.text_bytes = accelsim_text_bytes,
	.close = accelsim_close,
};

/* ---- .tracez: that text, unpacked ---- */

struct tracez_reader {
	struct ct_source *raw; /* the trace's */
	struct ct_source *text;
	struct ct_tracez_text *unpacker;
	struct ct_accelsim *a;
};

static int tracez_open(void **r, struct ct_source *s, struct ct_env *env, struct ct_error *e)
{
	struct tracez_reader *z = calloc(1, sizeof *z);
	*r = z;
	if (!z)
		return ct_fail_nomem(e);
	z->raw = s;
	int st = ct_tracez_open_text(
		&z->unpacker, &z->text, s, env->options.max_expand, env->options.no_threads, e);
	return st == CT_OK ? ct_accelsim_open(&z->a, z->text, env, e) : st;
}

static int tracez_next_kernel(void *r, uint32_t id, struct ct_launch **l, struct ct_error *e)
{
	struct tracez_reader *z = r;
	int st = ct_accelsim_next_kernel(z->a, id, l, e);
	/* It was read at the places that the index names: count and checksum are of all of it. */
	return st == 0 ? ct_source_drain(z->raw, e) : st;
}

static int tracez_begin(void *r, struct ct_error *e)
{
	return ct_accelsim_begin(((struct tracez_reader *)r)->a, e);
}

static int tracez_next_cta(void *r, struct ct_cta **cta, struct ct_error *e)
{
	return ct_accelsim_next_cta(((struct tracez_reader *)r)->a, cta, e);
}

static struct ct_cta *tracez_partial(void *r)
{
	return ct_accelsim_partial(((struct tracez_reader *)r)->a);
}

static int tracez_skip(void *r, struct ct_error *e)
{
	return ct_accelsim_skip(((struct tracez_reader *)r)->a, e);
}

static uint64_t tracez_text_bytes(const void *r)
{
	const struct tracez_reader *z = r;
	return z->a ? ct_accelsim_text_bytes(z->a) : 0;
}

static void tracez_close(void *r)
{
	struct tracez_reader *z = r;
	if (!z)
		return;
	ct_accelsim_close(z->a);
	ct_source_close(z->text);
	ct_tracez_close_text(z->unpacker);
	free(z);
}

const struct ct_reader_ops ct_tracez_ops = {
	.open = tracez_open,
	.next_kernel = tracez_next_kernel,
	.begin = tracez_begin,
	.next_cta = tracez_next_cta,
	.partial = tracez_partial,
	.skip = tracez_skip,
	.text_bytes = tracez_text_bytes,
	.close = tracez_close,
};

/* ---- logs: read whole at the first kernel ---- */

static int log_open(void **r, struct ct_source *s, struct ct_env *env, struct ct_error *e)
{
	struct ct_log *l = calloc(1, sizeof *l);
	*r = l;
	if (!l)
		return ct_fail_nomem(e);
	ct_log_init(l, s, env);
	return CT_OK;
}

static int log_next_kernel(void *r, uint32_t id, struct ct_launch **out, struct ct_error *e)
{
	struct ct_log *l = r;
	int st = l->done ? CT_OK : ct_nvbit_read(l, e);
	return st < 0 ? st : ct_log_next_kernel(l, id, out, e);
}

static int pattern_next_kernel(void *r, uint32_t id, struct ct_launch **out, struct ct_error *e)
{
	struct ct_log *l = r;
	int st = l->done ? CT_OK : ct_pattern_read(l, e);
	return st < 0 ? st : ct_log_next_kernel(l, id, out, e);
}

static int log_next_cta(void *r, struct ct_cta **cta, struct ct_error *e)
{
	return ct_log_next_cta(r, cta, e);
}

static uint64_t log_text_bytes(const void *r)
{
	return ((const struct ct_log *)r)->lines.text_bytes;
}

static void log_close(void *r)
{
	if (r)
		ct_log_free(r);
	free(r);
}

const struct ct_reader_ops ct_nvbit_ops = {
	.open = log_open,
	.next_kernel = log_next_kernel,
	.next_cta = log_next_cta,
	.text_bytes = log_text_bytes,
	.close = log_close,
};

const struct ct_reader_ops ct_pattern_ops = {
	.open = log_open,
	.next_kernel = pattern_next_kernel,
	.next_cta = log_next_cta,
	.text_bytes = log_text_bytes,
	.close = log_close,
};
