/* list.h - kernelslist and kernelslist.g (doc/formats.md section 1). */
#ifndef CT_TRACE_PRIVATE_LIST_H
#define CT_TRACE_PRIVATE_LIST_H

#include "base/buf.h"
#include "trace/arrays.h"
#include "trace/private/accelsim.h"
#include "trace/trace.h"

struct ct_list_entry {
	uint8_t is_kernel;
	uint8_t unordered; /* kernels: behind one of a higher number, in a list that names none twice */
	uint64_t line;     /* in the list */
	uint32_t id;       /* kernels: ordinal from 1 */
	char *name;        /* kernels: as written */
	char *path;        /* kernels: the file found, NULL when missing */
	uint64_t address, bytes; /* copies */
};

struct ct_list {
	struct ct_list_entry *entry;
	size_t n, cap;
	uint64_t memcpys, kernels, missing, unknown, unlisted, unordered;
	uint64_t first_unknown;                /* line */
	size_t first_missing, first_unordered; /* entries */
	char *first_unlisted;                  /* file, by name */
	struct ct_array *array;                /* of arrays.tsv; names are the list's */
	size_t arrays, array_cap, next_array;
	unsigned status; /* of tracegen.txt: with which the program ended */
};

/* Parses n bytes of list text; `name` is for messages. *list is the caller's to free
 * also after a failure. Fails with CT_ERR_INPUT (a damaged line, a list without any
 * kernel), CT_ERR_NOMEM. */
int ct_list_parse(struct ct_list *list, const char *name, const char *text, size_t n,
                  struct ct_error *e);
/* Looks for the kernels' files in `folder`, each also with and without .xz, .gz,
 * .zst. Names that lead out of the folder fail unless trusted, and so does a list
 * none of whose files is there. */
int ct_list_locate(struct ct_list *list, const char *name, const char *folder, int trust,
                   struct ct_error *e);
/* 1: nothing, or what a compressor puts behind the name of a file. */
int ct_list_is_suffix(const char *p);

/* list_unlisted.c: counts the files kernel-N in `folder` that the list at `path` does not name: lines of
 * it may be lost. Marks kernels out of order, when none is named twice. Only for a list called
 * kernelslist or kernelslist.g, and for files of the form of its own kernels. Fails with CT_ERR_IO,
 * CT_ERR_NOMEM; a folder that may not be read has none. */
int ct_list_find_unlisted(struct ct_list *list, const char *path, const char *folder,
                          struct ct_error *e);
/* 1 when a list of this path is its folder's, not somebody's choice of kernels. */
int ct_list_is_of_folder(const char *path);

/* list_beside.c: reads arrays.tsv and tracegen.txt of the folder into *list, where they are there and the
 * list is the folder's. Fails with CT_ERR_INPUT (a bad line), CT_ERR_IO, CT_ERR_NOMEM. */
int ct_list_read_beside(struct ct_list *list, const char *name, const char *folder, struct ct_error *e);
/* Gives a table those arrays not yet given that were allocated before launch number `launch`, in their
 * order; to the table, `id` is that launch. */
int ct_list_give_arrays(struct ct_list *list, uint64_t launch, uint64_t id, struct ct_arrays *to,
                        struct ct_error *e);
void ct_list_free(struct ct_list *list);

/* Opens a file of a list, or the list of a folder: regular files only, never waiting. */
int ct_list_open_member(struct ct_source **s, const char *path, const struct ct_source_options *o,
                        struct ct_error *e);
/* The list in a folder: kernelslist.g, kernelslist, else the first kernelslist_ctx_*.g
 * by name. *path is the caller's. */
int ct_list_in_folder(const char *folder, const struct ct_diag *diag, char **path, struct ct_error *e);
/* Folder part of a list's path, "." when it has none; the caller's. NULL: no memory. */
char *ct_list_folder(const char *path);

#endif
