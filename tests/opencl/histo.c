/* A saturating histogram by the algorithm of Parboil's histo, at the size of tracegen's small workload: the
 * input's range, values to bins, counts of the busy bins in local memory and of the others in
 * global memory, saturation. */
#include "host.h"

static const char source[] =
	"kernel void prescan(global const uint *in, int n, global uint *range, local uint *t)\n"
	"{ int l = get_local_id(0); uint lo = 0xffffffff, hi = 0;\n"
	"  for (int i = get_global_id(0); i < n; i += get_global_size(0)) { lo = min(lo, in[i]); hi = max(hi, in[i]); }\n"
	"  t[l] = lo; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int s = get_local_size(0) / 2; s > 0; s /= 2) { if (l < s) t[l] = min(t[l], t[l + s]); barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"  if (l == 0) atomic_min(range, t[0]);\n"
	"  barrier(CLK_LOCAL_MEM_FENCE); t[l] = hi; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int s = get_local_size(0) / 2; s > 0; s /= 2) { if (l < s) t[l] = max(t[l], t[l + s]); barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"  if (l == 0) atomic_max(range + 1, t[0]); }\n"
	"kernel void intermediates(global const uint *in, int n, global uint *map)\n"
	"{ int i = get_global_id(0); if (i < n) map[i] = in[i] >> 12 << 16 | (in[i] & 4095); }\n"
	"kernel void count(global const uint *map, int n, global uint *counts, uint first, uint busy, int strip, local uint *t)\n"
	"{ int l = get_local_id(0); uint g = get_group_id(0), mine = g % busy + first; int from = g / busy * strip;\n"
	"  for (int b = l; b < 4096; b += get_local_size(0)) t[b] = 0;\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int i = from + l; i < min(from + strip, n); i += get_local_size(0)) {\n"
	"    uint slice = map[i] >> 16, bin = map[i] & 0xffff;\n"
	"    if (slice == mine) atomic_inc(t + bin);\n"
	"    else if (slice - first >= busy && g % busy == 0) atomic_inc(counts + (slice << 12) + bin); }\n"
	"  barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (int b = l; b < 4096; b += get_local_size(0)) if (t[b]) atomic_add(counts + (mine << 12) + b, t[b]); }\n"
	"kernel void saturate(global const uint4 *counts, global uchar4 *bytes, int n4)\n"
	"{ int i = get_global_id(0); if (i < n4) bytes[i] = convert_uchar4(min(counts[i], (uint4)(255))); }\n";

enum {
	N = 40000,
	WIDTH = 996,
	HEIGHT = 1024,
	BINS = WIDTH * HEIGHT,
	LOCAL = 512,
	STRIPS = 32,
	BUSY = 6
};

static cl_uint in[N], want[BINS];
static unsigned char bytes[BINS];

static void draw(void)
{
	srand(1);
	for (int i = 0; i < N; i++) {
		int row = 0, column = rand() % WIDTH;
		for (int k = 0; k < 8; k++)
			row += rand() % (HEIGHT / 8);
		if (rand() % 100 < 60)
			row = HEIGHT / 2 - 8 + row % 16;
		in[i] = (cl_uint)(row * WIDTH + column);
		want[in[i]]++;
	}
}

static size_t up(size_t n)
{
	return (n + LOCAL - 1) / LOCAL * LOCAL;
}

int main(void)
{
	static cl_uint zero[BINS];
	cl_uint range[2] = {0xffffffff, 0}, first = (HEIGHT / 2 - 8) * WIDTH / 4096, busy = BUSY;
	cl_int n = N, strip = (N + STRIPS - 1) / STRIPS, n4 = BINS / 4;
	draw();
	struct cl c = cl_open(source);
	cl_mem mi = cl_buffer(&c, sizeof in, in), mr = cl_buffer(&c, sizeof range, range);
	cl_mem mc = cl_buffer(&c, sizeof zero, zero), mb = cl_buffer(&c, sizeof bytes, NULL),
	       mm = cl_buffer(&c, sizeof in, NULL);
	cl_kernel k[4] = {cl_kernel_of(&c, "prescan"), cl_kernel_of(&c, "intermediates"),
	                  cl_kernel_of(&c, "count"), cl_kernel_of(&c, "saturate")};
	clSetKernelArg(k[0], 0, sizeof mi, &mi);
	clSetKernelArg(k[0], 1, sizeof n, &n);
	clSetKernelArg(k[0], 2, sizeof mr, &mr);
	clSetKernelArg(k[0], 3, LOCAL * sizeof(cl_uint), NULL);
	cl_run(&c, k[0], 64 * LOCAL, LOCAL);
	clSetKernelArg(k[1], 0, sizeof mi, &mi);
	clSetKernelArg(k[1], 1, sizeof n, &n);
	clSetKernelArg(k[1], 2, sizeof mm, &mm);
	cl_run(&c, k[1], up(N), LOCAL);
	clSetKernelArg(k[2], 0, sizeof mm, &mm);
	clSetKernelArg(k[2], 1, sizeof n, &n);
	clSetKernelArg(k[2], 2, sizeof mc, &mc);
	clSetKernelArg(k[2], 3, sizeof first, &first);
	clSetKernelArg(k[2], 4, sizeof busy, &busy);
	clSetKernelArg(k[2], 5, sizeof strip, &strip);
	clSetKernelArg(k[2], 6, 4096 * sizeof(cl_uint), NULL);
	cl_run(&c, k[2], (size_t)BUSY * STRIPS * LOCAL, LOCAL);
	clSetKernelArg(k[3], 0, sizeof mc, &mc);
	clSetKernelArg(k[3], 1, sizeof mb, &mb);
	clSetKernelArg(k[3], 2, sizeof n4, &n4);
	cl_run(&c, k[3], up(BINS / 4), LOCAL);
	cl_read(&c, mb, sizeof bytes, bytes);
	cl_close(&c);
	for (int i = 0; i < BINS; i++)
		if (bytes[i] != (want[i] < 255 ? want[i] : 255)) {
			printf("bin %d: %d, expected %u\n", i, bytes[i], (unsigned)want[i]);
			return 1;
		}
	return 0;
}
