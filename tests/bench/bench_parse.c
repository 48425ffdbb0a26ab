/* Speed of reading a plain .traceg, beside `wc -l` and `xz -dc` of the same file.
 *
 * The text is generated: blocks of warps that run a loop of arithmetic, strided and
 * irregular global accesses, and shared-memory accesses in two rows. CT_BENCH_MB sets
 * its size (500). Times are CPU seconds of the process, so that other work on the
 * machine matters little; the best of three runs counts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/trace.h"

enum { RUNS = 3, BLOCK_WARPS = 8, LOOPS = 12 };

static char path[4096];

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double child_seconds(void)
{
	struct rusage r;
	getrusage(RUSAGE_CHILDREN, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void report(const char *what, const char *metric, double value, const char *unit)
{
	printf("parse\t%s\t%s\t%.1f\t%s\n", what, metric, value, unit);
	fflush(stdout);
}

/* ---- the text ---- */

static void deltas(struct ct_buf *b, uint64_t *seed, int irregular)
{
	for (int i = 1; i < 32; i++)
		ct_buf_printf(b, "%lld ",
		              irregular ? (long long)(ct_rand64(seed) % (1 << 20)) * 4 - (1 << 21)
		              : i == 16 ? -60LL
		                        : 4LL);
}

static void loop_body(struct ct_buf *b, uint64_t *seed, uint64_t at)
{
	static const char *const alu[] = {
		"1 R4 IADD3 3 R4 R5 R255 0 0 ", "1 R6 IMAD.WIDE 3 R4 R5 R6 0 4 ",
		"1 R9 FFMA 3 R9 R10 R9 0 0 ",   "1 R12 LOP3.LUT 3 R12 R4 R255 0 192 ",
		"0 ISETP.GE.AND 2 R4 R5 0 0 ",  "1 R13 SHF.R.U32.HI 2 R255 R13 0 5 ",
	};
	unsigned pc = 0x100;
	for (int group = 0; group < 4; group++) {
		for (int i = 0; i < 6; i++, pc += 16)
			ct_buf_printf(b, "%04x ffffffff %s\n", pc, alu[i]);
		ct_buf_printf(
			b, "%04x ffffffff 1 R10 LDG.E 1 R6 4 1 0x%llx 4 0 \n", pc,
			(unsigned long long)(0x7f0000000000 + at * 128 + (uint64_t)group * 0x100000));
		pc += 16;
		ct_buf_printf(b, "%04x ffffffff 1 R11 LDS 1 R13 4 2 0x%x ", pc, 0x400 + 64 * group);
		deltas(b, seed, 0);
		ct_buf_puts(b, "0 \n");
		pc += 16;
	}
	ct_buf_printf(b, "%04x %08x 1 R14 LDG.E 1 R8 4 2 0x%llx ", pc, 0xffffffffu,
	              (unsigned long long)(0x7f1000000000 + ct_rand64(seed) % (1 << 22) * 4));
	deltas(b, seed, 1);
	ct_buf_puts(b, "0 \n");
	ct_buf_printf(b, "%04x ffffffff 0 STG.E 2 R6 R9 4 1 0x%llx 4 0 \n", pc + 16,
	              (unsigned long long)(0x7f2000000000 + at * 128));
	ct_buf_printf(b, "%04x ffffffff 0 BRA 0 0 256 \n", pc + 32);
}

