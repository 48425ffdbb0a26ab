#include "counters/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"

enum kind { COUNT, PERCENT, BYTES, NANOSECONDS, HERTZ };

enum { SECTOR = 32 }; /* bytes of an L2 and DRAM sector, since Maxwell */

struct named {
	const char *name;
	struct ct_quantity q;
};

/* clang-format off */
#define Q(counter, rank, factor, kind) {CT_COUNTER_##counter, rank, factor, kind}
/* clang-format on */

/* Names as ncu and nvprof write them. Metrics of nvprof whose unit changed from one generation of GPUs to the next
 * (gld_transactions and its kin) are left out. */
static const struct named metrics[] = {
	{"smsp__inst_executed.sum", Q(WARP_INSTS, 0, 1, COUNT)},
	{"sm__inst_executed.sum", Q(WARP_INSTS, 1, 1, COUNT)},
	{"inst_executed", Q(WARP_INSTS, 0, 1, COUNT)},
	{"smsp__thread_inst_executed_pred_on.sum", Q(THREAD_INSTS, 0, 1, COUNT)},
	{"sm__thread_inst_executed_pred_on.sum", Q(THREAD_INSTS, 1, 1, COUNT)},
	{"not_predicated_off_thread_inst_executed", Q(THREAD_INSTS, 0, 1, COUNT)},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", Q(LOAD_REQUESTS, 0, 1, COUNT)},
	{"global_load_requests", Q(LOAD_REQUESTS, 0, 1, COUNT)},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", Q(STORE_REQUESTS, 0, 1, COUNT)},
	{"global_store_requests", Q(STORE_REQUESTS, 0, 1, COUNT)},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", Q(ATOM_REQUESTS, 0, 1, COUNT)},
	{"global_atomic_requests", Q(ATOM_REQUESTS, 0, 1, COUNT)},
	{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", Q(RED_REQUESTS, 0, 1, COUNT)},
	{"global_reduction_requests", Q(RED_REQUESTS, 0, 1, COUNT)},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", Q(LOAD_SECTORS, 0, 1, COUNT)},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", Q(STORE_SECTORS, 0, 1, COUNT)},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", Q(LOAD_HITS, 0, 1, COUNT)},
	{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", Q(LOAD_MISSES, 0, 1, COUNT)},
	{"l1tex__t_sector_hit_rate.pct", Q(L1_HIT_RATE, 0, 1, PERCENT)},
	{"tex_cache_hit_rate", Q(L1_HIT_RATE, 0, 1, PERCENT)},
	{"l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", Q(L1_LOAD_HIT_RATE, 0, 1, PERCENT)},
	{"lts__t_sector_hit_rate.pct", Q(L2_HIT_RATE, 0, 1, PERCENT)},
	{"lts__t_sector_op_read_hit_rate.pct", Q(L2_READ_HIT_RATE, 0, 1, PERCENT)},
	{"l2_tex_read_hit_rate", Q(L2_READ_HIT_RATE, 0, 1, PERCENT)},
	{"lts__t_sectors_srcunit_tex_op_read.sum", Q(L2_READS, 0, 1, COUNT)},
	{"lts__t_sectors_op_read.sum", Q(L2_READS, 1, 1, COUNT)},
	{"l2_tex_read_transactions", Q(L2_READS, 0, 1, COUNT)},
	{"lts__t_sectors_srcunit_tex_op_write.sum", Q(L2_WRITES, 0, 1, COUNT)},
	{"lts__t_sectors_op_write.sum", Q(L2_WRITES, 1, 1, COUNT)},
	{"l2_tex_write_transactions", Q(L2_WRITES, 0, 1, COUNT)},
	{"dram__bytes_read.sum", Q(DRAM_READ_BYTES, 0, 1, BYTES)},
	{"dram__sectors_read.sum", Q(DRAM_READ_BYTES, 1, SECTOR, COUNT)},
	{"dram_read_bytes", Q(DRAM_READ_BYTES, 0, 1, BYTES)},
	{"dram_read_transactions", Q(DRAM_READ_BYTES, 1, SECTOR, COUNT)},
	{"dram__bytes_write.sum", Q(DRAM_WRITE_BYTES, 0, 1, BYTES)},
	{"dram__sectors_write.sum", Q(DRAM_WRITE_BYTES, 1, SECTOR, COUNT)},
	{"dram_write_bytes", Q(DRAM_WRITE_BYTES, 0, 1, BYTES)},
	{"dram_write_transactions", Q(DRAM_WRITE_BYTES, 1, SECTOR, COUNT)},
	{"dram__bytes.sum", Q(DRAM_BYTES, 0, 1, BYTES)},
	{"dram__sectors.sum", Q(DRAM_BYTES, 1, SECTOR, COUNT)},
	{"gpc__cycles_elapsed.max", Q(CYCLES, 0, 1, COUNT)},
	{"sm__cycles_elapsed.max", Q(CYCLES, 1, 1, COUNT)},
	{"sm__cycles_active.avg", Q(ACTIVE_CYCLES, 0, 1, COUNT)},
	{"gpu__time_duration.sum", Q(DURATION, 0, 1, NANOSECONDS)},
	{"gpu__time_duration_measured_user.sum", Q(DURATION, 1, 1, NANOSECONDS)},
	{"gpc__cycles_elapsed.avg.per_second", Q(CLOCK, 0, 1e-6, HERTZ)},
	{"smsp__cycles_elapsed.avg.per_second", Q(CLOCK, 1, 1e-6, HERTZ)},
	{"sm__cycles_elapsed.avg.per_second", Q(CLOCK, 1, 1e-6, HERTZ)},
};

/* Labels of the details page, which repeat from section to section in other units. They come behind metrics of the same
 * launch that were asked for by name. */
static const struct named labels[] = {
	{"Executed Instructions", Q(WARP_INSTS, 2, 1, COUNT)},
	{"L1/TEX Hit Rate", Q(L1_HIT_RATE, 2, 1, PERCENT)},
	{"L2 Hit Rate", Q(L2_HIT_RATE, 2, 1, PERCENT)},
	{"Elapsed Cycles", Q(CYCLES, 2, 1, COUNT)},
	{"SM Active Cycles", Q(ACTIVE_CYCLES, 2, 1, COUNT)},
	{"Duration", Q(DURATION, 2, 1, NANOSECONDS)},
	{"SM Frequency", Q(CLOCK, 2, 1e-6, HERTZ)},
};

/* ---- units ---- */

struct unit {
	const char *name; /* compared without regard to case */
	enum kind kind;
	double factor;
	int scaled; /* K, M, G and T may stand before it */
};

static const struct unit units[] = {
	{"inst", COUNT, 1, 1},
	{"instruction", COUNT, 1, 1},
	{"request", COUNT, 1, 1},
	{"sector", COUNT, 1, 1},
	{"cycle", COUNT, 1, 1},
	{"thread", COUNT, 1, 1},
	{"event", COUNT, 1, 1},
	{"%", PERCENT, 0.01, 0},
	{"byte", BYTES, 1, 1},
	{"bytes", BYTES, 1, 1},
	{"b", BYTES, 1, 1},
	{"nsecond", NANOSECONDS, 1, 0},
	{"ns", NANOSECONDS, 1, 0},
	{"usecond", NANOSECONDS, 1e3, 0},
	{"us", NANOSECONDS, 1e3, 0},
	{"msecond", NANOSECONDS, 1e6, 0},
	{"ms", NANOSECONDS, 1e6, 0},
	{"second", NANOSECONDS, 1e9, 0},
	{"s", NANOSECONDS, 1e9, 0},
	{"hz", HERTZ, 1, 1},
	{"cycle/second", HERTZ, 1, 1},
	{"cycle/s", HERTZ, 1, 1},
	{"cycle/usecond", HERTZ, 1e6, 0},
	{"cycle/us", HERTZ, 1e6, 0},
	{"cycle/nsecond", HERTZ, 1e9, 0},
	{"cycle/ns", HERTZ, 1e9, 0},
};

/* The unit by name. Scaled units are decimal: ncu's Kbyte has 1000 bytes. */
static const struct unit *find_unit(const char *name, double *factor)
{
	static const char prefix[] = "kmgt";
	static const double times[] = {1e3, 1e6, 1e9, 1e12};
	const char *scale = name[0] ? strchr(prefix, tolower((unsigned char)name[0])) : NULL;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		*factor = units[i].factor;
		if (strcasecmp(units[i].name, name) == 0)
			return &units[i];
		*factor = scale ? units[i].factor * times[scale - prefix] : 0;
		if (scale && units[i].scaled && strcasecmp(units[i].name, name + 1) == 0)
			return &units[i];
	}
	return NULL;
}

