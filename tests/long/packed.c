/* Writes a packed trace (.ctz) of any length to standard output.
 *
 *     packed [-n INSTS] [-s SEED] [-k KERNELS]
 *
 * INSTS (10^9) warp instructions, shared out between five kernels of one launch each: a sum of vectors, a tiled matrix
 * product, a stencil, a sparse matrix times a vector whose rows and columns change over the matrix, and a search through
 * a graph with warps of uneven length. KERNELS: which of them, as "125" (all). The same arguments give the same bytes. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/ctz.h"

enum { WARPS = 8, LINE = 128, FULL_MASK = -1 };

/* Where the arrays of a kernel lie. */
static const uint64_t ARRAY[] = {
	UINT64_C(0x100000000), UINT64_C(0x180000000), UINT64_C(0x200000000), UINT64_C(0x280000000)};

struct packer {
	struct ct_ctz_writer *w;
	const struct ct_code *code;
	struct ct_error e;
	uint64_t rand, insts;
	int status;
};

static uint32_t below(struct packer *x, uint32_t n)
{
	return (uint32_t)((ct_rand64(&x->rand) >> 32) * n >> 32);
}

/* ---- instructions: by their place in the text of the kernel ---- */

static void plain(struct packer *x, uint32_t sid, uint32_t n)
{
	if (x->status == CT_OK)
		x->status = ct_ctz_put_plain(x->w, x->code, sid, n, (uint32_t)FULL_MASK, &x->e);
	x->insts += n;
}

static void strided(struct packer *x, uint32_t sid, uint64_t first, int64_t stride)
{
	if (x->status == CT_OK)
		x->status = ct_ctz_put_strided(
			x->w, x->code, sid, (uint32_t)FULL_MASK, first, stride, &x->e);
	x->insts++;
}

/* Groups of four lanes that read neighbours, at eight places of a window of an array. */
static void gather(struct packer *x, uint32_t sid, uint64_t array, uint64_t from, uint32_t lines)
{
	uint64_t at[32];
	for (int g = 0; g < 8; g++) {
		/* The product of two numbers crowds towards the window's beginning. */
		uint64_t line = (uint64_t)below(x, lines) * below(x, 1024) / 1024;
		for (int i = 0; i < 4; i++)
			at[4 * g + i] = array + (from + line) * LINE + 32 * (line % 4) + 4 * (uint64_t)i;
	}
	if (x->status == CT_OK)
		x->status = ct_ctz_put_lanes(x->w, x->code, sid, (uint32_t)FULL_MASK, at, &x->e);
	x->insts++;
}

/* ---- kernels: the text of one warp, and what each warp does ---- */

static const char sum_text[] =
	"0100 ffffffff 1 R2 IMAD 2 R0 R1 0\n0110 ffffffff 1 R3 LDG.E 1 R2 4 1 0x100000000 4\n"
	"0120 ffffffff 1 R4 LDG.E 1 R2 4 1 0x180000000 4\n0130 ffffffff 1 R5 FADD 2 R3 R4 0\n"
	"0140 ffffffff 0 STG.E 2 R2 R5 4 1 0x200000000 4\n0150 ffffffff 1 R0 IADD3 2 R0 R6 0\n"
	"0160 ffffffff 0 EXIT 0 0\n";

static void sum(struct packer *x, uint64_t cta, uint32_t warp)
{
	for (uint64_t i = 0; i < 32; i++) {
		uint64_t at = ((cta * 32 + i) * WARPS + warp) * LINE;
		plain(x, 0, 1);
		strided(x, 1, ARRAY[0] + at, 4);
		strided(x, 2, ARRAY[1] + at, 4);
		plain(x, 3, 1);
		strided(x, 4, ARRAY[2] + at, 4);
		for (int j = 0; j < 6; j++)
			plain(x, 5, 1);
	}
	plain(x, 6, 1);
}

