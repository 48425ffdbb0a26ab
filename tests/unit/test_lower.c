/* Lowering: whatever becomes of the instructions, each access of the program is in the trace once, with the
 * program's lanes and addresses; and machine code looks as it should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lower/capture.h"
#include "lower/machine.h"
#include "trace/opcode.h"
#include "trace/trace.h"

/* What a launch did to memory, in any order: sums over all lanes of mixed addresses, by space. */
struct sums {
	const struct ct_ptx_module *m;
	uint64_t lanes[CT_PTX_SPACES], mixed[CT_PTX_SPACES];
	uint64_t quads; /* accesses of four words of shared memory */
};

static uint64_t mix(uint64_t v, uint64_t with)
{
	v = (v ^ with * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
	return v ^ v >> 33;
}

/* By words, as neighbouring words may be read together. */
static void add(struct sums *s, enum ct_ptx_space space, uint32_t warp, uint32_t width, uint64_t address)
{
	uint32_t words = width > 4 ? width / 4 : 1;
	for (uint32_t w = 0; w < words; w++) {
		s->lanes[space]++;
		s->mixed[space] += mix(address + UINT64_C(4) * w, warp + UINT64_C(64) * (width / words));
	}
}

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	(void)e;
	struct sums *s = ctx;
	/* Parameters of calls lie in local memory here and in registers there. */
	int counted = (v->space == CT_PTX_GLOBAL || v->space == CT_PTX_SHARED ||
	               v->space == CT_PTX_LOCAL) &&
	              !strstr(ct_ptx_instruction_at(s->m, v->instruction).opcode, ".param");
	for (unsigned l = 0; counted && v->addresses && l < 32; l++)
		if (v->mask >> l & 1)
			add(s, v->space, v->warp, v->width, v->addresses[l]);
	return CT_OK;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);
	assert_non_null(f);
	assert_non_null(text);
	*size = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

static void sum_warp(struct ct_cta *cta, uint32_t w, struct sums *s, uint64_t *exits)
{
	struct ct_cursor *c;
	struct ct_error e;
	struct ct_inst i;
	uint32_t ended = 0;
	assert_int_equal(ct_cursor_open(&c, cta, w, &e), CT_OK);
	while (ct_cursor_next(c, &i, &e) > 0) {
		const struct ct_sinst *x = ct_code_at(ct_cta_code(cta), i.sid);
		assert_int_not_equal(x->unit, CT_CLASS_OTHER);
		assert_int_equal(i.mask & ended, 0);
		if (x->unit == CT_CLASS_EXIT)
			ended |= i.mask;
		const struct ct_kernel *k = ct_cta_kernel(cta);
		s->quads += strcmp(x->opcode, "LDS.128") == 0;
		for (unsigned a = 0; a < i.naddr; a++) {
			enum ct_space space = x->space == CT_SPACE_GENERIC
			                              ? ct_generic_space(k, i.addr[a])
			                              : (enum ct_space)x->space;
			uint64_t window = x->space != CT_SPACE_GENERIC ? 0
			                  : space == CT_SPACE_SHARED   ? k->shmem_base
			                  : space == CT_SPACE_LOCAL    ? k->local_base
			                                               : 0;
			if (space == CT_SPACE_GLOBAL || space == CT_SPACE_SHARED ||
			    space == CT_SPACE_LOCAL)
				add(s,
				    space == CT_SPACE_GLOBAL   ? CT_PTX_GLOBAL
				    : space == CT_SPACE_SHARED ? CT_PTX_SHARED
				                               : CT_PTX_LOCAL,
				    w, x->width, i.addr[a] - window);
		}
	}
	ct_cursor_close(c);
	*exits += ended == UINT32_MAX;
}

