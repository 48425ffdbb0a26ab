/* output.h - where a captured trace goes: a packed file, a stream, or a folder of text. Private. */
#ifndef CT_LOWER_OUTPUT_H
#define CT_LOWER_OUTPUT_H

#include "lower/capture.h"
#include "lower/stream.h"

struct ct_lower_output;

/* Opens it as the settings say. Fails with CT_ERR_USAGE, CT_ERR_IO, CT_ERR_NOMEM. */
CT_NODISCARD int ct_lower_output_open(struct ct_lower_output **out, const struct ct_capture_settings *s,
                                      struct ct_error *e);
CT_NODISCARD int ct_lower_output_copy(struct ct_lower_output *o, uint64_t address, uint64_t bytes,
                                      struct ct_error *e);
/* A line of arrays.tsv: an allocation before launch number `launch`. */
CT_NODISCARD int ct_lower_output_array(struct ct_lower_output *o, uint64_t first, uint64_t bytes,
                                       const char *name, uint64_t launch, struct ct_error *e);
/* Whether CTAs may come as streams; else they are to be packed. */
int ct_lower_output_takes_streams(const struct ct_lower_output *o);
/* A kernel, its CTAs, its end. *k lives until then. */
CT_NODISCARD int
ct_lower_output_kernel(struct ct_lower_output *o, struct ct_kernel *k, struct ct_error *e);
/* code: what the program was described to. */
CT_NODISCARD int ct_lower_output_cta(struct ct_lower_output *o, const struct ct_lower_made *made,
                                     const struct ct_lower_program *p, const struct ct_code *code,
                                     struct ct_error *e);
CT_NODISCARD int ct_lower_output_kernel_end(struct ct_lower_output *o, struct ct_error *e);
/* Behind a kernel's end, in a folder: the contents of lines go to kernel-N.blocks. No calls between may be left
 * out. In a packed trace all three do nothing. */
CT_NODISCARD int ct_lower_output_lines_begin(struct ct_lower_output *o, struct ct_error *e);
CT_NODISCARD int ct_lower_output_line(struct ct_lower_output *o, uint64_t address,
                                      const unsigned char line[128], struct ct_error *e);
CT_NODISCARD int ct_lower_output_lines_end(struct ct_lower_output *o, struct ct_error *e);
/* Completes the trace, with the program's exit status, and frees o in every case. */
CT_NODISCARD int ct_lower_output_close(struct ct_lower_output *o, int status, struct ct_error *e);
/* Removes what there is of it, and frees o (NULL allowed). */
void ct_lower_output_drop(struct ct_lower_output *o);

#endif
