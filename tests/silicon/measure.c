/* Counters of each launch of a trace, as Nsight Compute names them: one line a launch.
 *     measure GPU LAUNCHES TRACE [KEY=VALUE...]
 * Every launch begins with empty caches, as it does under Nsight Compute. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "replay/replay.h"
#include "trace/trace.h"

/* Warp instructions that load from global memory and that store to it, with at least one lane. */
struct requests {
	uint64_t loads, stores;
};

static void on_issue(void *ctx, const struct ct_issue_event *ev)
{
	struct requests *q = ctx;
	const struct ct_sinst *s = ev->sinst;
	if (s->space != CT_SPACE_GLOBAL || !s->width_field || !ev->inst->mask)
		return;
	q->loads += s->access == CT_ACCESS_LOAD;
	q->stores += s->access == CT_ACCESS_STORE;
}

static double percent(uint64_t of, uint64_t all)
{
	return all ? 100.0 * (double)of / (double)all : 0;
}

static const char columns[] =
	"launch\tkernel\tl1_hit\tl1_hit_read\tl2_hit\tsm_active_cycles\tgpu_cycles\twarp_insts\tgld_req\tgst_req\t"
	"gld_sectors\tgst_sectors\tl2_read_sectors\tl2_write_sectors\tdram_sectors";

static void print_launch(const struct ct_kernel *k, const struct ct_gpu *g,
                         const struct ct_replay_counts *c, const struct requests *q)
{
	const uint64_t reads = c->l1_read_accesses, hits = reads - c->l1_read_misses;
	const uint64_t counts[] = {
		c->cycles,
		c->warp_insts,
		q->loads,
		q->stores,
		reads,
		c->l1_accesses - reads,
		c->llc_read_accesses,
		c->llc_accesses - c->llc_read_accesses,
		(c->dram_read_bytes + c->dram_write_bytes) / 32,
	};
	printf("%u\t%s\t%.4f\t%.4f\t%.4f\t%.1f", k->id - 1, k->name,
	       percent(hits + c->l1_store_line_hits, c->l1_accesses), percent(hits, reads),
	       percent(c->llc_accesses - c->llc_read_misses, c->llc_accesses),
	       (double)c->busy_sm_cycles / g->sms);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		printf("\t%llu", (unsigned long long)counts[i]);
	putchar('\n');
	fflush(stdout);
}

/* One launch, of which the event is the begin. */
static int replay_launch(struct ct_replay *r, struct ct_trace *t, const struct ct_kernel *k,
                         struct ct_replay_counts *c, struct ct_error *e)
{
	struct ct_cta *cta;
	int st = ct_replay_kernel_begin(r, k, e), more;
	while (st >= 0 && (more = ct_trace_next_cta(t, &cta, e)) != 0) {
		if (more < 0)
			return more;
		st = ct_replay_push_cta(r, cta, e);
		ct_cta_unref(cta);
	}
	return st < 0 ? st : ct_replay_kernel_end(r, c, e);
}

static int measure(const char *path, const struct ct_gpu *g, int launches, struct ct_error *e)
{
	struct requests q = {0, 0};
	const struct ct_replay_observer watch = {.ctx = &q, .issue = on_issue};
	const struct ct_replay_options o = {
		.timing = CT_REPLAY_FULL, .observers = &watch, .n_observers = 1};
	struct ct_replay_counts c;
	struct ct_replay *r = NULL;
	struct ct_trace *t = NULL;
	struct ct_event v;
	int st = ct_trace_open(&t, path, NULL, e);
	if (st >= 0)
		st = ct_replay_new(&r, g, &o, e);
	while (st >= 0 && launches > 0 && (st = ct_trace_next(t, &v, e)) > 0) {
		if (v.kind != CT_EVENT_KERNEL)
			continue;
		launches--;
		q = (struct requests){0, 0};
		st = replay_launch(r, t, v.kernel, &c, e);
		if (st >= 0)
			print_launch(v.kernel, g, &c, &q);
	}
	ct_replay_free(r);
	ct_trace_close(t);
	return st;
}

int main(int argc, char **argv)
{
	struct ct_error e = {0};
	struct ct_gpu g;
	if (argc < 4) {
		fputs("usage: measure GPU LAUNCHES TRACE [KEY=VALUE...]\n", stderr);
		return 2;
	}
	int st = ct_gpu_load(&g, argv[1], "data", NULL, &e);
	for (int i = 4; i < argc && st >= 0; i++)
		st = ct_gpu_set(&g, argv[i], &e);
	if (st >= 0)
		st = ct_gpu_set(&g, "llc.flush=on", &e);
	if (st >= 0)
		st = ct_gpu_check(&g, &e);
	if (st >= 0) {
		puts(columns);
		st = measure(argv[3], &g, atoi(argv[2]), &e);
	}
	if (st < 0)
		fprintf(stderr, "measure: %s: %s\n", argv[3], e.text);
	return st < 0 ? 2 : 0;
}