static void sum_trace(const char *path, struct sums *s, uint64_t *warps, uint64_t *exits)
{
	struct ct_trace *t;
	struct ct_event event;
	struct ct_error e;
	struct ct_cta *cta;
	*warps = *exits = 0;
	assert_int_equal(ct_trace_open(&t, path, NULL, &e), CT_OK);
	while (ct_trace_next(t, &event, &e) > 0)
		while (event.kind == CT_EVENT_KERNEL && ct_trace_next_cta(t, &cta, &e) > 0) {
			for (uint32_t w = 0; w < ct_cta_warps(cta); w++, ++*warps)
				sum_warp(cta, w, s, exits);
			ct_cta_unref(cta);
		}
	ct_trace_close(t);
}

/* Four neighbouring words of shared memory from an aligned base are one access, unless a store comes between. */
static const char quads[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .entry quads(.param .u64 p)\n{\n"
	".reg .b32 %r<9>;\n.reg .f32 %f<12>;\n.reg .b64 %rd<9>;\n"
	".shared .align 16 .b8 s[4096];\n"
	"mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 64;\nmov.u64 %rd2, s;\n"
	"add.s64 %rd3, %rd2, %rd1;\nmov.f32 %f11, 0f3F800000;\n"
	"st.shared.f32 [%rd3], %f11;\nbar.sync 0;\n"
	"ld.shared.f32 %f1, [%rd3+4];\nld.shared.f32 %f2, [%rd3];\n"
	"ld.shared.f32 %f3, [%rd3+12];\nld.shared.f32 %f4, [%rd3+8];\n"
	"ld.shared.f32 %f5, [%rd3+16];\nld.shared.f32 %f6, [%rd3+20];\n"
	"add.f32 %f7, %f1, %f2;\nadd.f32 %f8, %f3, %f4;\nadd.f32 %f9, %f5, %f6;\n"
	"add.f32 %f9, %f9, %f7;\nadd.f32 %f9, %f9, %f8;\n"
	"ld.param.u64 %rd4, [p];\ncvta.to.global.u64 %rd5, %rd4;\n"
	"mul.wide.u32 %rd6, %r1, 4;\nadd.s64 %rd7, %rd5, %rd6;\n"
	"st.global.f32 [%rd7], %f9;\nret;\n}\n";

/* Without an observer that wants every instruction, and however little may wait, the trace is the same. Only
 * of kernels whose own stores do not change what they do. */
static void check_same(const struct ct_capture_settings *settings, const struct ct_ptx_launch *launch,
                       const struct ct_capture_summary *want)
{
	static const uint64_t most[] = {0, 2048};
	struct ct_ptx_launch l = *launch;
	size_t size, again;
	char *bytes = read_file(settings->path, &size);
	l.observer = NULL;
	for (unsigned i = 0; i < 2; i++) {
		struct ct_capture_settings s = *settings;
		struct ct_capture_summary seen;
		struct ct_capture *c;
		struct ct_error e;
		s.unpacked_most = most[i];
		assert_int_equal(ct_capture_open(&s, &c, &e), CT_OK);
		assert_int_equal(ct_capture_launch(c, &l, NULL, &e), CT_OK);
		assert_int_equal(ct_capture_close(c, 0, &seen, &e), CT_OK);
		char *now = read_file(settings->path, &again);
		assert_int_equal(seen.warp_insts, want->warp_insts);
		assert_int_equal(again, size);
		assert_memory_equal(now, bytes, size);
		free(now);
	}
	free(bytes);
}

/* Runs a kernel of the fuzz corpus, whose pointers are buffers, and compares. */
static void check_kernel(const char *file, const char *kernel, unsigned sm)
{
	char path[4096], out[4096];
	const char *root = getenv("CT_ROOT"), *folder = getenv("TMPDIR");
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/ptx/%s", root ? root : ".", file);
	snprintf(out, sizeof out, "%s/lower.ctz", folder ? folder : "/tmp");
	size_t size = sizeof quads, buffers = 0;
	char *text = strcmp(file, "quads") ? read_file(path, &size) : strdup(quads);
	struct ct_ptx_module *m;
	struct ct_error e = {0};
	struct ct_ptx_memory *memory;
	assert_int_equal(ct_ptx_read(&m, text, size, file, &e), CT_OK);
	const struct ct_ptx_kernel *k = ct_ptx_find_kernel(m, kernel);
	assert_non_null(k);
	assert_int_equal(ct_ptx_memory_create(&memory, &e), CT_OK);
	unsigned char params[256] = {0}, *buffer[32];
	for (uint32_t i = 0; i < k->nparams; i++) {
		uint32_t n = 64;
		if (k->params[i].bytes == 8) {
			buffer[buffers] = calloc(1, 1 << 20);
			assert_non_null(buffer[buffers]);
			for (unsigned b = 0; b < 1 << 20; b += 4)
				buffer[buffers][b] = (unsigned char)(b / 4 % 61);
			memcpy(params + k->params[i].offset, &buffer[buffers], 8);
			assert_int_equal(ct_ptx_memory_add(memory, buffer[buffers++], 1 << 20, &e),
			                 CT_OK);
		} else {
			memcpy(params + k->params[i].offset, &n, 4);
		}
	}
	struct sums want = {.m = m}, got = {.m = m};
	struct ct_ptx_observer observer = {.ctx = &want, .instruction = on_instruction};
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = k,
		.grid = {2, 2, 1},
		.block = {32, 2, 1},
		.params = params,
		.param_bytes = sizeof params,
		.memory = memory,
		.max_steps = 200000,
		.observer = &observer};
	struct ct_capture_settings settings = {.path = out, .force = 1, .sm = sm};
	struct ct_capture_summary seen;
	struct ct_capture *c;
	uint64_t warps, exits;
	assert_int_equal(ct_capture_open(&settings, &c, &e), CT_OK);
	int rc = ct_capture_launch(c, &l, NULL, &e);
	if (rc < 0)
		print_message("%s\n", e.text);
	assert_int_equal(rc, CT_OK);
	assert_int_equal(ct_capture_close(c, 0, &seen, &e), CT_OK);
	assert_int_equal(seen.recorded, 1);
	check_same(&settings, &l, &seen);
	sum_trace(out, &got, &warps, &exits);
	for (int s = CT_PTX_GLOBAL; s <= CT_PTX_LOCAL; s++) {
		assert_int_equal(got.lanes[s], want.lanes[s]);
		assert_int_equal(got.mixed[s], want.mixed[s]);
	}
	assert_int_equal(got.quads, strcmp(file, "quads") ? 0 : 8);
	assert_int_equal(warps, 8);
	assert_int_equal(exits, 8);
	remove(out);
	for (size_t i = 0; i < buffers; i++)
		free(buffer[i]);
	ct_ptx_memory_free(memory);
	ct_ptx_free(m);
	free(text);
}

static void test_accesses(void **unused)
{
	(void)unused;
	static const unsigned sms[] = {70, 75, 80, 86};
	static const char *const files[] = {
		"divergence.ptx", "barriers.ptx", "switches.ptx", "calls.ptx",
		"atomics.ptx",    "mixed.ptx",    "reals.ptx"};
	for (unsigned i = 0; i < 4; i++)
		check_kernel("gemm.ptx", "gemm", sms[i]);
	check_kernel("quads", "quads", 70);
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		print_message("%s\n", files[i]);
		check_kernel(files[i], strcmp(files[i], "mixed.ptx") ? "k" : "_Z4gemmPfS_S_iff", 70);
	}
}