static const char product_text[] =
	"0100 ffffffff 1 R2 LDG.E 1 R0 4 1 0x100000000 4\n0110 ffffffff 1 R3 LDG.E 1 R1 4 1 0x180000000 4\n"
	"0120 ffffffff 0 STS 2 R6 R2 4 1 0x7f0000000000 4\n0130 ffffffff 0 STS 2 R7 R3 4 1 0x7f0000001000 4\n"
	"0140 ffffffff 0 BAR.SYNC 0 0\n0150 ffffffff 1 R8 LDS 1 R6 4 1 0x7f0000000000 4\n"
	"0160 ffffffff 1 R10 FFMA 3 R8 R9 R10 0\n0170 ffffffff 1 R11 FFMA 3 R8 R9 R11 0\n"
	"0180 ffffffff 1 R12 FFMA 3 R8 R9 R12 0\n0190 ffffffff 1 R13 FFMA 3 R8 R9 R13 0\n"
	"01a0 ffffffff 0 BAR.SYNC 0 0\n01b0 ffffffff 0 STG.E 2 R0 R10 4 1 0x200000000 4\n01c0 ffffffff 0 EXIT 0 0\n";

/* Tiles in rows of 64: a row of A is read by 64 neighbours, a column of B by each 64th. */
static void product(struct packer *x, uint64_t cta, uint32_t warp)
{
	for (uint64_t k = 0; k < 16; k++) {
		strided(x, 0, ARRAY[0] + ((cta / 64 * 16 + k) * WARPS + warp) * LINE, 4);
		strided(x, 1, ARRAY[1] + ((cta % 64 * 16 + k) * WARPS + warp) * LINE, 4);
		strided(x, 2, UINT64_C(0x7f0000000000) + warp * LINE, 4);
		strided(x, 3, UINT64_C(0x7f0000001000) + warp * LINE, 4);
		plain(x, 4, 1);
		for (uint64_t i = 0; i < 8; i++) {
			strided(x, 5, UINT64_C(0x7f0000000000) + i * LINE, 0);
			plain(x, 6, 4);
		}
		plain(x, 10, 1);
	}
	strided(x, 11, ARRAY[2] + (cta * WARPS + warp) * LINE, 4);
	plain(x, 12, 1);
}

static const char stencil_text[] =
	"0100 ffffffff 1 R2 LDG.E 1 R0 4 1 0x100000000 4\n0110 ffffffff 1 R3 LDG.E 1 R0 4 1 0x100000000 4\n"
	"0120 ffffffff 1 R4 LDG.E 1 R0 4 1 0x100000000 4\n0130 ffffffff 1 R5 FADD 2 R2 R3 0\n"
	"0140 ffffffff 1 R5 FFMA 3 R4 R6 R5 0\n0150 ffffffff 1 R7 FMUL 2 R5 R6 0\n"
	"0160 ffffffff 0 STG.E 2 R0 R7 4 1 0x180000000 4\n0170 ffffffff 1 R0 IADD3 2 R0 R8 0\n0180 ffffffff 0 EXIT 0 0\n";

/* A grid of 1024 lines to a row; a block works on 8 rows of 8 lines. */
static void stencil(struct packer *x, uint64_t cta, uint32_t warp)
{
	for (uint64_t i = 0; i < 8; i++) {
		uint64_t row = cta / 128 * 8 + i + 1, line = row * 1024 + cta % 128 * 8 + warp;
		strided(x, 0, ARRAY[0] + (line - 1024) * LINE, 4);
		strided(x, 1, ARRAY[0] + line * LINE, 4);
		strided(x, 2, ARRAY[0] + (line + 1024) * LINE, 4);
		for (int j = 0; j < 4; j++)
			plain(x, 3, 3);
		strided(x, 6, ARRAY[1] + line * LINE, 4);
		plain(x, 7, 1);
	}
	plain(x, 8, 1);
}

