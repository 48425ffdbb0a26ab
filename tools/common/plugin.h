/* plugin.h - mechanisms of the user's own: shared objects (models/plugin.h) that are loaded in processes made for them.
 *
 * A command knows a plugin by its description, which a first process has given as text (plugin_text.h): names, systems,
 * parameters, no functions. What needs its functions the command hands to ct_plugin_run() as a piece of its own work: a
 * process forks off, loads the shared object, puts the real table into the registry in the place of the description, does
 * the work there with all that the command has in memory, and sends back text. Whatever a plugin does to that process, the
 * command and the results of other mechanisms stay as they were. */
#ifndef CT_TOOLS_PLUGIN_H
#define CT_TOOLS_PLUGIN_H

#include <stdint.h>

#include "common/tool.h"

/* Loads the descriptions of the plugins that --plugin and CACHETRIAGE_PLUGINS name into the registry, in this order, each
 * file once. A name without a slash is refused, and in the variable one that does not begin with one. Fails with
 * CT_ERR_USAGE, CT_ERR_IO, CT_ERR_INPUT, CT_ERR_UNSUPPORTED, CT_ERR_NOMEM, naming the file. Once in a process. */
int ct_plugins_load(struct ct_tool *t, struct ct_error *e);
void ct_plugins_free(struct ct_tool *t);

/* Work that needs functions of plugins: appends to reply what the command is to know of it. */
typedef int (*ct_plugin_work)(void *ctx, struct ct_buf *reply, struct ct_error *e);

/* Does the work in a process in which the plugins of the mask (a bit each, as of ct_mechanism_at()) are loaded. Returns what
 * the work returned, with its error, and its reply, which is the caller's to free in every case. *broken becomes 1 when the
 * process ended by a signal or without an answer, gave none in --plugin-limit, or one that is none; then this fails with
 * CT_ERR_INPUT and names the plugin. Fails with CT_ERR_IO when there can be no process, CT_ERR_NOMEM. */
int ct_plugin_run(struct ct_tool *t, uint32_t mask, ct_plugin_work work, void *ctx, struct ct_buf *reply,
                  int *broken, struct ct_error *e);

/* Says in t's warnings that a plugin is broken, as *e tells, and has the command end with 2. */
void ct_plugin_tell(struct ct_tool *t, const struct ct_error *e);

/* A CRC-64 of the plugins' names and files, continued from crc: with it a result is one of the same plugins. */
uint64_t ct_plugins_digest(const struct ct_tool *t, uint64_t crc);

/* ---- for fuzz targets ---- */

/* Finds the answer in what came over the pipe: *status and *error, at most room bytes, and the reply behind them. NULL: it
 * is no answer. A NUL stands behind the text. Pure. */
const char *ct_plugin_answer(const char *text, size_t n, int *status, const char **error, size_t *reply);

#endif
