/* Starts a CUDA program with a socket from which it takes its settings, and puts its trace in place.
 *
 * The program writes its trace into a folder of ours beside the place it is to have, so that a program
 * that dies leaves nothing behind. */
#include "tracegen/capture/cuda.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "runtime/environment.h"
#include "trace/folder.h"

struct cap_cuda {
	struct cap_cuda_options o;
	struct ct_buf path;    /* without slashes at its end */
	struct ct_buf scratch; /* folder of ours beside it; empty: the trace goes to standard output */
	struct ct_buf target;  /* in the folder, named as the path */
	int socket[2];         /* ours, the program's */
	int stdout_fd;         /* the real standard output, -1: not moved */
};

/* ---- what a command is ---- */

/* Whether the file's bytes hold the text. */
static int file_holds(FILE *f, const char *text)
{
	char block[1 << 16];
	size_t keep = 0, n, length = strlen(text);
	rewind(f);
	while ((n = fread(block + keep, 1, sizeof block - keep, f)) > 0) {
		n += keep;
		for (const char *at = block; n >= length && at <= block + n - length; at++) {
			at = memchr(at, text[0], (size_t)(block + n - length - at) + 1);
			if (!at)
				break;
			if (memcmp(at, text, length) == 0)
				return 1;
		}
		keep = n < length - 1 ? n : length - 1;
		memmove(block, block + n - keep, keep);
	}
	return 0;
}

/* The file that execvp would run: 0, or -1. */
static int find_program(const char *command, char *file, size_t room)
{
	const char *path = strchr(command, '/') ? NULL : getenv("PATH");
	int len = snprintf(file, room, "%s", command);
	while (path && *path) {
		size_t n = strcspn(path, ":");
		len = snprintf(file, room, "%.*s/%s", (int)n, path, command);
		if (len > 0 && (size_t)len < room && access(file, X_OK) == 0)
			return 0;
		path += n + (path[n] == ':');
		*file = '\0';
	}
	return len > 0 && (size_t)len < room && access(file, X_OK) == 0 ? 0 : -1;
}

enum cap_kind cap_kind_of(const char *command)
{
	char file[4096];
	FILE *f = find_program(command, file, sizeof file) == 0 ? fopen(file, "rb") : NULL;
	if (!f)
		return CAP_MISSING;
	enum cap_kind kind = file_holds(f, "libctcuda.so")   ? CAP_CUDA
	                     : file_holds(f, "libOpenCL.so") ? CAP_OPENCL
	                                                     : CAP_OTHER;
	fclose(f);
	return kind;
}

/* ---- the folder beside the trace's place ---- */

static int is_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void erase(const char *path)
{
	DIR *d = is_folder(path) ? opendir(path) : NULL;
	for (struct dirent *de; d && (de = readdir(d));) {
		struct ct_buf name = {0};
		if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0)
			continue;
		ct_buf_printf(&name, "%s/%s", path, de->d_name);
		if (!name.failed)
			erase(name.data);
		ct_buf_free(&name);
	}
	if (d) {
		closedir(d);
		rmdir(path);
	} else {
		unlink(path);
	}
}

static int is_packed(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && strcmp(path + n - 4, ".ctz") == 0;
}

/* Refuses what the program could not replace when it has run for an hour. */
static int check_target(const struct cap_cuda *c, struct ct_error *e)
{
	const char *path = c->path.data;
	struct ct_folder *folder;
	struct ct_folder_options o = {.force = c->o.force};
	if (!is_packed(path)) {
		int st = ct_folder_open(&folder, path, &o, e);
		if (st == CT_OK)
			ct_folder_abort(folder);
		return st;
	}
	if (is_folder(path))
		return ct_fail(e, CT_ERR_USAGE, "%s: is a folder: give another -o", path);
	if (!c->o.force && access(path, F_OK) == 0)
		return ct_fail(e, CT_ERR_USAGE, "%s: is there already: --force replaces it", path);
	return CT_OK;
}

