/* ctz.h - the packed form (man/cachetriage-ctz.5), between its files.
 *
 * ctz.c        reader: blocks, kernels, thread blocks
 * ctz_code.c   static instructions, kernel headers
 * ctz_decode.c frames of instructions into the store's form
 * ctz_list.c   the lists of addresses of such
 * ctz_encode.c the reverse
 * ctz_write.c  writer: blocks, index, end record
 * ctz_seek.c   the index, for who leaves blocks out */
#ifndef CT_TRACE_PRIVATE_CTZ_H
#define CT_TRACE_PRIVATE_CTZ_H

#include <string.h>

#include "base/buf.h"
#include "trace/ctz.h"
#include "trace/private/accelsim.h"

#define CTZ_MAGIC "CTZ\x01"

enum {
	CTZ_MAGIC_BYTES = 4,
	CTZ_HEAD = 10,             /* type, codec, stored bytes, raw bytes */
	CTZ_BLOCK_MAX = 32 << 20,  /* stored or raw bytes of a block */
	CTZ_FRAME_INSTS = 1 << 20, /* instructions of a frame */
	CTZ_FRAME_BYTES = 8 << 20, /* a writer ends a frame beyond that */
	CTZ_LISTS = 1024,          /* difference lists remembered, by sid modulo this */
	CTZ_END_FIELDS = 9
};

enum { /* block types */
       CTZ_KERNEL = 'K',
       CTZ_MEMCPY = 'M',
       CTZ_ARRAY = 'A',
       CTZ_STATUS = 'S',
       CTZ_CODE = 'C',
       CTZ_FRAME = 'F',
       CTZ_KERNEL_END = 'Z',
       CTZ_INDEX = 'I',
       CTZ_END = 'E'
};

enum { CTZ_STORED, CTZ_ZSTD };

/* Columns of a frame. */
enum {
	CTZ_C_CTA,
	CTZ_C_WARP,
	CTZ_C_FLOW,
	CTZ_C_MASK,
	CTZ_C_MASK_BITS,
	CTZ_C_ADDR,
	CTZ_C_BASE, /* four planes */
	CTZ_C_STRIDE = CTZ_C_BASE + 4,
	CTZ_C_DELTA, /* four planes */
	CTZ_C_VALUE = CTZ_C_DELTA + 4,
	CTZ_COLUMNS
};

/* Columns of a code block. */
enum {
	CTZ_S_FLAGS,
	CTZ_S_PC,
	CTZ_S_OPCODE,
	CTZ_S_TEXT,
	CTZ_S_COUNTS,
	CTZ_S_REG,
	CTZ_S_KIND,
	CTZ_S_IMM,
	CTZ_S_LINE,
	CTZ_S_CLASS,
	CTZ_S_WIDTH,
	CTZ_CODE_COLUMNS
};

/* Byte of an address. */
enum { CTZ_A_FORM = 3, CTZ_A_BASE = 4, CTZ_A_REST = 8 };

/* Attributes of a static instruction inside a frame. */
enum { CTZ_HAS_ADDR = 1, CTZ_HAS_VALUES = 2 };

static inline uint64_t ctz_zigzag(uint64_t v)
{
	return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t ctz_unzigzag(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

/* A column being read. */
struct ctz_in {
	const unsigned char *p, *end;
};

/* 0, or -1 when the column ends or the number has more than 64 bits. */
static inline int ctz_get(struct ctz_in *in, uint64_t *out)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (in->p == in->end)
			return -1;
		uint64_t byte = *in->p++;
		v |= (byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = v;
			return shift == 63 && byte > 1 ? -1 : 0;
		}
	}
	return -1;
}

static inline int ctz_get_byte(struct ctz_in *in, uint8_t *out)
{
	if (in->p == in->end)
		return -1;
	*out = *in->p++;
	return 0;
}

