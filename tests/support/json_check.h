/* json_check.h - a strict JSON validator (RFC 8259) for tests of JSON lines. */
#ifndef CT_TESTS_JSON_CHECK_H
#define CT_TESTS_JSON_CHECK_H

#include <stddef.h>

/* 1 when s[0..n) is nothing but JSON objects, one per line, each line ended, in valid
 * UTF-8, and no object names a key twice. */
int json_lines_valid(const char *s, size_t n);

#endif