const struct ct_quantity *ct_quantity_find(const char *name, const char *section, const char *unit)
{
	double factor;
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i].q;
	if (!section)
		return NULL;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		const struct unit *u = find_unit(unit, &factor);
		if (strcmp(labels[i].name, name) != 0)
			continue;
		/* the same words in a known unit of something else are another metric */
		return u && (int)u->kind != labels[i].q.kind ? NULL : &labels[i].q;
	}
	return NULL;
}

/* ---- numbers ---- */

static int is_missing(const char *s)
{
	static const char *const words[] = {
		"", "n/a", "na", "nan", "-nan", "no data", "-", "inf", "-inf"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcasecmp(s, words[i]) == 0)
			return 1;
	return 0;
}

/* The digits before the point, with commas between groups of three or without any. Copies them without the commas and
 * returns what follows, or NULL where commas stand elsewhere. */
static const char *whole_part(const char *s, char *out, size_t room, size_t *n)
{
	size_t since = 0; /* digits since the last comma */
	int commas = 0;
	for (; isdigit((unsigned char)*s) || *s == ','; s++) {
		if (*s == ',') {
			if (since == 0 || since > 3 || (commas && since != 3) ||
			    !isdigit((unsigned char)s[1]))
				return NULL;
			/* "0,123" is no group of thousands: somebody's decimal comma */
			if (!commas && out[*n - since] == '0')
				return NULL;
			commas = 1;
			since = 0;
			continue;
		}
		if (*n + 1 >= room)
			return NULL;
		out[(*n)++] = *s;
		since++;
	}
	return commas && since != 3 ? NULL : s;
}

