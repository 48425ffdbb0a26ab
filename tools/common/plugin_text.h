/* plugin_text.h - what a plugin says of itself as text: how its description leaves the process that has loaded it.
 *
 * A line for each thing, of fields with tabs between:
 *
 *     name NAME | title TEXT | summary TEXT | judged SYSTEM | baseline SYSTEM | ideal SYSTEM
 *     alias NAME | alternative SYSTEM                                          any number of each
 *     table BOUND CURVE PLACES VIEWS NEEDS_PASS BY_CACHE FLOOR SHARE           as in struct ct_mechanism
 *     system NAME HELP RECONSTRUCTION
 *     metric TYPE NAME UNIT MERGE BETTER                                       TYPE ES or IM
 *     prefix NAME
 *     parameter NAME VALUE LOW HIGH UNIT TYPE SOURCE HELP
 *     sweep KEY EXAMPLE UNIT LOW HIGH WHOLE STEP FACTOR POINTS SETTING
 *     figure ID TITLE X Y NEEDS DRAWING MEAN PERCENT_Y LOG_X                   behind it its
 *     series PANEL NAME MECHANISM SYSTEM METRIC OVER INVERSE NEEDS
 *     end */
#ifndef CT_TOOLS_PLUGIN_TEXT_H
#define CT_TOOLS_PLUGIN_TEXT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "models/registry.h"

/* A mechanism as its description tells of it: names and numbers. Its functions are missing, but for those that say that
 * they can be called in the plugin's process only. */
struct ct_plugin_text;

/* Appends the description of m. A mechanism that has none of what may be left out has empty fields. Memory shows in b. */
void ct_plugin_text_write(const struct ct_mechanism *m, struct ct_buf *b);

/* Reads n bytes of such a text, whoever wrote it: every line is checked. Fails with CT_ERR_INPUT, naming the line, or
 * CT_ERR_NOMEM. *d is the caller's to free. */
int ct_plugin_text_read(struct ct_plugin_text **d, const char *text, size_t n, struct ct_error *e);
void ct_plugin_text_free(struct ct_plugin_text *d); /* NULL allowed */

/* What was read; lives as long as d. The caller may set its command. */
struct ct_mechanism *ct_plugin_text_mechanism(struct ct_plugin_text *d);

#endif
