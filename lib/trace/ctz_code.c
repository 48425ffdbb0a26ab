/* ctz_code.c - columns, static instructions and kernel headers of the packed form. */
#include <stdlib.h>

#include "base/mem.h"
#include "trace/opcode.h"
#include "trace/private/ctz.h"

/* ---- columns ---- */

void ctz_join(struct ct_buf *out, const struct ct_buf *column, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ctz_put(out, column[i].len);
		out->failed |= column[i].failed;
	}
	for (unsigned i = 0; i < n; i++)
		ct_buf_add(out, column[i].data, column[i].len);
}

int ctz_split(struct ctz_in *in, struct ctz_in *column, unsigned n)
{
	uint64_t size[CTZ_COLUMNS + CTZ_CODE_COLUMNS];
	for (unsigned i = 0; i < n; i++)
		if (ctz_get(in, &size[i]) != 0)
			return -1;
	for (unsigned i = 0; i < n; i++) {
		if (size[i] > (uint64_t)(in->end - in->p))
			return -1;
		column[i] = (struct ctz_in){in->p, in->p + size[i]};
		in->p += size[i];
	}
	return in->p == in->end ? 0 : -1;
}

/* ---- the model ---- */

int ctz_model_init(struct ctz_model *m)
{
	*m = (struct ctz_model){.list = ct_calloc(CTZ_LISTS, sizeof *m->list)};
	return m->list ? 0 : -1;
}

void ctz_model_free(struct ctz_model *m)
{
	free(m->site);
	free(m->list);
}

int ctz_model_grow(struct ctz_model *m, size_t code)
{
	if (code <= m->sites)
		return 0;
	if (ct_grow((void **)&m->site, &m->site_cap, code, sizeof *m->site) != 0)
		return -1;
	memset(m->site + m->sites, 0, (code - m->sites) * sizeof *m->site);
	m->sites = code;
	return 0;
}

int ctz_model_frame(struct ctz_model *m, size_t code)
{
	if (++m->frame == 0) { /* the numbers came round */
		memset(m->site, 0, m->sites * sizeof *m->site);
		m->frame = 1;
	}
	m->cta = m->warp = 0;
	m->last_base = 0;
	for (int i = 0; i < CTZ_LISTS; i++)
		m->list[i].n = 0;
	return ctz_model_grow(m, code);
}

/* ---- static instructions ---- */

enum { S_IMM = 3, S_GMMA = 4, S_CLASS = 8, SEARCHED = 1024 };

void ctz_code_reset(struct ctz_code_state *c)
{
	for (size_t i = 0; i < c->opcodes.n; i++)
		ct_buf_free(&c->opcodes.text[i]);
	free(c->opcodes.text);
	*c = (struct ctz_code_state){0};
}

static int remember_opcode(struct ctz_opcodes *o, const char *text, size_t n)
{
	if (ct_grow((void **)&o->text, &o->cap, o->n + 1, sizeof *o->text) != 0)
		return -1;
	o->text[o->n] = (struct ct_buf){0};
	ct_buf_add(&o->text[o->n], text, n);
	if (o->text[o->n].failed)
		return -1;
	o->n++;
	return 0;
}

/* Writes an opcode as the number of an earlier one with the same text, or as 0 and its text. */
static int put_opcode(struct ctz_opcodes *o, struct ct_buf *column, const char *text)
{
	size_t n = strlen(text), i = o->n;
	/* Newest first: neighbours are alike, and kernels have some hundred opcodes. Text
	 * that is further back comes again, so that no input takes quadratic time. */
	size_t oldest = o->n > SEARCHED ? o->n - SEARCHED : 0;
	while (i > oldest && (o->text[i - 1].len != n || memcmp(o->text[i - 1].data, text, n) != 0))
		i--;
	if (i > oldest) {
		ctz_put(&column[CTZ_S_OPCODE], i);
		return 0;
	}
	ctz_put(&column[CTZ_S_OPCODE], 0);
	ctz_put_byte(&column[CTZ_S_TEXT], (unsigned)n);
	ct_buf_add(&column[CTZ_S_TEXT], text, n);
	return remember_opcode(o, text, n);
}

