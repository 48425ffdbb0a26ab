#include "trace/accelsim_write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A line is gathered here and handed over in pieces: one append per line. */
struct line {
	struct ct_buf *b;
	size_t n;
	char s[768];
};

enum { LONGEST_TOKEN = 32 };

static void line_flush(struct line *l)
{
	ct_buf_add(l->b, l->s, l->n);
	l->n = 0;
}

static void line_room(struct line *l)
{
	if (l->n + LONGEST_TOKEN > sizeof l->s)
		line_flush(l);
}

static void put_char(struct line *l, char c)
{
	l->s[l->n++] = c;
}

static void put_u64(struct line *l, uint64_t v)
{
	char t[20];
	int n = 0;
	do
		t[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n > 0)
		put_char(l, t[--n]);
}

static void put_i64(struct line *l, int64_t v)
{
	if (v < 0)
		put_char(l, '-');
	put_u64(l, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Writes a number with at least `digits` hexadecimal digits. */
static void put_hex(struct line *l, uint64_t v, int digits)
{
	while (digits < 16 && v >> (4 * digits))
		digits++;
	while (digits-- > 0)
		put_char(l, "0123456789abcdef"[v >> (4 * digits) & 15]);
}

static void put_address(struct line *l, uint64_t a)
{
	line_room(l);
	put_char(l, '0');
	put_char(l, 'x');
	put_hex(l, a, 1);
	put_char(l, ' ');
}

static void put_number(struct line *l, int64_t v)
{
	line_room(l);
	put_i64(l, v);
	put_char(l, ' ');
}

static void put_regs(struct line *l, unsigned n, const ct_reg *regs)
{
	static const char *const kinds[] = {"R", "UR", "P", "UP"};
	put_number(l, n);
	for (unsigned i = 0; i < n; i++) {
		line_room(l);
		for (const char *k = kinds[CT_REG_KIND(regs[i]) & 3]; *k; k++)
			put_char(l, *k);
		put_u64(l, CT_REG_INDEX(regs[i]));
		put_char(l, ' ');
	}
}

static void put_opcode(struct line *l, const char *opcode)
{
	size_t n = strlen(opcode);
	if (l->n + n + 1 > sizeof l->s)
		line_flush(l);
	if (n + 1 > sizeof l->s) {
		ct_buf_add(l->b, opcode, n);
	} else {
		memcpy(l->s + l->n, opcode, n);
		l->n += n;
	}
	put_char(l, ' ');
}

/* Writes the addresses in one of the three forms of the text: 0 and all of them, 1 with base and stride,
 * or 2 with base and differences. */
static void put_addresses(struct line *l, const struct ct_inst *inst)
{
	switch (inst->addr_form) {
	case CT_ADDR_LIST:
		put_number(l, 0);
		for (unsigned i = 0; i < inst->naddr; i++)
			put_address(l, inst->addr[i]);
		break;
	case CT_ADDR_DELTAS:
		put_number(l, 2);
		put_address(l, inst->base);
		for (unsigned i = 1; i < inst->naddr; i++)
			put_number(l, (int64_t)(inst->addr[i] - inst->addr[i - 1]));
		break;
	default: /* also for a memory line that came without addresses */
		put_number(l, 1);
		put_address(l, inst->base);
		put_number(l, inst->stride);
		break;
	}
}

/* Writes a bulk copy's columns, with a transfer for each address. Our records keep neither its barrier nor what it is
 * multicast to, which are 0 then. */
static void put_transfers(struct line *l, const struct ct_sinst *s, const struct ct_inst *inst)
{
	const unsigned n = s->width_field ? inst->naddr : 0;
	put_address(l, 0);
	put_number(l, 0);
	put_number(l, (int64_t)n * s->width_field);
	put_number(l, 0);
	put_number(l, 4);
	put_address(l, n ? inst->base : 0);
	put_number(l, n);
	for (unsigned i = 1; i < n; i++)
		put_number(l, (int64_t)(inst->addr[i] - inst->addr[i - 1]));
}

/* Writes the values of an instruction's registers: for each register the number of its values, then these in
 * hexadecimal. */
static void put_values(struct line *l, const struct ct_inst *inst)
{
	if (!inst->values || inst->nvalues == 0) {
		put_opcode(l, "NoVal");
		return;
	}
	put_opcode(l, "Val");
	for (unsigned i = 0; i < inst->nvalues;) {
		uint32_t count = inst->values[i++];
		put_number(l, count);
		for (; count > 0 && i < inst->nvalues; count--, i++) {
			line_room(l);
			put_hex(l, inst->values[i], 1);
			put_char(l, ' ');
		}
	}
}

/* "1.2" and nothing are the oldest grammar, which only the reader speaks. */
static unsigned written_version(const struct ct_kernel *k)
{
	if (!k->tracer_version)
		return 5;
	long v = strtol(k->tracer_version, NULL, 10);
	return v < 3 ? 3 : v > 6 ? 6 : (unsigned)v;
}

void ct_accelsim_put_header(struct ct_buf *b, const struct ct_kernel *k)
{
	unsigned version = written_version(k);
	ct_buf_printf(b, "-kernel name = %s\n", k->name ? k->name : "");
	ct_buf_printf(b, "-kernel id = %" PRIu64 "\n", k->header_id);
	ct_buf_printf(b, "-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", k->grid[0], k->grid[1],
	              k->grid[2]);
	ct_buf_printf(b, "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", k->block[0],
	              k->block[1], k->block[2]);
	ct_buf_printf(b, "-shmem = %" PRIu64 "\n-nregs = %" PRIu32 "\n", k->shmem_bytes, k->regs);
	ct_buf_printf(b, "-binary version = %" PRIu32 "\n-cuda stream id = %" PRIu64 "\n",
	              k->binary_version, k->stream);
	if (k->has_windows)
		ct_buf_printf(b,
		              "-shmem base_addr = 0x%016" PRIx64 "\n-local mem base_addr = 0x%016" PRIx64
		              "\n",
		              k->shmem_base, k->local_base);
	if (k->nvbit_version && k->nvbit_version[0])
		ct_buf_printf(b, "-nvbit version = %s\n", k->nvbit_version);
	ct_buf_printf(b, "-accelsim tracer version = %u\n", version);
	if (version >= 4)
		ct_buf_printf(b, "-enable lineinfo = %d\n", k->has_lineinfo ? 1 : 0);
	if (k->sources && *k->sources)
		ct_buf_printf(b, "-source files = %s\n", k->sources);
	ct_buf_puts(b, "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num "
	               "[reg_srcs] mem_width [adrrescompress?] [mem_addresses]");
	if (version >= 6)
		ct_buf_puts(b, " immediate1 immediate2 Val|NoVal");
	else if (version == 5)
		ct_buf_puts(b, " immediate");
	ct_buf_puts(b, "\n\n");
}

void ct_accelsim_put_cta_begin(struct ct_buf *b, uint32_t x, uint32_t y, uint32_t z)
{
	ct_buf_printf(b, "\n\n#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", x, y,
	              z);
}

void ct_accelsim_put_warp(struct ct_buf *b, uint32_t warp, uint64_t insts)
{
	ct_buf_printf(b, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp, insts);
}

void ct_accelsim_put_inst(struct ct_buf *b, const struct ct_kernel *k, const struct ct_sinst *s,
                          const struct ct_inst *inst)
{
	struct line l;
	unsigned version = written_version(k);
	l.b = b;
	l.n = 0;
	if (version >= 4 && k->has_lineinfo)
		put_number(&l, s->line);
	put_hex(&l, s->pc, 4);
	put_char(&l, ' ');
	put_hex(&l, inst->mask, 8);
	put_char(&l, ' ');
	put_regs(&l, s->ndst, s->dst);
	put_opcode(&l, s->opcode);
	put_regs(&l, s->nsrc, s->src);
	if (s->has_gmma)
		put_number(&l, s->gmma);
	put_number(&l, s->width_field);
	if (s->mods & CT_MOD_BULK)
		put_transfers(&l, s, inst);
	else if (s->width_field)
		put_addresses(&l, inst);
	if (version >= 5)
		put_number(&l, s->has_imm >= 1 ? s->imm : 0);
	if (version >= 6 || (version == 5 && s->has_imm >= 2))
		put_number(&l, s->has_imm >= 2 ? s->imm2 : 0);
	if (version >= 6)
		put_values(&l, inst);
	line_room(&l);
	put_char(&l, '\n');
	line_flush(&l);
}

void ct_accelsim_put_cta_end(struct ct_buf *b)
{
	ct_buf_puts(b, "\n#END_TB\n");
}

void ct_accelsim_choose_form(struct ct_inst *inst)
{
	uint32_t mask = inst->mask;
	unsigned n = 0;
	for (uint32_t m = mask; m; m &= m - 1)
		n++;
	inst->naddr = (uint8_t)n;
	inst->stride = 0;
	inst->base = n ? inst->addr[0] : 0;
	inst->addr_form = n ? CT_ADDR_DELTAS : CT_ADDR_STRIDE;
	/* A run of set bits: adding its lowest bit carries through to a single bit. */
	uint64_t run = (uint64_t)mask + (mask & (0u - mask));
	if (n < 2 || (run & (run - 1)) != 0)
		return;
	int64_t stride = (int64_t)(inst->addr[1] - inst->addr[0]);
	if (stride != (int32_t)stride)
		return;
	for (unsigned i = 2; i < n; i++)
		if ((int64_t)(inst->addr[i] - inst->addr[i - 1]) != stride)
			return;
	inst->stride = stride;
	inst->addr_form = CT_ADDR_STRIDE;
}

uint16_t ct_accelsim_width_field(const char *opcode)
{
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p, '.')) {
		p++;
		const char *digits = *p == 'U' ? p + 1 : p;
		char *end;
		if (*digits < '0' || *digits > '9')
			continue;
		unsigned long v = strtoul(digits, &end, 10);
		if ((*end == '.' || *end == '\0') && v >= 8 && v <= 1024)
			return (uint16_t)(v / 8);
	}
	return 4;
}
