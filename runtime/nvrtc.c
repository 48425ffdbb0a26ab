/* NVRTC: programs that are compiled while another runs. nvrtc_run.c compiles them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/nvrtc_program.h"
#include "runtime/runtime.h"

/* All programs, so that what is none is known. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct _nvrtcProgram *programs;
static size_t heap_bytes = 256 << 20; /* for precompiled headers, of which there are none */

static const int archs[] = {70, 75, 80, 86};

const char *nvrtcGetErrorString(nvrtcResult result)
{
	static const char *const names[] = {
		"NVRTC_SUCCESS",
		"NVRTC_ERROR_OUT_OF_MEMORY",
		"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
		"NVRTC_ERROR_INVALID_INPUT",
		"NVRTC_ERROR_INVALID_PROGRAM",
		"NVRTC_ERROR_INVALID_OPTION",
		"NVRTC_ERROR_COMPILATION",
		"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
		"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
		"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
		"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
		"NVRTC_ERROR_INTERNAL_ERROR",
		"NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
		"NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
		"NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
		"NVRTC_ERROR_PCH_CREATE",
		"NVRTC_ERROR_CANCELLED",
		"NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
	};
	return (unsigned)result < sizeof names / sizeof *names ? names[result] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = CUDART_VERSION / 1000;
	*minor = CUDART_VERSION % 1000 / 10;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *n)
{
	if (!n)
		return NVRTC_ERROR_INVALID_INPUT;
	*n = sizeof archs / sizeof *archs;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *out)
{
	if (!out)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(out, archs, sizeof archs);
	return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static void free_list(struct ct_nvrtc_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->at[i].name);
		free(l->at[i].text);
	}
	free(l->at);
}