static int same_class(const struct ct_sinst *s)
{
	struct ct_sinst t = *s;
	ct_opcode_classify(&t);
	return t.space == s->space && t.access == s->access && t.unit == s->unit && t.mods == s->mods &&
	       t.width == s->width;
}

static void put_regs(struct ct_buf *column, const ct_reg *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ctz_put_byte(&column[CTZ_S_REG], CT_REG_INDEX(r[i]));
		ctz_put_byte(&column[CTZ_S_KIND], (unsigned)CT_REG_KIND(r[i]));
	}
}

/* Packs a static instruction into its columns: PC and line as differences to what is expected, the class
 * only where the opcode does not give it. */
int ctz_code_put(struct ctz_code_state *c, struct ct_buf *column, const struct ct_sinst *s,
                 struct ct_error *e)
{
	int named = same_class(s);
	ctz_put_byte(&column[CTZ_S_FLAGS],
	             (s->has_imm & S_IMM) | (s->has_gmma ? S_GMMA : 0) | (named ? 0 : S_CLASS));
	ctz_put(&column[CTZ_S_PC], ctz_zigzag(s->pc - c->pc));
	c->pc = s->pc + 16; /* bytes of an instruction since Volta */
	ctz_put(&column[CTZ_S_LINE], ctz_zigzag((uint64_t)s->line - c->line));
	c->line = s->line;
	ctz_put_byte(&column[CTZ_S_COUNTS], (unsigned)s->ndst << 4 | s->nsrc);
	put_regs(column, s->dst, s->ndst);
	put_regs(column, s->src, s->nsrc);
	ctz_put(&column[CTZ_S_WIDTH], s->width_field);
	if (s->has_imm >= 1)
		ctz_put(&column[CTZ_S_IMM], ctz_zigzag((uint64_t)s->imm));
	if (s->has_imm >= 2)
		ctz_put(&column[CTZ_S_IMM], ctz_zigzag((uint64_t)s->imm2));
	if (s->has_gmma)
		ctz_put_byte(&column[CTZ_S_CLASS], s->gmma);
	if (!named) {
		ctz_put_byte(&column[CTZ_S_CLASS], s->space);
		ctz_put_byte(&column[CTZ_S_CLASS], s->access);
		ctz_put_byte(&column[CTZ_S_CLASS], s->unit);
		ctz_put(&column[CTZ_S_CLASS], s->mods);
		ctz_put(&column[CTZ_S_CLASS], s->width);
	}
	if (put_opcode(&c->opcodes, column, s->opcode) != 0)
		return ct_fail_nomem(e);
	return CT_OK;
}

/* The reverse of put_opcode(). Returns -1 for damage, -2 when out of memory. */
static int get_opcode(struct ctz_opcodes *o, struct ctz_in *column, const char **text, size_t *n)
{
	uint64_t i;
	uint8_t length;
	struct ctz_in *t = &column[CTZ_S_TEXT];
	if (ctz_get(&column[CTZ_S_OPCODE], &i) != 0 || i > o->n)
		return -1;
	if (i == 0) {
		if (ctz_get_byte(t, &length) != 0 || length == 0 || length > t->end - t->p ||
		    memchr(t->p, '\0', length) || memchr(t->p, '\n', length))
			return -1;
		if (remember_opcode(o, (const char *)t->p, length) != 0)
			return -2;
		t->p += length;
		i = o->n;
	}
	*text = o->text[i - 1].data;
	*n = o->text[i - 1].len;
	return 0;
}

static int get_regs(struct ctz_in *column, ct_reg *r, unsigned n)
{
	uint8_t index, kind;
	for (unsigned i = 0; i < n; i++) {
		if (ctz_get_byte(&column[CTZ_S_REG], &index) != 0 ||
		    ctz_get_byte(&column[CTZ_S_KIND], &kind) != 0 || kind > CT_REG_UP)
			return -1;
		r[i] = CT_REG_MAKE(kind, index);
	}
	return 0;
}