static int make_scratch(struct cap_cuda *c, struct ct_error *e)
{
	size_t n = strlen(c->o.path);
	while (n > 1 && c->o.path[n - 1] == '/')
		n--;
	ct_buf_add(&c->path, c->o.path, n);
	if (ct_buf_check(&c->path, e) < 0)
		return CT_ERR_NOMEM;
	const char *slash = strrchr(c->path.data, '/'), *name = slash ? slash + 1 : c->path.data;
	if (n == 0 || !*name)
		return ct_fail(e, CT_ERR_USAGE, "-o %s: give a file or folder", c->o.path);
	int st = check_target(c, e);
	if (st < 0)
		return st;
	ct_buf_add(&c->scratch, c->path.data, (size_t)(name - c->path.data));
	ct_buf_printf(&c->scratch, ".%.200s.%ld.capture", name, (long)getpid());
	ct_buf_printf(&c->target, "%s/%s", c->scratch.failed ? "" : c->scratch.data, name);
	if (ct_buf_check(&c->scratch, e) < 0 || ct_buf_check(&c->target, e) < 0)
		return CT_ERR_NOMEM;
	if (mkdir(c->scratch.data, 0777) == 0)
		return CT_OK;
	st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot create a folder beside it", c->path.data);
	ct_buf_free(&c->scratch);
	return st;
}

/* The program knows its place from anywhere. */
static int absolute(struct ct_buf *out, const char *path, struct ct_error *e)
{
	char here[4096];
	if (*path != '/' && !getcwd(here, sizeof here))
		return ct_fail_errno(e, CT_ERR_IO, errno, "where am I");
	if (*path != '/')
		ct_buf_printf(out, "%s/", here);
	ct_buf_add(out, path, strlen(path) + 1);
	return ct_buf_check(out, e);
}

/* Moves the trace into its place, and what was there before away. */
static int put_in_place(const struct cap_cuda *c, struct ct_error *e)
{
	const char *path = c->path.data;
	struct ct_buf old = {0};
	int st = check_target(c, e), moved = 0;
	ct_buf_printf(&old, "%s/old", c->scratch.data);
	if (st == CT_OK)
		st = ct_buf_check(&old, e);
	if (st == CT_OK && is_folder(path) && rename(path, old.data) == 0)
		moved = 1;
	if (st == CT_OK && rename(c->target.data, path) != 0) {
		st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot rename into place", path);
		if (moved)
			rename(old.data, path);
	}
	ct_buf_free(&old);
	return st;
}

/* ---- one capture ---- */

static void release(struct cap_cuda *c)
{
	for (int i = 0; i < 2; i++)
		if (c->socket[i] >= 0)
			close(c->socket[i]);
	if (c->stdout_fd >= 0) {
		dup2(c->stdout_fd, STDOUT_FILENO);
		close(c->stdout_fd);
	}
	unsetenv(CT_CUDA_SOCKET);
	if (c->scratch.len)
		erase(c->scratch.data);
	ct_buf_free(&c->path);
	ct_buf_free(&c->scratch);
	ct_buf_free(&c->target);
	free(c);
}

/* Puts the settings into the socket and the socket into the environment. */
static int offer(struct cap_cuda *c, struct ct_error *e)
{
	struct ct_cuda_request r = {
		.skip = c->o.skip,
		.launches = c->o.launches,
		.max_steps = c->o.max_steps,
		.sm = c->o.sm,
		.stream = c->stdout_fd,
		.values = c->o.values,
		.plain = c->o.plain,
		.ends = c->o.ends};
	const char *texts[] = {c->o.kernels, c->o.about, c->o.check};
	struct ct_buf message = {0};
	char fd[32];
	int st = CT_OK;
	ct_buf_add(&message, &r, sizeof r);
	if (c->target.len)
		st = absolute(&message, c->target.data, e);
	else
		ct_buf_putc(&message, '\0');
	for (size_t i = 0; i < 3; i++)
		ct_buf_add(&message, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 1);
	if (st == CT_OK)
		st = ct_buf_check(&message, e);
	if (st == CT_OK && message.len > CT_CUDA_MESSAGE_MAX)
		st = ct_fail(e, CT_ERR_USAGE,
		             "capture: path, pattern and command are too long together");
	if (st == CT_OK && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, c->socket) != 0)
		st = ct_fail_errno(e, CT_ERR_IO, errno, "capture: socketpair");
	if (st == CT_OK) {
		fcntl(c->socket[0], F_SETFD, FD_CLOEXEC);
		snprintf(fd, sizeof fd, "%d", c->socket[1]);
		if (send(c->socket[0], message.data, message.len, MSG_NOSIGNAL) < 0 ||
		    setenv(CT_CUDA_SOCKET, fd, 1) != 0)
			st = ct_fail_errno(e, CT_ERR_IO, errno,
			                   "capture: cannot hand the settings over");
	}
	ct_buf_free(&message);
	return st;
}

