/* A kernels list in a folder: the input is a list, then after lines "====NAME" the members. Names
 * stay in the folder; members are files, links, folders. Read without trust, then salvaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMBERS = 8, NAME = 40 };

static char folder[256];
static char member[MEMBERS][NAME];
static unsigned members;
/* What is read ends here, so that no read can be left out. */
static volatile uint64_t sink;

static void clean(void)
{
	char path[512];
	for (unsigned i = 0; i < members; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, member[i]);
		if (unlink(path) != 0)
			rmdir(path);
	}
	snprintf(path, sizeof path, "%s/kernelslist.g", folder);
	unlink(path);
	members = 0;
}

static void leave(void)
{
	clean();
	rmdir(folder);
}

static void make_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	if (folder[0])
		return;
	snprintf(folder, sizeof folder, "%.200s/ctfuzz.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		abort();
	atexit(leave);
}

static void write_file(const char *name, const uint8_t *p, size_t n)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	if (!f)
		return;
	if (n && fwrite(p, 1, n, f) != n)
		abort();
	fclose(f);
}

/* "====NAME": what follows is its contents; "->TARGET": a link; "/": a folder. */
static void make_member(const uint8_t *name, size_t n, const uint8_t *p, size_t size)
{
	char path[512], target[64];
	if (n == 0 || n >= NAME || memchr(name, '/', n) || memchr(name, 0, n) || name[0] == '.' ||
	    members == MEMBERS)
		return;
	memcpy(member[members], name, n);
	member[members][n] = '\0';
	snprintf(path, sizeof path, "%s/%s", folder, member[members]);
	members++;
	if (size >= 2 && p[0] == '-' && p[1] == '>' && size < sizeof target) {
		memcpy(target, p + 2, size - 2);
		target[size - 2] = '\0';
		if (symlink(target, path) != 0)
			return;
	} else if (size == 1 && p[0] == '/') {
		if (mkdir(path, 0700) != 0)
			return;
	} else {
		write_file(member[members - 1], p, size);
	}
}

static const uint8_t *mark(const uint8_t *p, const uint8_t *end)
{
	for (; p + 5 <= end; p++)
		if (memcmp(p, "\n====", 5) == 0)
			return p;
	return end;
}

static void make(const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size, *stop = mark(p, end);
	write_file("kernelslist.g", p, (size_t)(stop - p));
	while (stop < end) {
		const uint8_t *name = stop + 5, *nl = memchr(name, '\n', (size_t)(end - name));
		const uint8_t *body = nl ? nl + 1 : end;
		stop = mark(body, end);
		make_member(name, (size_t)((nl ? nl : end) - name), body, (size_t)(stop - body));
	}
}

static void read_all(int salvage)
{
	struct ct_trace_options o = {.salvage = salvage, .max_expand = 1 << 22, .no_threads = salvage};
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e;
	if (ct_trace_open(&t, folder, &o, &e) < 0) {
		if (!e.text[0])
			abort();
		return;
	}
	while (ct_trace_next(t, &ev, &e) > 0)
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			sink += ct_cta_warps(cta);
			ct_cta_unref(cta);
		}
	ct_trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	make_folder();
	make(data, size);
	read_all(0);
	read_all(1);
	clean();
	return 0;
}