static int get_class(struct ctz_in *in, struct ct_sinst *s)
{
	uint64_t mods, width;
	if (ctz_get_byte(in, &s->space) != 0 || s->space > CT_SPACE_GENERIC ||
	    ctz_get_byte(in, &s->access) != 0 || s->access > CT_ACCESS_BARRIER_OP ||
	    ctz_get_byte(in, &s->unit) != 0 || s->unit >= CT_CLASS_COUNT || ctz_get(in, &mods) != 0 ||
	    mods > UINT16_MAX || ctz_get(in, &width) != 0 || width > UINT16_MAX)
		return -1;
	s->mods = (uint16_t)mods;
	s->width = (uint16_t)width;
	return 0;
}

/* All but opcode and class. */
static int get_fields(struct ctz_code_state *c, struct ctz_in *column, struct ct_sinst *s, uint8_t flags)
{
	uint64_t pc, line, width, imm[2] = {0};
	uint8_t counts;
	s->has_imm = flags & S_IMM;
	if (flags >> 4 || s->has_imm > 2 || ctz_get(&column[CTZ_S_PC], &pc) != 0 ||
	    ctz_get(&column[CTZ_S_LINE], &line) != 0 ||
	    ctz_get_byte(&column[CTZ_S_COUNTS], &counts) != 0 || counts >> 4 > CT_MAX_DST ||
	    (counts & 15) > CT_MAX_SRC || ctz_get(&column[CTZ_S_WIDTH], &width) != 0 ||
	    width > UINT16_MAX)
		return -1;
	s->ndst = counts >> 4;
	s->nsrc = counts & 15;
	if (get_regs(column, s->dst, s->ndst) != 0 || get_regs(column, s->src, s->nsrc) != 0)
		return -1;
	for (unsigned i = 0; i < s->has_imm; i++)
		if (ctz_get(&column[CTZ_S_IMM], &imm[i]) != 0)
			return -1;
	s->has_gmma = (flags & S_GMMA) != 0;
	if (s->has_gmma && ctz_get_byte(&column[CTZ_S_CLASS], &s->gmma) != 0)
		return -1;
	s->pc = c->pc + ctz_unzigzag(pc);
	c->pc = s->pc + 16;
	s->line = c->line += (uint32_t)ctz_unzigzag(line);
	s->width_field = (uint16_t)width;
	s->imm = (int64_t)ctz_unzigzag(imm[0]);
	s->imm2 = (int64_t)ctz_unzigzag(imm[1]);
	return 0;
}

int ctz_code_get(struct ctz_code_state *c, struct ctz_in *block, struct ct_code *code,
                 struct ct_error *e)
{
	struct ctz_in column[CTZ_CODE_COLUMNS];
	uint8_t flags;
	if (ctz_split(block, column, CTZ_CODE_COLUMNS) != 0)
		return ct_fail(e, CT_ERR_INPUT, "damaged code block");
	while (ctz_get_byte(&column[CTZ_S_FLAGS], &flags) == 0) {
		struct ct_sinst s = {0};
		size_t n;
		uint32_t sid, next = ct_code_count(code);
		if (get_fields(c, column, &s, flags) != 0)
			return ct_fail(e, CT_ERR_INPUT, "damaged static instruction");
		int st = get_opcode(&c->opcodes, column, &s.opcode, &n);
		if (st != 0)
			return st == -2 ? ct_fail_nomem(e) : ct_fail(e, CT_ERR_INPUT, "damaged opcode");
		if (!(flags & S_CLASS))
			ct_opcode_classify(&s);
		else if (get_class(&column[CTZ_S_CLASS], &s) != 0)
			return ct_fail(e, CT_ERR_INPUT, "damaged class of an instruction");
		st = ct_code_add(code, &s, n, &sid, e);
		if (st < 0)
			return st;
		if (sid != next)
			return ct_fail(e, CT_ERR_INPUT, "a static instruction comes twice: damaged");
	}
	return CT_OK;
}

/* ---- kernel headers ---- */

static void put_text(struct ct_buf *b, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	ctz_put(b, n);
	ct_buf_add(b, s ? s : "", n);
}

