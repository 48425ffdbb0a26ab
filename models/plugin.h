/* plugin.h - a mechanism of one's own as a shared object that commands load: --plugin FILE (doc/plugins.md).
 *
 * The shared object is one mechanism (models/mechanism.h) and one line that shows it:
 *
 *     static const struct ct_mechanism victim = {.abi = CT_MECHANISM_ABI, .size = sizeof(struct ct_mechanism), ...};
 *     CT_PLUGIN(victim);
 *
 * Of the mechanism's table these have to be there: abi, size, name, judged, baseline, systems, parameters (which may have
 * no rows) and engine with engine_free. What else is missing commands take from ct_plugin_complete(). All that the table
 * holds besides what can be said in words and numbers - whatever is a function - runs in a process that commands make for
 * it: it may print nothing on standard output and has the process for itself, but no state that outlives a question. */
#ifndef CT_MODELS_PLUGIN_H
#define CT_MODELS_PLUGIN_H

#include <stdint.h>

#include "base/decls.h"
#include "models/common/workload.h"
#include "models/mechanism.h"
#include "replay/parts.h"

CT_DECLS_BEGIN

/* Raised whenever commands ask plugins in another way. */
#define CT_PLUGIN_API 1u

enum { CT_PLUGIN_LAYOUTS = 9 };

/* What a shared object shows. Both numbers in front stay what and where they are in every version. */
struct ct_plugin {
	uint32_t size; /* sizeof(struct ct_plugin) */
	uint32_t api;  /* CT_PLUGIN_API */
	/* Sizes of the types that plugin and command hand each other, of the headers that the plugin was compiled with. */
	uint32_t layout[CT_PLUGIN_LAYOUTS];
	const struct ct_mechanism *mechanism;
};

/* In the order of the names that ct_plugin_check() says. */
/* clang-format off */
#define CT_PLUGIN_LAYOUT { \
	(uint32_t)sizeof(struct ct_mechanism), (uint32_t)sizeof(struct ct_mechanism_run), \
	(uint32_t)sizeof(struct ct_gpu), (uint32_t)sizeof(struct ct_replay_parts), \
	(uint32_t)sizeof(struct ct_l1_part), (uint32_t)sizeof(struct ct_llc_part), \
	(uint32_t)sizeof(struct ct_replays_engine), (uint32_t)sizeof(struct ct_pass_settings), \
	(uint32_t)sizeof(struct ct_workload)}
/* clang-format on */

/* The symbol that commands look for. */
extern const struct ct_plugin ct_plugin;

#define CT_PLUGIN(table) \
	const struct ct_plugin ct_plugin = { \
		(uint32_t)sizeof(struct ct_plugin), CT_PLUGIN_API, CT_PLUGIN_LAYOUT, &(table)}

/* Whether p was compiled with headers that fit this library, and its table has what every mechanism needs. Fails with
 * CT_ERR_UNSUPPORTED, naming what differs and what to do, or CT_ERR_INPUT, naming what is missing. Reads no more of p than
 * its two first numbers where these differ. Pure. */
int ct_plugin_check(const struct ct_plugin *p, struct ct_error *e);

/* Puts functions in the place of those that the table of a plugin leaves out: a state that is the values of its parameters
 * (open, close, values; engine() finds them by run->mechanism->values(run)), no estimate but by replays of all systems in
 * full timing (estimate, replay), what its replays changed (reason), and a table of them (show, show_overheads). Pure. */
void ct_plugin_complete(struct ct_mechanism *m);

CT_DECLS_END

#endif
