/* main.h - runs a generated program's kernel and prints what each thread holds at its end. */
static int table[TABLE], g[BLOCKS * THREADS * PRIVATE];
static unsigned long long out[BLOCKS * THREADS * RESULTS];

static void run(void)
{
#ifdef __CUDACC__
	int *t, *m;
	unsigned long long *o;
	cudaMalloc((void **)&t, sizeof table);
	cudaMalloc((void **)&m, sizeof g);
	cudaMalloc((void **)&o, sizeof out);
	cudaMemcpy(t, table, sizeof table, cudaMemcpyHostToDevice);
	cudaMemcpy(m, g, sizeof g, cudaMemcpyHostToDevice);
	k<<<BLOCKS, THREADS>>>(t, m, o);
	if (cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost) != cudaSuccess ||
	    cudaMemcpy(g, m, sizeof g, cudaMemcpyDeviceToHost) != cudaSuccess)
		printf("%s\n", cudaGetErrorString(cudaGetLastError()));
#else
	for (block = 0; block < BLOCKS; block++)
		k(table, g, out);
#endif
}

int main(void)
{
	unsigned seed = 12345;
	for (int i = 0; i < TABLE; i++) {
		seed = seed * 1664525 + 1013904223;
		table[i] = i % 3 ? (int)(seed >> 8) % 1000 - 300 : (int)seed / 2;
	}
	run();
	for (int i = 0; i < BLOCKS * THREADS; i++) {
		for (int r = 0; r < RESULTS; r++)
			printf("%llx%c", out[i * RESULTS + r], r == RESULTS - 1 ? '\n' : ' ');
		for (int m = 0; m < PRIVATE; m++)
			printf("%x%c", (unsigned)g[i * PRIVATE + m], m == PRIVATE - 1 ? '\n' : ' ');
	}
	return 0;
}