static void block(struct ct_buf *b, uint64_t *seed, unsigned number)
{
	ct_buf_printf(b, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", number);
	for (unsigned w = 0; w < BLOCK_WARPS; w++) {
		ct_buf_printf(b, "warp = %u\ninsts = %u\n", w, LOOPS * 35u + 1);
		for (unsigned i = 0; i < LOOPS; i++)
			loop_body(b, seed, ((uint64_t)number * BLOCK_WARPS + w) * LOOPS + i);
		ct_buf_puts(b, "0500 ffffffff 0 EXIT 0 0 0 \n\n");
	}
	ct_buf_puts(b, "#END_TB\n\n");
}

/* Writes about `bytes` of text; 0, or -1. */
static int generate(uint64_t bytes)
{
	struct ct_buf b = {0};
	uint64_t seed = 1, done = 0;
	FILE *f = fopen(path, "wb");
	block(&b, &seed, 0);
	unsigned blocks = b.failed ? 1 : (unsigned)(bytes / b.len) + 1;
	ct_buf_reset(&b);
	seed = 1;
	ct_buf_printf(&b,
	              "-kernel name = bench\n-kernel id = 1\n-grid dim = (%u,1,1)\n"
	              "-block dim = (256,1,1)\n-shmem = 4096\n-nregs = 32\n-binary version = 80\n"
	              "-cuda stream id = 0\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
	              "-enable lineinfo = 0\n\n#traces format = PC mask ... immediate\n\n",
	              blocks);
	for (unsigned i = 0; f && i < blocks; i++) {
		block(&b, &seed, i);
		if (b.failed || fwrite(b.data, 1, b.len, f) != b.len)
			break;
		done += b.len;
		ct_buf_reset(&b);
	}
	ct_buf_free(&b);
	return f && fclose(f) == 0 && done >= bytes ? 0 : -1;
}

/* ---- what is measured ---- */

struct result {
	double seconds;
	uint64_t bytes, insts, sum;
};

static int read_only(struct result *r)
{
	struct ct_source *s;
	struct ct_source_options o = {.no_thread = 1};
	struct ct_error e;
	const char *p;
	size_t n;
	int st;
	if (ct_source_open(&s, path, &o, &e) < 0)
		return -1;
	while ((st = ct_source_read(s, &p, &n, &e)) > 0)
		r->bytes += n;
	ct_source_close(s);
	return st;
}

static int parse(struct result *r, int decode)
{
	struct ct_trace *t;
	struct ct_trace_options o = {.no_threads = 1};
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_cursor *c = NULL;
	struct ct_inst inst;
	struct ct_error e;
	if (ct_trace_open(&t, path, &o, &e) < 0)
		return -1;
	int st;
	while ((st = ct_trace_next(t, &ev, &e)) > 0)
		while ((st = ct_trace_next_cta(t, &cta, &e)) > 0) {
			for (uint32_t i = 0; decode && i < ct_cta_warps(cta); i++) {
				if ((c ? ct_cursor_reset(c, cta, i, &e)
				       : ct_cursor_open(&c, cta, i, &e)) < 0)
					return -1;
				while (ct_cursor_next(c, &inst, &e) > 0)
					r->sum += inst.mask + inst.addr[0] * (inst.naddr > 0);
			}
			ct_cta_unref(cta);
		}
	r->bytes = ct_trace_stats(t)->text_bytes;
	r->insts = ct_trace_stats(t)->warp_insts;
	ct_cursor_close(c);
	ct_trace_close(t);
	return st;
}

static int parse_only(struct result *r)
{
	return parse(r, 0);
}

static int parse_and_decode(struct result *r)
{
	return parse(r, 1);
}

static int best(const char *what, int (*fn)(struct result *))
{
	struct result r = {0};
	double least = 0;
	for (int i = 0; i < RUNS; i++) {
		r = (struct result){0};
		double begin = cpu_seconds();
		if (fn(&r) != 0)
			return -1;
		r.seconds = cpu_seconds() - begin;
		if (i == 0 || r.seconds < least)
			least = r.seconds;
	}
	report(what, "text", (double)r.bytes / least / 1e6, "MB/s/core");
	if (r.insts)
		report(what, "insts", (double)r.insts / least / 1e6, "Minst/s/core");
	return 0;
}

/* CPU time of `program` reading the file (with that suffix), which holds `bytes` of
 * text. */
static int command(const char *what, const char *program, const char *suffix, double bytes)
{
	char line[8192];
	double least = 0;
	snprintf(line, sizeof line, "%s '%s%s' >/dev/null", program, path, suffix);
	for (int i = 0; i < RUNS; i++) {
		double begin = child_seconds();
		if (system(line) != 0)
			return -1;
		double s = child_seconds() - begin;
		if (i == 0 || s < least)
			least = s;
	}
	report(what, "text", bytes / least / 1e6, "MB/s/core");
	return 0;
}

int main(void)
{
	const char *folder = getenv("TMPDIR"), *size = getenv("CT_BENCH_MB");
	double mb = size ? strtod(size, NULL) : 500;
	char xz[8192];
	snprintf(path, sizeof path, "%s/bench.traceg", folder ? folder : "/tmp");
	int failed = generate((uint64_t)(mb * 1e6)) != 0 || best("read plain", read_only) != 0 ||
	             best("parse plain", parse_only) != 0 ||
	             best("parse and decode plain", parse_and_decode) != 0 ||
	             command("wc -l", "wc -l", "", mb * 1e6) != 0;
	snprintf(xz, sizeof xz, "xz -1 -T0 -f -k '%s'", path);
	if (!failed && system(xz) == 0)
		failed = command("xz -dc", "xz -dc", ".xz", mb * 1e6) != 0;
	remove(path);
	strncat(path, ".xz", sizeof path - strlen(path) - 1);
	remove(path);
	return failed;
}
