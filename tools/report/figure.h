/* figure.h - the data figures of the papers, drawn for the user's workloads. */
#ifndef CT_TOOLS_REPORT_FIGURE_H
#define CT_TOOLS_REPORT_FIGURE_H

#include "models/common/figure.h"
#include "report/run.h"

/* The i-th of all mechanisms' figures, and the folder under data/ that holds its published values; NULL behind the last. */
const struct ct_figure *fg_at(size_t i, const char **folder);
/* By id, or NULL. */
const struct ct_figure *fg_find(const char *id, const char **folder);

/* Our rows, then the paper's from data/FOLDER/figures.tsv where there is that file. Of a workload without data
 * fg_tell_missing() knows why. Fails with CT_ERR_INPUT when no workload has any of the data, with the
 * way to it; CT_ERR_IO, CT_ERR_NOMEM. */
int fg_make(const struct ct_figure *f, const char *folder, const struct rep_run *run,
            struct ct_figure_rows *rows, struct ct_error *e);
/* Tab-separated: figure, panel, x, series, value, low, high, source (here or paper). */
void fg_tsv(const struct ct_figure *f, const struct ct_figure_rows *rows, struct ct_buf *b);
/* A line of t's warnings per reason for rows that are missing: at most `most` names, and what
 * makes them. Fails with CT_ERR_NOMEM. */
int fg_tell_missing(const struct ct_figure *f, const struct ct_figure_rows *rows, size_t most,
                    struct ct_tool *t, struct ct_error *e);
/* One SVG, a panel below the other; the paper's values are ticks of their own. Returns how many values
 * have no room in it. */
size_t fg_svg(const struct ct_figure *f, const struct ct_figure_rows *rows, struct ct_buf *b);

#endif
