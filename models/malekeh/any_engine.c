/* any_engine.c - a register-file cache with random settings, for property tests and fuzz targets. */
#include "models/malekeh/any_engine.h"

#include "models/malekeh/parts.h"
#include "models/malekeh/sthld.h"

/* The first byte chooses a system, the others seed its settings. Returns 1 for a system that cannot be
 * part of an engine. */
int ct_mk_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                     struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	const struct ct_mk_system *system = ct_mk_system_at(bytes[0] % CT_MK_ALL_SYSTEMS);
	struct ct_mk_params params;
	struct ct_mk_parts *made = NULL;
	*parts = NULL;
	if (!ct_mk_parts_can(system))
		return 1;
	ct_mk_defaults(&params);
	params.v[CT_MK_P_INTERVAL] = 100 + bytes[1];
	params.v[CT_MK_P_PRIORITY] = bytes[3] % (CT_MK_DATA_NEAR + 1);
	int st = ct_mk_parts_new(&made, system, g, &params, NULL, NULL, bytes[2], e);
	*parts = made;
	if (st == CT_OK)
		*engine = (struct ct_replays_engine){
			.gpu = g,
			.options = {.timing = CT_REPLAY_FULL, .parts = ct_mk_parts_table(made)}};
	return st;
}

void ct_mk_any_engine_free(void *parts)
{
	ct_mk_parts_free(parts);
}

int ct_mk_parse_file(const char *name, const char *text, size_t n, struct ct_error *e)
{
	struct ct_mk_sthld_table table;
	struct ct_mk_sthld machine;
	int st = ct_mk_sthld_parse(&table, name, text, n, e);
	if (st != CT_OK)
		return st;
	ct_mk_sthld_start(&table, &machine);
	for (int i = 0; i < 64 && st == CT_OK; i++) {
		ct_mk_sthld_step(&table, &machine, i % 3 ? 1.0 : 0.5 * i);
		if (machine.state < 1 || machine.state > CT_MK_STATES || machine.value < table.lowest ||
		    machine.value > table.highest)
			st = ct_fail(e, CT_ERR_INPUT, "%s: the machine leaves its states", name);
	}
	return st;
}