/* An atomic is a reduction where nothing reads what it returns: in the machine code, and for the emulator. */
static void test_reductions(void **unused)
{
	static const char text[] =
		".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
		"atom.global.add.u32 %r2, [%rd1], %r1;\natom.global.max.u32 %r3, [%rd1+4], %r1;\n"
		"atom.add.u32 %r4, [%rd1+8], 1;\natom.global.exch.b32 %r5, [%rd1+12], %r1;\n"
		"add.s32 %r6, %r3, 1;\nst.global.u32 [%rd1+16], %r6;\nret;\n}\n";
	static const int reduces[] = {0, 0, 1, 0, 1, 0, 0, 0, 0};
	static const char *const want[] = {"RED.E.ADD.STRONG.GPU", "ATOMG.E.MAX.STRONG.GPU",
	                                   "ATOM.E.ADD.STRONG.GPU", "ATOMG.E.EXCH.STRONG.GPU"};
	struct ct_ptx_module *m;
	struct ct_lower_program *p;
	struct ct_error e;
	unsigned found = 0;
	(void)unused;
	assert_int_equal(ct_ptx_read(&m, text, sizeof text - 1, "reductions", &e), CT_OK);
	for (size_t i = 0; i < sizeof reduces / sizeof *reduces; i++)
		assert_int_equal(ct_ptx_is_reduction(m, i), reduces[i]);
	assert_int_equal(ct_ptx_is_reduction(m, 100), 0);
	assert_int_equal(ct_lower_kernel(&p, m, ct_ptx_find_kernel(m, "k"), 70, &e), CT_OK);
	for (size_t i = 0; i < p->insts; i++)
		for (unsigned k = 0; k < 4; k++)
			if (p->inst[i].memory && p->inst[i].source == k + 2) {
				assert_string_equal(p->inst[i].opcode, want[k]);
				assert_int_equal(p->inst[i].ndst, k == 1 || k == 3);
				found++;
			}
	assert_int_equal(found, 4);
	ct_lower_free(p);
	ct_ptx_free(m);
}

