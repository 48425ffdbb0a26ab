/* Execution: bytes choose the instructions of a kernel that can always be read, so that what is tried is what
 * kernels do, not their text: divergence, barriers, loops, faults, atomics, within few instructions. The
 * kernel runs with an observer that wants every instruction, and as a capture; neither may know better. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "lower/capture.h"
#include "ptx/emulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFER = 4096, MAX_INSTRUCTIONS = 96, LABELS = 8, MAX_STEPS = 4000, CTAS = 3 };

static const char head[] =
	".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
	".reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %d<12>;\n.reg .f32 %f<4>;\n"
	".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n"
	"ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %laneid;\n"
	"mov.u64 %d1, s;\nmov.u64 %d2, l;\n";

/* What an instruction may be. A letter behind @ is a number: a, b and c name registers, p and q predicates,
 * t a label, i a small constant. */
static const char *const forms[] = {
	"add.s32 %r@a, %r@b, %r@c;",
	"sub.s32 %r@a, %r@b, @i;",
	"mad.lo.s32 %r@a, %r@b, %r@c, %r@a;",
	"and.b32 %r@a, %r@b, @i;",
	"xor.b32 %r@a, %r@b, %r@c;",
	"shl.b32 %r@a, %r@b, @i;",
	"div.u32 %r@a, %r@b, %r@c;",
	"mul.wide.u32 %d@a, %r@b, 4;",
	"add.s64 %d@a, %d@b, %d@c;",
	"cvt.rn.f32.s32 %f@p, %r@b;",
	"fma.rn.f32 %f@p, %f@q, %f@p, %f@q;",
	"cvt.rzi.s32.f32 %r@a, %f@p;",
	"setp.lt.s32 %p@p, %r@b, %r@c;",
	"setp.eq.s32 %p@p, %r@b, @i;",
	"selp.b32 %r@a, %r@b, %r@c, %p@p;",
	"bra L@t;",
	"@%p@p bra L@t;",
	"@!%p@p bra L@t;",
	"@%p@p add.s32 %r@a, %r@b, 1;",
	"@%p@p exit;",
	"bar.sync 0;",
	"vote.sync.ballot.b32 %r@a, %p@p, 0xffffffff;",
	"shfl.sync.idx.b32 %r@a, %r@b, @i, 31, 0xffffffff;",
	"activemask.b32 %r@a;",
	"ld.global.u32 %r@a, [%d@b+@i];", /* which may lie anywhere */
	"st.global.u32 [%d0+@i], %r@a;",
	"and.b32 %r8, %r@b, 1020;\ncvt.u64.u32 %d8, %r8;\nadd.s64 %d8, %d8, %d0;\nld.global.u32 %r@a, [%d8];",
	"and.b32 %r8, %r@b, 1020;\ncvt.u64.u32 %d8, %r8;\nadd.s64 %d8, %d8, %d0;\nst.global.u32 [%d8], %r@a;",
	"and.b32 %r8, %r@b, 1016;\ncvt.u64.u32 %d8, %r8;\nadd.s64 %d8, %d8, %d0;\nld.global.v2.u32 {%r@a, %r9}, [%d8];",
	"and.b32 %r8, %r@b, 1020;\ncvt.u64.u32 %d8, %r8;\nadd.s64 %d8, %d8, %d1;\nst.shared.u32 [%d8], %r@a;",
	"and.b32 %r8, %r@b, 1020;\ncvt.u64.u32 %d8, %r8;\nadd.s64 %d8, %d8, %d1;\nld.shared.u32 %r@a, [%d8];",
	"ld.shared.u8 %r@a, [s+@i];",
	"st.local.u32 [%d2+@i], %r@a;",
	"ld.local.u32 %r@a, [%d2+@i];",
	"atom.global.add.u32 %r@a, [%d0+8], %r@b;",
	"atom.global.add.u32 %r10, [%d0+16], %r@b;", /* nothing reads it */
	"atom.shared.exch.b32 %r@a, [s+16], %r@b;",
	"red.global.max.u32 [%d0+24], %r@b;"};

/* One instruction out of four bytes. */
static void add_instruction(struct ct_buf *to, const uint8_t *four)
{
	const char *form = forms[four[0] % (sizeof forms / sizeof *forms)];
	for (; *form; form++) {
		unsigned number = 0;
		if (*form != '@' || !strchr("abcpqti", form[1])) {
			ct_buf_putc(to, *form);
			continue;
		}
		switch (*++form) {
		case 'a': number = four[1] & 7u; break;
		case 'b': number = four[2] & 7u; break;
		case 'c': number = four[3] & 7u; break;
		case 'p': number = four[1] >> 3 & 3u; break;
		case 'q': number = four[2] >> 3 & 3u; break;
		case 't': number = four[3] % LABELS; break;
		default: number = four[3] / 8u * 4; break;
		}
		ct_buf_printf(to, "%u", number);
	}
	ct_buf_putc(to, '\n');
}

