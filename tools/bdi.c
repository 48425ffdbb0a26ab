/* bdi - how far memory blocks compress: Morpheus' levels and general BDI. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/units.h"
#include "common/terminal.h"
#include "common/tool.h"
#include "models/common/bdi.h"
#include "models/common/blocks.h"

enum { OPT_BLOCK = CT_OWN_OPTION, OPT_FORMAT, OPT_ZERO_BASE };

static const struct ct_option options[] = {
	{OPT_BLOCK, "block", "SIZE", "bytes of a block, a power of two from 8 to 4096\n(default 128)"},
	{OPT_FORMAT, "format", "FORMAT", "raw, npy or dump (default auto: told apart by content)"},
	{OPT_ZERO_BASE, "zero-base", NULL, "general BDI with zero as a second base"},
};

struct own {
	uint64_t block;
	enum ct_blocks_format format;
	int zero_base;
	struct ct_bdi_counts counts;
	struct ct_profile *profile; /* of the inputs, NULL until one comes */
};

static int on_option(void *ctx, int key, const char *value, struct ct_error *e)
{
	static const char *const formats[] = {"auto", "raw", "npy", "dump"};
	struct own *own = ((struct ct_tool *)ctx)->own;
	switch (key) {
	case OPT_ZERO_BASE: own->zero_base = 1; return CT_OK;
	case OPT_BLOCK:
		if (ct_parse_size(value, &own->block) < 0 || own->block < CT_BDI_BLOCK_MIN ||
		    own->block > CT_BDI_BLOCK_MAX || own->block & (own->block - 1))
			return ct_fail(e, CT_ERR_USAGE, "--block %s: give a power of two from %d to %d",
			               value, CT_BDI_BLOCK_MIN, CT_BDI_BLOCK_MAX);
		return CT_OK;
	default:
		for (int i = 0; i < 4; i++)
			if (strcmp(formats[i], value) == 0) {
				own->format = (enum ct_blocks_format)i;
				return CT_OK;
			}
		return ct_fail(e, CT_ERR_USAGE, "--format %s: use auto, raw, npy or dump", value);
	}
}

static void count_block(void *ctx, uint64_t address, const void *data)
{
	struct own *own = ctx;
	(void)address;
	ct_bdi_count(&own->counts, data, (size_t)own->block, own->zero_base);
}

static int read_profile(struct ct_tool *t, struct ct_source *s, struct ct_error *e)
{
	struct own *own = t->own;
	if (own->profile)
		return ct_fail(e, CT_ERR_USAGE, "%s: a second profile: merge them first",
		               ct_source_name(s));
	return ct_profile_read(&own->profile, s, !t->no_verify, e);
}

/* Content tells the formats apart; but raw data are anything, also an .npy or a dump whose first
 * bytes are damaged: what is named so has to be so. */
static enum ct_blocks_format promised_format(const char *path)
{
	static const char *const packed[] = {"", ".gz", ".xz", ".zst"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
		static const struct {
			const char *suffix;
			enum ct_blocks_format format;
		} known[] = {{".npy", CT_BLOCKS_NPY}, {".blocks", CT_BLOCKS_DUMP}};
		for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
			char end[16];
			size_t n = (size_t)snprintf(end, sizeof end, "%s%s", known[k].suffix, packed[i]);
			if (strlen(name) >= n && strcmp(name + strlen(name) - n, end) == 0)
				return known[k].format;
		}
	}
	return CT_BLOCKS_AUTO;
}

static int read_blocks(struct ct_tool *t, struct ct_source *s, struct ct_error *e)
{
	struct own *own = t->own;
	struct ct_blocks_info info;
	struct ct_diag d = ct_tool_diag(t);
	enum ct_blocks_format format = own->format != CT_BLOCKS_AUTO
	                                       ? own->format
	                                       : promised_format(ct_source_name(s));
	int st = ct_blocks_read(s, format, (size_t)own->block, count_block, own, &info, e);
	if (st < 0)
		return st;
	if (info.blocks == 0)
		return ct_fail(e, CT_ERR_INPUT, "%s: not one whole block of %llu bytes: see --block",
		               ct_source_name(s), (unsigned long long)own->block);
	if (info.tail_bytes)
		ct_warn(&d, "%s: %llu bytes behind the last whole block are not counted",
		        ct_source_name(s), (unsigned long long)info.tail_bytes);
	return CT_OK;
}

