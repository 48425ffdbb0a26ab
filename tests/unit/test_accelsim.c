/* Accel-Sim text: every variant that doc/formats.md describes, written out
 * here, read through the public interface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/trace.h"

#define HEAD(version) \
	"-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" \
	"-shmem = 0\n-nregs = 8\n-binary version = 80\n-cuda stream id = 0\n" version \
	"\n#traces format = x\n\n"
#define V3 "-accelsim tracer version = 3\n"
#define V4 "-accelsim tracer version = 4\n"
#define V5 "-accelsim tracer version = 5\n"
#define V6 "-accelsim tracer version = 6\n"
#define BLOCK "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
#define END "#END_TB\n"

/* "pc mask opcode", registers, then what else the instruction has. */
static void put_inst(struct ct_buf *b, const struct ct_sinst *x, const struct ct_inst *i)
{
	ct_buf_printf(b, "%x %x %s", (unsigned)x->pc, (unsigned)i->mask, x->opcode);
	for (int k = 0; k < x->ndst; k++)
		ct_buf_printf(b, " d%x", x->dst[k]);
	for (int k = 0; k < x->nsrc; k++)
		ct_buf_printf(b, " s%x", x->src[k]);
	if (x->line)
		ct_buf_printf(b, " line%u", x->line);
	if (x->has_gmma)
		ct_buf_printf(b, " gmma%u", x->gmma);
	if (x->has_imm > 0)
		ct_buf_printf(b, " i%d", (int)x->imm);
	if (x->has_imm > 1)
		ct_buf_printf(b, " j%d", (int)x->imm2);
	if (x->width_field)
		ct_buf_printf(b, " w%u", x->width_field);
	if (i->addr_form)
		ct_buf_printf(b, " f%u", i->addr_form);
	for (int k = 0; k < i->naddr; k++)
		ct_buf_printf(b, " %llx", (unsigned long long)i->addr[k]);
	for (int k = 0; k < i->nvalues; k++)
		ct_buf_printf(b, " v%x", (unsigned)i->values[k]);
	ct_buf_puts(b, ";");
}

static void put_cta(struct ct_buf *b, struct ct_cta *cta)
{
	ct_buf_printf(b, "cta %d;", (int)ct_cta_index(cta));
	for (uint32_t w = 0; w < ct_cta_warps(cta); w++) {
		const struct ct_warp_info *info = ct_cta_warp(cta, w);
		struct ct_cursor *c;
		struct ct_inst i;
		struct ct_error e;
		ct_buf_printf(b, "warp %u", info->warp);
		if (info->sm >= 0)
			ct_buf_printf(b, " sm %d slot %d", info->sm, info->slot);
		ct_buf_puts(b, ";");
		assert_int_equal(ct_cursor_open(&c, cta, w, &e), CT_OK);
		while (ct_cursor_next(c, &i, &e) > 0)
			put_inst(b, ct_code_at(ct_cta_code(cta), i.sid), &i);
		ct_cursor_close(c);
	}
}

/* All that a text holds, as one string: easy to compare and to read. */
static char *describe_with(const char *text, size_t n, struct ct_trace_options *o,
                           struct ct_trace_stats *stats)
{
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_error e = {0};
	struct ct_buf b = {0};
	struct ct_event ev;
	int st = ct_source_open_memory(&s, "t", text, n, &e);
	assert_int_equal(st, CT_OK);
	st = ct_trace_open_source(&t, s, o, &e);
	while (st >= 0 && (st = ct_trace_next(t, &ev, &e)) > 0) {
		struct ct_cta *cta;
		ct_buf_printf(&b, "kernel %u %s%s;", ev.kernel->id, ev.kernel->name,
		              ev.kernel->raw ? " raw" : "");
		while ((st = ct_trace_next_cta(t, &cta, &e)) > 0) {
			put_cta(&b, cta);
			ct_cta_unref(cta);
		}
		if (st < 0)
			break;
	}
	if (stats && t)
		*stats = *ct_trace_stats(t);
	if (st < 0)
		ct_buf_printf(&b, "error %d %s", st, e.text);
	else if (ct_trace_damage(t))
		ct_buf_printf(&b, "damage %s", ct_trace_damage(t)->text);
	ct_trace_close(t);
	assert_false(b.failed);
	return b.data;
}

static void expect(const char *text, const char *want)
{
	struct ct_trace_options o = {.keep_values = 1};
	char *got = describe_with(text, strlen(text), &o, NULL);
	assert_string_equal(got, want);
	free(got);
}

