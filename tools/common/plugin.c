#include "common/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "common/plugin_text.h"
#include "common/workers.h"
#include "models/plugin.h"
#include "models/registry.h"

/* Seconds for a description, which takes milliseconds; an answer longer than that is none. */
enum { DESCRIPTION_SECONDS = 20, ANSWER_BYTES = 1 << 28, WAIT_MS = 200 };

static const char symbol[] = "ct_plugin", magic[] = "cachetriage-plugin 1";

struct ct_plugin_file {
	char *path, *command;
	struct ct_plugin_text *text; /* NULL: it is not known yet */
	unsigned index;              /* in the registry */
	struct ct_mechanism
		loaded; /* in its process: the real table, with the names of the description */
	uint64_t crc;   /* of the file's bytes */
};

/* ---- in the process of a plugin ---- */

/* What the command writes to or hears from is out of a plugin's reach, but for its answer and for an input that is kept. */
static void close_others(int answer, const struct ct_keep *keep)
{
	enum { DESCRIPTORS = 4096 };
	const int kept = keep->opened ? keep->fd : -1;
	for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
		struct stat info;
		int flags = fd == answer || fd == kept ? -1 : fcntl(fd, F_GETFL);
		if (flags >= 0 && fstat(fd, &info) == 0 &&
		    ((flags & O_ACCMODE) != O_RDONLY || S_ISFIFO(info.st_mode)))
			close(fd);
	}
}

/* What a command does when a signal comes is no business of a plugin's process, and no sanitizer may put another end in
 * the place of the signal. A fault leaves no core file: who wants one takes a debugger. */
static void set_apart(pid_t parent)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	const struct rlimit none = {0, 0};
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		signal(signals[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(1);
	int null = open("/dev/null", O_WRONLY);
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
}

static int load(const char *path, const struct ct_mechanism **m, struct ct_error *e)
{
	void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!so)
		return ct_fail(e, CT_ERR_INPUT, "%s: cannot be loaded: %s", path, dlerror());
	const struct ct_plugin *p = dlsym(so, symbol);
	if (!p)
		return ct_fail(
			e, CT_ERR_INPUT,
			"%s: no plugin: it shows no %s, see doc/plugins.md for the line CT_PLUGIN", path,
			symbol);
	struct ct_error why = {0};
	int st = ct_plugin_check(p, &why);
	*m = st == CT_OK ? p->mechanism : NULL;
	return st == CT_OK ? CT_OK : ct_fail(e, st, "%s: %s", path, why.text);
}

/* Names come of the description, which has been checked; functions and the arrays that they use are the plugin's. */
static int enter(struct ct_plugin_file *f, struct ct_error *e)
{
	const struct ct_mechanism *m, *said = ct_plugin_text_mechanism(f->text);
	int st = load(f->path, &m, e);
	if (st != CT_OK)
		return st;
	f->loaded = *m;
	f->loaded.name = said->name;
	f->loaded.aliases = said->aliases;
	f->loaded.title = said->title;
	f->loaded.summary = said->summary;
	f->loaded.page = said->page;
	f->loaded.published = 1;
	f->loaded.command = said->command;
	f->loaded.always = NULL;
	ct_plugin_complete(&f->loaded);
	ct_mechanisms_replace(f->index, &f->loaded);
	return CT_OK;
}

struct described {
	const char *path;
};

static int describe(void *ctx, struct ct_buf *reply, struct ct_error *e)
{
	const struct described *d = ctx;
	const struct ct_mechanism *m;
	int st = load(d->path, &m, e);
	if (st == CT_OK)
		ct_plugin_text_write(m, reply);
	return st;
}

static int write_whole(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k < 0 && errno != EINTR)
			return -1;
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return 0;
}

/* "cachetriage-plugin 1 LENGTH CRC STATUS ERROR-LENGTH\n", the error, the reply. The CRC is of all behind it. */
static void send_answer(int fd, int status, const struct ct_error *e, const struct ct_buf *reply)
{
	char head[160], tail[64];
	size_t told = status < 0 ? strlen(e->text) : 0;
	int k = snprintf(tail, sizeof tail, " %d %zu\n", status, told);
	uint64_t crc = ct_crc64(ct_crc64(ct_crc64(0, tail, (size_t)k), e->text, told), reply->data,
	                        reply->len);
	int n = snprintf(head, sizeof head, "%s %zu %016llx%s", magic, told + reply->len,
	                 (unsigned long long)crc, tail);
	if (write_whole(fd, head, (size_t)n) < 0 || write_whole(fd, e->text, told) < 0 ||
	    write_whole(fd, reply->data, reply->len) < 0)
		_exit(1);
	_exit(0);
}