static int read_file(struct ct_tool *t, const char *path, struct ct_error *e)
{
	struct own *own = t->own;
	struct ct_source *s;
	enum ct_kind kind;
	int st = ct_source_open(&s, path, NULL, e);
	if (st < 0)
		return st;
	st = ct_source_sniff(s, &kind, e);
	if (st < 0) {
		ct_source_close(s);
		return st;
	}
	if (own->format != CT_BLOCKS_AUTO)
		st = read_blocks(t, s, e);
	else if (kind == CT_KIND_PROFILE)
		st = read_profile(t, s, e);
	else if (kind == CT_KIND_KERNELSLIST || kind == CT_KIND_ACCELSIM || kind == CT_KIND_CTZ ||
	         kind == CT_KIND_NVBIT || kind == CT_KIND_TRACEZ)
		st = ct_fail(e, CT_ERR_INPUT,
		             "%s: a trace holds addresses, not memory contents: name a "
		             "block dump, an .npy or raw data",
		             path);
	else if (kind == CT_KIND_EMPTY)
		st = ct_fail(e, CT_ERR_INPUT, "%s: empty", path);
	else
		st = read_blocks(t, s, e);
	ct_source_close(s);
	return st;
}

static int is_dump(const struct dirent *d)
{
	return strstr(d->d_name, ".blocks") != NULL;
}

/* All block dumps of a folder, by name. */
static int read_folder(struct ct_tool *t, const char *path, struct ct_error *e)
{
	struct dirent **list;
	int n = scandir(path, &list, is_dump, alphasort), st = CT_OK;
	if (n < 0)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot list", path);
	if (n == 0)
		st = ct_fail(e, CT_ERR_INPUT, "%s: a folder without block dumps (*.blocks*)", path);
	for (int i = 0; i < n; i++) {
		struct ct_buf name = {0};
		ct_buf_printf(&name, "%s/%s", path, list[i]->d_name);
		struct stat s;
		if (st == CT_OK && name.failed)
			st = ct_fail_nomem(e);
		else if (st == CT_OK && stat(name.data, &s) == 0 &&
		         !S_ISREG(s.st_mode)) /* a FIFO would wait */
			st = ct_fail(e, CT_ERR_INPUT,
			             "%s: not a regular file: take it out of the folder", name.data);
		else if (st == CT_OK)
			st = read_file(t, name.data, e);
		ct_buf_free(&name);
		free(list[i]);
	}
	free(list);
	return st;
}

static int add_counts(struct ct_profile *p, const struct ct_bdi_counts *c, struct ct_error *e)
{
	double blocks = (double)c->blocks;
	char metric[32];
	int st = ct_profile_add_count(p, "all", "compression_blocks", c->blocks, NULL, "trace", e);
	for (int i = 0; i < CT_BDI_LEVELS && st == CT_OK; i++) {
		snprintf(metric, sizeof metric, "compression_%s",
		         ct_bdi_level_name((enum ct_bdi_level)i));
		st = ct_profile_add_real(p, "all", metric, (double)c->level[i] / blocks, NULL, "trace",
		                         e);
	}
	if (st == CT_OK)
		st = ct_profile_add_count(p, "all", "bdi_bytes", c->bytes, NULL, "trace", e);
	if (st == CT_OK)
		st = ct_profile_add_count(p, "all", "bdi_compressed_bytes", c->code_bytes, NULL, "trace",
		                          e);
	if (st == CT_OK)
		st = ct_profile_add_real(p, "all", "bdi_ratio", (double)c->bytes / (double)c->code_bytes,
		                         NULL, "trace", e);
	for (int i = 0; i < CT_BDI_CODES && st == CT_OK; i++) {
		snprintf(metric, sizeof metric, "bdi_%s", ct_bdi_code_name((enum ct_bdi_code)i));
		st = ct_profile_add_count(p, "all", metric, c->code[i], NULL, "trace", e);
	}
	return st;
}

