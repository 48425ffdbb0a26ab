/* units.h - numbers with units, parsed the same in every locale. */
#ifndef CT_BASE_UNITS_H
#define CT_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* All parsers take a whole NUL-terminated string, accept no leading or
 * trailing junk or blanks, and return 0 with *out set, or -1 with *out
 * untouched. None depends on the locale or keeps state. */

/* Unsigned decimal, or hexadecimal with 0x. */
int ct_parse_u64(const char *s, uint64_t *out);
/* The same for a number that has to lie in [lo, hi]. */
int ct_parse_u64_range(const char *s, uint64_t lo, uint64_t hi, uint64_t *out);
/* Finite real in C syntax with '.', also a fraction "1/8". */
int ct_parse_real(const char *s, double *out);
/* The same, where a percent sign at the end divides by 100: "0.2" or "20%". */
int ct_parse_share(const char *s, double *out);

enum ct_unit {
	CT_UNIT_NONE,
	CT_UNIT_BYTES,    /* B KiB MiB GiB TiB (1024), KB MB GB TB (also 1024: the
	                    papers' storage sizes are powers of two) */
	CT_UNIT_MHZ,      /* kHz MHz GHz, result in MHz */
	CT_UNIT_NS,       /* ns us ms s, result in ns */
	CT_UNIT_CYCLES,   /* "cycles" or nothing */
	CT_UNIT_GBPS,     /* B/s MB/s GB/s TB/s, decimal, result in 1e9 B/s */
	CT_UNIT_PJ,       /* pJ nJ uJ, result in pJ */
	CT_UNIT_PJ_PER_B, /* pJ/B pJ/bit, result in pJ/B */
	CT_UNIT_WATT,     /* mW W, result in W */
	CT_UNIT_PERCENT   /* "%" or nothing; result as printed (25% -> 25) */
};

/* A real with an optional unit suffix of that kind, blank between allowed
 * ("64KiB", "1.71 GHz", "760 GB/s"). Without suffix the base unit is meant. */
int ct_parse_unit(const char *s, enum ct_unit unit, double *out);
/* Bytes as an exact integer; fails when not whole or over 2^63. */
int ct_parse_size(const char *s, uint64_t *out);
/* Name of the base unit as profiles print it: "", "bytes", "MHz", "ns",
 * "cycles", "GB/s", "pJ", "pJ/B", "W", "%". Static storage. */
const char *ct_unit_name(enum ct_unit unit);
/* Writes a size for people into out[n]: "5 MiB", "1.5 KiB", "17 B". */
void ct_format_size(uint64_t bytes, char *out, size_t n);

/* Edit distance for "did you mean": index of the name nearest to s among n
 * (within a third of its length, at least 2), or -1. O(n * |s| * |name|). */
int ct_nearest_name(const char *s, const char *const *names, size_t n);
/* The same however far it is: -1 only where n is 0. */
int ct_closest_name(const char *s, const char *const *names, size_t n);

CT_DECLS_END

#endif
