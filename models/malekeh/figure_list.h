/* figure_list.h - the data figures of the paper (models/common/figure.h). */
#ifndef CT_MODELS_MALEKEH_FIGURE_LIST_H
#define CT_MODELS_MALEKEH_FIGURE_LIST_H

#include "models/common/figure.h"

/* The figures and how many there are. Static storage; pure. */
const struct ct_figure *ct_mk_figures(unsigned *n);

#endif