/* ---- the answer ---- */

const char *ct_plugin_answer(const char *text, size_t n, int *status, const char **error, size_t *reply)
{
	const char *end = n ? memchr(text, '\n', n) : NULL;
	const size_t known = sizeof magic - 1;
	if (!end || (size_t)(end - text) < known || strncmp(text, magic, known) != 0)
		return NULL;
	char *at;
	size_t length = strtoul(text + known, &at, 10);
	uint64_t crc = strtoull(at, &at, 16);
	if (at > end || crc != ct_crc64(0, at, n - (size_t)(at - text)))
		return NULL;
	long st = strtol(at, &at, 10);
	size_t told = strtoul(at, &at, 10);
	const char *body = end + 1;
	if (at != end || length != n - (size_t)(body - text) || told > length ||
	    told >= CT_ERROR_TEXT_MAX || st < CT_ERR_LIMIT || st > 2 || (st < 0) != (told > 0))
		return NULL;
	*status = (int)st;
	*error = body;
	*reply = length - told;
	return body + told;
}

/* ---- a process, and what comes of it ---- */

/* How a process ended. */
struct end {
	struct ct_buf text; /* of the pipe */
	int how;            /* as of waitpid() */
	int late, too_long;
};

static void reap(pid_t pid, struct end *x)
{
	while (waitpid(pid, &x->how, 0) < 0 && errno == EINTR)
		;
}

/* Takes what comes until the other end is closed; who is late, or says too much, is ended. */
static void listen_to(int fd, pid_t pid, double seconds, struct end *x)
{
	double from = ct_workers_clock();
	char block[1 << 14];
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int ready = poll(&p, 1, WAIT_MS);
		ssize_t n = ready > 0 ? read(fd, block, sizeof block) : -1;
		if (ready > 0 && n == 0)
			break;
		if (n > 0)
			ct_buf_add(&x->text, block, (size_t)n);
		x->late = ct_workers_clock() - from > seconds;
		x->too_long = x->text.len > ANSWER_BYTES;
		if (x->late || x->too_long || x->text.failed || (n < 0 && ready > 0 && errno != EINTR)) {
			kill(pid, SIGKILL);
			break;
		}
	}
	reap(pid, x);
}

/* What a process is made for. */
struct errand {
	int (*begin)(void *ctx, struct ct_error *e); /* loads what the work needs */
	void *begin_ctx;
	ct_plugin_work work;
	void *ctx;
	const struct ct_keep *keep;
	double seconds;
};

static void run_errand(const struct errand *a, int fd)
{
	struct ct_buf reply = {0};
	struct ct_error e = {0};
	close_others(fd, a->keep);
	int st = a->begin ? a->begin(a->begin_ctx, &e) : CT_OK;
	if (st == CT_OK)
		st = a->work(a->ctx, &reply, &e);
	if (st >= 0 && ct_buf_check(&reply, &e) < 0)
		st = e.status;
	if (st < 0)
		ct_buf_reset(&reply);
	send_answer(fd, st, &e, &reply);
}

static int run_apart(const struct errand *a, struct end *x, struct ct_error *e)
{
	int fd[2];
	*x = (struct end){.how = 0};
	if (pipe(fd) < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "cannot make a process for a plugin");
	fflush(NULL);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0) {
		close(fd[0]);
		close(fd[1]);
		return ct_fail_errno(e, CT_ERR_IO, errno, "cannot make a process for a plugin");
	}
	if (pid == 0) {
		set_apart(parent);
		run_errand(a, fd[1]);
	}
	close(fd[1]);
	listen_to(fd[0], pid, a->seconds, x);
	close(fd[0]);
	if (x->text.failed)
		return ct_fail_nomem(e);
	return CT_OK;
}

