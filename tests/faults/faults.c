/* Runs a command again and again, each time with another of its calls failing.
 *
 *     faults INJECT.so KIND RUNS [-i INPUT] [-x FILE] [-k FILE]... [-p yes] [-w TEXT] -- COMMAND ARGUMENT...
 *
 * KIND is one of inject.c's. First the command runs whole, for its output; then with all such calls
 * counted, and awkward where KIND is (short, eintr, tmpfile); then with call 1, 2, ... failing, at most
 * about RUNS of them: all of the first eighth of RUNS, then at growing steps. Every run has to end either
 * as if nothing had happened (same output, warnings and FILE, exit status 0: a cache that could not be
 * had, say) or in exit status 2 with one line on standard error, nothing on standard output, and FILE
 * absent (it may be a folder). The working directory is looked at too: it has to hold what it held before.
 * -k: FILE is there before each run, and has to be as it was after one that fails.
 * -p: a command that says which of its inputs failed and goes on (triage) prints something all the same.
 * -w: with TEXT in its warnings a run may print another answer, as it says what it could not do.
 * Prints one TAP line without a number ("ok" or "not ok") and what went wrong. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct text {
	char *p;
	size_t n;
};

struct run {
	struct text out, err;
	int status; /* exit status, 256 + signal, 512: hung */
	unsigned files, lost;
	uint64_t content; /* of FILE: a sum over its files' names and bytes */
};

enum { KEPT = 8 };
static const char *inject, *kind, *input, *output, *goes_on, *tells, *kept[KEPT];
static unsigned n_kept;
static char **command;
static const char before[] = "what was there before\n";

static void die(const char *what)
{
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	exit(3);
}

static void add(struct text *t, const char *p, size_t n)
{
	char *q = realloc(t->p, t->n + n + 1);
	if (!q)
		die("memory");
	memcpy(q + t->n, p, n);
	t->p = q;
	t->n += n;
	q[t->n] = '\0';
}

static unsigned files_here(void)
{
	unsigned n = 0;
	DIR *d = opendir(".");
	if (!d)
		die(".");
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void child(const char *at, int out, int err)
{
	int in = open(input ? input : "/dev/null", O_RDONLY);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(99);
	for (int i = 3; i < 64; i++)
		close(i);
	setenv("CT_FAULT", kind, 1);
	setenv("CT_FAULT_AT", at, 1);
	setenv("LD_PRELOAD", inject, 1);
	execv(command[0], command);
	_exit(98);
}

/* Reads both pipes to their end; 0 when the command is silent for a minute. */
static int collect(struct run *r, int out, int err)
{
	struct pollfd p[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
	int left = 2;
	char block[65536];
	while (left) {
		if (poll(p, 2, 60000) <= 0)
			return 0;
		for (int i = 0; i < 2; i++) {
			if (!(p[i].revents & (POLLIN | POLLHUP)))
				continue;
			ssize_t n = read(p[i].fd, block, sizeof block);
			if (n > 0) {
				add(i ? &r->err : &r->out, block, (size_t)n);
			} else {
				p[i].fd = -1;
				left--;
			}
		}
	}
	return 1;
}

static uint64_t content;

static int sum(const char *path, const struct stat *st, int type, struct FTW *where)
{
	unsigned char block[65536];
	uint64_t h = 14695981039346656037u;
	(void)st, (void)where;
	for (const char *p = path; *p; p++)
		h = (h ^ (unsigned char)*p) * 1099511628211u;
	FILE *f = type == FTW_F ? fopen(path, "rb") : NULL;
	for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
		for (size_t i = 0; i < n; i++)
			h = (h ^ block[i]) * 1099511628211u;
	if (f)
		fclose(f);
	content += h;
	return 0;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)type, (void)where;
	return remove(path);
}

static void put_kept(void)
{
	for (unsigned i = 0; i < n_kept; i++) {
		FILE *f = fopen(kept[i], "w");
		if (!f || fputs(before, f) < 0 || fclose(f) != 0)
			die(kept[i]);
	}
}

/* How many of them are no longer as they were. */
static unsigned lost_kept(void)
{
	unsigned lost = 0;
	for (unsigned i = 0; i < n_kept; i++) {
		char text[sizeof before + 1] = "";
		FILE *f = fopen(kept[i], "r");
		lost += !f || fread(text, 1, sizeof text - 1, f) != sizeof before - 1 ||
		        strcmp(text, before) != 0;
		if (f)
			fclose(f);
	}
	return lost;
}

static struct run go(uint64_t at)
{
	struct run r = {{NULL, 0}, {NULL, 0}, 0, 0, 0, 0};
	int out[2], err[2], status;
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)at);
	add(&r.out, "", 0);
	add(&r.err, "", 0);
	if (output)
		nftw(output, drop, 16, FTW_DEPTH | FTW_PHYS);
	put_kept();
	if (pipe(out) != 0 || pipe(err) != 0)
		die("pipe");
	pid_t pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		child(text, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	int ended = collect(&r, out[0], err[0]);
	close(out[0]);
	close(err[0]);
	if (!ended)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	r.status = !ended ? 512 : WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
	r.files = files_here();
	r.lost = lost_kept();
	content = 0;
	if (output)
		nftw(output, sum, 16, FTW_PHYS);
	r.content = content;
	return r;
}

