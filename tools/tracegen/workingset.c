/* A working set read again and again; tracegen(1), WORKINGSET, defines every parameter. One launch is one
 * pass: L1 caches start cold where the GPU flushes them between kernels, the LLC keeps what fits.
 *
 * The kernel is that of
 *
 *     sum = 0, slice = blockIdx.x / sharing
 *     for (i = threadIdx.x; i < elements; i += 256)     four at once while there are four
 *             sum += `intensity` dependent FFMAs of data[(slice * elements + i) * stride]
 *     out[blockIdx.x * 256 + threadIdx.x] = sum
 *
 * as code of sm_80. Control flow and addresses follow from the parameters alone, so that nothing is run. */
#include "tracegen/workingset.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/accelsim_write.h"

enum { BLOCK = 256, WARPS = BLOCK / CT_WARP_LANES, UNROLL = 4, LINE = 128, REGISTERS = 12 };

/* Where the heap of a process lies in captured traces, and how cudaMalloc aligns. */
#define HEAP_BASE UINT64_C(0x7f5200000000)
enum { ALIGNMENT = 512 };

/* ---- the code ---- */

/* Constants that depend on parameters. */
enum { STRIDE = -1, STEP = -2 /* bytes from one round of a loop to the next */ };

/* An instruction: what it writes, where it is a register; what it reads, 255 being RZ. */
struct form {
	const char *opcode;
	int dst; /* -1: none */
	unsigned nsrc;
	uint8_t src[3];
	int64_t imm;
};

/* Up to the slice's number: a division by the usual estimate, which is corrected twice. */
static const struct form division[] = {
	{"IMAD.MOV.U32", 1, 2, {255, 255}, 0},
	{"ULDC.64", -1, 0, {0}, 0},
	{"I2F.U32.RP", 0, 0, {0}, 0},
	{"S2R", 2, 0, {0}, 0},
	{"S2R", 3, 0, {0}, 0},
	{"MUFU.RCP", 0, 1, {0}, 0},
	{"IADD3", 0, 2, {0, 255}, 0xffffffe},
	{"F2I.FTZ.U32.TRUNC.NTZ", 0, 1, {0}, 0},
	{"IADD3", 4, 3, {255, 0, 255}, 0},
	{"IMAD", 4, 2, {4, 255}, 0},
	{"IMAD.HI.U32", 4, 3, {0, 4, 255}, 0},
	{"IADD3", 0, 3, {0, 4, 255}, 0},
	{"IMAD.HI.U32", 0, 3, {0, 2, 255}, 0},
	{"IADD3", 4, 3, {255, 0, 255}, 0},
	{"IMAD", 4, 2, {4, 2}, 0}};
/* Once for each correction: the test, then what its lanes do. */
static const struct form correction[] = {
	{"ISETP.GE.U32.AND", -1, 1, {4}, 0}, {"IADD3", 4, 2, {4, 255}, 0}, {"IADD3", 0, 2, {0, 255}, 1}};
static const struct form begin[] = {
	{"IMAD", 0, 2, {0, 3}, 0},
	{"IMAD.WIDE", 4, 1, {0}, STRIDE},
	{"IMAD.MOV.U32", 0, 3, {255, 255, 3}, 0},
	{"IADD3", 6, 1, {255}, -(UNROLL - 1) * BLOCK},
	{"IMAD.MOV.U32", 7, 2, {255, 255}, 0}};
/* Of both loops: by `four`, that of four elements a round or of one. */
static const struct form test[2] = {{"ISETP.LT.AND", -1, 1, {0}, 0}, {"ISETP.LT.AND", -1, 2, {0, 6}, 0}};
static const struct form open_if = {"BSSY", -1, 0, {0}, 0}, branch = {"BRA", -1, 0, {0}, 0},
			 sync = {"BSYNC", -1, 0, {0}, 0};
static const struct form load[2][UNROLL] = {
	{{"LDG.E", 6, 1, {4}, 0}},
	{{"LDG.E", 8, 1, {4}, 0},
         {"LDG.E", 9, 1, {4}, 0},
         {"LDG.E", 10, 1, {4}, 0},
         {"LDG.E", 11, 1, {4}, 0}}};
static const struct form advance[2][3] = {
	{{"IADD3", 0, 2, {0, 255}, BLOCK},
         {"IADD3", 4, 2, {4, 255}, STEP},
         {"IADD3.X", 5, 3, {5, 255, 255}, 0}},
	{{"IADD3", 0, 2, {0, 255}, UNROLL *BLOCK},
         {"IADD3", 4, 2, {4, 255}, STEP},
         {"IADD3.X", 5, 3, {5, 255, 255}, 0}}};