/* Machine instructions of that name in a kernel of one parameter p, whose body stands between its index
 * %r1 and the store of %r9 there; in *sources, which may be NULL, the registers that all of them read. */
static unsigned count_reads(const char *body, unsigned sm, const char *opcode, unsigned *sources)
{
	char text[4096];
	struct ct_ptx_module *m;
	struct ct_lower_program *p;
	struct ct_error e;
	unsigned n = 0;
	int size = snprintf(
		text, sizeof text,
		".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
		".reg .pred %%p<9>;\n.reg .f32 %%f<9>;\n.reg .b32 %%r<99>;\n.reg .b64 %%rd<99>;\n"
		"ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd2, %%r1, 4;\n"
		"add.s64 %%rd3, %%rd1, %%rd2;\n%s\nst.global.u32 [%%rd3], %%r9;\nret;\n}\n",
		body);
	assert_in_range(size, 1, sizeof text - 1);
	assert_int_equal(ct_ptx_read(&m, text, (size_t)size, "count", &e), CT_OK);
	assert_int_equal(ct_lower_kernel(&p, m, ct_ptx_find_kernel(m, "k"), sm, &e), CT_OK);
	for (size_t i = 0; i < p->insts; i++)
		if (strcmp(p->inst[i].opcode, opcode) == 0) {
			n++;
			for (unsigned k = 0; sources && k < p->inst[i].nsrc; k++)
				*sources += p->inst[i].src[k] != CT_LOWER_RZ;
		}
	ct_lower_free(p);
	ct_ptx_free(m);
	return n;
}

static unsigned count(const char *body, unsigned sm, const char *opcode)
{
	return count_reads(body, sm, opcode, NULL);
}