/* The work's status, reply and error; or that there is no answer, which `who` is to blame for. */
static int take_end(struct end *x, const char *who, double seconds, struct ct_buf *reply, int *broken,
                    struct ct_error *e)
{
	const char *error = "", *body;
	int status = 0;
	size_t n = 0;
	*broken = 1;
	if (x->late)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s gave no answer in %.0f s and was ended: give it more with "
		               "--plugin-limit",
		               who, seconds);
	if (x->too_long)
		return ct_fail(e, CT_ERR_INPUT, "%s gave an answer without end", who);
	if (WIFSIGNALED(x->how))
		return ct_fail(
			e, CT_ERR_INPUT,
			"%s ended by signal %d: gdb with `set follow-fork-mode child` shows where", who,
			WTERMSIG(x->how));
	if (!x->text.len)
		return ct_fail(e, CT_ERR_INPUT, "%s ended with status %d and no answer", who,
		               WIFEXITED(x->how) ? WEXITSTATUS(x->how) : -1);
	if (!(body = ct_plugin_answer(x->text.data, x->text.len, &status, &error, &n)))
		return ct_fail(e, CT_ERR_INPUT,
		               "%s gave an answer that is none: it wrote where only its command writes",
		               who);
	*broken = 0;
	ct_buf_add(reply, body, n);
	if (ct_buf_check(reply, e) < 0)
		return CT_ERR_NOMEM;
	if (status >= 0)
		return status;
	char text[CT_ERROR_TEXT_MAX];
	snprintf(text, sizeof text, "%.*s", (int)(body - error), error);
	ct_utf8_clean(text, strlen(text));
	for (char *c = text; *c; c++)
		*c = *c == '\n' || *c == '\r' ? ' ' : *c;
	return ct_fail(e, status, "%s", text);
}

/* ---- the list ---- */

static int is_listed(const struct ct_tool *t, const char *path)
{
	for (size_t i = 0; i < t->n_plugins; i++)
		if (!strcmp(t->plugin[i].path, path))
			return 1;
	return 0;
}

static int read_crc(struct ct_plugin_file *f, struct ct_error *e)
{
	char block[1 << 14];
	ssize_t n = 0;
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
		f->crc = ct_crc64(f->crc, block, (size_t)n);
	int failed = errno;
	if (fd >= 0)
		close(fd);
	if (fd < 0 || n < 0)
		return ct_fail_errno(e, CT_ERR_IO, failed, "%s: cannot be read", f->path);
	return CT_OK;
}