static const struct form end[] = {{"IMAD", 0, 2, {2, 3}, BLOCK},
                                  {"IMAD.WIDE", 2, 1, {0}, 4},
                                  {"STG.E", -1, 2, {2, 7}, 0},
                                  {"EXIT", -1, 0, {0}, 0}};

/* ---- a warp ---- */

struct run {
	const struct workingset *w;
	struct workingset_options o;
	uint64_t elements; /* of a slice */
	uint64_t data, out;
	uint64_t data_bytes, out_bytes;
	struct ct_kernel head;
	struct ct_buf cta, warp; /* text */
	/* Of the warp at hand: */
	uint64_t cta_index, insts, pc;
	uint32_t i[CT_WARP_LANES]; /* each lane's element */
	uint32_t first;            /* thread of lane 0 */
};

/* Writes one instruction, and steps over it in the code. addresses: of the lanes, in their order, or NULL. */
static void put(struct run *r, const struct form *f, uint32_t mask, const uint64_t *addresses,
                unsigned four)
{
	int64_t step = (int64_t)((four ? UNROLL : 1) * BLOCK * r->o.stride);
	struct ct_sinst s = {
		.pc = r->pc,
		.opcode = f->opcode,
		.ndst = f->dst >= 0,
		.nsrc = (uint8_t)f->nsrc,
		.has_imm = 1,
		.imm = f->imm == STRIDE ? (int64_t)r->o.stride
	               : f->imm == STEP ? step
	                                : f->imm};
	struct ct_inst inst;
	s.dst[0] = CT_REG_MAKE(CT_REG_R, f->dst >= 0 ? f->dst : 0);
	for (unsigned k = 0; k < f->nsrc; k++)
		s.src[k] = f->src[k] == 255 ? CT_REG_RZ : CT_REG_MAKE(CT_REG_R, f->src[k]);
	inst.mask = mask;
	inst.values = NULL;
	inst.nvalues = 0;
	if (addresses) {
		s.width_field = ct_accelsim_width_field(f->opcode);
		unsigned n = 0;
		for (uint32_t rest = mask; rest; rest &= rest - 1)
			inst.addr[n] = addresses[n], n++;
		ct_accelsim_choose_form(&inst);
	}
	ct_accelsim_put_inst(&r->warp, &r->head, &s, &inst);
	r->insts++;
	r->pc += 16;
}

static void put_all(struct run *r, const struct form *f, size_t n, uint32_t mask, unsigned four)
{
	for (size_t i = 0; i < n; i++)
		put(r, &f[i], mask, NULL, four);
}

/* The slice's number. Which lanes correct the estimate is known from the arithmetic. */
static uint32_t put_division(struct run *r)
{
	uint32_t d = (uint32_t)r->o.sharing, n = (uint32_t)r->cta_index, bits;
	float x = 1.0f / (float)d; /* d has less than 24 bits */
	memcpy(&bits, &x, sizeof bits);
	bits += 0xffffffe;
	memcpy(&x, &bits, sizeof x);
	uint32_t q = (uint32_t)x;
	q += (uint32_t)((uint64_t)q * (0u - q * d) >> 32);
	uint32_t slice = (uint32_t)((uint64_t)q * n >> 32), rest = n - slice * d;
	put_all(r, division, sizeof division / sizeof *division, UINT32_MAX, 0);
	for (int i = 0; i < 2; i++) {
		int wrong = rest >= d;
		put(r, &correction[0], UINT32_MAX, NULL, 0);
		put_all(r, correction + 1, 2, wrong ? UINT32_MAX : 0, 0);
		slice += (uint32_t)wrong;
		rest -= wrong ? d : 0;
	}
	return slice;
}

/* Lanes whose element is below a bound. */
static uint32_t lanes_below(const struct run *r, int64_t bound)
{
	uint32_t mask = 0;
	for (unsigned l = 0; l < CT_WARP_LANES; l++)
		mask |= (uint32_t)((int64_t)r->i[l] < bound) << l;
	return mask;
}

/* One round of a loop: loads, then for each element its FFMAs and the sum. */
static void put_round(struct run *r, uint32_t slice, uint32_t mask, unsigned four)
{
	const unsigned n = four ? UNROLL : 1;
	const struct form sum = {"FADD", 7, 2, {7, four ? 8 : 6}, 0};
	for (unsigned u = 0; u < n; u++) {
		uint64_t addresses[CT_WARP_LANES];
		unsigned count = 0;
		for (unsigned l = 0; l < CT_WARP_LANES; l++)
			if (mask >> l & 1)
				addresses[count++] = r->data +
				                     (slice * r->elements + r->i[l] + u * BLOCK) *
				                             r->o.stride;
		put(r, &load[four][u], mask, addresses, four);
	}
	for (unsigned u = 0; u < n; u++) {
		struct form multiply = {"FFMA", four ? 8 : 6, 1, {0}, 0};
		for (uint64_t k = 0; k < r->o.intensity; k++) {
			multiply.src[0] = (uint8_t)(k ? multiply.dst : load[four][u].dst);
			put(r, &multiply, mask, NULL, four);
		}
		put(r, &sum, mask, NULL, four);
	}
	put_all(r, advance[four], 3, mask, four);
	for (unsigned l = 0; l < CT_WARP_LANES; l++)
		r->i[l] += mask >> l & 1 ? n * BLOCK : 0;
}

