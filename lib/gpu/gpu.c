/* GPU parameters: consistency, derived quantities, overrides, printing. */
#include "gpu/gpu.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "gpu/address.h"
#include "gpu/gpu_keys.h"

static int is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* Keeps products of sizes and counts within 64 bits. */
static const uint64_t MAX_CACHE = UINT64_C(1) << 40;

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* What the engine has; the others run as the nearest of these, and GP says so. */
static enum ct_scheduler nearest_modelled(enum ct_scheduler asked)
{
	switch (asked) {
	case CT_SCHED_LRR:
	case CT_SCHED_STRICT_RR: return CT_SCHED_LRR;
	case CT_SCHED_TWO_LEVEL: return CT_SCHED_TWO_LEVEL;
	default: return CT_SCHED_GTO;
	}
}

/* Fails with the sizes of a cache next to `size`, which is no whole number of `unit` bytes: of its ways or sets over all
 * `copies` of it. */
static int refuse_size(const struct ct_cache_params *c, const char *name, uint64_t size, uint32_t copies,
                       uint64_t unit, struct ct_error *e)
{
	const char *of = c->sets ? "ways" : "sets";
	uint64_t low = size / unit * unit;
	char slices[48] = "";
	if (copies > 1)
		snprintf(slices, sizeof slices, " in each of %" PRIu32 " slices", copies);
	if (!low)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s.size = %" PRIu64
		               " is less than one of its %s%s: the smallest is %" PRIu64,
		               name, size, of, slices, unit);
	return ct_fail(e, CT_ERR_INPUT,
	               "%s.size = %" PRIu64 " does not divide into whole %s of %" PRIu64
	               " bytes%s: the nearest sizes are %" PRIu64 " and %" PRIu64,
	               name, size, of, unit / copies, slices, low, low + unit);
}

/* Fills in whichever of size, sets and ways is open; `total` is the size over all
 * `copies` caches, 0 when the size of one is known. */
static int complete_cache(struct ct_cache_params *c, const char *name, uint64_t total, uint32_t copies,
                          struct ct_error *e)
{
	uint64_t ways_bytes;
	if (!c->line || (c->ways == 0 && c->sets == 0))
		return ct_fail(e, CT_ERR_INPUT, "%s: %s.ways and %s.sets are both unknown", name, name,
		               name);
	ways_bytes = (uint64_t)(c->sets ? c->sets : c->ways) * c->line;
	if (total && total % copies)
		return c->sets && c->ways
		               ? ct_fail(e, CT_ERR_INPUT,
		                         "%s.size = %" PRIu64 " does not divide into %" PRIu32 " slices",
		                         name, total, copies)
		               : refuse_size(c, name, total, copies, ways_bytes * copies, e);
	if (total)
		c->size = total / copies;
	if (c->size == 0) {
		c->size = (uint64_t)c->sets * c->ways * c->line;
		if (c->size > MAX_CACHE / copies)
			return ct_fail(e, CT_ERR_INPUT, "%s: over 1 TiB", name);
		return 0;
	}
	if (c->sets && c->ways) {
		if (c->size == (uint64_t)c->sets * c->ways * c->line)
			return 0;
		return ct_fail(e, CT_ERR_INPUT,
		               "%s.size = %" PRIu64 " is not %" PRIu32 " sets x %" PRIu32
		               " ways x %" PRIu32 " bytes",
		               name, c->size, c->sets, c->ways, c->line);
	}
	if (c->size < ways_bytes || c->size % ways_bytes || c->size / ways_bytes > UINT32_MAX)
		return total ? refuse_size(c, name, total, copies, ways_bytes * copies, e)
		             : refuse_size(c, name, c->size, 1, ways_bytes, e);
	if (c->sets)
		c->ways = (uint32_t)(c->size / ways_bytes);
	else
		c->sets = (uint32_t)(c->size / ways_bytes);
	return 0;
}

/* CT_OK for a power of two; fails naming those next to any other value. */
static int check_power_of_two(const char *key, uint64_t value, struct ct_error *e)
{
	uint64_t low = 1;
	if (is_power_of_two(value))
		return CT_OK;
	while (low <= value / 2)
		low *= 2;
	return ct_fail(e, CT_ERR_INPUT,
	               "%s = %" PRIu64 " is no power of two: the nearest are %" PRIu64 " and %" PRIu64,
	               key, value, low, 2 * low);
}

