/* Variables of the device that other sources use: their shadows on the host.
 *
 * clang compiles each source as a whole program, in which a shadow is private to its object. The text of the device side tells which
 * variables are not static; objcopy makes their shadows known to other objects. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctcc/job.h"

/* Whether a mangled name is one that other sources can name: a name without _Z, or one of namespaces and classes
 * (_ZN, lengths and names, E) none of whose parts has internal linkage (L, and _GLOBAL__N_ for a namespace without a name). */
static int is_for_others(const char *name)
{
	if (strncmp(name, "_Z", 2) != 0)
		return 1;
	if (name[2] != 'N' || strstr(name, "_GLOBAL__N_"))
		return 0;
	for (name += 3; isdigit((unsigned char)*name);) {
		char *rest;
		size_t n = strtoul(name, &rest, 10);
		if (strlen(rest) < n)
			return 0;
		name = rest + n;
	}
	return *name == 'E';
}

/* The variable that a line of PTX defines for others, in place; NULL: none. */
static char *variable_of(char *line)
{
	if (strncmp(line, ".visible .global ", 17) != 0 && strncmp(line, ".visible .const ", 16) != 0)
		return NULL;
	line[strcspn(line, "[=;\n")] = '\0';
	size_t n = strlen(line);
	while (n && line[n - 1] == ' ')
		line[--n] = '\0';
	char *blank = strrchr(line, ' ');
	return blank && is_for_others(blank + 1) ? blank + 1 : NULL;
}

/* Writes the names to a file, one a line. Lines of initial values are long: what does not begin one is passed over. */
static int list_variables(const char *ptx, const char *names, int *some, struct ct_error *e)
{
	char line[4096];
	FILE *from = fopen(ptx, "r"), *to = fopen(names, "w");
	int bad = !from || !to, begins = 1;
	while (!bad && fgets(line, sizeof line, from)) {
		int ends = strchr(line, '\n') != NULL;
		char *name = begins ? variable_of(line) : NULL;
		if (name) {
			bad = fprintf(to, "%s\n", name) < 0;
			*some = 1;
		}
		begins = ends;
	}
	bad |= from && ferror(from);
	if (from)
		fclose(from);
	bad |= to && fclose(to) != 0;
	return bad ? ct_fail(e, CT_ERR_IO, "%s: the variables of the device side cannot be listed", ptx)
	           : CT_OK;
}

int ctcc_share_shadows(struct ct_tool *t, const char *ptx, const char *object, unsigned number,
                       int dryrun, struct ct_error *e)
{
	struct ctcc_words w = {0};
	char name[32], option[4200];
	int some = dryrun;
	snprintf(name, sizeof name, "%u.shadows", number);
	const char *names = ctcc_temporary(name, e);
	if (!names)
		return CT_ERR_IO;
	int st = dryrun ? CT_OK : list_variables(ptx, names, &some, e);
	if (st != CT_OK || !some)
		return st;
	snprintf(option, sizeof option, "--globalize-symbols=%s", names);
	ctcc_add(&w, "objcopy");
	ctcc_add(&w, option);
	ctcc_add(&w, object);
	st = ctcc_run(t, &w, dryrun, e);
	ctcc_words_free(&w);
	return st;
}