/* A loop under a condition, both divergent: lanes that leave execute the BSYNC behind it for themselves. */
static void put_loop(struct run *r, uint32_t slice, unsigned four)
{
	int64_t bound = (int64_t)r->elements - (four ? (UNROLL - 1) * BLOCK : 0);
	uint32_t in = lanes_below(r, bound), out = ~in;
	uint64_t rounds = (four ? UNROLL : 1) * (r->o.intensity + 2) + 5; /* instructions of one */
	put(r, &test[four], UINT32_MAX, NULL, four);
	put(r, &open_if, UINT32_MAX, NULL, four);
	put(r, &branch, out, NULL, four);
	uint64_t body = r->pc + 16, behind = body + 16 * rounds;
	if (in)
		put(r, &open_if, in, NULL, four);
	for (uint32_t active = in; active;) {
		r->pc = body;
		put_round(r, slice, active, four);
		uint32_t stay = active & lanes_below(r, bound);
		put(r, &test[four], active, NULL, four);
		put(r, &branch, stay, NULL, four);
		if (active & ~stay)
			put(r, &sync, active & ~stay, NULL, four);
		active = stay;
	}
	for (int k = 0; k < 2; k++) { /* those that stayed away, then the others */
		r->pc = behind + 16;
		if (k ? in : out)
			put(r, &sync, k ? in : out, NULL, four);
	}
	r->pc = behind + 32;
}

static void put_warp(struct run *r, uint32_t warp)
{
	uint64_t addresses[CT_WARP_LANES];
	ct_buf_reset(&r->warp);
	r->insts = r->pc = 0;
	r->first = warp * CT_WARP_LANES;
	for (unsigned l = 0; l < CT_WARP_LANES; l++) {
		r->i[l] = r->first + l;
		addresses[l] = r->out + (r->cta_index * BLOCK + r->first + l) * 4;
	}
	uint32_t slice = put_division(r);
	put_all(r, begin, sizeof begin / sizeof *begin, UINT32_MAX, 0);
	put_loop(r, slice, 1);
	put_loop(r, slice, 0);
	put_all(r, end, 2, UINT32_MAX, 0);
	put(r, &end[2], UINT32_MAX, addresses, 0);
	put(r, &end[3], UINT32_MAX, NULL, 0);
	ct_accelsim_put_warp(&r->cta, warp, r->insts);
	if (r->warp.len)
		ct_buf_add(&r->cta, r->warp.data, r->warp.len);
	r->cta.failed |= r->warp.failed;
}

/* ---- contents of memory ---- */

/* A number as the workloads draw it, in [-1, 1). */
static float draw(uint64_t *random)
{
	return -1.0f + 2.0f * ((float)(ct_rand64(random) >> 40) / 16777216.0f);
}

static float compute(float x, uint64_t intensity)
{
	for (uint64_t i = 0; i < intensity; i++)
		x = (float)((double)x * 0.5 +
		            0.25); /* an FFMA: both steps are exact in double precision */
	return x;
}

/* The sum of a thread, in the order in which the kernel adds. */
static float sum_of(const struct run *r, const unsigned char *data, uint64_t cta, uint64_t thread)
{
	float sum = 0, x;
	for (uint64_t i = thread; i < r->elements; i += BLOCK) {
		memcpy(&x, data + (cta / r->o.sharing * r->elements + i) * r->o.stride, sizeof x);
		sum += compute(x, r->o.intensity);
	}
	return sum;
}

/* The lines that a pass touches, as they are after it: all passes leave the same. */
static int put_values(const struct run *r, struct ct_folder *sink, struct ct_error *e)
{
	unsigned char *data = ct_calloc(r->data_bytes + LINE, 1), line[LINE];
	uint64_t random = r->w->seed;
	int st = data ? ct_folder_blocks_begin(sink, e) : ct_fail_nomem(e);
	for (uint64_t i = 0; st == CT_OK && i + r->o.stride <= r->data_bytes; i += r->o.stride) {
		float x = draw(&random);
		memcpy(data + i, &x, sizeof x);
	}
	for (uint64_t i = 0, last = UINT64_MAX; st == CT_OK && i < r->data_bytes; i += r->o.stride) {
		if (i / LINE != last)
			st = ct_folder_block(sink, r->data + i / LINE * LINE, data + i / LINE * LINE, e);
		last = i / LINE;
	}
	for (uint64_t at = 0; st == CT_OK && at < r->out_bytes; at += LINE) {
		for (uint64_t k = 0; k < LINE / 4; k++) {
			uint64_t thread = at / 4 + k;
			float sum = sum_of(r, data, thread / BLOCK, thread % BLOCK);
			memcpy(line + 4 * k, &sum, sizeof sum);
		}
		st = ct_folder_block(sink, r->out + at, line, e);
	}
	free(data);
	return st == CT_OK ? ct_folder_kernel_end(sink, e) : st;
}

