/* Divergence of every kind: if/else in a loop of lane-dependent length, a break, a function that
 * is called and returns early, a private array, gathers. */
#include "host.h"

static const char source[] =
	"int step_of(int v) __attribute__((noinline));\n"
	"int step_of(int v) { if (v % 3 == 0) return 1; for (int i = 0; i < v % 5; i++) v ^= v << 1; return (v & 7) | 1; }\n"
	"kernel void walk(global const int *next, global int *out, int n)\n"
	"{\n"
	"  int id = get_global_id(0), at = id % n, sum = 0;\n"
	"  int seen[8];\n"
	"  for (int i = 0; i < 8; i++) seen[i] = i * id;\n"
	"  for (int i = 0; i < id % 32; i++) {\n"
	"    at = next[at];\n"
	"    if (id & 1) sum += step_of(at); else { sum ^= seen[at & 7]; seen[sum & 7] = at; }\n"
	"    if (at == 5) break;\n"
	"  }\n"
	"  out[id] = sum;\n"
	"}\n";

enum { N = 256, ITEMS = 128 };

static int step_of(int v)
{
	if (v % 3 == 0)
		return 1;
	for (int i = 0, n = v; i < n % 5; i++) {
		v ^= (int)((unsigned)v << 1);
		n = v;
	}
	return (v & 7) | 1;
}

static int walk(const cl_int *next, int id)
{
	int at = id % N, sum = 0, seen[8];
	for (int i = 0; i < 8; i++)
		seen[i] = i * id;
	for (int i = 0; i < id % 32; i++) {
		at = next[at];
		if (id & 1) {
			sum += step_of(at);
		} else {
			sum ^= seen[at & 7];
			seen[sum & 7] = at;
		}
		if (at == 5)
			break;
	}
	return sum;
}

int main(void)
{
	cl_int next[N], out[ITEMS], n = N;
	for (int i = 0; i < N; i++)
		next[i] = (i * 37 + 11) % N;
	struct cl c = cl_open(source);
	cl_mem mn = cl_buffer(&c, sizeof next, next), mo = cl_buffer(&c, sizeof out, NULL);
	cl_kernel k = cl_kernel_of(&c, "walk");
	clSetKernelArg(k, 0, sizeof mn, &mn);
	clSetKernelArg(k, 1, sizeof mo, &mo);
	clSetKernelArg(k, 2, sizeof n, &n);
	cl_run(&c, k, ITEMS, 64);
	cl_read(&c, mo, sizeof out, out);
	clReleaseKernel(k);
	clReleaseMemObject(mn);
	clReleaseMemObject(mo);
	cl_close(&c);
	for (int i = 0; i < ITEMS; i++)
		if (out[i] != walk(next, i)) {
			printf("item %d: %d, expected %d\n", i, (int)out[i], walk(next, i));
			return 1;
		}
	printf("walk is right\n");
	return 0;
}
