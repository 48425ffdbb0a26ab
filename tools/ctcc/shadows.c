/* What the device side of a source has for others, and wants of them, told to the linker of the host.
 *
 * clang compiles each source as a whole program, in which the shadow of a variable is private to its object. The text of the device side
 * tells which variables are not static; objcopy makes their shadows known to other objects.
 *
 * Functions of the device are nothing that the host's side of an object knows. So that the linker takes what is wanted out of
 * archives, and misses what is not there, an object gets a symbol "device function NAME" of each function that it has for others, and
 * wants those of the functions that it has not: lines of assembly say so, which the host side includes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctcc/job.h"
#include "ptx/link.h"

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

int ctcc_name_functions(const char *ptx, const char *names, struct ct_error *e)
{
	static const char mark[] = "device function ";
	char line[8192];
	FILE *from = fopen(ptx, "r"), *to = fopen(names, "w");
	int bad = !from || !to || fputs(".pushsection .ctcuda_wants,\"\",@progbits\n", to) == EOF;
	int begins = 1;
	size_t n = 0;
	while (!bad && fgets(line, sizeof line, from)) {
		int ends = strchr(line, '\n') != NULL, wants = strncmp(line, ".extern .func ", 14) == 0;
		int weak = strncmp(line, ".weak .func ", 12) == 0;
		int has = weak || strncmp(line, ".visible .func ", 15) == 0;
		const char *name = begins && (wants || has)
		                           ? ct_ptx_linked_function(strstr(line, ".func ") + 5, &n)
		                           : NULL;
		if (name && n && wants)
			bad = fprintf(to, ".quad \"%s%.*s\"\n", mark, (int)n, name) < 0;
		else if (name && n)
			bad = fprintf(to, "%s \"%s%.*s\"\n.set \"%s%.*s\", 1\n",
			              weak ? ".weak" : ".globl", mark, (int)n, name, mark, (int)n,
			              name) < 0;
		begins = ends;
	}
	bad = bad || ferror(from) || fputs(".popsection\n", to) == EOF;
	if (from)
		fclose(from);
	bad |= to && fclose(to) != 0;
	return bad ? ct_fail(e, CT_ERR_IO, "%s: the functions of the device side cannot be listed", ptx)
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