/* ---- the trace ---- */

static void set_defaults(struct workingset_options *o, enum app_size size)
{
	const struct app a = {.size = size};
	if (!o->footprint)
		o->footprint = (uint64_t)app_pick(&a, 1, 9, 36, 36) << 20;
	if (!o->ctas)
		o->ctas = app_pick(&a, 128, 816, 1632, 1632);
	if (!o->sharing)
		o->sharing = 2;
	if (!o->stride)
		o->stride = 4;
	if (!o->intensity)
		o->intensity = 2;
	if (!o->passes)
		o->passes = app_pick(&a, 2, 4, 3, 3);
}

static int check(const struct workingset_options *o, struct ct_error *e)
{
	const char *wrong = NULL;
	if (o->stride % 4 != 0 || o->stride > 1 << 16)
		wrong = "--stride: give a multiple of 4 bytes, at most 64KiB";
	else if (o->ctas % o->sharing != 0)
		wrong = "--ctas must be a multiple of --sharing";
	else if (o->footprint > (uint64_t)1 << 32 || o->ctas > 1 << 20 || o->intensity > 4096)
		wrong = "--footprint at most 4GiB, --ctas at most 1048576, --intensity at most 4096";
	else if (o->passes > 1 << 20)
		wrong = "--passes: at most 1048576 launches";
	else if (o->footprint / (o->ctas / o->sharing) / o->stride == 0)
		wrong = "--footprint is less than one element per slice: fewer --ctas or a smaller --stride";
	return wrong ? ct_fail(e, CT_ERR_USAGE, "%s", wrong) : CT_OK;
}

static int put_kernel(struct run *r, struct ct_folder *sink, uint64_t *warp_insts, struct ct_error *e)
{
	int st = ct_folder_kernel_begin(sink, &r->head, e);
	for (r->cta_index = 0; r->cta_index < r->o.ctas && st == CT_OK; r->cta_index++) {
		if (r->w->stop && *r->w->stop)
			return ct_fail(e, CT_ERR_IO, "interrupted");
		ct_buf_reset(&r->cta);
		ct_accelsim_put_cta_begin(&r->cta, (uint32_t)r->cta_index, 0, 0);
		for (uint32_t warp = 0; warp < WARPS; warp++) {
			put_warp(r, warp);
			*warp_insts += r->insts;
		}
		ct_accelsim_put_cta_end(&r->cta);
		st = ct_buf_check(&r->cta, e);
		if (st == CT_OK)
			st = ct_folder_write(sink, r->cta.data, r->cta.len, e);
	}
	if (st == CT_OK)
		st = ct_folder_kernel_end(sink, e);
	return st == CT_OK && r->w->values ? put_values(r, sink, e) : st;
}

int workingset_trace(const struct workingset *w, struct ct_folder *sink, uint64_t *warp_insts,
                     struct ct_error *e)
{
	char name[] = "workingset", version[] = "5", maker[] = "tracegen-" CT_VERSION;
	struct run r = {.w = w, .o = w->options, .data = HEAP_BASE};
	*warp_insts = 0;
	set_defaults(&r.o, w->size);
	int st = check(&r.o, e);
	if (st < 0)
		return st;
	uint64_t slices = r.o.ctas / r.o.sharing;
	r.elements = r.o.footprint / slices / r.o.stride;
	r.data_bytes = slices * r.elements * r.o.stride;
	r.out = r.data + (r.data_bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
	r.out_bytes = r.o.ctas * BLOCK * 4;
	/* Ampere; windows as in captured traces of that generation. */
	r.head = (struct ct_kernel){
		.name = name,
		.regs = REGISTERS,
		.grid = {(uint32_t)r.o.ctas, 1, 1},
		.block = {BLOCK, 1, 1},
		.binary_version = 80,
		.has_windows = 1,
		.shmem_base = UINT64_C(0x7f5000000000),
		.local_base = UINT64_C(0x7f4e00000000),
		.tracer_version = version,
		.nvbit_version = maker};
	st = ct_folder_memcpy(sink, r.data, r.data_bytes, e);
	for (uint64_t pass = 0; pass < r.o.passes && st == CT_OK; pass++)
		st = put_kernel(&r, sink, warp_insts, e);
	ct_buf_free(&r.cta);
	ct_buf_free(&r.warp);
	return st;
}
