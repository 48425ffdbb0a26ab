/* Allocations of a traced program: the table against a map of single addresses, and their way through packed traces and
 * the files beside a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/hash.h"
#include "trace/arrays.h"
#include "trace/ctz.h"

enum { BYTES = 96, ADDS = 40, ROUNDS = 400 };

/* Every address of a small memory, by the array allocated there last. */
static void map_is_as_a_plain_one(void **state)
{
	uint64_t seed = 7;
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct ct_arrays *a = ct_arrays_new();
		uint32_t owner[BYTES];
		/* Every other round at the end of all addresses, where ends wrap. */
		uint64_t base = round & 1 ? UINT64_MAX - BYTES + 1 : 0;
		struct ct_error e;
		memset(owner, 0xff, sizeof owner);
		assert_non_null(a);
		for (uint32_t i = 0; i < ADDS; i++) {
			uint64_t first = ct_rand64(&seed) % BYTES,
				 bytes = 1 + ct_rand64(&seed) % (BYTES - first);
			uint32_t count = ct_arrays_count(a);
			int st = ct_arrays_add(a, base + first, bytes, i % 3 ? NULL : "x", i, &e);
			assert_in_range(st, 0, 1);
			if (st == 0) { /* known: whatever it holds is its own */
				uint32_t whose = owner[first];
				assert_int_equal(ct_arrays_at(a, whose)->bytes, bytes);
				for (uint64_t k = first; k < first + bytes; k++)
					assert_int_equal(owner[k], whose);
				continue;
			}
			assert_int_equal(ct_arrays_count(a), count + 1);
			for (uint64_t k = first; k < first + bytes; k++)
				owner[k] = count;
			for (uint64_t k = 0; k < BYTES; k++)
				assert_int_equal(ct_arrays_find(a, base + k), owner[k]);
		}
		ct_arrays_free(a);
	}
}

static void names_and_refusals(void **state)
{
	struct ct_arrays *a = ct_arrays_new();
	struct ct_error e;
	(void)state;
	assert_non_null(a);
	assert_int_equal(ct_arrays_count(NULL), 0);
	assert_int_equal(ct_arrays_find(NULL, 5), CT_ARRAY_NONE);
	assert_int_equal(ct_arrays_find(a, 5), CT_ARRAY_NONE);
	assert_int_equal(ct_arrays_add(a, 0x7f00, 65536, NULL, 1, &e), 1);
	assert_string_equal(ct_arrays_at(a, 0)->name, "array@0x7f00+65536");
	assert_false(ct_arrays_at(a, 0)->named);
	assert_int_equal(ct_arrays_add(a, 0x7f00, 65536, "", 2, &e), 0);
	assert_int_equal(ct_arrays_add(a, 0x7f00, 65536, "grid", 2, &e), 1);
	assert_string_equal(ct_arrays_at(a, 1)->name, "grid");
	assert_int_equal(ct_arrays_at(a, 1)->launch, 2);
	assert_int_equal(ct_arrays_add(a, 1, 0, "none", 1, &e), CT_ERR_INPUT);
	assert_int_equal(ct_arrays_add(a, 16, UINT64_MAX - 14, "wraps", 1, &e), CT_ERR_INPUT);
	assert_int_equal(ct_arrays_count(a), 2);
	ct_arrays_free(a);
}

static void a_full_table_counts_the_rest(void **state)
{
	struct ct_arrays *a = ct_arrays_new();
	struct ct_error e;
	(void)state;
	assert_non_null(a);
	for (uint64_t i = 0; i < CT_ARRAYS_MAX; i++)
		assert_int_equal(ct_arrays_add(a, i * 64, 64, NULL, 1, &e), 1);
	assert_int_equal(ct_arrays_lost(a), 0);
	assert_int_equal(ct_arrays_add(a, UINT64_C(1) << 40, 64, NULL, 1, &e), 0);
	assert_int_equal(ct_arrays_lost(a), 1);
	assert_int_equal(ct_arrays_count(a), CT_ARRAYS_MAX);
	assert_int_equal(ct_arrays_find(a, 640 + 63), 10);
	ct_arrays_free(a);
}

