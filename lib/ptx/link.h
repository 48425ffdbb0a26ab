/* link.h - several PTX texts become one, as a linker makes one program of several objects. */
#ifndef CT_PTX_LINK_H
#define CT_PTX_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

struct ct_ptx_linker;

/* Makes a linker without texts, or fails with CT_ERR_NOMEM. The caller frees it with ct_ptx_linker_free(); NULL is allowed there. One
 * thread at a time uses a linker. */
int ct_ptx_linker_create(struct ct_ptx_linker **out, struct ct_error *e);
void ct_ptx_linker_free(struct ct_ptx_linker *l);

/* Adds a text of `bytes` bytes, which outlives the linker; `name` is copied for messages. Texts are numbered from 0 in the order of these
 * calls. A text that cannot be read fails with CT_ERR_INPUT or CT_ERR_UNSUPPORTED and leaves the linker without it. */
int ct_ptx_linker_add(struct ct_ptx_linker *l, const char *name, const char *text, size_t bytes,
                      struct ct_error *e);

/* Which texts need one another: group[i] gets the lowest number of a text that text i is bound to by functions and variables which one
 * declares .extern and another defines, in any number of steps. Its own number means that it needs none. */
void ct_ptx_linker_groups(const struct ct_ptx_linker *l, uint32_t *group);

/* Appends one text made of all texts. A function or variable that is declared .extern becomes the one that a text defines; of .weak
 * ones the first stays, and a .visible one goes before it; names that are private to a text are changed where texts have the same. What no
 * text defines stays .extern. Fails with CT_ERR_INPUT where two texts define what a third asks for, and with CT_ERR_NOMEM. */
int ct_ptx_linker_join(struct ct_ptx_linker *l, struct ct_buf *out, struct ct_error *e);

/* What a name of text `text` is called in the joined text: a string of the linker, or `name` itself. */
const char *ct_ptx_linker_name(const struct ct_ptx_linker *l, size_t text, const char *name);

/* Appends a text of the header and those variables that are defined and that `wanted(ctx, name)` answers 1 for. Fails as joining does. */
int ct_ptx_linker_pick(struct ct_ptx_linker *l, int (*wanted)(const void *ctx, const char *name),
                       const void *ctx, struct ct_buf *out, struct ct_error *e);

/* The last line of a text that is to be linked with others, as ctcc writes it. */
#define CT_PTX_RELOCATABLE "// ctcc: relocatable device code"

/* The name of the function that a directive declares or defines, of which `at` is what stands behind ".func": *n characters, 0 where it has none
 * there. NULL: libctcuda or the language has it, as __assertfail and __cxa_pure_virtual, and no text is asked for it. Pure. */
const char *ct_ptx_linked_function(const char *at, size_t *n);

/* 1: the text declares a function or variable .extern that no run-time library has. This is a quick look, which may err on the side of
 * 1. `text` ends with a NUL. Pure. */
int ct_ptx_asks_for_others(const char *text);

CT_DECLS_END

#endif
