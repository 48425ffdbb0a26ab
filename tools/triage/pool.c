/* pool.c - a process per input, a few at a time. A process and not a thread: whatever a
 * trace does to it (no memory, a bug), the others go on; and nothing is shared, so that
 * the output cannot depend on their number. */
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "triage/pages.h"
#include "triage/triage.h"

enum { REDRAW_MS = 200 };

struct worker {
	pid_t pid;
	int fd;
	size_t job;
	struct ct_buf reply;
};

struct pool {
	struct ct_tool *t;
	struct tr_job *job;
	size_t n, next, done, failed;
	size_t *order; /* the largest first: the last to finish is then a short one */
	struct worker *worker;
	unsigned workers, running, threads_each;
	uint64_t bytes, bytes_done;
	double start;
	int show, drawn;
};

static double now_in_seconds(void)
{
	struct timespec t;
	return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

/* ---- in the worker ---- */

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

static void reply_curves(const struct ct_profile *p, struct ct_buf *b)
{
	double curve[CT_MECHANISMS_MAX][CT_CURVE_POINTS];
	unsigned has = tr_curves(p, curve, &b->failed);
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++) {
		if (!(has >> m & 1))
			continue;
		ct_buf_printf(b, "C%u", m);
		for (int i = 0; i < CT_CURVE_POINTS; i++)
			ct_buf_printf(b, " %.3f", curve[m][i]);
		ct_buf_putc(b, '\n');
	}
}

static void reply_verdict(const struct ct_record *r, struct ct_buf *b)
{
	for (unsigned f = 1; f < r->nfields; f++)
		ct_buf_printf(b, "%c%s", f == 1 ? 'V' : '\t', r->field[f]);
	ct_buf_putc(b, '\n');
}

/* Only the verdicts and what tables draw travel; the profile itself is in --resume's folder, if anywhere.
 * 0, or -1 when not all of it could be sent. */
static int send_reply(int fd, int st, int kept, const char *name, const struct ct_profile *p,
                      const struct ct_buf *warnings, struct ct_error *e)
{
	struct ct_buf b = {0};
	const struct ct_record *r;
	name = st < 0 ? "" : name;
	for (char *c = e->text; *c; c++) /* of a path; lines are the form of the reply */
		*c = *c == '\n' ? '?' : *c;
	/* its length too: a name may hold anything */
	ct_buf_printf(&b, "%d %d %zu\n%s\n", st, kept, strlen(name), name);
	if (st < 0)
		ct_buf_printf(&b, "E%s\n", e->text);
	for (size_t i = 0; st >= 0 && (r = ct_profile_next(p, "TV", &i));)
		if (strcmp(r->field[0], name) == 0)
			reply_verdict(r, &b);
	if (st >= 0)
		reply_curves(p, &b);
	if (warnings->len)
		ct_buf_printf(&b, "W%s", warnings->data);
	int sent = b.failed ? -1 : write_whole(fd, b.data, b.len);
	ct_buf_free(&b);
	return sent;
}

/* A worker whose parent is killed has nobody to work for. */
static void end_with(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
	if (getppid() != parent)
		_exit(1);
}

static void run_worker(struct pool *p, size_t job, int fd)
{
	struct ct_error e = {0};
	struct ct_profile *profile = NULL;
	char name[CT_WORKLOAD_NAME_MAX] = "";
	int kept = 0, null = open("/dev/null", O_WRONLY);
	/* Progress of single traces would be drawn over each other. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	p->t->progress = 0;
	p->t->verbose = 0;
	p->t->threads = p->threads_each;
	p->t->sharing = p->workers;
	memset(&p->t->warnings, 0, sizeof p->t->warnings);
	tr_large_pages();
	int st = tr_job_run(p->t, p->job[job].path, &profile, name, &kept, &e);
	int sent = send_reply(fd, st, kept, name, profile, &p->t->warnings, &e);
	ct_profile_free(profile);
	_exit(sent == 0 ? 0 : 1);
}

/* ---- in the parent ---- */

static int start_worker(struct pool *p, struct worker *w, struct ct_error *e)
{
	int fd[2];
	if (pipe(fd) < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "cannot start a worker");
	fflush(NULL);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0) {
		close(fd[0]);
		close(fd[1]);
		return ct_fail_errno(e, CT_ERR_IO, errno, "cannot start a worker");
	}
	size_t job = p->order[p->next];
	if (pid == 0) {
		end_with(parent);
		close(fd[0]);
		for (unsigned i = 0; i < p->workers; i++)
			if (p->worker[i].pid)
				close(p->worker[i].fd);
		run_worker(p, job, fd[1]);
	}
	close(fd[1]);
	*w = (struct worker){.pid = pid, .fd = fd[0], .job = job};
	p->next++;
	p->running++;
	return CT_OK;
}

