/* gpu_keys.h - the table of GPU keys; private to lib/gpu. */
#ifndef CT_GPU_KEYS_H
#define CT_GPU_KEYS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/units.h"
#include "gpu/gpu.h"

/* How a value is written and where it goes. */
enum ct_key_kind {
	CT_KEY_U32,     /* whole number in a uint32_t */
	CT_KEY_SIZE32,  /* bytes in a uint32_t */
	CT_KEY_SIZE64,  /* bytes in a uint64_t */
	CT_KEY_REAL,    /* double, rounded to six significant digits (as profiles print) */
	CT_KEY_BOOL,    /* on or off in a uint32_t */
	CT_KEY_ENUM,    /* one of names[] in a uint32_t */
	CT_KEY_TEXT,    /* characters */
	CT_KEY_SIZES,   /* shmem_option: ascending sizes between commas */
	CT_KEY_TIMING,  /* "latency,initiation" in a struct ct_unit_timing */
	CT_KEY_LLC_SIZE /* bytes over all slices */
};

/* What else setting a key changes (ct_gpu_check() resolves what is left open). */
enum ct_key_effect {
	CT_EFFECT_NONE,
	CT_EFFECT_SIZE, /* of cache: its sets (or ways) follow */
	CT_EFFECT_WAYS,
	CT_EFFECT_SETS,
	CT_EFFECT_SLICES,  /* the LLC keeps its total size */
	CT_EFFECT_DERIVED, /* accepted, then computed by ct_gpu_check() */
	CT_EFFECT_OPTIONAL /* younger than the files of GPUs: one that leaves it out misses nothing */
};

struct ct_key_row {
	struct ct_gpu_key key;
	enum ct_key_kind kind;
	enum ct_key_effect effect;
	enum ct_unit unit;
	size_t at;                /* offset in struct ct_gpu */
	size_t room;              /* of CT_KEY_TEXT, with its NUL */
	double lo, hi;            /* of numbers */
	const char *const *names; /* of CT_KEY_ENUM, NULL-terminated */
	const char *value;        /* the default, of rtx3080 */
};

const struct ct_key_row *ct_key_rows(size_t *n);
/* The row of a full key name, or NULL. */
const struct ct_key_row *ct_key_find(const char *name);
/* The nearest key, for "unknown key"; *near: it is near enough to be meant. */
const char *ct_key_nearest(const char *name, int *near);
/* Stores a value; fails with `status` and a text without position ("l1.size = 3x:
 * wanted bytes in 0..."). */
int ct_key_store(struct ct_gpu *g, const struct ct_key_row *r, const char *value, int status,
                 struct ct_error *e);
/* Appends the value as GP records and --print-gpu print it. */
void ct_key_format(const struct ct_gpu *g, const struct ct_key_row *r, struct ct_buf *b);
/* Fails with CT_ERR_INPUT when a number lies outside its range. */
int ct_key_in_range(const struct ct_gpu *g, const struct ct_key_row *r, struct ct_error *e);

/* gpgpusim.config: is this text one; and reading one over g. trace may be NULL. */
int ct_sim_recognise(const char *text, size_t n);
struct ct_sim_text {
	const char *name, *text;
	size_t n;
};
int ct_sim_parse(struct ct_gpu *g, const struct ct_sim_text *config, const struct ct_sim_text *trace,
                 const struct ct_diag *diag, struct ct_error *e);

/* One cache string of GPGPU-Sim ("S:4:128:64,L:T:m:L:L,A:512:8,16:0,32", older forms,
 * "none") into *c. Returns 0, 1 for "none", or -1 when it is not understood; note (of
 * n bytes) gets what was replaced by its nearest, or "". */
int ct_sim_cache(struct ct_cache_params *c, const char *text, char *note, size_t n);

#endif
