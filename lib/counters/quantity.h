/* quantity.h - which metrics of which profiler are which quantity, and their numbers and units. Private. */
#ifndef CT_COUNTERS_QUANTITY_H
#define CT_COUNTERS_QUANTITY_H

#include "counters/counters.h"

/* A metric that a profiler writes. Of several that mean the same, the one with the lowest rank is taken. */
struct ct_quantity {
	enum ct_counter counter;
	unsigned rank;
	double factor; /* of a value in the counter's unit */
	int kind;      /* of its unit; private to quantity.c */
};

/* The quantity of a metric's name ("dram__sectors_read.sum"), or, where `section` is not NULL, of a label on the
 * details page of that section, whose unit tells labels of one name apart; NULL when it is none. Static storage. Pure. */
const struct ct_quantity *ct_quantity_find(const char *name, const char *section, const char *unit);

enum ct_quantity_status {
	CT_QUANTITY_VALUE,   /* *v is set */
	CT_QUANTITY_MISSING, /* empty, "N/A", "nan", "no data": *v is NaN */
	CT_QUANTITY_NUMBER,  /* no number, or one that could be read in two ways */
	CT_QUANTITY_UNIT     /* a unit that is unknown, or of something else */
};
/* The value of a cell in the counter's unit. unit may be empty: then what stands behind the number counts, or the unit
 * that the profiler writes with --print-units base. Pure. */
enum ct_quantity_status
ct_quantity_value(const struct ct_quantity *q, const char *cell, const char *unit, double *v);

#endif