/* A number in ncu's and nvprof's spelling; *rest gets what stands behind it. 0, or -1. */
static int parse_number(const char *s, double *v, const char **rest)
{
	char digits[64];
	size_t n = 0, digits_before;
	if (*s == '-')
		digits[n++] = *s++;
	digits_before = n;
	s = whole_part(s, digits, sizeof digits - 24, &n);
	if (!s || n == digits_before)
		return -1;
	if (*s == '.') {
		/* what rounds away behind the sixteenth digit is left out */
		for (digits[n++] = *s++; isdigit((unsigned char)*s) || *s == ','; s++) {
			if (*s == ',')
				return -1;
			if (n < sizeof digits - 8)
				digits[n++] = *s;
		}
		if (digits[n - 1] == '.')
			digits[n++] = '0';
	}
	if ((*s == 'e' || *s == 'E') &&
	    (isdigit((unsigned char)s[1]) ||
	     ((s[1] == '+' || s[1] == '-') && isdigit((unsigned char)s[2])))) {
		size_t room = n + 6;
		digits[n++] = *s++;
		do
			digits[n++] = *s++;
		while (isdigit((unsigned char)*s) && n < room);
		if (isdigit((unsigned char)*s))
			return -1;
	}
	digits[n] = '\0';
	*rest = s;
	return ct_parse_real(digits, v);
}

/* Reads a cell: a number, perhaps with a unit behind it, or a sum with the values of its instances in brackets. *v means
 * something only where CT_QUANTITY_VALUE is returned. */
enum ct_quantity_status
ct_quantity_value(const struct ct_quantity *q, const char *cell, const char *unit, double *v)
{
	static const double base[] = {1, 0.01, 1, 1, 1};
	const char *rest;
	double factor = base[q->kind];
	*v = NAN;
	if (is_missing(cell))
		return CT_QUANTITY_MISSING;
	if (parse_number(cell, v, &rest) != 0 || !isfinite(*v) ||
	    (*rest && strchr(".,0123456789", *rest))) {
		*v = NAN;
		return CT_QUANTITY_NUMBER;
	}
	/* "sum (v; v; v)": an aggregate and the values of its instances */
	while (*rest == ' ')
		rest++;
	if (*rest == '(' && rest[strlen(rest) - 1] == ')')
		rest = "";
	if (*rest && *unit && strcasecmp(rest, unit) != 0)
		return CT_QUANTITY_UNIT;
	const char *name = *unit ? unit : rest;
	const struct unit *u = *name ? find_unit(name, &factor) : NULL;
	if (*name && (!u || (int)u->kind != q->kind)) {
		*v = NAN;
		return *unit ? CT_QUANTITY_UNIT : CT_QUANTITY_NUMBER;
	}
	*v *= factor * q->factor;
	return CT_QUANTITY_VALUE;
}