/* The kernel; labels stand at even distances. */
static void write_kernel(struct ct_buf *to, const uint8_t *data, size_t n)
{
	ct_buf_puts(to, head);
	for (size_t i = 0, label = 0; i <= n; i++) {
		for (; label < LABELS && i >= n * label / LABELS; label++)
			ct_buf_printf(to, "L%zu:\n", label);
		if (i < n)
			add_instruction(to, data + 4 * i);
	}
	ct_buf_puts(to, "ret;\n}\n");
}

struct seen {
	uint64_t instructions;
};

static int on_instruction(void *ctx, const struct ct_ptx_event *v, struct ct_error *e)
{
	struct seen *s = ctx;
	(void)e;
	if ((v->mask & ~v->active) || !v->active || (v->addresses && v->mask && v->width == 0))
		abort();
	s->instructions++;
	return 0;
}

/* Runs the kernel on fresh memory; *hash tells what it left there. */
static int run(struct ct_ptx_launch *l, struct ct_capture *c, uint32_t *buffer, uint64_t *hash,
               struct ct_ptx_result *r)
{
	struct ct_error e = {0};
	for (uint32_t i = 0; i < BUFFER / 4; i++)
		buffer[i] = i * 7;
	int rc = c ? ct_capture_launch(c, l, r, &e) : ct_ptx_launch(l, r, &e);
	if ((rc < 0) != (e.status != 0) || (rc == CT_OK && r->fault.kind) || r->steps > MAX_STEPS + 1)
		abort();
	*hash = ct_crc64(0, buffer, BUFFER);
	return rc;
}

/* A capture of the launch to nowhere. */
static int capture(struct ct_ptx_launch *l, uint32_t *buffer, uint64_t *hash, struct ct_ptx_result *r)
{
	static int fd = -1;
	struct ct_capture *c;
	struct ct_error e;
	if (fd < 0)
		fd = open("/dev/null", O_WRONLY);
	const struct ct_capture_settings s = {.fd = fd, .sm = 70, .threads = 1};
	if (ct_capture_open(&s, &c, &e) < 0)
		abort();
	int rc = run(l, c, buffer, hash, r);
	if (ct_capture_close(c, rc < 0 ? CT_CAPTURE_DROP : 0, NULL, &e) < 0)
		abort();
	return rc;
}

/* Every way gives the same: the end, the steps, and what is in memory. */
static void launch(const struct ct_ptx_module *m, uint32_t *buffer, struct ct_ptx_memory *memory)
{
	struct seen seen = {0};
	const struct ct_ptx_observer observer = {.ctx = &seen, .instruction = on_instruction};
	const uint64_t param = (uint64_t)(uintptr_t)buffer;
	struct ct_ptx_result want, got;
	uint64_t hash, other;
	struct ct_ptx_launch l = {
		.module = m,
		.kernel = ct_ptx_kernel_at(m, 0),
		.grid = {CTAS, 1, 1},
		.block = {40, 1, 1},
		.params = &param,
		.param_bytes = sizeof param,
		.memory = memory,
		.max_steps = MAX_STEPS,
		.threads = 1,
		.observer = &observer};
	int rc = run(&l, NULL, buffer, &hash, &want);
	if (rc == CT_OK && seen.instructions != want.steps)
		abort();
	l.observer = NULL;
	int again = capture(&l, buffer, &other, &got);
	if (again != rc || other != hash || got.steps != want.steps)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint32_t *buffer;
	struct ct_buf text = {0};
	struct ct_ptx_module *m;
	struct ct_ptx_memory *memory;
	struct ct_error e = {0};
	size_t n = size / 4 < MAX_INSTRUCTIONS ? size / 4 : MAX_INSTRUCTIONS;
	if (!buffer && !(buffer = calloc(1, BUFFER)))
		return 0;
	write_kernel(&text, data, n);
	if (ct_buf_check(&text, &e) == CT_OK && ct_ptx_memory_create(&memory, &e) == CT_OK) {
		int rc = ct_ptx_read(&m, text.data, text.len, "fuzz", &e);
		if (rc < 0 && rc != CT_ERR_NOMEM)
			abort(); /* these kernels can be read */
		if (rc == CT_OK && ct_ptx_memory_add(memory, buffer, BUFFER, &e) == CT_OK)
			launch(m, buffer, memory);
		if (rc == CT_OK)
			ct_ptx_free(m);
		ct_ptx_memory_free(memory);
	}
	ct_buf_free(&text);
	return 0;
}