static void free_program(struct _nvrtcProgram *p)
{
	free(p->source);
	free(p->name);
	free_list(&p->headers);
	free_list(&p->expressions);
	ct_buf_free(&p->ptx);
	ct_buf_free(&p->log);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Adds copies; text may be NULL. Returns 0, or -1 when out of memory. */
static int add_pair(struct ct_nvrtc_list *l, const char *name, const char *text)
{
	if (ct_grow((void **)&l->at, &l->cap, l->n + 1, sizeof *l->at) < 0)
		return -1;
	struct ct_nvrtc_pair *one = &l->at[l->n];
	one->name = ct_strndup(name, strlen(name));
	one->text = text ? ct_strndup(text, strlen(text)) : NULL;
	if (!one->name || (text && !one->text)) {
		free(one->name);
		free(one->text);
		return -1;
	}
	l->n++;
	return 0;
}

/* The program with its lock held, or NULL where it is none. */
static struct _nvrtcProgram *hold(nvrtcProgram program)
{
	struct _nvrtcProgram *p;
	pthread_mutex_lock(&lock);
	for (p = programs; p && p != program; p = p->next)
		;
	if (p)
		p->users++;
	pthread_mutex_unlock(&lock);
	if (p)
		pthread_mutex_lock(&p->lock);
	return p;
}

/* Frees the program when nobody uses it any more. */
static void drop(struct _nvrtcProgram *p)
{
	pthread_mutex_lock(&lock);
	const int last = --p->users == 0;
	pthread_mutex_unlock(&lock);
	if (last)
		free_program(p);
}

static nvrtcResult let_go(struct _nvrtcProgram *p, nvrtcResult r)
{
	pthread_mutex_unlock(&p->lock);
	drop(p);
	return r;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int n,
                               const char *const *headers, const char *const *names)
{
	if (!program || !source || n < 0 || (n > 0 && (!headers || !names)))
		return NVRTC_ERROR_INVALID_INPUT;
	for (int i = 0; i < n; i++)
		if (!headers[i] || !names[i] || !*names[i])
			return NVRTC_ERROR_INVALID_INPUT;
	if (!name || !*name)
		name = "default_program";
	struct _nvrtcProgram *p = ct_calloc(1, sizeof *p);
	if (!p)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	pthread_mutex_init(&p->lock, NULL);
	p->users = 1; /* the list of programs */
	p->source = ct_strndup(source, strlen(source));
	p->name = ct_strndup(name, strlen(name));
	int bad = !p->source || !p->name;
	for (int i = 0; i < n && !bad; i++)
		bad = add_pair(&p->headers, names[i], headers[i]) < 0;
	if (bad) {
		free_program(p);
		return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	pthread_mutex_lock(&lock);
	p->next = programs;
	programs = p;
	pthread_mutex_unlock(&lock);
	*program = p;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	struct _nvrtcProgram *gone = NULL;
	if (!program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	pthread_mutex_lock(&lock);
	for (struct _nvrtcProgram **at = &programs; *at && !gone;)
		if (*at == *program) {
			gone = *at;
			*at = gone->next;
		} else {
			at = &(*at)->next;
		}
	pthread_mutex_unlock(&lock);
	if (!gone)
		return NVRTC_ERROR_INVALID_PROGRAM;
	drop(gone);
	*program = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int n, const char *const *options)
{
	if (n < 0 || (n > 0 && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	struct _nvrtcProgram *p = hold(program);
	struct ct_nvrtc_settings s = {0};
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	p->tried = 1;
	p->real = 0;
	ct_buf_free(&p->ptx);
	ct_buf_free(&p->log);
	nvrtcResult r = ct_nvrtc_read_options(n, options, &s, &p->log);
	if (r == NVRTC_SUCCESS && p->callback && p->callback(p->payload, NULL) == 1)
		r = NVRTC_ERROR_CANCELLED;
	if (r == NVRTC_SUCCESS)
		r = ct_nvrtc_run(p, &s);
	if (r == NVRTC_SUCCESS)
		p->real = s.real;
	ct_buf_free(&s.words);
	return let_go(p, r);
}

nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *), void *payload)
{
	struct _nvrtcProgram *p = callback ? hold(program) : NULL;
	if (!p)
		return callback ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
	p->callback = callback;
	p->payload = payload;
	return let_go(p, NVRTC_SUCCESS);
}

/* ---- what was made ---- */

enum part { PTX, CUBIN, LOG, NOTHING };

/* The part's text without its NUL, and its bytes with it: 0 where there is none. */
static const char *find_part(const struct _nvrtcProgram *p, enum part part, size_t *bytes)
{
	const int there = part == PTX || (part == CUBIN && p->real);
	if (part == LOG) {
		*bytes = p->log.len + 1;
		return p->log.len ? p->log.data : "";
	}
	*bytes = there ? p->ptx.len : 0;
	return *bytes ? p->ptx.data : NULL;
}

/* Where a program that was not compiled has none of the part, it is no program to ask. */
static nvrtcResult part_bytes(nvrtcProgram program, enum part part, size_t *bytes)
{
	struct _nvrtcProgram *p = bytes ? hold(program) : NULL;
	if (!p)
		return bytes ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
	find_part(p, part, bytes);
	return let_go(p, part == LOG || p->ptx.len ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM);
}

static nvrtcResult part_text(nvrtcProgram program, enum part part, char *out)
{
	struct _nvrtcProgram *p = out ? hold(program) : NULL;
	size_t bytes;
	if (!p)
		return out ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
	const char *text = find_part(p, part, &bytes);
	if (text)
		memcpy(out, text, bytes);
	return let_go(p, text ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM);
}

/* The two functions of a part. */
#define PART(name, part) \
	nvrtcResult nvrtcGet##name##Size(nvrtcProgram program, size_t *bytes) \
	{ \
		return part_bytes(program, part, bytes); \
	} \
	nvrtcResult nvrtcGet##name(nvrtcProgram program, char *out) \
	{ \
		return part_text(program, part, out); \
	}
PART(PTX, PTX)
PART(CUBIN, CUBIN)
PART(LTOIR, NOTHING)
PART(OptiXIR, NOTHING)
PART(ProgramLog, LOG)

/* ---- names ---- */

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
	struct _nvrtcProgram *p = expression && *expression ? hold(program) : NULL;
	nvrtcResult r = NVRTC_SUCCESS;
	if (!p)
		return expression && *expression ? NVRTC_ERROR_INVALID_PROGRAM
		                                 : NVRTC_ERROR_INVALID_INPUT;
	if (p->tried)
		r = NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	else if (add_pair(&p->expressions, expression, NULL) < 0)
		r = NVRTC_ERROR_OUT_OF_MEMORY;
	return let_go(p, r);
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name)
{
	struct _nvrtcProgram *p = expression && name ? hold(program) : NULL;
	if (!p)
		return expression && name ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
	if (p->ptx.len == 0)
		return let_go(p, NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
	for (size_t i = 0; i < p->expressions.n; i++)
		if (p->expressions.at[i].text && strcmp(p->expressions.at[i].name, expression) == 0) {
			*name = p->expressions.at[i].text;
			return let_go(p, NVRTC_SUCCESS);
		}
	return let_go(p, NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
}

/* ---- precompiled headers ---- */

nvrtcResult nvrtcGetPCHHeapSize(size_t *bytes)
{
	if (!bytes)
		return NVRTC_ERROR_INVALID_INPUT;
	pthread_mutex_lock(&lock);
	*bytes = heap_bytes;
	pthread_mutex_unlock(&lock);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcSetPCHHeapSize(size_t bytes)
{
	pthread_mutex_lock(&lock);
	heap_bytes = bytes;
	pthread_mutex_unlock(&lock);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program)
{
	struct _nvrtcProgram *p = hold(program);
	return p ? let_go(p, NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED) : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *bytes)
{
	struct _nvrtcProgram *p = bytes ? hold(program) : NULL;
	if (!p)
		return bytes ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
	*bytes = 0;
	return let_go(p, NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED);
}