/* ---- traces ---- */

static int put(void *ctx, const void *p, size_t n, struct ct_error *e)
{
	ct_buf_add(ctx, p, n);
	return ct_buf_check(ctx, e);
}

static void put_empty_kernel(struct ct_ctz_writer *w, uint32_t id)
{
	static char name[] = "k", none[] = "";
	struct ct_kernel k = {.id = id, .name = name, .grid = {1, 1, 1}, .block = {32, 1, 1}};
	struct ct_error e;
	k.nvbit_version = k.tracer_version = none;
	assert_int_equal(ct_ctz_put_kernel(w, &k, &e), CT_OK);
	assert_int_equal(ct_ctz_end_kernel(w, NULL, &e), CT_OK);
}

static void pack(struct ct_buf *out, unsigned status)
{
	struct ct_ctz_writer *w;
	struct ct_error e;
	assert_int_equal(ct_ctz_writer_new(&w, 1, put, out, &e), CT_OK);
	assert_int_equal(ct_ctz_put_array(w, 4096, 64, NULL, &e), CT_OK);
	assert_int_equal(ct_ctz_put_memcpy(w, 4096, 64, &e), CT_OK);
	assert_int_equal(ct_ctz_put_array(w, 8192, 128, "b\tc", &e), CT_OK);
	put_empty_kernel(w, 3);
	assert_int_equal(ct_ctz_put_array(w, 4096, 32, "d", &e), CT_OK);
	assert_int_equal(ct_ctz_put_status(w, 256, &e), CT_ERR_USAGE);
	assert_int_equal(ct_ctz_put_status(w, 0, &e), CT_ERR_USAGE);
	if (status)
		assert_int_equal(ct_ctz_put_status(w, status, &e), CT_OK);
	assert_int_equal(ct_ctz_finish(w, 0, 0, &e), CT_OK);
	ct_ctz_writer_free(w);
}

static void note_warning(void *ctx, const char *text)
{
	ct_buf_puts(ctx, text);
}

/* Each event comes with what was allocated before it. */
static void packed_traces_tell(void **state)
{
	struct ct_buf packed = {0}, warned = {0};
	struct ct_trace_options o = {.diag = {note_warning, &warned}};
	struct ct_source *s;
	struct ct_trace *t;
	struct ct_event ev;
	struct ct_error e;
	(void)state;
	pack(&packed, 7);
	assert_int_equal(ct_source_open_memory(&s, "memory", packed.data, packed.len, &e), CT_OK);
	assert_int_equal(ct_trace_open_source(&t, s, &o, &e), CT_OK);
	const struct ct_arrays *a = ct_trace_arrays(t);
	assert_int_equal(ct_arrays_count(a), 0);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	assert_int_equal(ev.kind, CT_EVENT_MEMCPY);
	assert_int_equal(ct_arrays_count(a), 1);
	assert_int_equal(ct_trace_next(t, &ev, &e), 1);
	assert_int_equal(ev.kind, CT_EVENT_KERNEL);
	assert_int_equal(ct_arrays_count(a), 2);
	assert_string_equal(ct_arrays_at(a, 1)->name, "b?c");
	assert_int_equal(ct_arrays_at(a, 1)->launch, 1);
	assert_int_equal(ct_arrays_find(a, 8192 + 127), 1);
	assert_int_equal(ct_arrays_find(a, 8192 + 128), CT_ARRAY_NONE);
	assert_int_equal(ct_trace_stats(t)->program_status, 0);
	assert_int_equal(ct_trace_next(t, &ev, &e), 0);
	assert_int_equal(ct_arrays_count(a), 3);
	assert_int_equal(ct_arrays_at(a, 2)->launch, 4);
	assert_int_equal(ct_arrays_find(a, 4096), 2);
	assert_int_equal(ct_arrays_find(a, 4096 + 32), 0);
	assert_int_equal(ct_trace_stats(t)->program_status, 7);
	assert_non_null(warned.data);
	assert_non_null(strstr(warned.data, "ended with status 7"));
	ct_trace_close(t);
	ct_buf_free(&packed);
	ct_buf_free(&warned);
}

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static const char kernel_text[] =
	"-kernel name = k\n-kernel id = %d\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
	"-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n"
	"-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n"
	"-nvbit version = 1.5\n-accelsim tracer version = 3\n\n#traces format = x\n"
	"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n"
	"0000 ffffffff 0 EXIT 0 0 \n\n#END_TB\n";

