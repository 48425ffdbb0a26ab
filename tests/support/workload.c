#include "tests/support/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_view(struct ct_workload *w, unsigned sms, unsigned all, const struct ct_made_workload *s)
{
	struct ct_llc_view *v = &w->view[w->n_views++];
	double lines = s->lines * (1 - s->growing + s->growing * sms / all);
	memset(v, 0, sizeof *v);
	v->sms = sms;
	uint64_t n = (uint64_t)(s->requests * (1 - s->cold));
	for (int i = 0; i < 16; i++) /* spread by a tenth, as real loops are */
		ct_hist_add(&v->hist, (uint64_t)(lines * (0.9 + 0.2 * i / 15)), n / 16);
	v->hist.cold = (uint64_t)s->requests - n / 16 * 16;
	v->total = v->requests = (double)ct_hist_total(&v->hist);
	for (int i = 0; i < 4 && !s->no_sectors; i++)
		ct_hist_merge(&v->sector, &v->hist);
	v->sectors = (double)ct_hist_total(&v->sector);
}

void ct_make_workload(struct ct_workload *w, const struct ct_gpu *g, const struct ct_made_workload *s)
{
	memset(w, 0, sizeof *w);
	unsigned sms = g->sms;
	w->sms = sms;
	for (unsigned i = 1; i <= 4; i++)
		add_view(w, sms * i / 4, sms, s);
	double lines = (double)ct_gpu_llc_bytes(g) / 128;
	double miss = ct_workload_llc_misses(w, sms, lines, g->llc.ways);
	w->loads = s->requests;
	w->l1_requests = w->llc_requests = s->requests;
	w->llc_line_misses = miss;
	w->l1_sectors = w->l1_sector_misses = w->l1_read_sectors = w->l1_read_misses = 4 * s->requests;
	w->llc_sectors = w->llc_read_sectors = 4 * s->requests;
	w->llc_sector_misses = w->llc_read_misses = 4 * miss;
	w->dram_read_bytes = 128 * miss;
	double bytes_per_cycle = ct_gpu_dram_gbps(g) * 1e3 / g->core_mhz * 0.85;
	w->warp_insts = s->insts_per_load * s->requests;
	w->thread_insts = 32 * w->warp_insts;
	double issue = w->warp_insts / (sms * g->schedulers);
	double dram = w->dram_read_bytes / bytes_per_cycle;
	w->cycles = fmax(fmax(dram / s->dram_busy, issue / 0.9), 4 * s->requests / g->llc_slices / 0.8);
	w->launches = 1;
	w->mem_latency = s->latency;
	w->resident_warps = 48;
	w->active_sms = sms;
	w->warps_per_cta = 8;
	w->cta_capacity = 6 * sms;
	w->waves = 20;
	w->issue_cycles = w->warp_insts / g->schedulers;
	w->unit_cycles = w->issue_cycles;
	w->l1_cycles = s->requests;
	w->noc_request_cycles = w->noc_reply_cycles = w->llc_cycles = 4 * s->requests;
	double residency = 48.0 * sms * w->cycles / w->loads;
	w->mem_parallelism = fmax(s->latency / (0.9 * residency), 1);
	w->think = residency - s->latency / w->mem_parallelism;
	w->mem_stall = w->mem_stall_open = w->warps = NAN;
	w->l1_set_stall = w->l1_mshr_stall = NAN;
	w->noc_request_backlog = w->noc_reply_backlog = NAN;
	w->dram_backlog_cycles = w->dram_backlog_busy_cycles = NAN;
	w->compression_high = w->compression_low = w->compression_none = NAN;
	w->registers_used = 0.5;
	w->sm_fill = 20;
}

struct gp {
	struct ct_profile *p;
	int st;
};

static void add_gp(void *ctx, const char *key, const char *value, const char *unit)
{
	struct gp *g = ctx;
	if (g->st == 0)
		g->st = ct_profile_add_gp(g->p, key, value, unit, NULL);
}

static int add_views(const struct ct_workload *w, struct ct_profile *p)
{
	int st = 0;
	for (unsigned i = 0; i < w->n_views && st == 0; i++) {
		char suffix[24] = "", name[48];
		if (w->view[i].sms != w->sms)
			snprintf(suffix, sizeof suffix, "@sms=%u", w->view[i].sms);
		snprintf(name, sizeof name, "llc%s", suffix);
		st = ct_profile_add_hist(p, "all", name, &w->view[i].hist, NULL, NULL);
		snprintf(name, sizeof name, "llc_sector%s", suffix);
		if (st == 0 && w->view[i].sectors > 0)
			st = ct_profile_add_hist(p, "all", name, &w->view[i].sector, NULL, NULL);
	}
	return st;
}

int ct_workload_to_profile(const struct ct_workload *w, const struct ct_gpu *g, struct ct_profile *p)
{
	const struct {
		const char *name;
		double v;
	} sn[] =
		{
			{"warp_insts", w->warp_insts},
			{"thread_insts", w->thread_insts},
			{"cycles", w->cycles + w->launch_cycles},
			{"launch_cycles", w->launch_cycles},
			{"l1_sector_accesses", w->l1_sectors},
			{"l1_sector_misses", w->l1_sector_misses},
			{"l1_read_sector_accesses", w->l1_read_sectors},
			{"l1_read_sector_misses", w->l1_read_misses},
			{"llc_sector_accesses", w->llc_sectors},
			{"llc_sector_misses", w->llc_sector_misses},
			{"llc_read_sector_accesses", w->llc_read_sectors},
			{"llc_read_sector_misses", w->llc_read_misses},
			{"dram_read_bytes", w->dram_read_bytes},
			{"dram_write_bytes", w->dram_write_bytes},
		},
	  im[] = {
		  {"launches", w->launches},
		  {"loads", w->loads},
		  {"mem_latency_cycles", w->mem_latency},
		  {"mem_parallelism", w->mem_parallelism},
		  {"think_cycles", w->think},
		  {"resident_warps", w->resident_warps},
		  {"active_sms", w->active_sms},
		  {"warps_per_cta", w->warps_per_cta},
		  {"cta_capacity", w->cta_capacity},
		  {"waves", w->waves},
		  {"l1_requests", w->l1_requests},
		  {"llc_requests", w->llc_requests},
		  {"llc_line_misses", w->llc_line_misses},
		  {"issue_cycles", w->issue_cycles},
		  {"unit_cycles", w->unit_cycles},
		  {"l1_cycles", w->l1_cycles},
		  {"noc_request_cycles", w->noc_request_cycles},
		  {"noc_reply_cycles", w->noc_reply_cycles},
		  {"llc_cycles", w->llc_cycles},
	  };
	struct gp gp = {p, 0};
	int st = ct_gpu_each(g, add_gp, &gp, NULL);
	if (st == 0)
		st = gp.st;
	for (size_t i = 0; i < sizeof sn / sizeof sn[0] && st == 0; i++)
		st = ct_profile_add_count(p, "all", sn[i].name, (uint64_t)llround(sn[i].v), NULL,
		                          "replay", NULL);
	for (size_t i = 0; i < sizeof im / sizeof im[0] && st == 0; i++)
		st = ct_profile_add_im(p, "all", im[i].name, im[i].v, "", NULL);
	return st == 0 ? add_views(w, p) : st;
}