/* What one machine instruction does of a signed division by 2 and by 4, added to something. */
static void test_shifted_sums(void **unused)
{
	static const char half[] =
		"ld.global.u32 %r2, [%rd3];\nshr.u32 %r3, %r2, 31;\nadd.s32 %r4, %r2, %r3;\n"
		"shr.s32 %r5, %r4, 1;\nadd.s32 %r9, %r5, %r1;";
	static const char quarter[] =
		"ld.global.u32 %r2, [%rd3];\nshr.s32 %r3, %r2, 31;\nshr.u32 %r4, %r3, 30;\n"
		"add.s32 %r5, %r2, %r4;\nshr.s32 %r6, %r5, 2;\nsub.s32 %r9, %r1, %r6;";
	(void)unused;
	assert_int_equal(count(half, 70, "LEA.HI"), 1);
	assert_int_equal(count(half, 70, "LEA.HI.SX32"), 1);
	assert_int_equal(count(half, 70, "SHF.R.U32.HI") + count(half, 70, "SHF.R.S32.HI"), 0);
	assert_int_equal(count(quarter, 70, "LEA.HI"), 1);
	assert_int_equal(count(quarter, 70, "LEA.HI.SX32"), 0);
	assert_int_equal(count(quarter, 70, "SHF.R.S32.HI"), 2);
}

/* A branch that parts lanes has its barrier register cleared in code of sm_70 and sm_75. */
static void test_brackets(void **unused)
{
	static const char parted[] =
		"mov.u32 %r9, 0;\nsetp.gt.u32 %p1, %r1, 7;\n@%p1 bra E;\nL:\n"
		"ld.volatile.global.u32 %r9, [%rd3];\nsetp.ne.s32 %p2, %r9, 0;\n@%p2 bra L;\nE:";
	(void)unused;
	for (unsigned sm = 70; sm < 90; sm += 5) {
		unsigned brackets = count(parted, sm, "BSSY");
		assert_true(brackets > 0);
		assert_int_equal(count(parted, sm, "BMOV.32.CLEAR"), sm < 80 ? brackets : 0);
	}
}

/* Bases of a pointer that PTX moves on: one IMAD.WIDE each, with nothing in front of the loop for them; three
 * registers are one addition. */
static void test_steps(void **unused)
{
	static const char moved[] =
		"ld.global.u32 %r2, [%rd3];\nmul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd3, %rd4;\n"
		"ld.global.u32 %r3, [%rd5];\nadd.s64 %rd6, %rd5, %rd4;\nld.global.u32 %r4, [%rd6];\n"
		"add.s64 %rd7, %rd6, %rd4;\nld.global.u32 %r5, [%rd7];\nadd.s32 %r6, %r3, %r4;\nadd.s32 %r9, %r5, %r6;";
	(void)unused;
	assert_int_equal(count(moved, 70, "IMAD.WIDE") + count(moved, 70, "IMAD.WIDE.U32"), 4);
	assert_int_equal(count(moved, 70, "IADD3"), 1);
}

/* A quotient that may be off, of operands without subnormals, is a product with an estimate of the reciprocal; where they
 * may be subnormal, they are scaled first. */
static void test_quotients(void **unused)
{
	static const char flushed[] = "ld.global.f32 %r2, [%rd3];\ndiv.approx.ftz.f32 %r9, %r2, %r2;";
	static const char scaled[] = "ld.global.f32 %r2, [%rd3];\ndiv.approx.f32 %r9, %r2, %r2;";
	(void)unused;
	assert_int_equal(count(flushed, 70, "MUFU.RCP"), 1);
	assert_int_equal(count(flushed, 70, "FMUL"), 1);
	assert_int_equal(count(flushed, 70, "FSETP.GT.AND"), 0);
	assert_int_equal(count(scaled, 70, "FSETP.GT.AND"), 1);
	assert_int_equal(count(scaled, 70, "FMUL"), 3);
}

/* Machines add up the differences of four bytes in one instruction; other parts of words are taken out and put together. */
static void test_video(void **unused)
{
	static const char sum[] =
		"ld.global.u32 %r2, [%rd3];\nvabsdiff4.u32.u32.u32.add %r9, %r2.b3210, %r2, %r2;";
	static const char halves[] = "ld.global.u32 %r2, [%rd3];\nvadd2.u32.u32.u32 %r9, %r2, %r2, %r2;";
	static const char one[] =
		"ld.global.u32 %r2, [%rd3];\nvmin.s32.s32.s32.max %r9, %r2.b1, %r2, %r2;";
	(void)unused;
	assert_int_equal(count(sum, 70, "VABSDIFF4"), 1);
	assert_int_equal(count(halves, 70, "PRMT"), 5);
	assert_int_equal(count(one, 70, "IMNMX"), 2);
}

