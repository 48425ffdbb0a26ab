/* layout.h - which array an address belongs to: what the trace or a list of symbols names, else clusters of pages
 * that are touched.
 *
 * An array gets a number that stays. Where two clusters grow together, the number of the upper one stands for the lower
 * one from then on (ct_layout_root()). One table belongs to one thread at a time. */
#ifndef CT_PASS_LAYOUT_H
#define CT_PASS_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

struct ct_layout;

enum {
	CT_LAYOUT_LOCAL, /* local memory of all threads */
	CT_LAYOUT_NONE,  /* what touched nothing */
	CT_LAYOUT_FIRST  /* of those that have addresses */
};

struct ct_layout *ct_layout_new(struct ct_error *e); /* NULL: CT_ERR_NOMEM */
void ct_layout_free(struct ct_layout *a);            /* NULL allowed */

/* An array of `bytes` bytes from `first` on; name is copied, NULL: it is named by its range. What lies in one that is
 * there already only gives it a name; one that overlaps others becomes one with them. Clusters keep what is
 * outside of it. Fails with CT_ERR_NOMEM. */
int ct_layout_declare(struct ct_layout *a, uint64_t first, uint64_t bytes, const char *name,
                      struct ct_error *e);
/* Declares what a text of lines "first<TAB>bytes<TAB>name" lists : more columns are passed
 * over, and a first line that names them. `path` is for messages. Fails with CT_ERR_INPUT naming the line. */
int ct_layout_declare_text(struct ct_layout *a, const char *path, const char *text, size_t n,
                           struct ct_error *e);

/* The array that the address lies in, CT_LAYOUT_NONE: none. */
uint32_t ct_layout_find(const struct ct_layout *a, uint64_t address);
/* The same; an address in none begins a cluster or joins one. Out of memory: CT_LAYOUT_NONE, and ct_layout_check()
 * fails. */
uint32_t ct_layout_touch(struct ct_layout *a, uint64_t address);
/* Local memory has been touched there. */
void ct_layout_touch_local(struct ct_layout *a, uint64_t address);
int ct_layout_check(const struct ct_layout *a, struct ct_error *e);

/* 1 when the array with this number covers the address now; what has gone into another covers nothing. */
int ct_layout_covers(const struct ct_layout *a, uint32_t array, uint64_t address);
uint32_t ct_layout_root(const struct ct_layout *a, uint32_t array);
/* How many numbers there are; range [*first, *end) of a root, both 0 where it has none. */
uint32_t ct_layout_count(const struct ct_layout *a);
void ct_layout_range(const struct ct_layout *a, uint32_t array, uint64_t *first, uint64_t *end);
/* Appends the name of a root: its own, or "0x7f0000000000+4096". */
void ct_layout_name(const struct ct_layout *a, uint32_t array, struct ct_buf *b);

CT_DECLS_END

#endif