static void done(struct run *r)
{
	free(r->out.p);
	free(r->err.p);
}

static int lines(const struct text *t)
{
	int n = 0;
	for (size_t i = 0; i < t->n; i++)
		n += t->p[i] == '\n';
	return n + (t->n && t->p[t->n - 1] != '\n');
}

/* What is wrong with a run, or NULL. */
static const char *wrong(const struct run *want, const struct run *r)
{
	struct stat st;
	if (r->status >= 512)
		return "hangs";
	if (r->status >= 256)
		return "ends in a signal";
	if (r->status == 0) {
		int told = tells && r->err.n && strstr(r->err.p, tells);
		if (!told && (r->out.n != want->out.n || memcmp(r->out.p, want->out.p, r->out.n)))
			return "exit 0 with other output";
		if (!told && r->err.n < want->err.n && strcmp(kind, "write") != 0)
			return "exit 0 without its warnings";
		if (output && stat(output, &st) != 0)
			return "exit 0 without its file";
		if (r->content != want->content)
			return "exit 0 with another file";
		if (r->lost != n_kept)
			return "exit 0 without all files";
		return r->files != want->files ? "leaves a file" : NULL;
	}
	if (r->status != 2)
		return "neither exit 0 nor 2";
	if (r->out.n && !goes_on && strcmp(kind, "write") != 0 && strcmp(kind, "close") != 0)
		return "writes output and fails";
	if (lines(&r->err) != 1)
		return "not one line on standard error";
	if (output && stat(output, &st) == 0)
		return "fails and leaves its output";
	if (r->lost)
		return "fails and loses what was there";
	return r->files + (output != NULL) > want->files ? "leaves a file" : NULL;
}

static uint64_t count_of(const char *path)
{
	char text[32] = "";
	uint64_t most = 0, n;
	FILE *f = fopen(path, "r");
	if (!f)
		die(path);
	for (; fgets(text, sizeof text, f); most = n > most ? n : most)
		n = strtoull(text, NULL, 10);
	fclose(f);
	unlink(path);
	return most;
}

/* Factor between the steps at which about `runs` of `calls` are tried, the first `dense`
 * one by one. */
static double growth_for(uint64_t calls, uint64_t runs, uint64_t dense)
{
	for (double growth = 1.001;; growth *= 1.002) {
		uint64_t n = dense;
		for (double x = (double)dense; x < (double)calls && n <= runs; x = x * growth + 1)
			n++;
		if (n <= runs || growth > 100)
			return growth;
	}
}

static unsigned campaign(const struct run *want, uint64_t calls, uint64_t runs)
{
	unsigned bad = 0;
	uint64_t dense = runs / 8;
	double growth = calls > runs ? growth_for(calls, runs, dense) : 1;
	for (uint64_t at = 1; at <= calls;) {
		struct run r = go(at);
		const char *what = wrong(want, &r);
		if (what && bad++ < 5)
			printf("# %s %llu of %llu: %s (status %d): %.300s\n", kind,
			       (unsigned long long)at, (unsigned long long)calls, what, r.status,
			       r.err.p);
		done(&r);
		at = calls <= runs || at < dense ? at + 1 : (uint64_t)((double)at * growth) + 1;
	}
	return bad;
}

int main(int argc, char **argv)
{
	int i = 4;
	if (argc < 6)
		return fprintf(stderr,
		               "usage: faults INJECT.so KIND RUNS [-i FILE] [-x FILE] [-k FILE]... [-p yes] [-w TEXT] -- COMMAND...\n"),
		       3;
	inject = argv[1];
	kind = argv[2];
	uint64_t runs = strtoull(argv[3], NULL, 10);
	for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
		if (strcmp(argv[i], "-i") == 0)
			input = argv[i + 1];
		else if (strcmp(argv[i], "-x") == 0)
			output = argv[i + 1];
		else if (strcmp(argv[i], "-k") == 0 && n_kept < KEPT)
			kept[n_kept++] = argv[i + 1];
		else if (strcmp(argv[i], "-p") == 0)
			goes_on = argv[i + 1];
		else if (strcmp(argv[i], "-w") == 0)
			tells = argv[i + 1];
	}
	command = argv + i + 1;
	const char *meant = kind;
	kind = "none";
	struct run want = go(0);
	if (want.status != 0) {
		printf("not ok\n# without a fault: status %d: %s\n", want.status, want.err.p);
		return 1;
	}
	kind = meant;
	setenv("CT_FAULT_COUNT", "calls.count", 1);
	struct run counted = go(0);
	uint64_t calls = count_of("calls.count");
	unsetenv("CT_FAULT_COUNT");
	counted.files--;
	const char *what = wrong(&want, &counted);
	if (what)
		printf("# %s all along: %s (status %d): %.300s\n", kind, what, counted.status,
		       counted.err.p);
	unsigned bad = (what != NULL) + campaign(&want, calls, runs);
	printf("%s\n# %llu %s calls, %u bad\n", bad ? "not ok" : "ok", (unsigned long long)calls, kind,
	       bad);
	done(&counted);
	done(&want);
	return 0;
}