/* Checks that line, sector, sets and ways of a cache go together. */
static int check_cache(const struct ct_cache_params *c, const char *name, struct ct_error *e)
{
	char key[32];
	snprintf(key, sizeof key, "%s.line", name);
	int st = check_power_of_two(key, c->line, e);
	snprintf(key, sizeof key, "%s.sector", name);
	if (st == CT_OK)
		st = check_power_of_two(key, c->sector, e);
	if (st != CT_OK)
		return st;
	if (c->sector > c->line || c->line / c->sector > 32)
		return ct_fail(e, CT_ERR_INPUT,
		               "%s.sector = %" PRIu32 ": a line of %" PRIu32
		               " bytes holds from 1 to 32 sectors",
		               name, c->sector, c->line);
	if (c->sets == 0 || c->ways == 0)
		return ct_fail(e, CT_ERR_INPUT, "%s has no sets", name);
	return 0;
}

/* Checks the sizes that L1 and shared memory can divide their common memory into. */
static int check_l1_split(const struct ct_gpu *g, struct ct_error *e)
{
	if (!g->l1_adaptive)
		return 0;
	if (g->shmem_options == 0)
		return ct_fail(e, CT_ERR_INPUT, "l1.adaptive needs shmem.options");
	uint64_t last = g->shmem_option[g->shmem_options - 1];
	if (g->unified_bytes == 0 || last > g->unified_bytes)
		return ct_fail(e, CT_ERR_INPUT,
		               "l1.unified = %" PRIu64 ": smaller than the last of "
		               "shmem.options, %" PRIu64,
		               g->unified_bytes, last);
	if (g->shmem_bytes > last)
		return ct_fail(e, CT_ERR_INPUT,
		               "shmem.size = %" PRIu64 ": larger than the last of "
		               "shmem.options, %" PRIu64,
		               g->shmem_bytes, last);
	return 0;
}

/* Checks LLC slices, channels and DRAM against each other, and that addresses can be mapped onto them.
 * Messages name the nearest values that divide. */
static int check_memory(const struct ct_gpu *g, struct ct_error *e)
{
	struct ct_address_map map;
	int st = check_power_of_two("dram.banks", g->dram_banks, e);
	if (st == CT_OK)
		st = check_power_of_two("dram.row", g->dram_row_bytes, e);
	if (st == CT_OK)
		st = check_power_of_two("dram.interleave", g->partition_interleave, e);
	if (st != CT_OK)
		return st;
	if (g->dram_banks % g->dram_bank_groups) {
		uint32_t low = g->dram_bank_groups, high = g->dram_bank_groups;
		while (g->dram_banks % low)
			low--;
		while (high < g->dram_banks && g->dram_banks % high)
			high++;
		return ct_fail(e, CT_ERR_INPUT,
		               "dram.bank_groups = %" PRIu32 " does not divide dram.banks = %" PRIu32
		               ": the nearest are %" PRIu32 " and %" PRIu32,
		               g->dram_bank_groups, g->dram_banks, low,
		               high > g->dram_banks ? g->dram_banks : high);
	}
	if (g->partition_interleave < g->llc.line)
		return ct_fail(e, CT_ERR_INPUT, "dram.interleave = %" PRIu64 " is below llc.line",
		               g->partition_interleave);
	if (g->llc_partitions > g->llc_slices)
		return ct_fail(e, CT_ERR_INPUT, "llc.partitions = %" PRIu32 " is above llc.slices",
		               g->llc_partitions);
	return ct_address_map_init(&map, g, e);
}

/* Pieces of a sector are its halves, their halves and so on, of 32 bytes at least. */
static int check_piece(const struct ct_gpu *g, struct ct_error *e)
{
	if (!g->noc_piece_bytes)
		return CT_OK;
	if (g->noc_piece_bytes < 32)
		return ct_fail(e, CT_ERR_INPUT, "noc.piece = %" PRIu32 ": wanted 0, or 32 and more",
		               g->noc_piece_bytes);
	return check_power_of_two("noc.piece", g->noc_piece_bytes, e);
}