/* A number whose bytes lie in four planes: first, second, third, the rest. */
static inline int ctz_get_planes(struct ctz_in *in, uint64_t *out)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 10; i++) {
		struct ctz_in *plane = in + (i < 3 ? i : 3);
		if (plane->p == plane->end)
			return -1;
		uint64_t byte = *plane->p++;
		v |= (byte & 0x7f) << 7 * i;
		if (byte < 0x80) {
			*out = v;
			return i == 9 && byte > 1 ? -1 : 0;
		}
	}
	return -1;
}

/* Names hold none of these. */
static inline int ctz_is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* A column being written; failures are sticky (ct_buf). */
static inline void ctz_put_byte(struct ct_buf *b, unsigned v)
{
	char c = (char)(unsigned char)v;
	if (b->cap > b->len + 1 && !b->failed) {
		b->data[b->len++] = c;
		b->data[b->len] = '\0';
	} else {
		ct_buf_add(b, &c, 1);
	}
}
static inline void ctz_put(struct ct_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		ctz_put_byte(b, (unsigned)(v | 0x80) & 0xff);
	ctz_put_byte(b, (unsigned)v);
}
static inline void ctz_put_planes(struct ct_buf *b, uint64_t v)
{
	unsigned i = 0;
	for (; v >= 0x80; v >>= 7, i++)
		ctz_put_byte(b + (i < 3 ? i : 3), (unsigned)(v | 0x80) & 0xff);
	ctz_put_byte(b + (i < 3 ? i : 3), (unsigned)v);
}

/* Sizes, then columns, one after the other. */
void ctz_join(struct ct_buf *out, const struct ct_buf *column, unsigned n);
int ctz_split(struct ctz_in *in, struct ctz_in *column, unsigned n);

/* ---- prediction of base addresses ---- */

/* One level: the value expected next is base + delta; a difference counts once it came
 * twice in a row, so that one odd step costs one misprediction. */
struct ctz_track {
	uint64_t base, delta, candidate;
};

static inline void ctz_track_to(struct ctz_track *t, uint64_t base)
{
	uint64_t d = base - t->base;
	if (d == t->candidate)
		t->delta = d;
	t->candidate = d;
	t->base = base;
}

/* What is remembered of a static instruction inside a frame. */
struct ctz_site {
	struct ctz_track exec, warp, cta; /* since the execution, warp, CTA before */
	int64_t stride;
	uint32_t frame, cta_serial, warp_serial;
	uint8_t form, attr, started;
};

/* The list of addresses last seen at a place: the encoder keeps its differences, the decoder the
 * form that ct_pack_deltas() gives them. */
struct ctz_list {
	uint8_t n, packed_runs; /* 0: none; else addresses */
	uint16_t packed_bytes;
	int64_t delta[CT_WARP_LANES]; /* of which one is not used */
	unsigned char packed[CT_PACK_DELTAS_MAX];
};

struct ctz_model {
	struct ctz_site *site;
	size_t sites, site_cap;
	struct ctz_list *list;     /* CTZ_LISTS */
	uint32_t frame, cta, warp; /* serial numbers */
	uint64_t last_base;        /* of any instruction */
};

int ctz_model_init(struct ctz_model *m);
void ctz_model_free(struct ctz_model *m);
/* Starts a frame: nothing is remembered. code: static instructions known. */
int ctz_model_frame(struct ctz_model *m, size_t code);
/* Makes room for more of them. */
int ctz_model_grow(struct ctz_model *m, size_t code);

static inline struct ctz_site *ctz_model_site(struct ctz_model *m, uint32_t sid, int memory)
{
	struct ctz_site *s = &m->site[sid];
	if (s->frame != m->frame) {
		memset(s, 0, sizeof *s);
		s->frame = m->frame;
		s->attr = memory ? CTZ_HAS_ADDR : 0;
	}
	return s;
}

static inline uint64_t ctz_predict(const struct ctz_model *m, const struct ctz_site *s)
{
	const struct ctz_track *t = s->cta_serial != m->cta     ? &s->cta
	                            : s->warp_serial != m->warp ? &s->warp
	                                                        : &s->exec;
	return s->started ? t->base + t->delta : m->last_base;
}

