/* Speed of the profile document: a million records read, written, looked up. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/hash.h"
#include "profile/profile.h"

enum { SCOPES = 2000, BINS = 450, METRICS = 50, ROUNDS = 5 };

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_bytes(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return 1024.0 * (double)u.ru_maxrss;
}

/* Per-kernel scopes with a histogram and some numbers each. */
static struct ct_profile *make(void)
{
	struct ct_profile *p = ct_profile_new(NULL);
	uint64_t seed = 1;
	for (int s = 0; p && s < SCOPES; s++) {
		struct ct_hist h = {{0}, 0};
		char scope[32], metric[32];
		snprintf(scope, sizeof scope, "kernel:%d", s + 1);
		for (int b = 0; b < BINS; b++)
			h.count[b] = 1 + ct_rand64(&seed) % 100000;
		int st = ct_profile_add_hist(p, scope, "l1", &h, NULL, NULL);
		for (int m = 0; m < METRICS && st == 0; m++) {
			snprintf(metric, sizeof metric, "metric_%d", m);
			st = ct_profile_add_count(p, scope, metric, ct_rand64(&seed), "", "replay",
			                          NULL);
		}
		if (st != 0)
			exit(1);
	}
	return p;
}

static void look_up(const struct ct_profile *p)
{
	double best = 0, sum = 0;
	uint64_t seed = 2;
	for (int round = 0; round < ROUNDS; round++) {
		double begin = cpu_seconds();
		for (int i = 0; i < 200000; i++) {
			char scope[32], metric[32];
			double v = 0;
			snprintf(scope, sizeof scope, "kernel:%d", (int)(1 + ct_rand64(&seed) % SCOPES));
			snprintf(metric, sizeof metric, "metric_%d", (int)(ct_rand64(&seed) % METRICS));
			ct_profile_get(p, scope, metric, &v);
			sum += v;
		}
		double rate = 0.2 / (cpu_seconds() - begin);
		best = rate > best ? rate : best;
	}
	printf("profile\tget\tspeed\t%.4g\tM/s\n", sum > 0 ? best : 0);
}

int main(void)
{
	struct ct_profile *p = make(), *q;
	struct ct_buf b = {0}, j = {0};
	double read = 0, write = 0, json = 0, before;
	if (!p || ct_profile_write(p, &b, NULL) != CT_OK)
		return 1;
	double records = (double)ct_profile_count(p) / 1e6;
	look_up(p);
	ct_profile_free(p);
	before = peak_bytes();
	for (int round = 0; round < ROUNDS; round++) {
		double begin = cpu_seconds();
		if (ct_profile_read_memory(&q, "bench", b.data, b.len, 1, NULL) != CT_OK)
			return 1;
		double middle = cpu_seconds();
		ct_buf_reset(&j);
		if (ct_profile_write(q, &j, NULL) != CT_OK)
			return 1;
		double end = cpu_seconds();
		ct_buf_reset(&j);
		if (ct_profile_write_json(q, &j, NULL) != CT_OK)
			return 1;
		double last = cpu_seconds();
		read = records / (middle - begin) > read ? records / (middle - begin) : read;
		write = records / (end - middle) > write ? records / (end - middle) : write;
		json = records / (last - end) > json ? records / (last - end) : json;
		ct_profile_free(q);
	}
	printf("profile\tread\tspeed\t%.4g\tM records/s\n", read);
	printf("profile\twrite\tspeed\t%.4g\tM records/s\n", write);
	printf("profile\tjson\tspeed\t%.4g\tM records/s\n", json);
	printf("profile\tdocument\tsize\t%.4g\tbytes/record\n", (double)b.len / (records * 1e6));
	printf("profile\tprocess\tpeak\t%.4g\tbytes/record\n", before / (records * 1e6));
	ct_buf_free(&b);
	ct_buf_free(&j);
	return 0;
}