static int has_end(const char *text, size_t room)
{
	return memchr(text, 0, room) != NULL;
}

int ct_gpu_check(struct ct_gpu *g, struct ct_error *e)
{
	size_t n;
	const struct ct_key_row *rows = ct_key_rows(&n);
	int rc;
	if (!has_end(g->name, sizeof g->name) || !has_end(g->dram_mapping, sizeof g->dram_mapping) ||
	    g->shmem_options > CT_MAX_SHMEM_OPTIONS || g->llc_slices == 0)
		return ct_fail(e, CT_ERR_INPUT, "this GPU description was never filled in");
	if ((rc = complete_cache(&g->l1, "l1", 0, 1, e)) < 0 ||
	    (rc = complete_cache(&g->llc, "llc", g->llc_total, g->llc_slices, e)) < 0)
		return rc;
	g->llc_total = 0;
	g->scheduler = nearest_modelled((enum ct_scheduler)g->scheduler_asked);
	for (size_t i = 0; i < n; i++)
		if ((rc = ct_key_in_range(g, &rows[i], e)) < 0)
			return rc;
	if ((rc = check_cache(&g->l1, "l1", e)) < 0 || (rc = check_cache(&g->llc, "llc", e)) < 0 ||
	    (rc = check_l1_split(g, e)) < 0 || (rc = check_piece(g, e)) < 0)
		return rc;
	return check_memory(g, e);
}

void ct_gpu_defaults(struct ct_gpu *g)
{
	size_t n;
	const struct ct_key_row *rows = ct_key_rows(&n);
	memset(g, 0, sizeof *g);
	for (size_t i = 0; i < n; i++)
		(void)ct_key_store(g, &rows[i], rows[i].value, CT_ERR_INPUT, NULL);
	(void)ct_gpu_check(g, NULL);
}

/* "key = value" without the blanks around both; 0 when a part is missing. */
static int split_assignment(const char *text, char *key, size_t key_room, char *value, size_t value_room)
{
	const char *eq = strchr(text, '=');
	if (!eq)
		return 0;
	const char *a = text, *b = eq, *c = eq + 1, *d = c + strlen(c);
	while (a < b && (*a == ' ' || *a == '\t'))
		a++;
	while (b > a && (b[-1] == ' ' || b[-1] == '\t'))
		b--;
	while (c < d && (*c == ' ' || *c == '\t'))
		c++;
	while (d > c && (d[-1] == ' ' || d[-1] == '\t'))
		d--;
	if (a == b || (size_t)(b - a) >= key_room || (size_t)(d - c) >= value_room)
		return 0;
	memcpy(key, a, (size_t)(b - a));
	key[b - a] = 0;
	memcpy(value, c, (size_t)(d - c));
	value[d - c] = 0;
	return 1;
}

int ct_gpu_set(struct ct_gpu *g, const char *assignment, struct ct_error *e)
{
	char key[128], value[512];
	if (!split_assignment(assignment, key, sizeof key, value, sizeof value))
		return ct_fail(e, CT_ERR_USAGE, "'%s': wanted KEY=VALUE", assignment);
	const struct ct_key_row *r = ct_key_find(key);
	if (!r) {
		int near;
		const char *name = ct_key_nearest(key, &near);
		return ct_fail(e, CT_ERR_USAGE, "unknown key '%s': %s '%s'%s", key,
		               near ? "did you mean" : "the nearest is", name,
		               near ? "?" : "; cachetriage-gpu(5) lists them");
	}
	int rc = ct_key_store(g, r, value, CT_ERR_USAGE, e);
	/* An L1 that follows the shared memory would take no notice of its size. */
	if (rc == 0 && strcmp(key, "l1.size") == 0)
		g->l1_adaptive = 0;
	if (rc == 0 && strcmp(key, "sm.count") == 0) /* so many are asked for */
		g->sms_asked = 0;
	return rc;
}

static uint32_t scaled_count(uint32_t n, double f)
{
	/* 1/3 of 30 is 10: the tolerance forgives the rounding of f. */
	double v = ceil(n * f * (1 - 1e-9));
	return v < 1 ? 1 : v > 1e6 ? 1000000 : (uint32_t)v;
}