/* Opens the folder with such an arrays.tsv and reads it; the result of the last call. */
static int read_folder(const char *folder, const char *arrays, unsigned *count, unsigned *at_first,
                       unsigned *status, struct ct_error *e)
{
	struct ct_trace *t;
	struct ct_event ev;
	put_file(folder, "arrays.tsv", arrays);
	int st = ct_trace_open(&t, folder, NULL, e);
	if (st < 0)
		return st;
	*count = *at_first = 0;
	while ((st = ct_trace_next(t, &ev, e)) > 0)
		*at_first = *at_first ? *at_first : ct_arrays_count(ct_trace_arrays(t));
	*count = ct_arrays_count(ct_trace_arrays(t));
	*status = ct_trace_stats(t)->program_status;
	ct_trace_close(t);
	return st;
}

static void lists_have_them_beside(void **state)
{
	static const char good[] = "first\tbytes\tname\tlaunch\n0x1000\t64\ta\t1\n"
				   "0x2000\t64\tarray@0x2000+64\t2\n0x3000\t64\tlast\t9";
	static const char *const bad[] = {
		"",
		"first\tbytes\n",
		"first\tbytes\tname\tlaunch\n0x1000\t64\ta\n",
		"first\tbytes\tname\tlaunch\n1000\t64\ta\t1\n",
		"first\tbytes\tname\tlaunch\n0x1000\t0\ta\t1\n",
		"first\tbytes\tname\tlaunch\n0x1000\t64\ta\t1x\n"};
	char folder[] = "/tmp/test_arrays.XXXXXX", text[1024];
	unsigned count, at_first, status;
	struct ct_error e;
	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 1; i <= 2; i++) {
		char name[32];
		snprintf(name, sizeof name, "kernel-%d.traceg", i);
		snprintf(text, sizeof text, kernel_text, i);
		put_file(folder, name, text);
	}
	put_file(folder, "kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
	put_file(folder, "tracegen.txt", "written by tracegen\ncommand x\nstatus 3\n");
	assert_int_equal(read_folder(folder, good, &count, &at_first, &status, &e), 0);
	assert_int_equal(count, 3);
	assert_int_equal(at_first, 1);
	assert_int_equal(status, 3);
	put_file(folder, "tracegen.txt", "somebody's own\nstatus 3\n");
	assert_int_equal(read_folder(folder, good, &count, &at_first, &status, &e), 0);
	assert_int_equal(status, 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(read_folder(folder, bad[i], &count, &at_first, &status, &e),
		                 CT_ERR_INPUT);
		assert_non_null(strstr(e.text, "arrays.tsv:"));
	}
	static const char *const files[] = {
		"kernel-1.traceg", "kernel-2.traceg", "kernelslist.g", "tracegen.txt", "arrays.tsv"};
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		snprintf(text, sizeof text, "%s/%s", folder, files[i]);
		unlink(text);
	}
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_is_as_a_plain_one),        cmocka_unit_test(names_and_refusals),
		cmocka_unit_test(a_full_table_counts_the_rest), cmocka_unit_test(packed_traces_tell),
		cmocka_unit_test(lists_have_them_beside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