static const char sparse_text[] =
	"0100 ffffffff 1 R2 LDG.E 1 R0 4 1 0x100000000 4\n0110 ffffffff 1 R3 LDG.E 1 R0 4 1 0x180000000 4\n"
	"0120 ffffffff 1 R4 IMAD.WIDE 2 R2 R6 0\n0130 ffffffff 1 R5 LDG.E 1 R4 4 1 0x200000000 4\n"
	"0140 ffffffff 1 R7 FFMA 3 R3 R5 R7 0\n0150 ffffffff 1 R0 IADD3 2 R0 R8 0\n0160 ffffffff 1 R9 ISETP 2 R0 R10 0\n"
	"0170 ffffffff 0 BRA 0 0\n0180 ffffffff 0 STG.E 2 R11 R7 4 1 0x280000000 4\n0190 ffffffff 0 EXIT 0 0\n";

/* Rows get longer and columns spread out wider in waves over the matrix; the window of columns moves on. */
static void sparse(struct packer *x, uint64_t cta, uint32_t warp)
{
	const uint32_t phase = (uint32_t)(cta % 4096), half = phase < 2048 ? phase : 4096 - phase;
	uint32_t length = 6 + half / 256 + below(x, 6);
	for (uint32_t i = 0; i < length; i++) {
		uint64_t at = ((cta * WARPS + warp) * 20 + i) * LINE;
		strided(x, 0, ARRAY[0] + at, 4);
		strided(x, 1, ARRAY[1] + at, 4);
		plain(x, 2, 1);
		gather(x, 3, ARRAY[2], cta * 2 % 262144, 16384 + half * 32);
		for (int j = 0; j < 4; j++)
			plain(x, 4, 4);
	}
	strided(x, 8, ARRAY[3] + (cta * WARPS + warp) * LINE, 4);
	plain(x, 9, 1);
}

static const char search_text[] =
	"0100 ffffffff 1 R2 LDG.E 1 R0 4 1 0x100000000 4\n0110 ffffffff 1 R3 ISETP 2 R2 R4 0\n"
	"0120 ffffffff 0 BRA 0 0\n0130 ffffffff 1 R5 LDG.E 1 R3 4 1 0x180000000 4\n"
	"0140 ffffffff 1 R6 LDG.E 1 R5 4 1 0x200000000 4\n0150 ffffffff 1 R7 ISETP 2 R6 R8 0\n"
	"0160 ffffffff 1 R9 LOP3 2 R7 R8 0\n0170 ffffffff 1 R9 SHF 2 R9 R8 0\n0180 ffffffff 1 R9 IADD3 2 R9 R8 0\n"
	"0190 ffffffff 0 STG.E 2 R5 R9 4 1 0x200000000 4\n01a0 ffffffff 0 EXIT 0 0\n";

/* Most warps find few neighbours to visit, some find many. */
static void search(struct packer *x, uint64_t cta, uint32_t warp)
{
	uint32_t n = below(x, 16) ? 2 + below(x, 6) : 8 + below(x, 64);
	strided(x, 0, ARRAY[0] + (cta * WARPS + warp) * LINE, 4);
	plain(x, 1, 2);
	for (uint32_t i = 0; i < n; i++) {
		gather(x, 3, ARRAY[1], 0, 1 << 18);
		gather(x, 4, ARRAY[2], 0, 1 << 17);
		for (int j = 0; j < 8; j++)
			plain(x, 5, 4);
		if (i % 4 == 3)
			gather(x, 9, ARRAY[2], 0, 1 << 17);
	}
	plain(x, 10, 1);
}

