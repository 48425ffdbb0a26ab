/* ptx_run.h - small PTX kernels for tests: made from one instruction, run, and given back. */
#ifndef CT_TESTS_PTX_RUN_H
#define CT_TESTS_PTX_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "ptx/emulate.h"

#define PTX_HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

/* Reads a module or fails the test. */
struct ct_ptx_module *ptx_must_read(const char *text);

/* Runs the first kernel of a module with one parameter: a buffer. Fills *fault and *e. Returns the launch's status. */
int ptx_run(const struct ct_ptx_module *m, uint32_t grid, uint32_t block, void *buffer, size_t bytes,
            uint64_t max_steps, struct ct_ptx_fault *fault, struct ct_error *e);

/* The same of a text, which must succeed. */
void ptx_must_run(const char *text, uint32_t grid, uint32_t block, void *buffer, size_t bytes);

/* Results of one instruction for n triples of operands. `instruction` uses %h0 to %h3 (16 bits), %w0 to
 * %w3, %l0 to %l3 or %p0 (bit 0) as its result (0) and operands (1 to 3); `kinds` says what they are, as
 * "wwl" for a result and one operand of 32 bits and one of 64. Results are zero-extended. */
void ptx_apply(const char *instruction, const char *kinds, size_t n, const uint64_t (*operands)[3],
               uint64_t *results);

#endif