/* The text up to the end of the line; *s moves behind it. */
static char *next_line(char **s)
{
	char *begin = *s, *nl = strchr(begin, '\n');
	if (!nl)
		return NULL;
	*nl = '\0';
	*s = nl + 1;
	return begin;
}

static void take_record(struct tr_job *j, const struct ct_record *r)
{
	struct ct_verdict v;
	int m = ct_verdict_read(r, &v);
	if (m >= 0) {
		j->v[m] = v;
		j->has |= 1u << m;
	}
}

static void take_verdict(struct tr_job *j, char *text)
{
	const char *f[CT_RECORD_FIELDS_MAX] = {""};
	unsigned n = 1;
	for (char *s = text; s && n < CT_RECORD_FIELDS_MAX; n++) {
		f[n] = s;
		if ((s = strchr(s, '\t')))
			*s++ = '\0';
	}
	take_record(j, &(struct ct_record){.type = "TV", .nfields = n, .field = f});
}

static void take_curve(struct tr_job *j, char *text)
{
	unsigned m = (unsigned)strtoul(text, &text, 10);
	if (m >= CT_MECHANISMS_MAX)
		return;
	for (int i = 0; i < CT_CURVE_POINTS; i++)
		j->curve[m][i] = strtod(text, &text);
	j->has_curve |= 1u << m;
}

static void take_reply(struct tr_job *j, struct ct_buf *b, int wait_status)
{
	char message[128] = "no answer from its worker: too little memory?";
	char *s = b->data, *head = NULL, *l;
	j->status = CT_ERR_IO;
	if (WIFSIGNALED(wait_status))
		snprintf(message, sizeof message,
		         "its worker was ended by signal %d: too little memory?", WTERMSIG(wait_status));
	size_t n = 0;
	if (b->len && !b->failed && (head = next_line(&s))) {
		j->status = (int)strtol(head, &head, 10);
		j->kept = strtol(head, &head, 10) != 0;
		n = strtoul(head, NULL, 10);
	}
	/* A worker that did not end well may have sent a part only. */
	if (wait_status != 0 || !b->len || b->failed || !head || n >= sizeof j->name ||
	    (size_t)(b->data + b->len - s) <= n) {
		j->status = CT_ERR_IO;
		j->error = ct_strndup(message, strlen(message));
		return;
	}
	memcpy(j->name, s, n);
	j->name[n] = '\0';
	s += n + 1;
	while (*s && *s != 'W' && (l = next_line(&s))) {
		if (*l == 'E')
			j->error = ct_strndup(l + 1, strlen(l + 1));
		else if (*l == 'C')
			take_curve(j, l + 1);
		else
			take_verdict(j, l + 1);
	}
	if (*s == 'W' && !(j->warnings = ct_strndup(s + 1, strlen(s + 1)))) {
		j->status = CT_ERR_NOMEM; /* without them it would look better than it is */
		j->has = 0;
	}
}

/* Takes what the worker has written; at its end, its result. */
static void listen_to(struct pool *p, struct worker *w)
{
	char block[4096];
	int status = 0;
	ssize_t n = read(w->fd, block, sizeof block);
	if (n < 0 && errno == EINTR)
		return;
	if (n > 0) {
		ct_buf_add(&w->reply, block, (size_t)n);
		return;
	}
	if (n < 0)
		w->reply.failed = 1;
	close(w->fd);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	take_reply(&p->job[w->job], &w->reply, status);
	/* What an earlier run left in a profile was not judged now. */
	if (((const struct tr_own *)p->t->own)->mechanisms)
		p->job[w->job].has &= ((const struct tr_own *)p->t->own)->mechanisms;
	ct_buf_free(&w->reply);
	p->done++;
	p->running--;
	p->failed += p->job[w->job].status < 0;
	p->bytes_done += p->job[w->job].bytes;
	w->pid = 0;
}

/* One of those that are being worked on. */
static const char *current(const struct pool *p)
{
	size_t job = p->n;
	for (unsigned i = 0; i < p->workers; i++)
		if (p->worker[i].pid && job == p->n)
			job = p->worker[i].job;
	return job < p->n ? p->job[job].path : "";
}

static void draw_progress(struct pool *p)
{
	const char *name = current(p);
	double took = now_in_seconds() - p->start;
	char eta[32] = "";
	if (!p->show)
		return;
	if (p->bytes_done > 0 && took > 0.5) {
		unsigned left = (unsigned)(took * (double)(p->bytes - p->bytes_done) /
		                           (double)p->bytes_done);
		snprintf(eta, sizeof eta, ", ETA %u:%02u", left / 60, left % 60);
	}
	fprintf(stderr, "\r%s: %zu of %zu, %zu failed, %.1f MB/s%s, now %-30.30s", p->t->spec->name,
	        p->done, p->n, p->failed, took > 0 ? (double)p->bytes_done * 1e-6 / took : 0, eta, name);
	p->drawn = 1;
}

