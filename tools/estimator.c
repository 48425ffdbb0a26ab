/* estimator - the program behind the command of every mechanism: under which name it runs says of which.
 *
 *   tsc-est ...                    a link, with whatever PROGRAM_PREFIX put before the name
 *   estimator --mechanism NAME ... by name, alias or command
 *   estimator --commands           the names that links to it should have, one a line
 *   estimator --mechanisms         the names of the mechanisms, one a line */
#include <stdio.h>
#include <string.h>

#include "estimator/estimator.h"

/* The mechanism whose command the path ends with, the longest where several do; NULL: none. */
static const struct ct_mechanism *mechanism_of_path(const char *path)
{
	const struct ct_mechanism *m, *found = NULL;
	size_t n = strlen(path), longest = 0;
	for (unsigned i = 0; (m = ct_mechanism_at(i)); i++) {
		size_t k = strlen(m->command);
		if (k <= n && k > longest && !strcmp(path + n - k, m->command)) {
			found = m;
			longest = k;
		}
	}
	return found;
}

static int list_names(int commands)
{
	for (unsigned i = 0; ct_mechanism_at(i); i++)
		puts(commands ? ct_mechanism_at(i)->command : ct_mechanism_at(i)->name);
	return fflush(stdout) == 0 ? 0 : 2;
}

static int refuse_name(const char *what, const char *name)
{
	fprintf(stderr, "estimator: %s%s: say --mechanism and one of", what, name);
	for (unsigned i = 0; ct_mechanism_at(i); i++)
		fprintf(stderr, "%s %s", i ? "," : "", ct_mechanism_at(i)->name);
	fputs("\n", stderr);
	return 2;
}

/* Run under its own name: the first argument says which mechanism, and goes. */
static int main_named(int argc, char **argv)
{
	static const char option[] = "--mechanism";
	const size_t n = sizeof option - 1;
	const char *name = NULL;
	int used = 0;
	if (argc == 2 && (!strcmp(argv[1], "--commands") || !strcmp(argv[1], "--mechanisms")))
		return list_names(!strcmp(argv[1], "--commands"));
	if (argc > 2 && !strcmp(argv[1], option)) {
		name = argv[2];
		used = 2;
	} else if (argc > 1 && !strncmp(argv[1], option, n) && argv[1][n] == '=') {
		name = argv[1] + n + 1;
		used = 1;
	}
	if (!name)
		return refuse_name("of which mechanism?", "");
	int i = ct_mechanism_find(name);
	if (i < 0)
		return refuse_name("no such mechanism: ", name);
	argv[used] = argv[0];
	return estimator_main(ct_mechanism_at((unsigned)i), argc - used, argv + used);
}

int main(int argc, char **argv)
{
	const struct ct_mechanism *m = argc > 0 ? mechanism_of_path(argv[0]) : NULL;
	return m ? estimator_main(m, argc, argv) : main_named(argc, argv);
}
