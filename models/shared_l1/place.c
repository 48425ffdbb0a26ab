#include "models/shared_l1/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/network.h"

/* Puts cores and partitions on the smallest mesh that holds them, where `by` says. */
static int place_nodes(struct ct_sl_place *p, unsigned cores, unsigned partitions,
                       uint32_t (*by)(uint32_t sms, uint32_t partitions, uint32_t *place),
                       struct ct_error *e)
{
	uint32_t node[CT_SL_NODES_MAX];
	memset(p, 0, sizeof *p);
	if (!cores || !partitions || cores > CT_SL_NODES_MAX || partitions > CT_SL_NODES_MAX ||
	    cores + partitions > CT_SL_NODES_MAX)
		return ct_fail(e, CT_ERR_USAGE, "%u cores and %u partitions: a mesh holds 2 to %d",
		               cores, partitions, CT_SL_NODES_MAX);
	p->side = by(cores, partitions, node);
	while (p->cores < cores) {
		p->core[p->cores] = (unsigned short)node[p->cores];
		p->cores++;
	}
	while (p->partitions < partitions) {
		p->partition[p->partitions] = (unsigned short)node[cores + p->partitions];
		p->partitions++;
	}
	return CT_OK;
}

int ct_sl_place_default(struct ct_sl_place *p, unsigned cores, unsigned partitions, struct ct_error *e)
{
	return place_nodes(p, cores, partitions, ct_mesh_default, e);
}

int ct_sl_place_spread(struct ct_sl_place *p, unsigned cores, unsigned partitions, struct ct_error *e)
{
	return place_nodes(p, cores, partitions, ct_mesh_spread, e);
}

static int malformed_line(const char *name, unsigned line, const char *what, struct ct_error *e)
{
	return ct_fail(e, CT_ERR_INPUT,
	               "%s:%u: %s: write one row of the mesh per line, C, M or - for "
	               "each node",
	               name, line, what);
}

static int add_node(struct ct_sl_place *p, unsigned node, const char *word, size_t n)
{
	if (n != 1 || node >= CT_SL_NODES_MAX)
		return -1;
	if (*word == 'C')
		p->core[p->cores++] = (unsigned short)node;
	else if (*word == 'M')
		p->partition[p->partitions++] = (unsigned short)node;
	else if (*word != '-')
		return -1;
	return 0;
}

/* One row; *columns gets its length. */
static const char *parse_row(struct ct_sl_place *p, const char *s, unsigned *node, unsigned *columns)
{
	*columns = 0;
	while (*s && *s != '\n' && *s != '#') {
		size_t n = strcspn(s, " \t\r\n#");
		if (n) {
			if (add_node(p, *node, s, n) < 0)
				return NULL;
			++*node;
			++*columns;
		}
		s += n;
		s += strspn(s, " \t\r");
	}
	return s + strcspn(s, "\n");
}

int ct_sl_place_parse(struct ct_sl_place *p, const char *name, const char *text, unsigned cores,
                      unsigned partitions, struct ct_error *e)
{
	unsigned node = 0, rows = 0, columns, line = 1;
	memset(p, 0, sizeof *p);
	for (const char *s = text; *s; line++) {
		s = parse_row(p, s, &node, &columns);
		if (!s)
			return malformed_line(name, line, "not a node, or too many", e);
		if (columns) {
			if (!p->side)
				p->side = columns;
			if (columns != p->side)
				return malformed_line(name, line, "not as many nodes as the first row",
				                      e);
			rows++;
		}
		s += *s == '\n';
	}
	if (!p->side || rows != p->side || p->side > CT_MESH_SIDE_MAX)
		return malformed_line(name, line, "not a square mesh", e);
	if (!p->cores || !p->partitions)
		return malformed_line(name, line, "no cores, or no partitions", e);
	if ((cores && p->cores != cores) || (partitions && p->partitions != partitions))
		return ct_fail(e, CT_ERR_INPUT,
		               "%s: it places %u cores and %u partitions, and the GPU has %u "
		               "and %u",
		               name, p->cores, p->partitions, cores, partitions);
	return CT_OK;
}

int ct_sl_place_load(struct ct_sl_place *p, const char *path, unsigned cores, unsigned partitions,
                     struct ct_error *e)
{
	enum { BYTES_MAX = 1 << 16 };
	FILE *f = fopen(path, "rb");
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s", path);
	char *text = malloc(BYTES_MAX + 1);
	if (!text) {
		fclose(f);
		return ct_fail_nomem(e);
	}
	size_t n = fread(text, 1, BYTES_MAX, f);
	int failed = ferror(f), whole = feof(f);
	fclose(f);
	int st;
	text[n] = '\0';
	if (failed || !whole || strlen(text) != n)
		st = ct_fail(e, failed ? CT_ERR_IO : CT_ERR_INPUT,
		             "%s: not a placement of at most 64 KiB of text", path);
	else
		st = ct_sl_place_parse(p, path, text, cores, partitions, e);
	free(text);
	return st;
}

uint8_t *ct_sl_place_nearer(const struct ct_sl_place *p)
{
	uint8_t *nearer = ct_calloc((size_t)p->cores * p->cores * p->partitions, 1), *x = nearer;
	for (unsigned c = 0; x && c < p->cores; c++)
		for (unsigned h = 0; h < p->cores; h++)
			for (unsigned s = 0; s < p->partitions; s++)
				*x++ = ct_mesh_distance(p->side, p->core[c], p->partition[s]) <
				       ct_mesh_distance(p->side, p->core[c], p->core[h]);
	return nearer;
}
