/* Video instructions: arithmetic with parts of words, and with two or four of them at once (PTX ISA, scalar and SIMD video instructions). */
#include "ptx/decode.h"

#include <string.h>

static const struct {
	const char *name;
	enum ct_ptx_video_code code;
} names[] = {{"vadd", CT_PTX_VADD}, {"vsub", CT_PTX_VSUB}, {"vabsdiff", CT_PTX_VABSDIFF},
             {"vmin", CT_PTX_VMIN}, {"vmax", CT_PTX_VMAX}, {"vavrg", CT_PTX_VAVRG},
             {"vset", CT_PTX_VSET}, {"vshl", CT_PTX_VSHL}, {"vshr", CT_PTX_VSHR},
             {"vmad", CT_PTX_VMAD}};

static const char *const relations[] = {"eq", "ne", "lt", "le", "gt", "ge", NULL};
static const char *const seconds[] = {"add", "min", "max", NULL};

/* The operation, and the bits of each part: 32 where it works on one. */
static enum ct_ptx_video_code named(const char *name, unsigned *bits)
{
	size_t n = strcspn(name, "24"), i = 0;
	*bits = name[n] == '2' ? 16 : name[n] == '4' ? 8 : 32;
	while (strlen(names[i].name) != n || memcmp(names[i].name, name, n) != 0)
		i++;
	return names[i].code;
}

/* A type, which is u32 or s32: 1 where it has a sign, -1 where it is none of these. */
static int take_sign(struct ct_ptx_reader *r)
{
	static const char *const types[] = {"u32", "s32", NULL};
	return ct_ptx_take_one(r, types);
}

/* The types: of the result, which a comparison does not have, and of both operands. */
static int take_types(struct ct_ptx_reader *r, enum ct_ptx_video_code code, struct ct_ptx_video *v)
{
	int d = code == CT_PTX_VSET ? 0 : take_sign(r), a = take_sign(r), b = take_sign(r);
	if (d < 0 || a < 0 || b < 0 || (b && (code == CT_PTX_VSHL || code == CT_PTX_VSHR)))
		return ct_ptx_unknown(r, NULL);
	v->flags = (uint8_t)((a ? CT_PTX_VIDEO_SIGNED_A : 0) | (b ? CT_PTX_VIDEO_SIGNED_B : 0) |
	                     (d ? CT_PTX_VIDEO_SIGNED_D : 0));
	return CT_OK;
}

/* What stands behind the types. */
static int take_modifiers(struct ct_ptx_reader *r, enum ct_ptx_video_code code, int several,
                          struct ct_ptx_video *v)
{
	int relation = code == CT_PTX_VSET ? ct_ptx_take_one(r, relations) : 0;
	if (relation < 0)
		return ct_ptx_unknown(r, "its comparison is missing");
	v->relation = (uint8_t)relation;
	if (code == CT_PTX_VMAD && ct_ptx_take(r, "po"))
		v->flags |= CT_PTX_VIDEO_PLUS_ONE;
	if (code != CT_PTX_VSET && ct_ptx_take(r, "sat"))
		v->flags |= CT_PTX_VIDEO_SAT;
	if (code == CT_PTX_VMAD) {
		v->relation = ct_ptx_take(r, "shr7") ? 7 : ct_ptx_take(r, "shr15") ? 15 : 0;
		return CT_OK;
	}
	if (code == CT_PTX_VSHL || code == CT_PTX_VSHR) {
		if (ct_ptx_take(r, "wrap"))
			v->flags |= CT_PTX_VIDEO_WRAP;
		else if (!ct_ptx_take(r, "clamp"))
			return ct_ptx_unknown(r, "one of .clamp and .wrap is needed");
	}
	v->second = (uint8_t)(ct_ptx_take_one(r, seconds) + 1);
	if (several && (v->second > CT_PTX_SECOND_ADD || (v->second && (v->flags & CT_PTX_VIDEO_SAT))))
		return ct_ptx_unknown(r, NULL);
	return CT_OK;
}

/* Digits behind "b" of bytes or "h" of halves, the last first: at most `most`, each below `end`. Their number, or -1. */
static int digits(const struct ct_ptx_arg *a, char kind, unsigned most, unsigned end, unsigned *out)
{
	if (a->parts_length < 2 || a->parts_length - 1 > most || *a->parts != kind)
		return -1;
	unsigned n = a->parts_length - 1;
	for (unsigned i = 0; i < n; i++) {
		char c = a->parts[n - i];
		if (c < '0' || (unsigned)(c - '0') >= end)
			return -1;
		out[i] = (unsigned)(c - '0');
	}
	return (int)n;
}