/* Fails without a text. */
static int get_text(struct ctz_in *in, char **out)
{
	uint64_t n;
	if (ctz_get(in, &n) != 0 || n > (uint64_t)(in->end - in->p) || memchr(in->p, '\0', (size_t)n) ||
	    memchr(in->p, '\n', (size_t)n))
		return CT_ERR_INPUT;
	in->p += n;
	*out = ct_strndup((const char *)in->p - n, (size_t)n);
	return *out ? CT_OK : CT_ERR_NOMEM;
}

/* From the lowest bit on (cachetriage-ctz(5)). */
/* clang-format off */
#define KERNEL_FLAGS(k) {&(k)->has_windows, &(k)->has_lineinfo, &(k)->has_core_ids, &(k)->raw, \
                         &(k)->partial_header, &(k)->misnamed, &(k)->unordered}
/* clang-format on */
enum { FLAGS = 7, WITH_SOURCES = 1 << FLAGS };

void ctz_kernel_put(struct ct_buf *b, const struct ct_kernel *k)
{
	ctz_put(b, k->id);
	ctz_put(b, k->header_id);
	for (int i = 0; i < 3; i++)
		ctz_put(b, k->grid[i]);
	for (int i = 0; i < 3; i++)
		ctz_put(b, k->block[i]);
	ctz_put(b, k->shmem_bytes);
	ctz_put(b, k->regs);
	ctz_put(b, k->binary_version);
	ctz_put(b, k->stream);
	ctz_put(b, k->shmem_base);
	ctz_put(b, k->local_base);
	const uint8_t *const flag[] = KERNEL_FLAGS(k);
	unsigned flags = 0;
	for (unsigned i = 0; i < FLAGS; i++)
		flags |= *flag[i] ? 1u << i : 0;
	const int sources = k->sources && *k->sources;
	ctz_put(b, flags | (sources ? WITH_SOURCES : 0));
	put_text(b, k->name);
	put_text(b, k->nvbit_version);
	put_text(b, k->tracer_version);
	if (sources)
		put_text(b, k->sources);
}

/* The limits of the text reader's headers: linear CTA numbers fit, masks of warps are
 * small. */
static int dims_fit(const uint64_t *v)
{
	uint64_t grid = 1, block = 1;
	for (int i = 0; i < 3; i++) {
		uint64_t g = v[2 + i], b = v[5 + i];
		if (g == 0 || g > UINT32_MAX || b == 0 || b > UINT32_MAX || grid > INT64_MAX / g)
			return 0;
		grid *= g;
		block *= b;
		if (block > CT_BLOCK_THREADS_MAX)
			return 0;
	}
	return 1;
}

int ctz_kernel_get(struct ctz_in *in, struct ct_kernel *k, struct ct_error *e)
{
	uint64_t v[15];
	for (int i = 0; i < 15; i++)
		if (ctz_get(in, &v[i]) != 0)
			return ct_fail(e, CT_ERR_INPUT, "damaged kernel header");
	if (v[0] == 0 || v[0] > UINT32_MAX || !dims_fit(v) || v[9] > UINT32_MAX || v[10] > UINT32_MAX ||
	    v[14] >> (FLAGS + 1))
		return ct_fail(e, CT_ERR_INPUT, "damaged kernel header");
	k->id = (uint32_t)v[0];
	k->header_id = v[1];
	for (int i = 0; i < 3; i++) {
		k->grid[i] = (uint32_t)v[2 + i];
		k->block[i] = (uint32_t)v[5 + i];
	}
	k->shmem_bytes = v[8];
	k->regs = (uint32_t)v[9];
	k->binary_version = (uint32_t)v[10];
	k->stream = v[11];
	k->shmem_base = v[12];
	k->local_base = v[13];
	uint8_t *const flag[] = KERNEL_FLAGS(k);
	for (unsigned i = 0; i < FLAGS; i++)
		*flag[i] = v[14] >> i & 1;
	int st = get_text(in, &k->name);
	if (st == CT_OK)
		st = get_text(in, &k->nvbit_version);
	if (st == CT_OK)
		st = get_text(in, &k->tracer_version);
	if (st == CT_OK && v[14] & WITH_SOURCES)
		st = get_text(in, &k->sources);
	if (st == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	if (st != CT_OK || in->p != in->end)
		return ct_fail(e, CT_ERR_INPUT, "damaged kernel header");
	return CT_OK;
}