int cap_cuda_begin(struct cap_cuda **out, const struct cap_cuda_options *o, struct ct_error *e)
{
	struct cap_cuda *c = ct_calloc(1, sizeof *c);
	int st = c ? CT_OK : ct_fail_nomem(e);
	*out = NULL;
	if (st < 0)
		return st;
	c->o = *o;
	c->socket[0] = c->socket[1] = c->stdout_fd = -1;
	if (o->path) {
		st = make_scratch(c, e);
	} else {
		/* The trace has standard output for itself; what the program prints goes to standard error. */
		c->stdout_fd = dup(STDOUT_FILENO);
		if (c->stdout_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
			st = ct_fail_errno(e, CT_ERR_IO, errno, "capture: standard output");
	}
	if (st == CT_OK)
		st = offer(c, e);
	if (st < 0) {
		release(c);
		return st;
	}
	*out = c;
	return CT_OK;
}

/* In the child: only calls that are safe after fork() in a process of one thread. */
static void become(char *const *command)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(command[0], command);
	_exit(127);
}

/* Waits for the program; a signal to stop goes on to it. Looks every 20 ms, and at once when it has answered. */
static int wait_for(const struct cap_cuda *c, pid_t pid)
{
	struct pollfd answer = {.fd = c->socket[0], .events = POLLIN};
	int status = 0, heard = 0;
	for (pid_t got; (got = waitpid(pid, &status, WNOHANG)) != pid;) {
		if (got < 0 && errno != EINTR)
			break;
		if (c->o.stop && *c->o.stop)
			kill(pid, SIGTERM);
		heard |= poll(&answer, heard ? 0 : 1, heard ? 1 : 20) > 0;
	}
	return status;
}

int cap_cuda_run(struct cap_cuda *c, char *const *command, struct cap_cuda_result *r, struct ct_error *e)
{
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		become(command);
	if (pid < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "capture: fork");
	status = wait_for(c, pid);
	if (c->o.stop && *c->o.stop)
		return ct_fail(e, CT_ERR_IO, "interrupted");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && !c->o.path)
		raise(SIGPIPE); /* who reads the trace has gone, as with any command */
	if (WIFSIGNALED(status))
		return ct_fail(e, CT_ERR_INPUT,
		               "capture: %s was killed by signal %d (%s): no trace is left", command[0],
		               WTERMSIG(status), strsignal(WTERMSIG(status)));
	r->status = WEXITSTATUS(status);
	return CT_OK;
}

/* What the program said at its end: 1 and *a with the text behind it, or 0 where it said nothing. */
static int hear(const struct cap_cuda *c, struct ct_cuda_answer *a, char *text, size_t room)
{
	char message[CT_CUDA_MESSAGE_MAX];
	ssize_t n = recv(c->socket[0], message, sizeof message - 1, MSG_DONTWAIT);
	if (n < (ssize_t)sizeof *a)
		return 0;
	message[n] = '\0';
	memcpy(a, message, sizeof *a);
	snprintf(text, room, "%.*s", (int)room - 1, message + sizeof *a);
	return 1;
}

int cap_cuda_end(struct cap_cuda *c, int status, const char *command, struct cap_cuda_result *r,
                 struct ct_error *e)
{
	struct ct_cuda_answer a = {0};
	char text[CT_ERROR_TEXT_MAX], unused[CT_CUDA_MESSAGE_MAX];
	/* The settings are still in the socket where no program took them. */
	r->taken = recv(c->socket[1], unused, sizeof unused, MSG_DONTWAIT) <= 0;
	int heard = r->taken && hear(c, &a, text, sizeof text);
	r->faulted = a.faulted;
	r->launches = a.launches;
	r->recorded = a.recorded;
	r->warp_insts = a.warp_insts;
	if (status == CT_OK && r->taken && !heard)
		status = ct_fail(e, CT_ERR_INPUT,
		                 "capture: %s did not come to its end (status %d): it must return from "
		                 "main() or call exit()",
		                 command, r->status);
	else if (status == CT_OK && heard && a.kind != CT_CUDA_DONE)
		status = ct_fail(e, CT_ERR_INPUT, "capture: %s: %s", command, text);
	if (status == CT_OK && r->taken && c->scratch.len)
		status = put_in_place(c, e);
	release(c);
	return status;
}