int ct_gpu_scale(struct ct_gpu *g, double f, struct ct_error *e)
{
	if (!(f > 0) || !isfinite(f))
		return ct_fail(e, CT_ERR_USAGE, "scale %g: wanted a positive number", f);
	if (!g->llc_slices || !g->dram_channels)
		return ct_fail(e, CT_ERR_INPUT, "this GPU description was never filled in");
	uint32_t old = g->dram_channels;
	if (!g->sms_asked)
		g->sms_asked = g->sms;
	g->sms = scaled_count(g->sms, f);
	if (g->llc_slices >= old) {
		uint32_t per_channel = g->llc_slices / old;
		g->dram_channels = scaled_count(old, f);
		g->llc_slices = g->dram_channels * per_channel;
	} else {
		uint32_t per_slice = old / g->llc_slices;
		g->llc_slices = scaled_count(g->llc_slices, f);
		g->dram_channels = g->llc_slices * per_slice;
	}
	g->llc_partitions = scaled_count(g->llc_partitions, f);
	if (g->llc_partitions > g->llc_slices)
		g->llc_partitions = g->llc_slices;
	/* Channel bits that the mapping string spells out fit one number of channels. */
	if (g->dram_mapping[0] && strncmp(g->dram_mapping, "dramid@", 7) != 0 && g->dram_channels != old)
		g->dram_mapping[0] = 0;
	return ct_gpu_check(g, e);
}

int ct_gpu_resize_llc(struct ct_gpu *g, uint64_t bytes, struct ct_error *e)
{
	uint64_t set = (uint64_t)g->llc.ways * g->llc.line * g->llc_slices;
	if (!set)
		return ct_fail(e, CT_ERR_INPUT, "this GPU description was never filled in");
	uint64_t sets = bytes / set + (bytes % set >= ceil_div(set, 2));
	if (sets > 1u << 24)
		return ct_fail(e, CT_ERR_INPUT, "an LLC of %" PRIu64 " bytes is too large", bytes);
	g->llc.sets = sets ? (uint32_t)sets : 1;
	g->llc.size = (uint64_t)g->llc.sets * g->llc.ways * g->llc.line;
	g->llc_total = 0;
	return ct_gpu_check(g, e);
}

uint64_t ct_gpu_llc_bytes(const struct ct_gpu *g)
{
	return g->llc.size * g->llc_slices;
}

double ct_gpu_llc_lines(const struct ct_gpu *g)
{
	return (double)ct_gpu_llc_bytes(g) / g->llc.line;
}

double ct_gpu_dram_gbps(const struct ct_gpu *g)
{
	return (double)g->dram_channels * g->dram_bus_bytes * g->dram_data_ratio * g->dram_mhz / 1e3;
}

double ct_gpu_dram_cycles(const struct ct_gpu *g, double core_cycles)
{
	return core_cycles * g->dram_mhz / g->core_mhz * g->dram_channels;
}

double ct_gpu_llc_gbps(const struct ct_gpu *g)
{
	return (double)g->llc_slices * g->llc.banks * g->llc.port_bytes * g->llc_mhz / 1e3;
}

uint32_t ct_gpu_request_ports(const struct ct_gpu *g)
{
	return g->noc_flits_as_one || g->llc_slices < g->sms ? g->llc_slices : g->sms;
}

uint32_t ct_gpu_reply_ports(const struct ct_gpu *g)
{
	return g->noc_flits_as_one || g->sms < g->llc_slices ? g->sms : g->llc_slices;
}

uint32_t ct_gpu_max_warps(const struct ct_gpu *g)
{
	return g->warp_size ? g->max_threads / g->warp_size : 0;
}

uint32_t ct_gpu_l1_bytes_per_cycle(const struct ct_gpu *g)
{
	return g->l1.banks * g->l1.port_bytes;
}

uint64_t ct_gpu_register_bytes(const struct ct_gpu *g)
{
	return (uint64_t)g->registers * 4;
}

