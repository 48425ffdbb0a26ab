/* Running commands, and temporary files that are gone however the program ends. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "ctcc/job.h"

/* Of the process: the handler of a signal that ends it must know them. */
enum { MOST = 4096 };
static char *temporary[MOST];
static volatile sig_atomic_t temporaries;
static char folder[2048];
static volatile pid_t child;

static void remove_files(void)
{
	for (int i = 0; i < (int)temporaries; i++)
		unlink(temporary[i]);
	if (*folder)
		rmdir(folder);
}

/* Async-signal-safe. The compiler removes its own files when it is told to end. */
static void at_signal(void)
{
	if (child > 0) {
		kill(child, SIGTERM);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	remove_files();
}

void ctcc_clean(void)
{
	remove_files();
	for (int i = (int)temporaries; i > 0; i--)
		free(temporary[i - 1]);
	temporaries = 0;
	*folder = '\0';
}

const char *ctcc_folder(struct ct_error *e)
{
	const char *tmp = getenv("TMPDIR");
	if (*folder)
		return folder;
	int n = snprintf(folder, sizeof folder, "%s/ctcc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (n < 0 || (size_t)n >= sizeof folder || !mkdtemp(folder)) {
		*folder = '\0';
		ct_fail_errno(e, CT_ERR_IO, errno, "no folder for temporary files in %s",
		              tmp && *tmp ? tmp : "/tmp");
		return NULL;
	}
	ct_tool_at_end(at_signal);
	return folder;
}

static const char *keep_path(const char *path, struct ct_error *e)
{
	if (temporaries >= MOST) {
		ct_fail(e, CT_ERR_LIMIT, "too many files at once: compile them with -c, then link");
		return NULL;
	}
	char *copy = ct_strndup(path, strlen(path));
	if (!copy) {
		ct_fail_nomem(e);
		return NULL;
	}
	temporary[temporaries] = copy;
	temporaries++;
	return copy;
}

const char *ctcc_temporary(const char *name, struct ct_error *e)
{
	char path[4096];
	const char *in = ctcc_folder(e);
	if (!in)
		return NULL;
	int n = snprintf(path, sizeof path, "%s/%s", in, name);
	if (n < 0 || (size_t)n >= sizeof path) {
		ct_fail(e, CT_ERR_IO, "%s: the name is too long", name);
		return NULL;
	}
	return keep_path(path, e);
}

const char *ctcc_beside(const char *path, struct ct_error *e)
{
	char name[4096];
	int n = snprintf(name, sizeof name, "%s.ctcc-%ld", path, (long)getpid());
	if (n < 0 || (size_t)n >= sizeof name) {
		ct_fail(e, CT_ERR_IO, "%s: the name is too long", path);
		return NULL;
	}
	return keep_path(name, e);
}

void ctcc_show_word(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, stderr);
		return;
	}
	fputc('\'', stderr);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stderr);
	fputc('\'', stderr);
}

static void show_command(const struct ctcc_words *command)
{
	for (size_t i = 0; i < command->n; i++) {
		fputs(i ? " " : "#$ ", stderr);
		ctcc_show_word(command->word[i]);
	}
	fputc('\n', stderr);
}

/* Starts it: 127 is its status where it cannot be executed, as a shell has it. */
static int start_command(const struct ctcc_words *command, const char *log, struct ct_error *e)
{
	fflush(stderr);
	pid_t pid = fork();
	if (pid == 0) {
		int fd = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
		if (fd >= 0)
			dup2(fd, STDERR_FILENO);
		signal(SIGXFSZ, SIG_DFL);
		execvp(command->word[0], command->word);
		_exit(127);
	}
	if (pid < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "fork");
	child = pid;
	return CT_OK;
}

static void pass_on(const char *log)
{
	char part[4096];
	size_t n;
	FILE *f = fopen(log, "r");
	while (f && (n = fread(part, 1, sizeof part, f)) > 0)
		fwrite(part, 1, n, stderr);
	if (f)
		fclose(f);
}

char *ctcc_read(const char *path, size_t *size)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	if (f && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size < 1 << 28) {
		text = malloc((size_t)st.st_size + 1);
		*size = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
		if (text)
			text[*size] = '\0';
	}
	if (f)
		fclose(f);
	return text;
}

int ctcc_file_says(const char *path, const char *text)
{
	char line[4096];
	int found = 0;
	FILE *f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, text) != NULL;
	if (f)
		fclose(f);
	return found;
}

int ctcc_run(struct ct_tool *t, const struct ctcc_words *command, int dryrun, struct ct_error *e)
{
	return ctcc_run_logged(t, command, dryrun, NULL, e);
}

int ctcc_run_logged(struct ct_tool *t, const struct ctcc_words *command, int dryrun, const char *log,
                    struct ct_error *e)
{
	int status = 0;
	if (command->failed)
		return ct_fail_nomem(e);
	if (dryrun || t->verbose)
		show_command(command);
	if (dryrun)
		return CT_OK;
	if (start_command(command, log, e) != CT_OK)
		return CT_ERR_IO;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (log)
		pass_on(log);
	if (WIFSIGNALED(status))
		return ct_fail(e, CT_ERR_UNSUPPORTED, "%s was ended by signal %d", command->word[0],
		               WTERMSIG(status));
	if (WEXITSTATUS(status) == 127)
		return ct_fail(
			e, CT_ERR_UNSUPPORTED,
			"%s cannot be started: install clang-19 (make deps), or name a clang in CTCC_CLANG",
			command->word[0]);
	return WEXITSTATUS(status) ? 1 : CT_OK;
}