/* Remembers a base address: for the next execution in this warp, for the next warp, or for the next CTA,
 * whichever has begun. */
static inline void ctz_learn(struct ctz_model *m, struct ctz_site *s, uint64_t base)
{
	m->last_base = base;
	if (!s->started) {
		s->started = 1;
		s->exec.base = s->warp.base = s->cta.base = base;
	} else if (s->cta_serial != m->cta) {
		ctz_track_to(&s->cta, base);
		s->warp.base = s->exec.base = base;
	} else if (s->warp_serial != m->warp) {
		ctz_track_to(&s->warp, base);
		s->exec.base = base;
	} else {
		ctz_track_to(&s->exec, base);
	}
	s->cta_serial = m->cta;
	s->warp_serial = m->warp;
}

/* ctz_list.c: n differences from four planes, n up to 31, into packed of *list. 0, or -1 where the
 * planes end or a number has more than 64 bits. */
int ctz_list_get(struct ctz_in *plane, unsigned n, struct ctz_list *list);

/* ---- static instructions and headers ---- */

/* Appends the columns of s to column[CTZ_CODE_COLUMNS]; opcodes: texts already
 * written for this kernel. */
struct ctz_opcodes {
	struct ct_buf *text;
	size_t n, cap;
};
struct ctz_code_state {
	uint64_t pc;
	uint32_t line;
	struct ctz_opcodes opcodes;
};
void ctz_code_reset(struct ctz_code_state *c);
int ctz_code_put(struct ctz_code_state *c, struct ct_buf *column, const struct ct_sinst *s,
                 struct ct_error *e);
/* Adds the static instructions of a code block; texts without file name. */
int ctz_code_get(struct ctz_code_state *c, struct ctz_in *block, struct ct_code *code,
                 struct ct_error *e);
void ctz_kernel_put(struct ct_buf *b, const struct ct_kernel *k);
int ctz_kernel_get(struct ctz_in *in, struct ct_kernel *k, struct ct_error *e);

/* ---- the index ---- */

/* A frame's first thread block, how many it has, and their instructions. */
struct ctz_indexed_frame {
	uint64_t first, ctas, insts;
};
struct ctz_indexed_kernel {
	size_t frame, frames; /* where its frames begin, and how many there are */
	uint64_t insts;
};
struct ctz_index {
	struct ctz_indexed_kernel *kernel;
	struct ctz_indexed_frame *frame;
	size_t kernels, cap_kernels, frames, cap_frames;
	uint64_t end[CTZ_END_FIELDS]; /* of the end record */
	int agrees;                   /* its frames have as many thread blocks as the file */
	uint64_t end_at, size, crc;   /* of the end record; bytes and checksum of the file */
};

/* n bytes at a place of a file: 0, or -1. */
int ctz_read_at(int fd, uint64_t at, void *p, size_t n);
/* Reads the index of a file of that size. 0, or -1 where it has none that is right, or memory is short: who reads
 * the blocks in order will say what is wrong. *x is the caller's to free. */
int ctz_index_read(struct ctz_index *x, int fd, uint64_t size);
/* 1 when the frames of a kernel hold all thread blocks of its grid in their order; one may go on in the next. Pure. */
int ctz_index_is_dense(const struct ctz_index *x, size_t kernel, uint64_t grid);
void ctz_index_free(struct ctz_index *x);

/* ---- frames ---- */

struct ctz_decoder;
int ctz_decoder_new(struct ctz_decoder **d, struct ct_error *e);
void ctz_decoder_free(struct ctz_decoder *d);
/* Instructions decoded so far. */
uint64_t ctz_decoder_insts(const struct ctz_decoder *d);
/* A frame's bytes, which have to outlive its reading. */
int ctz_decoder_frame(struct ctz_decoder *d, const struct ct_launch *l, const unsigned char *p, size_t n,
                      struct ct_error *e);