/* The name tells a matrix instruction's shape and types, and with them the registers of its operands. */
static void test_matrices(void **unused)
{
	static const struct {
		const char *body, *machine;
	} row[] = {
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r2, %r3}, {%r4}, "
	         "{%f4, %f5, %f6, %f7};\ncvt.rzi.s32.f32 %r9, %f0;",
	         "HMMA.1688.F32"},
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r2, %r3, %r5, %r6}, "
	         "{%r4, %r7}, {%f4, %f5, %f6, %f7};\ncvt.rzi.s32.f32 %r9, %f0;",
	         "HMMA.16816.F32"},
		{"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {%r9, %r10, %r11, %r12}, {%r2, %r3}, "
	         "{%r4}, {%r5, %r6, %r7, %r8};",
	         "IMMA.16816.U8.S8"},
		{"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%r9, %r10, %r11, %r12}, {%r2, %r3, %r13, %r14}, "
	         "{%r4, %r15}, {%r5, %r6, %r7, %r8};",
	         "IMMA.16864.S4.U4"},
		{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r9, %r10}, {%r2}, {%r4}, {%r5, %r6};",
	         "BMMA.88128.XOR.POPC"},
		{"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r9, %r10}, [%r1];", "LDSM.16.MT88.2"},
		{"ldmatrix.sync.aligned.x1.m8n8.shared.b16 {%r9}, [%r1];", "LDSM.16.M88"},
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9, %r10, %r11, %r12}, [%r1];",
	         "LDSM.16.M88.4"},
		{"ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%r9, %r10}, [%rd3];", "LDSM.16.MT88.2"},
		{"movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r2;", "MOVM.16.MT88"}};
	static const char by_quads[] =
		"ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd3];\n"
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, {%r2, %r3}, {%r4, %r5}, "
		"{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};\ncvt.rzi.s32.f32 %r9, %f0;";
	(void)unused;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		assert_int_equal(count(row[i].body, 80, row[i].machine), 1);
	assert_int_equal(count(by_quads, 70, "HMMA.884.F32.F32.STEP0"), 1);
	assert_int_equal(count(by_quads, 70, "HMMA.884.F32.F32.STEP3"), 1);
	assert_int_equal(count(by_quads, 70, "IMAD.MOV.U32"),
	                 count("ld.global.u32 %r9, [%rd3];", 70, "IMAD.MOV.U32"));
	/* Sums that begin with zero take no register for it, and fragments that lie side by side no moves. */
	static const char zero[] =
		"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];\n"
		"mov.f32 %f4, 0f00000000;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
		"{%r2, %r3}, {%r4}, {%f4, %f4, %f4, %f4};\ncvt.rzi.s32.f32 %r9, %f0;";
	assert_int_equal(count(zero, 80, "IMAD.MOV.U32"),
	                 count("ld.global.u32 %r9, [%rd3];", 80, "IMAD.MOV.U32"));
}

/* Sums in place that begin with zeros which were moved there take none, also where clang's zero becomes the sum of the last product;
 * nor do factors of loaded words, or the halves of a word. */