static void addresses(void **state)
{
	(void)state;
	/* Format 0, 1 (also negative, one lane, none), 2 (n-1 differences). */
	expect(HEAD(V4) BLOCK
	       "insts = 7\n"
	       "0000 00000005 1 R1 LDG.E 1 R2 4 0 0x10 20 \n"
	       "0010 00000007 1 R1 LDG.E 1 R2 4 1 0x1000 -8 \n"
	       "0020 00000001 1 R1 LDG.E 1 R2 4 1 0000000000001000 0\n"
	       "0030 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0 \n"
	       "0040 80000001 1 R1 LDG.E 1 R2 4 2 0x1000 -16 \n"
	       "0050 00000100 1 R1 LDG.E 1 R2 4 2 0xffffffffffffffff \n"
	       "0060 00000000 1 R1 LDG.E 1 R2 4 0 \n" END,
	       "kernel 1 k;cta 0;warp 0;"
	       "0 5 LDG.E d1 s2 w4 f1 10 20;"
	       "10 7 LDG.E d1 s2 w4 f2 1000 ff8 ff0;"
	       "20 1 LDG.E d1 s2 w4 f2 1000;"
	       "30 0 LDG.E d1 s2 w4 f2;"
	       "40 80000001 LDG.E d1 s2 w4 f3 1000 ff0;"
	       "50 100 LDG.E d1 s2 w4 f3 ffffffffffffffff;"
	       "60 0 LDG.E d1 s2 w4 f1;");
	/* With an immediate the last number is no second difference. */
	expect(HEAD(V5) BLOCK "insts = 2\n"
	                      "0000 00000005 0 LDG.E.32 0 4 2 1000 64 0\n"
	                      "0010 00000001 0 LDG.E.32 0 4 2 1000 64\n" END,
	       "kernel 1 k;cta 0;warp 0;0 5 LDG.E.32 i0 w4 f3 1000 1040;"
	       "10 1 LDG.E.32 i64 w4 f3 1000;");
}

static void columns(void **state)
{
	(void)state;
	/* No version: CTA and warp numbers in front. */
	expect(HEAD("") BLOCK "insts = 1\n0 0 0 0 0010 ffffffff 1 R1 MOV 1 R255 0 \n" END,
	       "kernel 1 k;cta 0;warp 0;10 ffffffff MOV d1 sff;");
	/* Line numbers, announced and not. */
	expect(HEAD(V4 "-enable lineinfo = 1\n") BLOCK "insts = 1\n77 0010 ffffffff 0 NOP 0 0 \n" END,
	       "kernel 1 k;cta 0;warp 0;10 ffffffff NOP line77;");
	expect(HEAD(V4) BLOCK "insts = 1\n77 0010 ffffffff 0 NOP 0 0 \n" END,
	       "kernel 1 k;cta 0;warp 0;10 ffffffff NOP line77;");
	/* SM and slot, never announced; with a line number too. */
	expect(HEAD(V4) BLOCK
	       "insts = 2\n12 5 0010 ffffffff 0 NOP 0 0 \n12 5 0010 ffffffff 0 NOP 0 0 \n" END,
	       "kernel 1 k;cta 0;warp 0 sm 12 slot 5;10 ffffffff NOP;10 ffffffff NOP;");
	expect(HEAD(V4 "-enable lineinfo = 1\n") BLOCK
	       "insts = 1\n12 5 9 0010 ffffffff 0 NOP 0 0 \n" END,
	       "kernel 1 k;cta 0;warp 0 sm 12 slot 5;10 ffffffff NOP line9;");
	/* Two immediates although the version says one; uniform and predicate registers. */
	expect(HEAD(V5) BLOCK "insts = 1\n0010 ffffffff 2 UR4 P0 R2UR 2 UR63 UP1 0 -5 7 \n" END,
	       "kernel 1 k;cta 0;warp 0;10 ffffffff R2UR d104 d200 s13f s301 i-5 j7;");
	/* Clusters. */
	expect(HEAD(V5) "#BEGIN_TB\nthread block = 0,0,0\ncluster id = 0,0,0\ncluster cta = 0,0,0\n"
	                "cluster rank = 0\nwarp = 0\ninsts = 1\n0010 ffffffff 0 NOP 0 0 1 \n" END,
	       "kernel 1 k;cta 0;warp 0;10 ffffffff NOP i1;");
}

