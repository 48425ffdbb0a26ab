/* k-means by the algorithm of Rodinia's kmeans, at the size of tracegen's small workload: a transposition of
 * the features, then three rounds of nearest centre; the host moves the centres. */
#include "host.h"

static const char source[] =
	"kernel void swap_features(global const float *in, global float *out, int n, int features)\n"
	"{ int i = get_global_id(0); if (i >= n) return;\n"
	"  for (int f = 0; f < features; f++) out[f * n + i] = in[i * features + f]; }\n"
	"kernel void nearest(global const float *x, global const float *centre, global int *member, int n, int features,\n"
	"                    int clusters)\n"
	"{ int i = get_global_id(0), index = 0; float best = 3.4e38f; if (i >= n) return;\n"
	"  for (int c = 0; c < clusters; c++) {\n"
	"    float sum = 0;\n"
	"    for (int f = 0; f < features; f++) { float d = x[f * n + i] - centre[c * features + f]; sum += d * d; }\n"
	"    if (sum < best) { best = sum; index = c; }\n"
	"  }\n"
	"  member[i] = index; }\n";

enum { N = 3011, FEATURES = 34, CLUSTERS = 5, LOCAL = 256, ROUNDS = 3 };

static float x[N * FEATURES], centre[CLUSTERS * FEATURES];
static cl_int member[N];

static void move_centres(void)
{
	static double sum[CLUSTERS * FEATURES];
	int size[CLUSTERS] = {0};
	for (int j = 0; j < CLUSTERS * FEATURES; j++)
		sum[j] = 0;
	for (int i = 0; i < N; i++) {
		size[member[i]]++;
		for (int f = 0; f < FEATURES; f++)
			sum[member[i] * FEATURES + f] += x[i * FEATURES + f];
	}
	for (int j = 0; j < CLUSTERS * FEATURES; j++)
		if (size[j / FEATURES])
			centre[j] = (float)(sum[j] / size[j / FEATURES]);
}

static void rounds(struct cl *c, cl_kernel k, cl_mem mc, cl_mem mm)
{
	size_t global = (N + LOCAL - 1) / LOCAL * LOCAL;
	for (int round = 0; round < ROUNDS; round++) {
		need(clEnqueueWriteBuffer(c->queue, mc, CL_TRUE, 0, sizeof centre, centre, 0, NULL,
		                          NULL),
		     "write");
		cl_run(c, k, global, LOCAL);
		cl_read(c, mm, sizeof member, member);
		move_centres();
	}
}

int main(void)
{
	cl_int n = N, features = FEATURES, clusters = CLUSTERS;
	srand(1);
	for (int i = 0; i < N; i++)
		for (int f = 0, home = rand() % CLUSTERS; f < FEATURES; f++)
			x[i * FEATURES + f] = (float)((home + f) % CLUSTERS) +
			                      (float)(rand() % 4001 - 2000) / 1000;
	for (int j = 0; j < CLUSTERS * FEATURES; j++)
		centre[j] = x[j];
	struct cl c = cl_open(source);
	cl_mem mx = cl_buffer(&c, sizeof x, x), ms = cl_buffer(&c, sizeof x, NULL);
	cl_mem mc = cl_buffer(&c, sizeof centre, centre), mm = cl_buffer(&c, sizeof member, NULL);
	cl_kernel swap = cl_kernel_of(&c, "swap_features"), k = cl_kernel_of(&c, "nearest");
	clSetKernelArg(swap, 0, sizeof mx, &mx);
	clSetKernelArg(swap, 1, sizeof ms, &ms);
	clSetKernelArg(swap, 2, sizeof n, &n);
	clSetKernelArg(swap, 3, sizeof features, &features);
	clSetKernelArg(k, 0, sizeof ms, &ms);
	clSetKernelArg(k, 1, sizeof mc, &mc);
	clSetKernelArg(k, 2, sizeof mm, &mm);
	clSetKernelArg(k, 3, sizeof n, &n);
	clSetKernelArg(k, 4, sizeof features, &features);
	clSetKernelArg(k, 5, sizeof clusters, &clusters);
	cl_run(&c, swap, (N + LOCAL - 1) / LOCAL * LOCAL, LOCAL);
	rounds(&c, k, mc, mm);
	cl_close(&c);
	for (int i = 0; i < N; i++)
		if (member[i] < 0 || member[i] >= CLUSTERS)
			return 1;
	return 0;
}
