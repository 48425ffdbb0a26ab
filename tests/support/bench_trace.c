#include "tests/support/bench_trace.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/replay_trace.h"

static int run_tool(const char *tool, char *const argv[])
{
	const char *bin = getenv("CT_BIN");
	char path[4096];
	int status;
	snprintf(path, sizeof path, "%s/%s", bin ? bin : "build/bin", tool);
	pid_t pid = fork();
	if (pid == 0) {
		execv(path, argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0) {
		fprintf(stderr, "bench: %s failed\n", path);
		return -1;
	}
	return 0;
}

int bench_trace_make(const char *dir, const char *workload, const char *size, char *text, char *packed,
                     size_t room)
{
	char w[64], s[16],
		o[] = "-o", q[] = "-q", z[] = "--size", gen[] = "tracegen", cat[] = "tracecat";
	snprintf(w, sizeof w, "%s", workload);
	snprintf(s, sizeof s, "%s", size);
	if (snprintf(text, room, "%s/%s", dir, workload) >= (int)room ||
	    snprintf(packed, room, "%s/%s.ctz", dir, workload) >= (int)room)
		return -1;
	char *const make[] = {gen, q, w, z, s, o, text, NULL};
	char *const pack[] = {cat, q, text, o, packed, NULL};
	return run_tool("tracegen", make) < 0 || run_tool("tracecat", pack) < 0 ? -1 : 0;
}

int bench_trace_replay(const char *path, const struct ct_gpu *g, const struct ct_replay_options *o,
                       uint64_t *insts, struct ct_error *e)
{
	struct ct_replay *r;
	struct ct_trace *t;
	int st = ct_replay_new(&r, g, o, e);
	if (st < 0)
		return st;
	st = ct_trace_open(&t, path, NULL, e);
	if (st == CT_OK) {
		st = replay_trace(r, t, e);
		*insts = ct_trace_stats(t)->warp_insts;
		ct_trace_close(t);
	}
	ct_replay_free(r);
	return st;
}

static int decode_cta(struct ct_cursor **c, struct ct_cta *cta, struct ct_error *e)
{
	struct ct_inst inst;
	int st = 0;
	for (uint32_t i = 0; i < ct_cta_warps(cta) && st >= 0; i++) {
		st = *c ? ct_cursor_reset(*c, cta, i, e) : ct_cursor_open(c, cta, i, e);
		while (st >= 0 && (st = ct_cursor_next(*c, &inst, e)) > 0)
			;
	}
	return st;
}

int bench_trace_read(const char *path, int decode, uint64_t *insts, struct ct_error *e)
{
	struct ct_cursor *c = NULL;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	int st = ct_trace_open(&t, path, NULL, e);
	if (st < 0)
		return st;
	while ((st = ct_trace_next(t, &ev, e)) > 0)
		while ((st = ct_trace_next_cta(t, &cta, e)) > 0) {
			st = decode ? decode_cta(&c, cta, e) : 0;
			ct_cta_unref(cta);
			if (st < 0)
				break;
		}
	*insts = ct_trace_stats(t)->warp_insts;
	ct_cursor_close(c);
	ct_trace_close(t);
	return st;
}

uint64_t bench_trace_bytes(const char *path)
{
	struct stat s;
	if (stat(path, &s) < 0)
		return 0;
	if (!S_ISDIR(s.st_mode))
		return (uint64_t)s.st_size;
	uint64_t sum = 0;
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));) {
		char file[8192];
		snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			sum += bench_trace_bytes(file);
	}
	if (d)
		closedir(d);
	return sum;
}