/* Which parts of b:a an operand means. */
static int choose(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, unsigned bits, unsigned first,
                  uint16_t *out)
{
	const unsigned n = 32 / bits;
	unsigned which[4] = {first, first + 1, first + 2, first + 3};
	if (a->parts && digits(a, bits == 8 ? 'b' : 'h', n, 2 * n, which) != (int)n)
		return ct_ptx_unknown(r, "parts of an operand are as .b3210 or .h10, of both operands");
	*out = 0;
	for (unsigned i = 0; i < n; i++)
		*out = (uint16_t)(*out | which[i] << 4 * i);
	return CT_OK;
}

/* Which parts of the result are written. */
static int choose_written(struct ct_ptx_reader *r, const struct ct_ptx_arg *d, unsigned bits,
                          uint8_t *out)
{
	const unsigned n = 32 / bits;
	unsigned which[4] = {0, 0, 0, 0};
	int given = d->parts ? digits(d, bits == 8 ? 'b' : 'h', n, n, which) : 0;
	if (given < 0)
		return ct_ptx_unknown(r, "parts of a result are those of a word, as .b20 or .h1");
	*out = (uint8_t)(d->parts ? 0 : (1u << n) - 1);
	for (int i = 0; i < given; i++)
		*out = (uint8_t)(*out | 1u << which[i]);
	return CT_OK;
}

/* One part of an operand or result: its bits, and which it is. */
static int choose_one(struct ct_ptx_reader *r, const struct ct_ptx_arg *a, unsigned *bits,
                      unsigned *which)
{
	*bits = 32;
	*which = 0;
	if (!a->parts)
		return CT_OK;
	*bits = a->parts_length && *a->parts == 'b' ? 8 : 16;
	if (digits(a, *bits == 8 ? 'b' : 'h', 1, 32 / *bits, which) != 1)
		return ct_ptx_unknown(r, "a part is one of .b0 to .b3, .h0 and .h1");
	return CT_OK;
}

static int choose_parts(struct ct_ptx_reader *r, unsigned bits, struct ct_ptx_video *v)
{
	const struct ct_ptx_arg *a = r->s.arg;
	unsigned size, which;
	int rc;
	if (bits < 32) {
		if ((rc = choose(r, &a[1], bits, 0, &v->a)) < 0 ||
		    (rc = choose(r, &a[2], bits, 32 / bits, &v->b)) < 0)
			return rc;
		return choose_written(r, &a[0], bits, &v->d);
	}
	if ((rc = choose_one(r, &a[1], &size, &which)) < 0)
		return rc;
	v->a = (uint16_t)(size | which << 8);
	if ((rc = choose_one(r, &a[2], &size, &which)) < 0)
		return rc;
	v->b = (uint16_t)(size | which << 8);
	rc = choose_one(r, &a[0], &size, &which);
	v->d = (uint8_t)(size / 8 | which << 3);
	return rc;
}

/* A third operand is what the second operation takes, or what the parts that are not written come from. */
int ct_ptx_decode_video(struct ct_ptx_reader *r)
{
	unsigned bits, third;
	enum ct_ptx_video_code code = named(r->s.atom[0], &bits);
	struct ct_ptx_video v = {0};
	int part = r->s.nargs && r->s.arg[0].parts, rc = take_types(r, code, &v);
	if (rc == CT_OK)
		rc = take_modifiers(r, code, bits < 32, &v);
	if (rc < 0)
		return rc;
	third = bits < 32 || code == CT_PTX_VMAD || v.second || part;
	if (bits == 32 && part && (v.second || code == CT_PTX_VMAD))
		return ct_ptx_unknown(r, "its result is a whole word");
	if ((rc = ct_ptx_want_args(r, 3 + third, 3 + third)) < 0 || (rc = choose_parts(r, bits, &v)) < 0)
		return rc;
	if (r->s.arg[3].parts && third)
		return ct_ptx_unknown(r, "its last operand is a whole word");
	struct ct_ptx_op *o = ct_ptx_emit(r, bits < 32 ? CT_PTX_video_parts : CT_PTX_video);
	if (!o)
		return CT_ERR_NOMEM;
	o->count = (uint8_t)code;
	o->width = (uint8_t)bits;
	memcpy(&o->imm, &v, sizeof v);
	return ct_ptx_rows(r, o, 2 + third, CT_PTX_B32);
}
