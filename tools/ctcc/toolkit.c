/* Where ctcc and its library lie, and the folder that is laid out as a CUDA toolkit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "ctcc/job.h"

/* The folder above the one of the program's file: the tree's build folder, or where the commands are installed. */
static void find_root(char *root, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", root, room - 1);
	root[n > 0 ? n : 0] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(root, '/');
		if (slash)
			*slash = '\0';
	}
}

/* The library beside the tree's commands, beside the installed ones, or where it was installed to. */
static void find_library(struct ctcc_place *place, const char *root)
{
	static const char *const beside[] = {"lib", "lib/cachetriage"};
	for (int i = 0; i < 3; i++) {
		char file[sizeof place->library + 32];
		if (i < 2)
			snprintf(place->library, sizeof place->library, "%s/%s", root, beside[i]);
		else
			snprintf(place->library, sizeof place->library, "%s", CT_LIBDIR);
		snprintf(file, sizeof file, "%s/libctcuda.so", place->library);
		if (access(file, R_OK) == 0)
			return;
	}
	*place->library = '\0';
}

/* The toolkit beside the tree's commands, or among the installed data. That of another tree, as a copy of a tree has it, links with the
 * other's library, which its own scripts tell (packaging/toolkit.sh): it is none. */
static void find_toolkit(struct ctcc_place *place, const char *root)
{
	const char *const above[] = {root, ct_tool_data_dir(), CT_DATADIR};
	for (int i = 0; i < 3 && *place->library; i++) {
		char file[sizeof place->toolkit + 32], wanted[sizeof place->library + 32];
		snprintf(place->toolkit, sizeof place->toolkit, "%s/toolkit", above[i]);
		snprintf(file, sizeof file, "%s/lib64/libctcuda.so", place->toolkit);
		snprintf(wanted, sizeof wanted, "\"%s/libctcuda.so\"", place->library);
		if (ctcc_file_says(file, wanted))
			return;
	}
	*place->toolkit = '\0';
}

void ctcc_find_place(struct ctcc_place *place)
{
	char root[sizeof place->library - 64];
	find_root(root, sizeof root);
	find_library(place, root);
	find_toolkit(place, root);
}

int ctcc_print_toolkit(struct ct_tool *t, struct ct_error *e)
{
	struct ctcc_place place;
	struct ct_buf b = {0};
	ctcc_find_place(&place);
	if (!*place.toolkit)
		return ct_fail(e, CT_ERR_UNSUPPORTED,
		               "there is no folder toolkit of this ctcc: run make");
	ct_buf_printf(&b, "%s\n", place.toolkit);
	int st = ct_tool_emit_text(t, &b, e);
	ct_buf_free(&b);
	return st;
}

/* A line "#$ NAME=" with a word, of which a path is a part. */
static void show_variable(const char *name, const char *before, const char *path, const char *behind)
{
	char word[2 * 4096];
	snprintf(word, sizeof word, "%s%s%s", before, path, behind);
	fprintf(stderr, "#$ %s=", name);
	ctcc_show_word(word);
	fputc('\n', stderr);
}

void ctcc_show_toolkit(const struct ctcc_place *place, unsigned sm)
{
	const char *path = getenv("PATH");
	if (!*place->toolkit)
		return;
	fprintf(stderr, "#$ TOP=%s\n", place->toolkit);
	fprintf(stderr, "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n", place->toolkit);
	fprintf(stderr, "#$ PATH=%s/bin:%s\n", place->toolkit, path ? path : "");
	show_variable("INCLUDES", "-I", place->toolkit, "/include");
	show_variable("LIBRARIES", "-L", place->toolkit, "/lib64");
	fprintf(stderr, "#$ ARCHITECTURE=-arch compute_%u\n", sm);
}