static void test_products_moves(void **unused)
{
	static const char head
		[] = "mov.b32 %r15, 0;\nld.shared.u32 %r2, [%r1];\nld.shared.u32 %r4, [%r1+64];\n"
		     "ld.shared.u32 %r3, [%r1+128];\n",
	    zeros[] =
		    "mov.u32 %r9, %r15;\nmov.u32 %r10, %r15;\nmov.u32 %r11, %r15;\nmov.u32 %r12, %r15;\n",
	    product[] =
		    "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r9, %r10, %r11, %r12}, {%r2, %r3}, {%r4}, "
		    "{%r9, %r10, %r11, %r12};\nadd.s32 %r13, %r9, %r10;\nst.global.u32 [%rd3], %r13;\n",
	    last[] =
		    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r15, %r16}, {%r2}, {%r4}, {%r15, %r16};\n"
		    "st.global.u32 [%rd3+4], %r15;\nst.global.u32 [%rd3+8], %r16;",
	    read[] = "add.s32 %r14, %r9, %r1;\nst.global.u32 [%rd3+12], %r14;\n",
	    halves[] =
		    "ld.global.u32 %r2, [%rd3];\n{.reg .b16 low, high;\nmov.b32 {low, high}, %r2;\ncvt.f32.f16 %f0, high;\n}\n"
		    "st.global.f32 [%rd3+4], %f0;",
	    number[] =
		    "ld.global.u32 %r2, [%rd3];\n{.reg .b16 low, high;\nmov.b32 {low, high}, %r2;\ncvt.u32.u16 %r3, high;\n}\n"
		    "st.global.u32 [%rd3+4], %r3;";
	char all[2048];
	const unsigned moves = count(
		"ld.global.u32 %r9, [%rd3];", 80, "IMAD.MOV.U32"); /* of every kernel */
	(void)unused;
	snprintf(all, sizeof all, "%s%s%s", head, zeros, product);
	assert_int_equal(count(all, 80, "IMAD.MOV.U32"), moves);
	snprintf(all, sizeof all, "%s%s%s%s%s", head, zeros, product, "mov.u32 %r16, %r15;\n", last);
	assert_int_equal(count(all, 80, "IMAD.MOV.U32"), moves + 2); /* of the last alone */
	snprintf(all, sizeof all, "%s%s%s%s", head, zeros, read, product);
	assert_int_equal(count(all, 80, "IMAD.MOV.U32"), moves + 4);
	assert_int_equal(count(halves, 80, "IMAD.MOV.U32"), moves);
	assert_int_equal(count(number, 80, "IMAD.MOV.U32"), moves + 1);
}

/* Two halves that are made and packed are one instruction from sm_80 on, unless one is used for itself. */
static void test_packed_halves(void **unused)
{
	static const char pair
		[] = "ld.global.v2.f32 {%f0, %f1}, [%rd3];\n{.reg .b16 low, high;\ncvt.rn.f16.f32 low, %f0;\n"
		     "cvt.rn.f16.f32 high, %f1;\nmov.b32 %r9, {low, high};\n}",
	    used[] =
		    "ld.global.v2.f32 {%f0, %f1}, [%rd3];\n{.reg .b16 low, high;\ncvt.rn.bf16.f32 low, %f0;\n"
		    "cvt.rn.bf16.f32 high, %f1;\nmov.b32 %r9, {low, high};\nst.global.b16 [%rd3+4], low;\n}";
	const unsigned moves = count(
		"ld.global.u32 %r9, [%rd3];", 80, "IMAD.MOV.U32"); /* of every kernel */
	unsigned sources = 0;
	static const char shifted[] =
		"ld.global.v2.f32 {%f0, %f1}, [%rd3];\n{.reg .b16 low, high;\ncvt.rn.f16.f32 low, %f0;\n"
		"cvt.rn.f16.f32 high, %f1;\ncvt.u32.u16 %r2, high;\nshl.b32 %r3, %r2, 16;\ncvt.u32.u16 %r4, low;\n"
		"or.b32 %r9, %r3, %r4;\n}";
	(void)unused;
	assert_int_equal(count(shifted, 80, "F2FP.PACK_AB"), 1);
	assert_int_equal(count(shifted, 80, "LOP3.LUT") + count(shifted, 80, "PRMT"), 0);
	assert_int_equal(count(shifted, 70, "F2F.F16.F32"), 2);
	assert_int_equal(count(shifted, 70, "PRMT"), 1);
	assert_int_equal(count(shifted, 70, "LOP3.LUT"), 0);
	assert_int_equal(count_reads(pair, 80, "F2FP.PACK_AB", &sources), 1);
	assert_int_equal(sources, 2);
	assert_int_equal(count(pair, 80, "IMAD.MOV.U32"), moves);
	assert_int_equal(count(pair, 75, "F2F.F16.F32"), 2);
	assert_int_equal(count(used, 80, "F2FP.BF16.PACK_AB"), 2);
}