/* The frame at hand begins with the rest of thread block `index`, whose beginning nobody has decoded: what
 * ctz_decoder_cta() gives next is that rest alone. */
void ctz_decoder_resume(struct ctz_decoder *d, uint64_t index);
/* Decodes the next CTA, or part of one, into b. 1: complete; 2: it goes on in the next
 * frame; 0: the frame has no more. */
int ctz_decoder_cta(struct ctz_decoder *d, struct ct_builder *b, struct ct_store *s, int keep_values,
                    struct ct_error *e);

/* Instructions of a sequence that follow one another in the file and have the same lanes of its mask. */
struct ctz_part {
	uint32_t first, n, lanes;
};

/* What is known of a sequence of instructions that comes again and again. */
struct ctz_sequence {
	uint64_t epoch; /* of the encoder, when it was looked at last; 0: never */
	int ready;      /* each of its instructions carries what it carried before */
	struct ctz_part *part;
	size_t parts, cap;
	uint32_t insts, accesses;
};

/* The reverse. Columns and code grow until the writer takes them. */
struct ctz_encoder {
	struct ct_buf column[CTZ_COLUMNS];
	struct ct_buf code[CTZ_CODE_COLUMNS];
	struct ctz_model model;
	struct ctz_code_state code_state;
	uint32_t *sid; /* by the source's number: 0, or what is known of it */
	size_t sids, sid_cap;
	uint32_t code_count;
	uint64_t insts; /* in this frame */
	/* Part of the CTA and of the warp that are being written. */
	uint64_t next_index, index, first_index, part_warps;
	uint32_t ctas, next_warp;
	uint64_t warp_insts, last_insts;
	int cta_goes_on, warp_goes_on;
	uint32_t last_sid, mask, old_mask;
	uint64_t run, mask_run;
	struct ctz_sequence *sequence; /* by number */
	size_t sequences, sequence_cap;
	uint64_t epoch; /* rises when an instruction carries what it did not before, or a frame begins */
	int64_t slack;  /* bytes that the columns may grow by at least until they are CTZ_FRAME_BYTES */
};
int ctz_encoder_init(struct ctz_encoder *c);
void ctz_encoder_free(struct ctz_encoder *c);
/* Forgets the kernel before. */
void ctz_encoder_kernel(struct ctz_encoder *c);
int ctz_encoder_start_frame(struct ctz_encoder *c);
void ctz_encoder_start_cta(struct ctz_encoder *c, uint64_t index, int goes_on);
void ctz_encoder_start_warp(struct ctz_encoder *c, int goes_on);
int ctz_encoder_inst(struct ctz_encoder *c, const struct ct_code *code, const struct ct_inst *i,
                     struct ct_error *e);
/* One with addresses, in either form, and without values. */
int ctz_encoder_strided(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t mask,
                        uint64_t first, int64_t stride, struct ct_error *e);
int ctz_encoder_lanes(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t mask,
                      const uint64_t *addresses, struct ct_error *e);
/* n instructions sid, sid + 1 and so on with one mask, without addresses and values. */
int ctz_encoder_plain(struct ctz_encoder *c, const struct ct_code *code, uint32_t sid, uint32_t n,
                      uint32_t mask, struct ct_error *e);
/* See ct_ctz_put_sequence(). The caller has made sure that the frame has room. */
int ctz_encoder_sequence(struct ctz_encoder *c, uint32_t number, const struct ct_ctz_step *step,
                         size_t steps, uint32_t mask, struct ct_error *e);
void ctz_encoder_next_strided(struct ctz_encoder *c, uint32_t sid, uint64_t first, int64_t stride);
void ctz_encoder_next_lanes(struct ctz_encoder *c, uint32_t sid, unsigned n, const uint64_t *addresses);
void ctz_encoder_end_warp(struct ctz_encoder *c, const struct ct_warp_info *w, int core_ids);
void ctz_encoder_end_cta(struct ctz_encoder *c, int goes_on);
size_t ctz_encoder_bytes(const struct ctz_encoder *c);

#endif
