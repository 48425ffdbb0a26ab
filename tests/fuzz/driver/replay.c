/* Replays a fuzz target's corpus without a fuzzing engine: every file of the
 * folders and files given, plus every prefix cut and some seeded mutations of each
 * small one, so that `make check` exercises the parsers' error paths too.
 *   fuzz_X [-m MUTATIONS] FILE|FOLDER... */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A target's own mutations, where it has any. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
	__attribute__((weak));

enum { MAX = 20000 };

static unsigned long mutations = 200, files, runs;

static void one(const uint8_t *p, size_t n)
{
	LLVMFuzzerTestOneInput(p, n);
	runs++;
}

static void vary(const uint8_t *p, size_t n)
{
	uint64_t seed = n;
	uint8_t *copy = malloc(n + MAX);
	if (!copy)
		abort();
	one(p, n);
	for (size_t i = 0, cuts = (mutations + 2) / 3; i < cuts && n > 0; i++)
		one(p, n * i / cuts);
	for (unsigned long i = 0; i < mutations && n > 0 && n < MAX; i++) {
		memcpy(copy, p, n);
		if (LLVMFuzzerCustomMutator) {
			/* Every second one on top of the one before. */
			size_t len = LLVMFuzzerCustomMutator(
				copy, n, n + MAX, (unsigned)ct_rand64(&seed));
			one(copy, len);
			len = len ? LLVMFuzzerCustomMutator(copy, len, n + MAX,
			                                    (unsigned)ct_rand64(&seed))
			          : 0;
			one(copy, len);
			continue;
		}
		for (uint64_t k = ct_rand64(&seed) % 4 + 1; k > 0; k--)
			copy[ct_rand64(&seed) % n] = (uint8_t)ct_rand64(&seed);
		one(copy, n);
	}
	free(copy);
}

static void replay(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0) {
		fprintf(stderr, "%s: cannot stat\n", path);
		exit(1);
	}
	if (S_ISDIR(st.st_mode)) {
		DIR *d = opendir(path);
		struct dirent *e;
		if (!d)
			exit(1);
		while ((e = readdir(d))) {
			char name[4096];
			if (e->d_name[0] == '.')
				continue;
			snprintf(name, sizeof name, "%s/%s", path, e->d_name);
			replay(name);
		}
		closedir(d);
		return;
	}
	FILE *f = fopen(path, "rb");
	uint8_t *p = malloc(st.st_size ? (size_t)st.st_size : 1);
	if (!f || !p || fread(p, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		exit(1);
	fclose(f);
	vary(p, (size_t)st.st_size);
	free(p);
	files++;
}

int main(int argc, char **argv)
{
	int first = 1;
	if (argc > 2 && strcmp(argv[1], "-m") == 0) {
		mutations = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++)
		replay(argv[i]);
	if (files == 0) {
		puts("not ok 1 - corpus is empty");
		return 1;
	}
	printf("ok 1 - %lu files, %lu runs\n", files, runs);
	return 0;
}