/* Starts as many as there are places. With others at work, one that cannot be started may be later. */
static int start_all(struct pool *p, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned i = 0; i < p->workers && p->next < p->n && st == CT_OK; i++)
		if (!p->worker[i].pid)
			st = start_worker(p, &p->worker[i], e);
	return p->running ? CT_OK : st;
}

/* Waits for the workers that there are: poll refuses more places than files may be open. */
static int wait_for_some(struct pool *p, struct pollfd *fd, struct ct_error *e)
{
	nfds_t n = 0, k = 0;
	for (unsigned i = 0; i < p->workers; i++)
		if (p->worker[i].pid)
			fd[n++] = (struct pollfd){.fd = p->worker[i].fd, .events = POLLIN};
	if (poll(fd, n, REDRAW_MS) < 0)
		return errno == EINTR
		               ? CT_OK
		               : ct_fail_errno(e, CT_ERR_IO, errno, "cannot wait for the workers");
	for (unsigned i = 0; i < p->workers; i++)
		if (p->worker[i].pid && fd[k++].revents & (POLLIN | POLLHUP | POLLERR))
			listen_to(p, &p->worker[i]);
	return CT_OK;
}

static void end_workers(struct pool *p)
{
	for (unsigned i = 0; i < p->workers; i++)
		if (p->worker[i].pid) {
			kill(p->worker[i].pid, SIGTERM);
			close(p->worker[i].fd);
			while (waitpid(p->worker[i].pid, NULL, 0) < 0 && errno == EINTR)
				;
			ct_buf_free(&p->worker[i].reply);
		}
}

static int feed_workers(struct pool *p, struct ct_error *e)
{
	struct pollfd *fd = ct_calloc(p->workers, sizeof *fd);
	int st = fd ? CT_OK : ct_fail_nomem(e);
	while (st == CT_OK && p->done < p->n) {
		st = start_all(p, e);
		if (st == CT_OK)
			st = wait_for_some(p, fd, e);
		draw_progress(p);
	}
	end_workers(p);
	free(fd);
	return st;
}

static const struct tr_job *sizes;

static int larger_first(const void *a, const void *b)
{
	const struct tr_job *x = &sizes[*(const size_t *)a], *y = &sizes[*(const size_t *)b];
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x < y ? -1 : x > y;
}

int tr_pool(struct ct_tool *t, struct tr_job *job, size_t n, struct ct_error *e)
{
	struct pool p = {.t = t, .job = job, .n = n, .start = now_in_seconds()};
	p.workers = t->threads > n ? (unsigned)n : t->threads;
	p.threads_each = t->threads / (p.workers ? p.workers : 1);
	p.show = !t->quiet && (t->progress || isatty(STDERR_FILENO));
	p.order = ct_calloc(n, sizeof *p.order);
	p.worker = ct_calloc(p.workers, sizeof *p.worker);
	int st = p.order && p.worker ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		p.order[i] = i;
		p.bytes += job[i].bytes = tr_input_bytes(job[i].path);
	}
	if (st == CT_OK) {
		sizes = job;
		qsort(p.order, n, sizeof *p.order, larger_first);
		st = feed_workers(&p, e);
	}
	if (p.drawn)
		fprintf(stderr, "\r%100s\r", "");
	if (t->verbose && st == CT_OK)
		fprintf(stderr, "%s: %zu inputs, %zu failed, in %.1f s\n", t->spec->name, n, p.failed,
		        now_in_seconds() - p.start);
	free(p.order);
	free(p.worker);
	return st;
}

int tr_whole(const struct ct_tool *t, size_t n)
{
	const struct tr_own *o = t->own;
	return n == 1 && t->output == CT_OUTPUT_PROFILE && !o->shards && !o->join && !o->only &&
	       !o->mechanisms && !(o->min_speedup > 0);
}

int tr_alone(struct ct_tool *t, struct tr_job *job, struct ct_error *e)
{
	struct ct_error own = {0};
	job->status = tr_job_run(t, job->path, &job->whole, job->name, &job->kept, &own);
	if (job->status == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	if (job->status < 0)
		job->error = ct_strndup(own.text, strlen(own.text));
	const struct ct_record *r;
	for (size_t i = 0; job->whole && (r = ct_profile_next(job->whole, "TV", &i));)
		if (strcmp(r->field[0], job->name) == 0)
			take_record(job, r);
	return CT_OK;
}