/* A vector that is stored as it was loaded needs no moves; one in another order does. */
static void test_vectors(void **unused)
{
	static const char same[] =
		"ld.global.v4.u32 {%r2, %r3, %r4, %r9}, [%rd3];\n"
		"st.global.v4.u32 [%rd3+64], {%r2, %r3, %r4, %r9};\nst.global.v2.u32 [%rd3+128], {%r4, %r9};";
	static const char other[] =
		"ld.global.v4.u32 {%r2, %r3, %r4, %r9}, [%rd3];\n"
		"st.global.v4.u32 [%rd3+64], {%r3, %r2, %r4, %r9};\nst.global.v2.u32 [%rd3+128], {%r3, %r4};";
	const unsigned moves = count(
		"ld.global.u32 %r9, [%rd3];", 80, "IMAD.MOV.U32"); /* of every kernel */
	(void)unused;
	unsigned sources = 0; /* the address and the first register of the vector */
	assert_int_equal(count_reads(same, 80, "STG.E.128", &sources), 1);
	assert_int_equal(sources, 2);
	assert_int_equal(count(same, 80, "STG.E.64"), 1);
	assert_int_equal(count(same, 80, "IMAD.MOV.U32"), moves);
	assert_int_equal(count(other, 80, "IMAD.MOV.U32"), moves + 6);
}

/* Textures and surfaces: an instruction each, whose vectors lie side by side. A store is there though nobody reads it. */
static void test_textures(void **unused)
{
	static const char body[] =
		"suld.b.a2d.v4.b32.trap {%r2, %r3, %r4, %r9}, [%rd1, {%r1, %r1, %r1, %r1}];\n"
		"sust.b.2d.v4.b32.zero [%rd1, {%r1, %r1}], {%r2, %r3, %r4, %r9};\n"
		"sust.b.1d.b32.clamp [%rd1, {%r1}], %r3;\n"
		"tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5, %f6, %f6}];\n"
		"tex.grad.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4}], {%f5}, {%f6};\n"
		"tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}];";
	const unsigned moves = count("ld.global.u32 %r9, [%rd3];", 80, "IMAD.MOV.U32");
	unsigned sources = 0;
	(void)unused;
	assert_int_equal(count(body, 80, "SULD.D.BA"), 1);
	assert_int_equal(count_reads(body, 80, "SUST.D.BA", &sources), 2);
	assert_in_range(
		sources, 5,
		7); /* values and coordinates; the handle lies in constant memory, or is one more */
	assert_int_equal(count(body, 80, "TEX"), 1);
	assert_int_equal(count(body, 80, "TXD"), 1);
	assert_int_equal(count(body, 80, "TLD4"), 1);
	assert_true(count(body, 80, "IMAD.MOV.U32") <= moves + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accesses),       cmocka_unit_test(test_reductions),
		cmocka_unit_test(test_shifted_sums),   cmocka_unit_test(test_brackets),
		cmocka_unit_test(test_steps),          cmocka_unit_test(test_quotients),
		cmocka_unit_test(test_video),          cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_products_moves), cmocka_unit_test(test_packed_halves),
		cmocka_unit_test(test_vectors),        cmocka_unit_test(test_textures)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