static void values_and_gmma(void **state)
{
	(void)state;
	expect(HEAD(V6) BLOCK "insts = 3\n"
	                      "0010 00000001 1 R1 MOV 1 R2 0 3 4 NoVal \n"
	                      "0020 00000001 1 R1 MOV 1 R2 0 3 4 Val 1 ff 1 0x10 \n"
	                      "0030 00000001 1 R1 LDG.E 1 R2 4 1 0x1000 0 3 4 Val 1 1 1 2\n" END,
	       "kernel 1 k;cta 0;warp 0;10 1 MOV d1 s2 i3 j4;20 1 MOV d1 s2 i3 j4 v1 vff v1 v10;"
	       "30 1 LDG.E d1 s2 i3 j4 w4 f2 1000 v1 v1 v1 v2;");
	/* Values of 64 bits have no place; the instruction has. */
	expect(HEAD(V6) BLOCK "insts = 2\n"
	                      "0010 00000001 1 R1 MOV 1 R2 0 3 4 Val 1 ff 1 0x10 \n"
	                      "0010 00000001 1 R1 MOV 1 R2 0 3 4 Val 1 ff 1 0x7f0000000010 \n" END,
	       "kernel 1 k;cta 0;warp 0;10 1 MOV d1 s2 i3 j4 v1 vff v1 v10;10 1 MOV d1 s2 i3 j4;");
	/* The flag of GMMA lines may be there or not. */
	expect(HEAD(V5) BLOCK "insts = 3\n0000 ffffffff 0 NOP 0 0 0\n"
	                      "0010 ffffffff 1 R1 HGMMA.64x8x16.F32 1 R2 1 0 5\n"
	                      "0020 ffffffff 1 R1 HGMMA.64x8x16.F32 1 R2 0 5\n" END,
	       "kernel 1 k;cta 0;warp 0;0 ffffffff NOP i0;"
	       "10 ffffffff HGMMA.64x8x16.F32 d1 s2 gmma1 i5;"
	       "20 ffffffff HGMMA.64x8x16.F32 d1 s2 i5;");
}

static void line_ends(void **state)
{
	(void)state;
	expect("-kernel name = a b, c\r\n-grid dim = (1,1,1)\r\n-block dim = (32,1,1)\r\n#x\r\n\r\n"
	       "#BEGIN_TB\r\nthread block = 0,0,0\r\nwarp = 0\r\ninsts = 2\r\n"
	       "0 0 0 0 0010 ffffffff 0 NOP 0 0 \r\n0 0 0 0 0010 ffffffff 0 NOP 0 0 \r\n#END_TB\r\n",
	       "kernel 1 a b, c;cta 0;warp 0;10 ffffffff NOP;10 ffffffff NOP;");
	/* #END_TB may be missing when nothing else is, and a newline behind it. */
	expect(HEAD(V3) BLOCK "insts = 1\n0010 ffffffff 0 EXIT 0 0\n",
	       "kernel 1 k;cta 0;warp 0;10 ffffffff EXIT;");
	expect(HEAD(V3) BLOCK "insts = 1\n0010 ffffffff 0 EXIT 0 0\n#END_TB",
	       "kernel 1 k;cta 0;warp 0;10 ffffffff EXIT;");
	/* Two kernels in one stream. */
	expect(HEAD(V3) BLOCK "insts = 1\n0010 ffffffff 0 EXIT 0 0\n" END HEAD(V3) BLOCK
	       "insts = 0\n" END,
	       "kernel 1 k;cta 0;warp 0;10 ffffffff EXIT;kernel 2 k;cta 0;warp 0;");
}

