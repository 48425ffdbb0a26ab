/* Writes an Accel-Sim trace of any length to standard output.
 *
 *     stream [-n ACCESSES] [-t SECONDS] [-l LINES] [-c CTAS] [-s SEED]
 *
 * Concatenated kernels of CTAS (64) CTAs of 8 warps, until ACCESSES accesses of threads are
 * written or SECONDS have passed (whole kernels). Every load has 32 of them: one in 16
 * touches a 128-byte line per lane, 32 lines anywhere in a footprint of LINES lines
 * (default 2^18), the others one line, mostly of an eighth of them. A closed pipe ends it. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WARPS = 8, LOADS = 64, LINE = 128, BASE = 1 << 20 };

static uint64_t state = 1;

/* xorshift64* (Vigna 2016): only needs to be cheap and the same everywhere. */
static uint64_t next_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717);
}

static char *put_text(char *p, const char *s)
{
	size_t n = strlen(s);
	memcpy(p, s, n);
	return p + n;
}

static char *put_hex(char *p, uint64_t v)
{
	static const char digits[] = "0123456789abcdef";
	int shift = 60;
	while (shift > 0 && !(v >> shift & 15))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = digits[v >> shift & 15];
	return p;
}

/* A load and the arithmetic on what it brings. */
static void load(char **at, unsigned i, uint64_t lines)
{
	int wide = i % 16 == 15;
	uint64_t range = wide ? lines - 31 : i % 4 ? (lines + 7) / 8 : lines;
	char *p = put_text(*at, "0");
	p = put_hex(p, 0x100 + 32 * (i % 8));
	p = put_text(p, " ffffffff 1 R2 LDG.E 1 R4 4 1 0x");
	p = put_hex(p, BASE + next_random() % range * LINE);
	p = put_text(p, wide ? " 128\n0" : " 4\n0");
	p = put_hex(p, 0x110 + 32 * (i % 8));
	*at = put_text(p, " ffffffff 1 R3 FFMA 3 R2 R3 R6 0\n");
}

static uint64_t kernel(uint64_t id, uint64_t ctas, uint64_t lines)
{
	static char block[WARPS * LOADS * 200 + 4096];
	printf("-kernel name = stream\n-kernel id = %" PRIu64 "\n-grid dim = (%" PRIu64 ",1,1)\n"
	       "-block dim = (%d,1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 80\n"
	       "-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
	       "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.5.5\n"
	       "-accelsim tracer version = 3\n\n#traces format = PC mask dest_num [reg_dests] opcode "
	       "src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n",
	       id, ctas, 32 * WARPS);
	for (uint64_t c = 0; c < ctas; c++) {
		char *p = block + sprintf(block, "#BEGIN_TB\n\nthread block = %" PRIu64 ",0,0\n\n", c);
		for (int w = 0; w < WARPS; w++) {
			p += sprintf(p, "warp = %d\ninsts = %d\n", w, 2 * LOADS + 1);
			for (unsigned i = 0; i < LOADS; i++)
				load(&p, i, lines);
			p = put_text(p, "0400 ffffffff 0 EXIT 0 0\n\n");
		}
		p = put_text(p, "#END_TB\n\n");
		fwrite(block, 1, (size_t)(p - block), stdout);
	}
	return ctas * WARPS * LOADS * 32;
}

int main(int argc, char **argv)
{
	uint64_t wanted = UINT64_MAX, lines = 1 << 18, ctas = 64, done = 0, id = 0;
	time_t until = 0;
	int option;
	while ((option = getopt(argc, argv, "n:t:l:c:s:")) != -1) {
		uint64_t v = optarg ? strtoull(optarg, NULL, 10) : 0;
		if (option == '?' || v == 0)
			return fprintf(stderr,
			               "usage: stream [-n ACCESSES] [-t SECONDS] [-l LINES] [-c CTAS] [-s SEED]\n"),
			       2;
		if (option == 'n')
			wanted = v;
		else if (option == 't')
			until = time(NULL) + (time_t)v;
		else if (option == 'l')
			lines = v < 32 ? 32 : v;
		else if (option == 'c')
			ctas = v;
		else
			state = v;
	}
	while (done < wanted && (!until || time(NULL) < until) && !ferror(stdout))
		done += kernel(++id, ctas, lines);
	if (fflush(stdout) != 0)
		return perror("stream"), 2;
	fprintf(stderr, "stream: %" PRIu64 " kernels, %" PRIu64 " accesses\n", id, done);
	return 0;
}
