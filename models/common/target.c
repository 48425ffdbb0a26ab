#include "models/common/target.h"

#include <math.h>

/* Peak of a channel in bytes per core cycle, times the channels. */
static double dram_peak(const struct ct_gpu *g)
{
	return ct_gpu_dram_gbps(g) * 1e3 / g->core_mhz;
}

/* Traffic of a run; cycles of resources are summed over their servers. */
struct traffic {
	double l1_cycles, request_packets, reply_packets, llc_sectors, dram_bytes;
};

static void fill_utilisations(const struct ct_workload *w, const struct ct_gpu *g,
                              const struct traffic *x, struct ct_target *t)
{
	double run = t->cycles, noc = g->noc_mhz / g->core_mhz, llc = g->llc_mhz / g->core_mhz;
	t->issue = w->warp_insts / (run * g->sms * g->schedulers);
	t->l1 = x->l1_cycles / (run * g->sms);
	t->noc_request = x->request_packets / (run * ct_gpu_request_ports(g) * noc);
	t->noc_reply = x->reply_packets / (run * ct_gpu_reply_ports(g) * noc);
	t->llc = x->llc_sectors / (run * g->llc_slices * llc);
	t->dram = x->dram_bytes / (run * dram_peak(g));
	t->llc_sectors = x->llc_sectors;
	t->ipc = w->thread_insts / (run + w->launch_cycles);
}

void ct_target_replay(const struct ct_workload *w, const struct ct_gpu *g, struct ct_target *t)
{
	const struct traffic x = {w->l1_cycles, w->noc_request_cycles, w->noc_reply_cycles,
	                          w->llc_sectors, w->dram_read_bytes + w->dram_write_bytes};
	t->cycles = w->cycles;
	t->llc_miss_rate = w->llc_sectors > 0 ? w->llc_sector_misses / w->llc_sectors : NAN;
	fill_utilisations(w, g, &x, t);
}

static double cycles_of(const struct ct_perf *m, const struct ct_gpu *g,
                        const struct ct_target_filter *f, struct ct_perf_point *pt)
{
	struct ct_perf other = *m;
	struct ct_perf_result r;
	ct_perf_conventional(m, g, g->sms, ct_gpu_llc_lines(g), pt);
	if (f->reads != 1 || f->traffic != 1)
		ct_perf_filter_l1(pt, f->reads, f->traffic);
	other.t_l1 += (double)g->l1_latency - (double)m->gpu.l1_latency;
	ct_perf_eval(&other, pt, &r);
	return r.cycles > 0 ? r.cycles : NAN;
}

void ct_target_model(const struct ct_perf *m, const struct ct_gpu *g, const struct ct_target_filter *f,
                     int anchored, struct ct_target *t)
{
	static const struct ct_target_filter same = {1, 1};
	const struct ct_workload *w = m->w;
	struct ct_perf_point was, is;
	struct ct_llc_misses old, new;
	double before = cycles_of(m, &m->gpu, &same, &was);
	double after = cycles_of(m, g, f, &is);
	t->cycles = anchored ? w->cycles * (after / before) : after;
	ct_llc_misses(&m->llc, w, w->sms, ct_gpu_llc_lines(&m->gpu), m->gpu.llc.ways, 0, &old);
	ct_llc_misses(&m->llc, w, g->sms, ct_gpu_llc_lines(g), g->llc.ways, 0, &new);
	/* Where an L1 lets more pass, the LLC's misses stay (doc/models.md section 3). */
	double misses = old.sectors > 0 ? w->llc_sector_misses * new.sectors / old.sectors : 0;
	t->llc_miss_rate = is.llc_sectors > 0 ? fmin(misses / is.llc_sectors, 1) : NAN;
	const struct traffic x = {w->l1_cycles, is.request_packets, is.reply_packets, is.llc_sectors,
	                          is.dram_bytes};
	fill_utilisations(w, g, &x, t);
}