static void raw(void **state)
{
	(void)state;
	const char *head = "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n"
			   "-accelsim tracer version = 5\n#traces format = immediate\n";
	char text[2000];
	/* Grouped by CTA and warp; the shared half of an LDGSTS goes, also predicated off. */
	snprintf(text, sizeof text,
	         "%s"
	         "1 0 0 0 0010 ffffffff 0 NOP 0 0 0\n"
	         "0 0 0 1 0020 00000001 0 LDGSTS.E 2 R1 R2 4 2 0x400 0\n"
	         "1 0 0 0 0020 00000000 0 LDGSTS.E 2 R1 R2 4 1 0x0 0 0\n"
	         "0 0 0 1 0020 00000001 0 LDGSTS.E 2 R1 R2 4 2 0x7f0000000400 0\n"
	         "1 0 0 0 0020 00000000 0 LDGSTS.E 2 R1 R2 4 1 0x0 0 0\n"
	         "0 0 0 0 0010 ffffffff 0 NOP 0 0 0\n"
	         "0 0 0 1 0030 ffffffff 0 IADD3 0 0 0\n",
	         head);
	expect(text, "kernel 1 k raw;cta 0;warp 0;10 ffffffff NOP i0;"
	             "warp 1;20 1 LDGSTS.E s1 s2 i0 w4 f3 7f0000000400;30 ffffffff IADD3 i0;"
	             "cta 1;warp 0;10 ffffffff NOP i0;20 0 LDGSTS.E s1 s2 i0 w4 f2;");
	/* A cut at a line's end shows where some warps have come to their EXIT. */
	snprintf(text, sizeof text,
	         "%s0 0 0 0 0010 ffffffff 0 EXIT 0 0 0\n"
	         "0 0 0 1 0000 ffffffff 0 NOP 0 0 0\n",
	         head);
	expect(text, "kernel 1 k raw;error -2 t:8: the file ends before 1 of 2 warps have come to their "
	             "EXIT: it is cut");
	/* Clusters and SM numbers: 13 numbers in front. */
	head = "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (64,1,1)\n"
	       "-accelsim tracer version = 5\n#traces format = immediate\n";
	snprintf(text, sizeof text, "%s0 0 0 1 0 0 0 0 0 0 0 3 9 0010 ffffffff 0 NOP 0 0 0\n", head);
	expect(text, "kernel 1 k raw;cta 0;warp 1 sm 3 slot 9;10 ffffffff NOP i0;");
}

static void refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want;
	} cases[] = {
		{HEAD(V5) BLOCK "insts = 1\n0010 ffffffff 0 UTMALDG.2D 1 UR4 0 0\n",
	         "error -5 t:17: UTMALDG.2D: its line does not tell what this bulk copy (TMA) moves, as "
	         "tracer 6 does: choose kernels without it (-k)"},
		{HEAD(V3) BLOCK "insts = 1\n0010 ffffffff 0 NOP 0 \n" END,
	         "error -2 t:17: the line ends before its access width: cut or damaged"},
		{HEAD(V3) BLOCK "insts = 1\n0010 ffffffff 1 R300 NOP 0 0\n" END,
	         "error -2 t:17: bad register: R300"},
		{HEAD(V3) BLOCK "insts = 1\n0010 00000001 0 LDG 0 4 2 0x11111111111111111 \n" END,
	         "error -2 t:17: bad base address: 0x11111111111111111"},
		{HEAD(V3) BLOCK "insts = 1\n0010 00000003 0 LDG 0 4 1 0x1 9223372036854775808 \n" END,
	         "error -2 t:17: bad stride: 9223372036854775808"},
		{HEAD(V3) BLOCK "insts = 1\n0010 00000003 0 LDG 0 4 7 0x1 9 \n" END,
	         "error -2 t:17: bad address format: 7"},
		{HEAD(V3) "#BEGIN_TB\nthread block = 1,0,0\n",
	         "error -2 t:14: thread block 1,0,0 is outside the grid (1,1,1): damaged"},
		{HEAD(V3) "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\n",
	         "error -2 t:15: warp 1 in a block of 1 warps: damaged"},
		{HEAD(V3) BLOCK "warp = 0\n", "error -2 t:16: warp 0 comes twice in one thread block: "
	                                      "damaged"},
		{"-kernel name = k\n-grid dim = (1,1,1)\n", "error -2 t:3: the file ends inside a "
	                                                    "kernel's header: it is cut"},
		{"-kernel name = k\n-grid dim = (0,1,1)\n", "error -2 t:2: bad value of -grid dim: "
	                                                    "(0,1,1)"},
		{"#traces format = x\n\n# no more\n",
	         "error -2 t:4: no kernel header (-kernel name = ...) up to "
	         "here: not a whole trace"},
		{HEAD(V3) "#BEGIN_TB\nthread block = 0,0,0\n#END_TB\n",
	         "error -2 t:15: thread block without warps"},
		{"-kernel name = k\n#x\n", "error -2 t:2: the kernel's header has no -grid dim line: "
	                                   "cut or not a trace"},
		{"-kernel name = k\n-nregs = 8\n-nregs = 200\n",
	         "error -2 t:3: the kernel's header says -nregs "
	         "twice: "},
		{HEAD(V3), "error -2 t:13: no thread block follows the kernel's header: the file is "
	                   "cut"},
		{"#BEGIN_TB\n", "error -2 t:1: no kernel header (-kernel name = ...) before this line: "
	                        "not a whole trace"},
		{"", "error -2 t:1: the input is empty: not a trace"},
		{"hello\n", "error -2 t:1: unknown text, no -kernel name header: neither trace nor "
	                    "kernels list"},
		{"{\"a\":1}\n", "error -5 t:1: JSON logs are not supported: give Accel-Sim text"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ct_trace_options o = {0};
		char *got = describe_with(cases[i].text, strlen(cases[i].text), &o, NULL);
		if (!strstr(got, cases[i].want))
			fail_msg("case %zu: %s", i, got);
		free(got);
	}
	expect("-kernel name = k\n-block dim = (32,1,1) x\n#x\n",
	       "error -2 t:2: bad value of -block dim: (32,1,1) x");
	char tracez[] = "-kernel name = k\n-grid dim = (1,1,1)\n\0\1\0\0\0";
	char *got = describe_with(tracez, sizeof tracez, NULL, NULL);
	assert_non_null(strstr(got, "error -2 t: the file ends behind the kernel's header"));
	free(got);
}