static int check_file(const char *what, const char *path, int absolute, struct ct_error *e)
{
	struct stat info;
	if (!strchr(path, '/'))
		return ct_fail(
			e, CT_ERR_USAGE,
			"%s %s: say in which folder it lies, as in ./%s: plugins are not looked for",
			what, path, path);
	if (absolute && *path != '/')
		return ct_fail(e, CT_ERR_USAGE,
		               "%s %s: name it from the root on: what it means may not depend on the "
		               "current folder",
		               what, path);
	if (stat(path, &info) != 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s %s", what, path);
	if (!S_ISREG(info.st_mode))
		return ct_fail(e, CT_ERR_INPUT, "%s %s: not a file", what, path);
	return CT_OK;
}

/* Asks the shared object what it is. */
static int learn(const struct ct_tool *t, struct ct_plugin_file *f, struct ct_error *e)
{
	struct described d = {f->path};
	const struct errand errand = {
		.work = describe, .ctx = &d, .keep = &t->keep, .seconds = DESCRIPTION_SECONDS};
	struct ct_buf reply = {0}, who = {0};
	struct ct_error why = {0};
	struct end x;
	int broken, st = run_apart(&errand, &x, e);
	ct_buf_printf(&who, "%s: the plugin", f->path);
	if (st == CT_OK && (st = ct_buf_check(&who, e)) == CT_OK)
		st = take_end(&x, who.data, DESCRIPTION_SECONDS, &reply, &broken, e);
	if (st == CT_OK) {
		st = ct_plugin_text_read(&f->text, reply.len ? reply.data : "", reply.len, &why);
		if (st != CT_OK)
			ct_fail(e, st, "%s: %s: see doc/plugins.md", f->path, why.text);
	}
	ct_buf_free(&x.text);
	ct_buf_free(&reply);
	ct_buf_free(&who);
	return st;
}

static int add_file(struct ct_tool *t, const char *path, struct ct_error *e)
{
	struct ct_buf command = {0};
	struct ct_error why = {0};
	if (ct_grow((void **)&t->plugin, &t->cap_plugins, t->n_plugins + 1, sizeof *t->plugin) < 0)
		return ct_fail_nomem(e);
	struct ct_plugin_file *f = &t->plugin[t->n_plugins++];
	*f = (struct ct_plugin_file){
		.path = ct_strndup(path, strlen(path)), .index = ct_mechanism_count()};
	ct_buf_printf(&command, "triage --plugin %s", path);
	f->command = command.data;
	if (!f->path || command.failed)
		return ct_fail_nomem(e);
	int st = read_crc(f, e);
	if (st == CT_OK)
		st = learn(t, f, e);
	if (st != CT_OK)
		return st;
	ct_plugin_text_mechanism(f->text)->command = f->command;
	st = ct_mechanisms_add(ct_plugin_text_mechanism(f->text), &why);
	return st == CT_OK ? CT_OK : ct_fail(e, st, "%s: %s", path, why.text);
}

static int add_checked(struct ct_tool *t, const char *what, const char *path, int absolute,
                       struct ct_error *e)
{
	int st = check_file(what, path, absolute, e);
	return st != CT_OK || is_listed(t, path) ? st : add_file(t, path, e);
}

int ct_plugins_load(struct ct_tool *t, struct ct_error *e)
{
	static const char variable[] = "CACHETRIAGE_PLUGINS";
	const char *list = getenv(variable);
	int st = CT_OK;
	for (size_t i = 0; i < t->n_named && st == CT_OK; i++)
		st = add_checked(t, "--plugin", t->named[i], 0, e);
	for (size_t n; list && *list && st == CT_OK; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		char *path = n ? ct_strndup(list, n) : NULL;
		if (n)
			st = path ? add_checked(t, variable, path, 1, e) : ct_fail_nomem(e);
		free(path);
	}
	return st;
}

void ct_plugins_free(struct ct_tool *t)
{
	for (size_t i = 0; i < t->n_plugins; i++) {
		free(t->plugin[i].path);
		free(t->plugin[i].command);
		ct_plugin_text_free(t->plugin[i].text);
	}
	free(t->plugin);
	free(t->named);
}

uint64_t ct_plugins_digest(const struct ct_tool *t, uint64_t crc)
{
	for (size_t i = 0; i < t->n_plugins; i++)
		crc = ct_crc64(crc, &t->plugin[i].crc, sizeof t->plugin[i].crc);
	return crc;
}

/* ---- work ---- */

struct entering {
	struct ct_tool *t;
	uint32_t mask;
};

static int enter_all(void *ctx, struct ct_error *e)
{
	const struct entering *x = ctx;
	int st = CT_OK;
	for (size_t i = 0; i < x->t->n_plugins && st == CT_OK; i++)
		if (x->mask >> x->t->plugin[i].index & 1)
			st = enter(&x->t->plugin[i], e);
	return st;
}

/* "FILE: plugin 'victim'", of several with commas between. */
static void name_all(const struct ct_tool *t, uint32_t mask, struct ct_buf *b)
{
	for (size_t i = 0; i < t->n_plugins; i++)
		if (mask >> t->plugin[i].index & 1)
			ct_buf_printf(b, "%s%s: plugin '%s'", b->len ? ", or " : "", t->plugin[i].path,
			              ct_mechanism_at(t->plugin[i].index)->name);
}

int ct_plugin_run(struct ct_tool *t, uint32_t mask, ct_plugin_work work, void *ctx, struct ct_buf *reply,
                  int *broken, struct ct_error *e)
{
	static const double usual = 3600;
	struct entering entering = {t, mask};
	struct ct_buf who = {0};
	struct end x;
	const struct errand errand = {
		enter_all, &entering, work,
		ctx,       &t->keep,  t->plugin_seconds > 0 ? t->plugin_seconds : usual};
	*broken = 0;
	int st = run_apart(&errand, &x, e);
	name_all(t, mask, &who);
	if (st == CT_OK && (st = ct_buf_check(&who, e)) == CT_OK)
		st = take_end(&x, who.data, errand.seconds, reply, broken, e);
	ct_buf_free(&x.text);
	ct_buf_free(&who);
	return st;
}

void ct_plugin_tell(struct ct_tool *t, const struct ct_error *e)
{
	ct_tool_say(t, "%s", e->text);
	t->plugin_broken = 1;
}