static void add_row(struct ct_table *t, const char *name, uint64_t blocks, uint64_t all, size_t bytes)
{
	ct_table_cell(t, "%s", name);
	ct_table_count(t, blocks);
	ct_table_percent(t, (double)blocks / (double)all);
	ct_table_count(t, bytes);
	ct_table_bar(t, (double)blocks / (double)all, 40);
}

static void add_head(struct ct_table *t, const char *what)
{
	ct_table_cell(t, "%s", what);
	ct_table_cell(t, "blocks");
	ct_table_cell(t, "share");
	ct_table_cell(t, "bytes");
	ct_table_cell(t, "%s", "");
}

static int print_table(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                       struct ct_error *e)
{
	const struct own *own = t->own;
	const struct ct_bdi_counts *c = &own->counts;
	struct ct_table levels = {.columns = 5, .style = ct_terminal_style()},
			codes = {.columns = 5, .style = ct_terminal_style()};
	size_t n = (size_t)own->block;
	(void)p;
	add_head(&levels, "level");
	for (int i = 0; i < CT_BDI_LEVELS; i++)
		add_row(&levels, ct_bdi_level_name((enum ct_bdi_level)i), c->level[i], c->blocks,
		        ct_bdi_level_bytes((enum ct_bdi_level)i, n));
	add_head(&codes, "encoding");
	for (int i = 0; i < CT_BDI_CODES; i++)
		add_row(&codes, ct_bdi_code_name((enum ct_bdi_code)i), c->code[i], c->blocks,
		        ct_bdi_bytes((enum ct_bdi_code)i, n, own->zero_base));
	ct_buf_printf(b, "Levels of Morpheus: %.2f times as many blocks in the same registers\n",
	              (double)c->bytes / (double)c->level_bytes);
	ct_table_render(&levels, b);
	ct_buf_printf(b, "\nBase-delta-immediate%s: %.2f to 1\n",
	              own->zero_base ? " with a zero base" : "",
	              (double)c->bytes / (double)c->code_bytes);
	ct_table_render(&codes, b);
	return ct_buf_check(b, e);
}

static int read_all(struct ct_tool *t, struct ct_error *e)
{
	int st = CT_OK, n = t->operands ? t->operands : 1;
	if (!t->operands && isatty(STDIN_FILENO))
		return ct_fail(e, CT_ERR_USAGE,
		               "no input: name a block dump, an .npy or raw data; see --help");
	for (int i = 0; i < n && st == CT_OK; i++) {
		const char *path = t->operands ? t->operand[i] : "-";
		struct stat s;
		if (strcmp(path, "-") != 0 && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
			st = read_folder(t, path, e);
		else
			st = read_file(t, path, e);
	}
	return st;
}

static int run_bdi(struct ct_tool *t, struct ct_error *e)
{
	struct own *own = t->own;
	if (own->block == 0)
		own->block = CT_BDI_BLOCK;
	int st = read_all(t, e);
	if (st == CT_OK && own->counts.blocks == 0)
		st = ct_fail(e, CT_ERR_INPUT,
		             "no memory blocks: name a block dump, an .npy or raw data "
		             "beside the profile");
	if (st == CT_OK && !own->profile && !(own->profile = ct_tool_profile(e)))
		st = CT_ERR_NOMEM;
	if (st == CT_OK)
		st = ct_tool_provenance(t, own->profile, e);
	if (st == CT_OK)
		st = add_counts(own->profile, &own->counts, e);
	if (st == CT_OK)
		st = ct_tool_emit(t, own->profile, print_table, e);
	ct_profile_free(own->profile);
	return st;
}

/* What --help ends with. */
static const char guide[] = "Examples:\n"
			    "  bdi memory.raw                    how well 128-byte blocks compress\n"
			    "  reuse TRACE | bdi - memory.raw    add the ratios to a profile\n";

int main(int argc, char **argv)
{
	static const struct ct_tool_spec spec = {
		.name = "bdi",
		.operands = "[INPUT...]",
		.summary = "base-delta-immediate compressibility of memory blocks",
		.takes = CT_TAKES_OUTPUT | CT_TAKES_PROFILE,
		.options = options,
		.n_options = sizeof options / sizeof options[0],
		.option = on_option,
		.own_size = sizeof(struct own),
		.guide = guide,
		.run = run_bdi,
	};
	return ct_tool_main(&spec, argc, argv);
}
