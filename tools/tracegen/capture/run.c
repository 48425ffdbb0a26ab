/* Starts the program under Oclgrind with the plugin. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tracegen/capture/capture.h"
#include "tracegen/capture/protocol.h"

static int in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];
	while (path && *path) {
		size_t n = strcspn(path, ":");
		int len = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
		if (len > 0 && (size_t)len < sizeof file && access(file, X_OK) == 0)
			return 1;
		path += n + (path[n] == ':');
	}
	return 0;
}

int cap_has_oclgrind(const char *plugin)
{
	return access(plugin, R_OK) == 0 && in_path("oclgrind");
}

/* "oclgrind --plugins PLUGIN --num-threads 1 COMMAND..."; the caller frees the array. */
static const char **command_line(char *const *command, const char *plugin)
{
	static const char *const head[] = {"oclgrind", "--num-threads", "1", "--plugins"};
	size_t n = 0, k = sizeof head / sizeof *head;
	while (command[n])
		n++;
	const char **argv = ct_calloc(k + n + 2, sizeof *argv);
	if (!argv)
		return NULL;
	memcpy(argv, head, sizeof head);
	argv[k] = plugin;
	for (size_t i = 0; i < n; i++)
		argv[k + 1 + i] = command[i];
	return argv;
}

/* In the child: only calls that are safe after fork() in a process of one thread. */
static void become(const char **argv, const struct cap_options *o, int fd)
{
	char text[32];
	snprintf(text, sizeof text, "%d", fd);
	setenv(CAP_ENV_FD, text, 1);
	snprintf(text, sizeof text, "%llu", (unsigned long long)o->launches);
	setenv(CAP_ENV_LAUNCHES, text, 1);
	setenv(CAP_ENV_VALUES, o->values ? "1" : "0", 1);
	/* Oclgrind's own default is to build for size: no inlining, no unrolling. */
	setenv("OCLGRIND_BUILD_OPTIONS", "-O3", 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static int wait_for(pid_t pid)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cap_capture(struct ct_folder *sink, char *const *command, const struct cap_options *o,
                struct cap_result *r, struct ct_error *e)
{
	int fd[2], done = 0;
	if (access(o->plugin, R_OK) != 0)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "capture: %s is not there: build tracegen where oclgrind and "
		               "liboclgrind-dev are installed",
		               o->plugin);
	if (!in_path("oclgrind"))
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "capture: oclgrind is not installed: it runs the program");
	const char **argv = command_line(command, o->plugin);
	if (!argv)
		return ct_fail_nomem(e);
	if (pipe(fd) != 0) {
		free(argv);
		return ct_fail_errno(e, CT_ERR_IO, errno, "capture: pipe");
	}
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	pid_t pid = fork();
	if (pid == 0)
		become(argv, o, fd[1]);
	int err = errno;
	close(fd[1]);
	free(argv);
	if (pid < 0) {
		close(fd[0]);
		return ct_fail_errno(e, CT_ERR_IO, err, "capture: fork");
	}
	int st = cap_read(sink, fd[0], o, r, &done, e);
	if (st != CT_OK)
		kill(pid, SIGTERM);
	close(fd[0]);
	r->status = wait_for(pid);
	if (st == CT_OK && o->stop && *o->stop)
		return ct_fail(e, CT_ERR_IO, "interrupted");
	if (st == CT_OK && !done)
		return ct_fail(e, CT_ERR_INPUT,
		               "capture: %s ended with status %d %s: does it run under oclgrind alone?",
		               command[0], r->status,
		               r->launches ? "in the middle of its work" : "without using OpenCL");
	if (st == CT_OK && r->launches == 0)
		return ct_fail(e, CT_ERR_INPUT, "capture: %s ran no kernel and ended with status %d",
		               command[0], r->status);
	return st;
}
