/* html.c - triage --html: the page that report makes of the profiles which triage keeps. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "triage/triage.h"

/* Without --resume the profiles are kept in a folder of TMPDIR until the page is there. */
int tr_html_begin(struct tr_own *o, struct ct_error *e)
{
	const char *tmp = getenv("TMPDIR");
	if (o->resume)
		return CT_OK;
	ct_buf_printf(&o->kept, "%s/triage-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (o->kept.failed)
		return ct_fail_nomem(e);
	if (!mkdtemp(o->kept.data))
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot make the folder", o->kept.data);
	o->resume = o->kept.data;
	return CT_OK;
}

/* The command report beside this one, under the same prefix. */
static int find_report(char path[PATH_MAX], struct ct_error *e)
{
	static const char ours[] = "triage", other[] = "report";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	size_t len = sizeof ours - 1;
	if (n < (ssize_t)len || strncmp(path + n - len, ours, len) != 0)
		return ct_fail(e, CT_ERR_IO,
		               "--html: report is not found beside triage: run report --html");
	memcpy(path + (size_t)n - len, other, len);
	path[n] = '\0';
	return CT_OK;
}

/* It has to know the plugins, too; those that the environment names it finds itself. */
static int run_report(const struct ct_tool *t, char *program, char *page, char *folder,
                      struct ct_error *e)
{
	static char html[] = "--html", out[] = "-o", null[] = "/dev/null", plugin[] = "--plugin";
	char *first[] = {program, html, page, out, null, folder};
	const size_t n = sizeof first / sizeof first[0];
	char **argument = ct_calloc(n + 2 * t->n_named + 1, sizeof *argument);
	int how;
	if (!argument)
		return ct_fail_nomem(e);
	memcpy(argument, first, sizeof first);
	for (size_t i = 0; i < t->n_named; i++) {
		argument[n + 2 * i] = plugin;
		argument[n + 2 * i + 1] = (char *)t->named[i];
	}
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		execv(program, argument);
		_exit(127);
	}
	int failed = errno;
	free(argument);
	if (child < 0)
		return ct_fail_errno(e, CT_ERR_IO, failed, "--html: cannot start report");
	while (waitpid(child, &how, 0) < 0)
		if (errno != EINTR)
			return ct_fail_errno(e, CT_ERR_IO, errno, "--html: report is lost");
	if (WIFEXITED(how) && WEXITSTATUS(how) <= 1)
		return CT_OK;
	return ct_fail(e, CT_ERR_IO, "--html %s: report has not written the page", page);
}

int tr_html_write(const struct ct_tool *t, struct ct_error *e)
{
	const struct tr_own *o = t->own;
	char program[PATH_MAX];
	int st = find_report(program, e);
	return st == CT_OK ? run_report(t, program, (char *)o->html, (char *)o->resume, e) : st;
}

void tr_html_end(struct tr_own *o)
{
	DIR *dir = o->kept.len ? opendir(o->kept.data) : NULL;
	struct dirent *d;
	while (dir && (d = readdir(dir))) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof path, "%s/%s", o->kept.data, d->d_name);
		if (d->d_name[0] != '.' && n > 0 && (size_t)n < sizeof path)
			(void)unlink(path);
	}
	if (dir) {
		closedir(dir);
		(void)rmdir(o->kept.data);
	}
	ct_buf_free(&o->kept);
}