/* A text cut anywhere is noticed, unless what is left is whole. */
static void cut_anywhere(void **state)
{
	(void)state;
	const char *text = HEAD(V5) BLOCK "insts = 2\n0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x7f00 4 12 \n"
					  "0010 ffffffff 0 EXIT 0 0 -7 \n" END "\n";
	size_t whole = (size_t)(strstr(text, "-7 ") - text) + 2, noticed = 0;
	for (size_t n = 0; n < strlen(text); n++) {
		char *got = describe_with(text, n, NULL, NULL);
		/* Behind the last line only #END_TB is missing; a cut inside it is seen again. */
		int complete = n == whole + 2 || n >= strlen(text) - 2;
		if (complete == (strstr(got, "error -2 t:") != NULL))
			fail_msg("cut at %zu: %s", n, got);
		noticed += !complete;
		free(got);
	}
	assert_true(noticed > 200);
}

/* Fewer blocks than the grid has: a trace stopped early, told by a warning. Only a cut
 * that takes the newline behind the last block shows. */
static void cut_between_blocks(void **state)
{
	const char *text = "-kernel name = k\n-grid dim = (4,1,1)\n-block dim = (32,1,1)\n"
			   "-accelsim tracer version = 3\n#traces format\n\n#BEGIN_TB\n"
			   "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0010 ffffffff 0 EXIT 0 0 \n"
			   "#END_TB\n";
	struct ct_trace_stats s;
	(void)state;
	char *got = describe_with(text, strlen(text), NULL, &s);
	assert_null(strstr(got, "error"));
	assert_int_equal(s.short_grids, 1);
	free(got);
	got = describe_with(text, strlen(text) - 1, NULL, NULL);
	assert_non_null(strstr(got, "error -2 t:13: the file ends without a newline"));
	free(got);
}

static void salvage(void **state)
{
	(void)state;
	struct ct_trace_options o = {.salvage = 1};
	struct ct_trace_stats s;
	const char *text = HEAD(V3) BLOCK "insts = 3\n0000 ffffffff 0 NOP 0 0\n"
					  "0010 ffffffff 0 NOP 0 0\n0020 fff";
	char *got = describe_with(text, strlen(text), &o, &s);
	assert_string_equal(got,
	                    "kernel 1 k;cta 0;warp 0;0 ffffffff NOP;10 ffffffff NOP;damage t:19: bad "
	                    "lane mask: fff");
	assert_int_equal(s.truncated, 1);
	assert_int_equal(s.warp_insts, 2);
	free(got);
}

/* Bytes and checksum are those of the file, not of what its reader's thread had read. */
static void salvage_reads_all(void **state)
{
	(void)state;
	struct ct_trace_options o = {.salvage = 1};
	struct ct_trace_stats s;
	struct ct_buf b = {0};
	ct_buf_puts(&b, HEAD(V3) BLOCK "insts = 2\n0000 ffffffff 0 NOP 0 0\n0010 ?\n");
	while (b.len < 3u << 20)
		ct_buf_puts(&b, "0000 ffffffff 0 NOP 0 0\n");
	free(describe_with(b.data, b.len, &o, &s));
	assert_int_equal(s.truncated, 1);
	assert_int_equal(s.raw_bytes, b.len);
	assert_true(s.crc64 == ct_crc64(0, b.data, b.len));
	ct_buf_free(&b);
}

