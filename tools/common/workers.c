#include "common/workers.h"

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

enum { WAIT_MS = 200 };

struct worker {
	pid_t pid; /* 0: the place is free */
	int fd;
	size_t job;
	struct ct_buf reply;
};

struct pool {
	struct ct_workers *w;
	struct worker *worker;
	size_t next, left; /* the job that begins next; those that have begun or may, and are not over */
	unsigned running;
};

double ct_workers_clock(void)
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

/* A worker whose parent is killed has nobody to work for. */
static void end_with(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
	if (getppid() != parent)
		_exit(1);
}

void ct_workers_share(struct ct_tool *t, unsigned threads, unsigned places)
{
	int null = open("/dev/null", O_WRONLY);
	/* Progress of single jobs would be drawn over each other. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	t->progress = 0;
	t->verbose = 0;
	t->threads = threads;
	t->sharing = places;
	memset(&t->warnings, 0, sizeof t->warnings);
}

static void run_worker(const struct pool *p, size_t job, int fd)
{
	struct ct_buf reply = {0};
	p->w->work(p->w->ctx, job, &reply);
	int sent = reply.failed ? -1 : write_whole(fd, reply.data, reply.len);
	ct_buf_free(&reply);
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
	if (pid == 0) {
		end_with(parent);
		close(fd[0]);
		for (unsigned i = 0; i < p->w->places; i++)
			if (p->worker[i].pid)
				close(p->worker[i].fd);
		run_worker(p, p->next, fd[1]);
	}
	close(fd[1]);
	*w = (struct worker){.pid = pid, .fd = fd[0], .job = p->next};
	p->next++;
	p->running++;
	return CT_OK;
}

/* A worker that did not end well may have sent a part only. */
static void tell_end(struct pool *p, struct worker *w, int status)
{
	char why[128] = "no answer from its worker: too little memory?";
	if (WIFSIGNALED(status))
		snprintf(why, sizeof why, "its worker was ended by signal %d%s", WTERMSIG(status),
		         WTERMSIG(status) == SIGKILL   ? ": too little memory, or a limit of CPU time?"
		         : WTERMSIG(status) == SIGXCPU ? ": its CPU time is over (ulimit -t)"
		                                       : "");
	int whole = status == 0 && w->reply.len && !w->reply.failed;
	p->w->done(p->w->ctx, w->job, whole ? w->reply.data : NULL, whole ? w->reply.len : 0, why);
	ct_buf_free(&w->reply);
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
	tell_end(p, w, status);
	p->running--;
	p->left--;
	w->pid = 0;
}

/* Starts as many as there are places. With others at work, one that cannot be started may be later. */
static int start_all(struct pool *p, struct ct_error *e)
{
	int st = CT_OK;
	if (p->next < p->w->n && p->w->may_begin && !p->w->may_begin(p->w->ctx)) {
		p->left -= p->w->n - p->next;
		p->next = p->w->n;
	}
	for (unsigned i = 0; i < p->w->places && p->next < p->w->n && st == CT_OK; i++)
		if (!p->worker[i].pid)
			st = start_worker(p, &p->worker[i], e);
	return p->running ? CT_OK : st;
}

/* Waits for the workers that there are: poll refuses more places than files may be open. */
static int wait_for_some(struct pool *p, struct pollfd *fd, struct ct_error *e)
{
	nfds_t n = 0, k = 0;
	for (unsigned i = 0; i < p->w->places; i++)
		if (p->worker[i].pid)
			fd[n++] = (struct pollfd){.fd = p->worker[i].fd, .events = POLLIN};
	if (poll(fd, n, WAIT_MS) < 0)
		return errno == EINTR
		               ? CT_OK
		               : ct_fail_errno(e, CT_ERR_IO, errno, "cannot wait for the workers");
	for (unsigned i = 0; i < p->w->places; i++)
		if (p->worker[i].pid && fd[k++].revents & (POLLIN | POLLHUP | POLLERR))
			listen_to(p, &p->worker[i]);
	return CT_OK;
}

/* One of the jobs that are being worked on, or of none the number of all. */
static size_t busy_job(const struct pool *p)
{
	for (unsigned i = 0; i < p->w->places; i++)
		if (p->worker[i].pid)
			return p->worker[i].job;
	return p->w->n;
}

static void end_workers(struct pool *p)
{
	for (unsigned i = 0; i < p->w->places; i++)
		if (p->worker[i].pid) {
			kill(p->worker[i].pid, SIGTERM);
			close(p->worker[i].fd);
			while (waitpid(p->worker[i].pid, NULL, 0) < 0 && errno == EINTR)
				;
			ct_buf_free(&p->worker[i].reply);
		}
}

int ct_workers_run(struct ct_workers *w, struct ct_error *e)
{
	struct pool p = {.w = w, .left = w->n};
	struct pollfd *fd = ct_calloc(w->places, sizeof *fd);
	p.worker = ct_calloc(w->places, sizeof *p.worker);
	int st = fd && p.worker ? CT_OK : ct_fail_nomem(e);
	while (st == CT_OK && p.left) {
		st = start_all(&p, e);
		if (st == CT_OK && p.running)
			st = wait_for_some(&p, fd, e);
		if (w->wait)
			w->wait(w->ctx, busy_job(&p));
	}
	if (p.worker)
		end_workers(&p);
	free(p.worker);
	free(fd);
	return st;
}
