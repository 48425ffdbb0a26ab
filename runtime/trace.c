/* What a program does goes to a trace where `tracegen capture` asks for one (environment.h says how). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/units.h"
#include "lower/capture.h"
#include "runtime/environment.h"
#include "runtime/runtime.h"

static struct ct_capture *capture; /* NULL: no trace */
static int answer_to = -1;         /* descriptor */
static pid_t owner;                /* the process that the trace is of; not its children */
static int exit_status;
static int ends; /* the program, when all launches that were asked for are recorded */

#ifdef __GLIBC__
/* Where the program's end can be seen, a trace says with which status it ended. */
static void note_status(int status, void *ctx)
{
	(void)ctx;
	exit_status = status;
}
#endif

/* The next text of a message, or NULL where it has no more. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));
	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

/* Takes the settings out of the socket: bytes of the message, or 0 where there is none. */
static size_t take_request(char *message)
{
	const char *text = getenv(CT_CUDA_SOCKET);
	uint64_t fd;
	if (!text || ct_parse_u64(text, &fd) < 0 || fd > INT32_MAX)
		return 0;
	ssize_t n = recv((int)fd, message, CT_CUDA_MESSAGE_MAX, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		ct_cuda_say("another program of this run is recorded, not this one");
	if (n <= 0)
		return 0;
	answer_to = (int)fd;
	return (size_t)n;
}

static void answer(int kind, const struct ct_capture_summary *seen, const char *why)
{
	struct ct_cuda_answer a = {.launches = seen->launches,
	                           .recorded = seen->recorded,
	                           .warp_insts = seen->warp_insts,
	                           .kind = kind,
	                           .faulted = ct_cuda.fault != cudaSuccess};
	char message[sizeof a + CT_ERROR_TEXT_MAX];
	size_t n = strlen(why) + 1;
	memcpy(message, &a, sizeof a);
	memcpy(message + sizeof a, why, n);
	if (answer_to >= 0)
		(void)!send(answer_to, message, sizeof a + n, MSG_NOSIGNAL);
}

void ct_cuda_trace_open(void)
{
	char message[CT_CUDA_MESSAGE_MAX];
	struct ct_capture_summary none = {0};
	struct ct_cuda_request r;
	struct ct_error e = {0};
	size_t n = take_request(message);
	if (n < sizeof r)
		return;
	memcpy(&r, message, sizeof r);
	const char *at = message + sizeof r, *end = message + n;
	const char *path = next_text(&at, end), *kernels = next_text(&at, end),
		   *about = next_text(&at, end), *check = next_text(&at, end);
	struct ct_capture_settings s = {
		.path = path && *path ? path : NULL,
		.fd = r.stream,
		.plain = r.plain,
		.about = about,
		.sm = r.sm ? r.sm : ct_cuda_machine(),
		.kernels = kernels && *kernels ? kernels : NULL,
		.skip = r.skip,
		.launches = r.launches,
		.values = r.values};
	ends = r.ends;
	ct_cuda.settings.max_steps = r.max_steps ? r.max_steps : ct_cuda.settings.max_steps;
	ct_cuda.settings.check_init |= check && strcmp(check, "init") == 0;
	if (ct_capture_open(&s, &capture, &e) != CT_OK) {
		answer(CT_CUDA_FAILED, &none, e.text);
		exit(2);
	}
	owner = getpid();
#ifdef __GLIBC__
	on_exit(note_status, NULL);
#endif
}

static void end_trace(void)
{
	struct ct_capture_summary seen;
	struct ct_error e = {0};
	int st = ct_capture_close(capture, exit_status & 0xff, &seen, &e);
	capture = NULL;
	answer(st == CT_OK ? CT_CUDA_DONE : CT_CUDA_FAILED, &seen, st == CT_OK ? "" : e.text);
}

/* When the program and its own destructors are done. A program that a signal ends does not come here. */
__attribute__((destructor)) static void close_trace(void)
{
	ct_cuda_tell_init();
	if (capture && getpid() == owner)
		end_trace();
}

int ct_cuda_trace_launch(const struct ct_ptx_launch *launch, struct ct_ptx_result *r, struct ct_error *e)
{
	struct ct_capture *c = getpid() == owner ? capture : NULL;
	int st = ct_capture_launch(c, launch, r, e);
	if (st == CT_OK && c && ends && ct_capture_is_full(c)) {
		/* Without destructors: they belong to a program that is not done, and would call this library in the middle of a launch. */
		fflush(NULL);
		end_trace();
		_exit(0);
	}
	return st;
}

/* An error of the trace is one of the machine: the program is told that its device is gone. */
static cudaError_t told(int st, const struct ct_error *e)
{
	if (st == CT_OK)
		return cudaSuccess;
	ct_cuda_say("%s", e->text);
	return ct_cuda.fault = cudaErrorUnknown;
}

cudaError_t ct_cuda_trace_copy(uint64_t address, uint64_t bytes)
{
	struct ct_error e;
	return told(ct_capture_copy(capture, CT_CAPTURE_TO_DEVICE, address, bytes, &e), &e);
}

cudaError_t ct_cuda_trace_alias(uint64_t first, uint64_t bytes, uint64_t shown)
{
	struct ct_error e;
	return told(ct_capture_alias(capture, first, bytes, shown, &e), &e);
}

cudaError_t ct_cuda_trace_array(uint64_t first, uint64_t bytes, const char *name)
{
	struct ct_error e;
	return told(ct_capture_array(capture, first, bytes, name, &e), &e);
}