static void counted(void **state)
{
	(void)state;
	struct ct_trace_stats s;
	const char *text = HEAD(V4) BLOCK
		"insts = 5\n0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x0 4 \n"
		"0010 ffffffff 0 NOP 0 0 junk \n0010 ffffffff 0 NOP 0 0 junk \n"
		"0020 00000003 1 R1 LDG.E.S8 1 R2 4 2 0x8 -8 \n"
		"0030 00000003 1 R1 LDS 1 R2 4 2 0x8 -8 \n" END;
	char *got = describe_with(text, strlen(text), NULL, &s);
	assert_int_equal(s.insts_mismatches, 0);
	assert_int_equal(s.extra_tokens, 2);
	assert_int_equal(s.width_disagreements, 1);
	assert_int_equal(s.null_global, 2);
	assert_int_equal(s.short_grids, 0);
	assert_int_equal(s.warp_insts, 5);
	free(got);
}

static void long_line(void **state)
{
	(void)state;
	size_t n = 3u << 20;
	char *text = malloc(n);
	assert_non_null(text);
	memset(text, 'x', n);
	memcpy(text, "-kernel name = ", 15);
	char *got = describe_with(text, n, NULL, NULL);
	assert_string_equal(got, "error -2 t:1: line longer than 1048576 bytes: this is no trace");
	free(got);
	free(text);
}

/* One random warp: loops over few program counters, so that lines are recognised. The
 * separator " " takes the fast way, a tab in the address field always the slow one. */
static void random_line(struct ct_buf *b, uint64_t *seed, uint64_t pc, const char *tab)
{
	static const char *const ops[] = {"LDG.E", "STG.E", "LDS", "LDGSTS.E", "IADD3", "LD.E"};
	static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0xffff, 1, 0, 0x80000001};
	uint32_t mask = masks[ct_rand64(seed) % 7];
	unsigned lanes = 0, form = (unsigned)(ct_rand64(seed) % 3);
	const char *op = ops[pc % 6];
	for (uint32_t m = mask; m; m &= m - 1)
		lanes++;
	ct_buf_printf(b, "%04x %08x 1 R%d %s 2 R2 UR4 ", (unsigned)pc * 16, (unsigned)mask, (int)pc, op);
	if (strcmp(op, "IADD3") == 0) {
		ct_buf_puts(b, "0");
	} else {
		uint64_t base = ct_rand64(seed) >> ct_rand64(seed) % 64;
		ct_buf_printf(b, "4 %u", form);
		for (unsigned i = 0; form == 0 && i < lanes; i++)
			ct_buf_printf(b, "%s0x%llx", tab, (unsigned long long)(base + i * 4));
		if (form > 0)
			ct_buf_printf(b, "%s0x%llx", tab, (unsigned long long)base);
		if (form == 1)
			ct_buf_printf(b, "%s%d", tab, (int)(ct_rand64(seed) % 3) * 4 - 4);
		int odd = ct_rand64(seed) % 3 == 0;
		for (unsigned i = 1; form == 2 && i < lanes; i++)
			ct_buf_printf(b, "%s%lld", tab,
			              odd ? (long long)(int64_t)ct_rand64(seed) >> ct_rand64(seed) % 60
			                  : 4LL);
	}
	ct_buf_printf(b, " %d \n", (int)(pc % 3));
}

static void fast_equals_slow(void **state)
{
	static const char *const tabs[] = {" ", "\t"};
	(void)state;
	for (uint64_t round = 1; round <= 5; round++) {
		char *got[2];
		for (int way = 0; way < 2; way++) {
			struct ct_buf b = {0};
			uint64_t seed = round;
			ct_buf_puts(&b, HEAD(V5) BLOCK);
			for (int i = 0; i < 2000; i++)
				random_line(&b, &seed, ct_rand64(&seed) % 40, tabs[way]);
			ct_buf_puts(&b, END);
			assert_false(b.failed);
			got[way] = describe_with(b.data, b.len, NULL, NULL);
			ct_buf_free(&b);
		}
		assert_string_equal(got[0], got[1]);
		assert_null(strstr(got[0], "error"));
		free(got[0]);
		free(got[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(columns),
		cmocka_unit_test(values_and_gmma),
		cmocka_unit_test(line_ends),
		cmocka_unit_test(raw),
		cmocka_unit_test(refused),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(salvage),
		cmocka_unit_test(salvage_reads_all),
		cmocka_unit_test(counted),
		cmocka_unit_test(long_line),
		cmocka_unit_test(fast_equals_slow),
		cmocka_unit_test(cut_between_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