int ct_gpu_each(const struct ct_gpu *g,
                void (*fn)(void *ctx, const char *key, const char *value, const char *unit), void *ctx,
                struct ct_error *e)
{
	size_t n;
	const struct ct_key_row *rows = ct_key_rows(&n);
	struct ct_buf b = {0};
	int st = CT_OK;
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		ct_buf_reset(&b);
		ct_key_format(g, &rows[i], &b);
		if ((st = ct_buf_check(&b, e)) == CT_OK)
			fn(ctx, rows[i].key.name, b.len ? b.data : "", rows[i].key.unit);
	}
	ct_buf_free(&b);
	return st;
}

static void print_size(struct ct_buf *b, const char *what, uint64_t bytes)
{
	char size[32];
	ct_format_size(bytes, size, sizeof size);
	ct_buf_printf(b, "#   %-28s %" PRIu64 " bytes (%s)\n", what, bytes, size);
}

static void print_real(struct ct_buf *b, const char *what, double v, const char *unit)
{
	ct_buf_printf(b, "#   %-28s ", what);
	ct_buf_real(b, v);
	ct_buf_printf(b, " %s\n", unit);
}

/* Prints what follows from the keys, as comments for people. */
static void print_derived(const struct ct_gpu *g, struct ct_buf *b)
{
	double core = g->core_mhz / 1e3;
	ct_buf_puts(b, "# Derived:\n");
	print_size(b, "LLC", ct_gpu_llc_bytes(g));
	print_size(b, "LLC slice", g->llc.size);
	ct_buf_printf(b, "#   %-28s %" PRIu32 " of %" PRIu32 " ways\n", "LLC sets per slice",
	              g->llc.sets, g->llc.ways);
	ct_buf_printf(b, "#   %-28s %" PRIu64 "\n", "LLC sets", (uint64_t)g->llc.sets * g->llc_slices);
	print_size(b, "L1 over all SMs", g->l1.size * g->sms);
	print_size(b, "register file per SM", ct_gpu_register_bytes(g));
	ct_buf_printf(b, "#   %-28s %" PRIu32 "\n", "warps per SM", ct_gpu_max_warps(g));
	print_real(b, "DRAM bandwidth", ct_gpu_dram_gbps(g), "GB/s");
	print_real(b, "LLC bandwidth", ct_gpu_llc_gbps(g), "GB/s");
	print_real(b, "L1 bandwidth per SM", ct_gpu_l1_bytes_per_cycle(g) * core, "GB/s");
	print_real(b, "DRAM bandwidth per SM", ct_gpu_dram_gbps(g) / g->sms, "GB/s");
	print_real(b, "LLC bandwidth per SM", ct_gpu_llc_gbps(g) / g->sms, "GB/s");
	print_real(b, "peak issue", (double)g->sms * g->schedulers * g->warp_size * core,
	           "1e9 thread instructions/s");
	if (g->scheduler != g->scheduler_asked)
		ct_buf_printf(b, "#   %-28s %s stands for %s, which is not modelled\n", "scheduler",
		              ct_scheduler_name((enum ct_scheduler)g->scheduler),
		              ct_scheduler_name((enum ct_scheduler)g->scheduler_asked));
}

void ct_gpu_print(const struct ct_gpu *g, struct ct_buf *b)
{
	size_t n;
	const struct ct_key_row *rows = ct_key_rows(&n);
	const char *section = "name";
	size_t section_len = 4;
	struct ct_buf value = {0};
	ct_buf_printf(b, "# %s: see cachetriage-gpu(5).\n", g->name);
	for (size_t i = 0; i < n; i++) {
		const struct ct_gpu_key *k = &rows[i].key;
		size_t len = strcspn(k->name, ".");
		if (len != section_len || memcmp(k->name, section, len) != 0)
			ct_buf_putc(b, '\n');
		section = k->name;
		section_len = len;
		ct_buf_reset(&value);
		ct_key_format(g, &rows[i], &value);
		ct_buf_printf(b, "%-23s = %-12s # %s%s%s\n", k->name, value.len ? value.data : "",
		              k->unit, k->unit[0] ? ": " : "", k->help);
		b->failed |= value.failed;
	}
	ct_buf_putc(b, '\n');
	print_derived(g, b);
	ct_buf_free(&value);
}