static const struct kernel {
	const char *name, *text;
	void (*warp)(struct packer *x, uint64_t cta, uint32_t warp);
	double insts; /* of a CTA, about */
} kernels[] = {
	{"sum", sum_text, sum, 2824},
	{"product", product_text, product, 5904},
	{"stencil", stencil_text, stencil, 1096},
	{"sparse", sparse_text, sparse, 2020},
	{"search", search_text, search, 1870},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

/* A trace of one warp that runs each instruction once: its code. */
static struct ct_cta *code_of(const struct kernel *k, unsigned id, uint64_t ctas, struct ct_trace **t,
                              struct ct_event *ev, struct ct_error *e)
{
	static struct ct_buf text; /* lives as long as its trace */
	struct ct_source *s;
	struct ct_cta *cta = NULL;
	unsigned insts = 0;
	for (const char *c = k->text; *c; c++)
		insts += *c == '\n';
	ct_buf_reset(&text);
	ct_buf_printf(
		&text,
		"-kernel name = %s\n-kernel id = %u\n-grid dim = (%" PRIu64
		",1,1)\n-block dim = (%d,1,1)\n"
		"-shmem = 0\n-nregs = 32\n-binary version = 80\n-cuda stream id = 0\n"
		"-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n"
		"-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n#traces format = PC mask dest_num "
		"[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n\n"
		"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %u\n%s\n#END_TB\n\n",
		k->name, id, ctas, 32 * WARPS, insts, k->text);
	if (ct_buf_check(&text, e) != CT_OK ||
	    ct_source_open_memory(&s, k->name, text.data, text.len, e) != CT_OK ||
	    ct_trace_open_source(t, s, &(struct ct_trace_options){.no_threads = 1}, e) != CT_OK)
		return NULL;
	if (ct_trace_next(*t, ev, e) != 1 || ct_trace_next_cta(*t, &cta, e) != 1)
		return NULL;
	return cta;
}

static void put_launch(struct packer *x, const struct kernel *k, unsigned id, double insts)
{
	const uint64_t ctas = (uint64_t)(insts / k->insts) + 1;
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_cta *cta = code_of(k, id, ctas, &t, &ev, &x->e);
	x->status = cta ? CT_OK : x->e.status;
	if (x->status == CT_OK) {
		struct ct_kernel header = *ev.kernel;
		header.id = id;
		x->code = ct_cta_code(cta);
		x->status = ct_ctz_put_kernel(x->w, &header, &x->e);
	}
	for (uint64_t c = 0; c < ctas && x->status == CT_OK; c++) {
		ct_ctz_begin_cta(x->w, c);
		for (uint32_t w = 0; w < WARPS; w++) {
			struct ct_warp_info info = {.warp = w, .sm = -1, .slot = -1};
			ct_ctz_begin_warp(x->w, &info);
			k->warp(x, c, w);
			ct_ctz_end_warp(x->w);
		}
		if (x->status == CT_OK)
			x->status = ct_ctz_end_cta(x->w, &x->e);
	}
	if (x->status == CT_OK)
		x->status = ct_ctz_end_kernel(x->w, NULL, &x->e);
	ct_cta_unref(cta);
	ct_trace_close(t);
}

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	return fwrite(p, 1, n, ctx) == n ? CT_OK : ct_fail(e, CT_ERR_IO, "cannot write");
}

int main(int argc, char **argv)
{
	double insts = 1e9;
	const char *which = "12345";
	struct packer x = {.rand = 1};
	int option;
	while ((option = getopt(argc, argv, "n:s:k:")) != -1) {
		if (option == 'n')
			insts = strtod(optarg, NULL);
		else if (option == 's')
			x.rand = strtoull(optarg, NULL, 10);
		else if (option == 'k' && *optarg && strspn(optarg, "12345") == strlen(optarg))
			which = optarg;
		else
			return fprintf(stderr, "usage: packed [-n INSTS] [-s SEED] [-k KERNELS]\n"), 2;
	}
	x.status = ct_ctz_writer_new(&x.w, 1, put, stdout, &x.e);
	for (size_t i = 0; which[i] && x.status == CT_OK; i++)
		put_launch(&x, &kernels[which[i] - '1'], (unsigned)i + 1, insts / (double)strlen(which));
	if (x.status == CT_OK)
		x.status = ct_ctz_finish(x.w, 0, 0, &x.e);
	ct_ctz_writer_free(x.w);
	if (x.status != CT_OK || fflush(stdout) != 0)
		return fprintf(stderr, "packed: %s\n", x.status == CT_OK ? "cannot write" : x.e.text), 2;
	fprintf(stderr, "packed: %" PRIu64 " warp instructions\n", x.insts);
	return 0;
}
