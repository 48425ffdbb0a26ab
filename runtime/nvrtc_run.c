/* NVRTC's compilations: files in a folder of their own, one run of ctcc, the PTX without what asked for names. */
#define _GNU_SOURCE /* nftw, environ */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "runtime/driver.h"
#include "runtime/nvrtc_program.h"
#include "runtime/runtime.h"

/* Variables of this name hold the addresses that expressions are. */
#define VARIABLE "ct_nvrtc_name_"

enum { CANNOT_START = 127 /* what a shell says then */ };

/* ---- the folder ---- */

/* Where files are. */
struct place {
	char folder[PATH_MAX];  /* all of it */
	char headers[PATH_MAX]; /* below it, so deep that no name of a header leads out */
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path), 0;
}

static void remove_folder(const char *folder)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static nvrtcResult fail_file(struct ct_buf *log, const char *path)
{
	ct_buf_printf(log, "nvrtc: error: %s: %s\n", path, strerror(errno));
	return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}

/* How many steps up a name has. */
static unsigned steps_up(const char *name)
{
	unsigned n = 0;
	for (; *name; name += strcspn(name, "/"), name += strspn(name, "/"))
		n += strncmp(name, "..", 2) == 0 && (name[2] == '/' || !name[2]);
	return n;
}

static nvrtcResult make_folders(struct place *at, const struct ct_nvrtc_list *headers,
                                struct ct_buf *log)
{
	const char *tmp = getenv("TMPDIR");
	unsigned deepest = 0;
	if (!tmp || !*tmp)
		tmp = "/tmp";
	int n = snprintf(at->folder, sizeof at->folder, "%s/nvrtc-XXXXXX", tmp);
	if (n < 0 || (size_t)n >= sizeof at->folder || !mkdtemp(at->folder)) {
		*at->folder = '\0';
		return fail_file(log, tmp);
	}
	for (size_t i = 0; i < headers->n; i++) {
		unsigned up = steps_up(headers->at[i].name);
		deepest = up > deepest ? up : deepest;
	}
	memcpy(at->headers, at->folder, sizeof at->headers);
	for (unsigned i = 0; i <= deepest; i++) {
		size_t length = strlen(at->headers);
		if (length + 3 > sizeof at->headers) {
			errno = ENAMETOOLONG;
			return fail_file(log, at->headers);
		}
		memcpy(at->headers + length, "/h", 3);
		if (mkdir(at->headers, 0700) != 0)
			return fail_file(log, at->headers);
	}
	return NVRTC_SUCCESS;
}

/* Makes the folders that the path of a file names. */
static void make_parents(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700); /* whether it is there shows when the file is written */
		*slash = '/';
	}
}

static nvrtcResult write_file(const char *path, const struct ct_buf *text, struct ct_buf *log)
{
	if (text->failed)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	FILE *f = fopen(path, "we");
	int bad = !f || fwrite(text->data, 1, text->len, f) != text->len;
	if ((f && fclose(f) != 0) || bad)
		return fail_file(log, path);
	return NVRTC_SUCCESS;
}

/* The line from which on a text has its own name in messages. */
static void add_line(struct ct_buf *b, const char *name)
{
	ct_buf_puts(b, "#line 1 \"");
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			ct_buf_putc(b, '\\');
		if (*name != '\n')
			ct_buf_putc(b, *name);
	}
	ct_buf_puts(b, "\"\n");
}

static nvrtcResult write_header(const struct place *at, const struct ct_nvrtc_pair *header,
                                struct ct_buf *log)
{
	struct ct_buf path = {0}, text = {0};
	nvrtcResult r;
	if (*header->name == '/') {
		ct_buf_printf(log, "nvrtc: error: header %s: its name must not begin with '/'\n",
		              header->name);
		return NVRTC_ERROR_COMPILATION;
	}
	ct_buf_printf(&path, "%s/%s", at->headers, header->name);
	add_line(&text, header->name);
	ct_buf_puts(&text, header->text);
	ct_buf_putc(&text, '\n');
	if (path.failed) {
		r = NVRTC_ERROR_OUT_OF_MEMORY;
	} else {
		make_parents(path.data, strlen(at->headers) + 1);
		r = write_file(path.data, &text, log);
	}
	ct_buf_free(&path);
	ct_buf_free(&text);
	return r;
}

/* The source, and a variable for each expression: what it is the address of has to be compiled, and the PTX tells its name. */
static nvrtcResult write_source(const struct place *at, const struct _nvrtcProgram *p,
                                const struct ct_nvrtc_settings *s, struct ct_buf *log)
{
	struct ct_buf text = {0};
	char path[PATH_MAX + 16];
	snprintf(path, sizeof path, "%s/source.cu", at->folder);
	if (s->device_default)
		ct_buf_puts(&text, "#pragma clang force_cuda_host_device begin\n");
	add_line(&text, p->name);
	ct_buf_puts(&text, p->source);
	ct_buf_putc(&text, '\n');
	if (s->device_default)
		ct_buf_puts(&text, "#pragma clang force_cuda_host_device end\n");
	add_line(&text, "name_expression");
	for (size_t i = 0; i < p->expressions.n; i++)
		ct_buf_printf(&text,
		              "extern \"C\" __device__ const void *" VARIABLE
		              "%zu = (const void *)(%s);\n",
		              i, p->expressions.at[i].name);
	nvrtcResult r = write_file(path, &text, log);
	ct_buf_free(&text);
	return r;
}

/* ---- ctcc ---- */

static int is_program(const char *path)
{
	return access(path, X_OK) == 0;
}

/* CACHETRIAGE_CTCC; else the one of the library's tree or prefix, by whatever name it was installed; else by PATH. */
static void find_ctcc(char *path, size_t room)
{
	static const char *const below[] = {"bin/ctcc", "share/cachetriage/toolkit/bin/nvcc"};
	const char *told = getenv("CACHETRIAGE_CTCC");
	char above[PATH_MAX];
	if (told && *told) {
		snprintf(path, room, "%s", told);
		return;
	}
	if (ct_cuda_library_file(above) < 0)
		*above = '\0';
	for (char *slash; (slash = strrchr(above, '/'));) {
		*slash = '\0';
		for (int i = 0; i < 2; i++) {
			snprintf(path, room, "%s/%s", above, below[i]);
			if (is_program(path))
				return;
		}
	}
	snprintf(path, room, "%s", CT_DATADIR "/toolkit/bin/nvcc");
	if (!is_program(path))
		snprintf(path, room, "ctcc");
}

static void add_folder(struct ct_buf *words, const char *folder, size_t n)
{
	struct ct_buf word = {0};
	ct_buf_printf(&word, "-I%.*s", (int)n, folder);
	if (word.failed)
		words->failed = 1;
	else
		ct_nvrtc_add_word(words, word.data);
	ct_buf_free(&word);
}

/* The options file: headers of the program come first, those beside its source next. */
static nvrtcResult write_words(const struct place *at, const struct _nvrtcProgram *p,
                               const struct ct_nvrtc_settings *s, const char *path, struct ct_buf *log)
{
	struct ct_buf words = {0};
	char file[PATH_MAX + 16];
	const char *slash = strrchr(p->name, '/');
	ct_buf_puts(&words, "-D__CUDACC_RTC__=1\n");
	if (!s->standard)
		ct_buf_puts(&words, "-std=c++17\n");
	add_folder(&words, at->headers, strlen(at->headers));
	if (!s->hides_folder)
		add_folder(&words, slash ? p->name : ".", slash ? (size_t)(slash - p->name) + 1 : 1);
	ct_buf_puts(&words, s->words.len ? s->words.data : "");
	ct_buf_puts(&words, "-ptx\n-o\n");
	snprintf(file, sizeof file, "%s/out.ptx", at->folder);
	ct_nvrtc_add_word(&words, file);
	snprintf(file, sizeof file, "%s/source.cu", at->folder);
	ct_nvrtc_add_word(&words, file);
	nvrtcResult r = write_file(path, &words, log);
	ct_buf_free(&words);
	return r;
}

/* Runs ctcc with its options in a file; what it says goes to another. Returns its status. */
static int run_ctcc(const char *options, const char *said)
{
	char program[PATH_MAX + 64],
		flag[] = "--options-file", *copy = ct_strndup(options, strlen(options));
	char *const words[] = {program, flag, copy, NULL};
	posix_spawn_file_actions_t files;
	pid_t pid;
	int status = 0;
	find_ctcc(program, sizeof program);
	if (!copy || posix_spawn_file_actions_init(&files) != 0) {
		free(copy);
		return CANNOT_START;
	}
	int bad = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
	          posix_spawn_file_actions_addopen(
			  &files, STDOUT_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600) ||
	          posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO) ||
	          posix_spawnp(&pid, program, &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	free(copy);
	if (bad)
		return CANNOT_START;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0; /* a program that ignores its children: whether there is PTX will show */
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Where ":LINE:COLUMN" begins that ends at `end`; NULL where it does not. */
static const char *find_position(const char *line, const char *end)
{
	for (int colons = 0; end > line;)
		if (*--end == ':' && ++colons == 2)
			return end;
	return NULL;
}

/* Adds what the compiler said. Of headers that are not there it is told in NVRTC's words, which programs look for to bring them:
 * "a.cu:3:10: fatal error: 'b.h' file not found" becomes "a.cu(3): catastrophic error: cannot open source file "b.h"". */
static void add_messages(struct ct_buf *log, const char *said)
{
	static const char error[] = ": fatal error: '", missing[] = "' file not found";
	for (const char *line = said, *next; *line; line = next) {
		const char *end = line + strcspn(line, "\n"), *at = strstr(line, error);
		const char *behind = at && at < end ? strstr(at, missing) : NULL;
		const char *number = behind && behind < end ? find_position(line, at) : NULL;
		next = *end ? end + 1 : end;
		if (!number || number == line) {
			ct_buf_add(log, line, (size_t)(next - line));
			continue;
		}
		const char *name = at + sizeof error - 1;
		ct_buf_printf(log, "%.*s(%ld): catastrophic error: cannot open source file \"%.*s\"\n",
		              (int)(number - line), line, strtol(number + 1, NULL, 10),
		              (int)(behind - name), name);
	}
}

/* ---- names ---- */

/* The name in "... .u64 ct_nvrtc_name_3 = generic(NAME);", which ends at `end`. */
static char *name_of(const char *equals, const char *end)
{
	static const char generic[] = "generic(";
	const char *at = equals + strspn(equals, "= ");
	if (strncmp(at, generic, sizeof generic - 1) == 0)
		at += sizeof generic - 1;
	size_t n = strcspn(at, ");, ");
	return at + n <= end ? ct_strndup(at, n) : NULL;
}

/* Takes the lines of those variables out of the PTX and keeps the names in them. */
static nvrtcResult take_names(struct _nvrtcProgram *p, const struct ct_buf *all)
{
	for (const char *line = all->data, *next; *line; line = next) {
		const char *end = line + strcspn(line, "\n"), *at = strstr(line, VARIABLE);
		next = *end ? end + 1 : end;
		if (!at || at > end) {
			ct_buf_add(&p->ptx, line, (size_t)(next - line));
			continue;
		}
		char *behind;
		unsigned long i = strtoul(at + sizeof VARIABLE - 1, &behind, 10);
		if (i >= p->expressions.n)
			continue;
		free(p->expressions.at[i].text);
		p->expressions.at[i].text = name_of(behind, end);
		if (!p->expressions.at[i].text)
			return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	ct_buf_putc(&p->ptx, '\0');
	return p->ptx.failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}

static nvrtcResult compile(struct _nvrtcProgram *p, const struct place *at)
{
	char options[PATH_MAX + 16], said[PATH_MAX + 16], ptx[PATH_MAX + 16];
	struct ct_buf text = {0};
	nvrtcResult r;
	snprintf(options, sizeof options, "%s/options", at->folder);
	snprintf(said, sizeof said, "%s/log", at->folder);
	snprintf(ptx, sizeof ptx, "%s/out.ptx", at->folder);
	int status = run_ctcc(options, said);
	if (ct_cuda_read_file(said, &text) == 0)
		add_messages(&p->log, text.data);
	ct_buf_reset(&text);
	if (status == CANNOT_START)
		ct_buf_puts(&p->log,
		            "nvrtc: error: ctcc cannot be started: name it in CACHETRIAGE_CTCC, or "
		            "add its folder to PATH\n");
	if (status != 0)
		r = status == 1 ? NVRTC_ERROR_COMPILATION : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	else if (ct_cuda_read_file(ptx, &text) != 0)
		r = fail_file(&p->log, ptx);
	else
		r = take_names(p, &text);
	ct_buf_free(&text);
	return r;
}

nvrtcResult ct_nvrtc_run(struct _nvrtcProgram *p, struct ct_nvrtc_settings *s)
{
	struct place at;
	char options[PATH_MAX + 16];
	nvrtcResult r = make_folders(&at, &p->headers, &p->log);
	for (size_t i = 0; i < p->headers.n && r == NVRTC_SUCCESS; i++)
		r = write_header(&at, &p->headers.at[i], &p->log);
	if (r == NVRTC_SUCCESS)
		r = write_source(&at, p, s, &p->log);
	snprintf(options, sizeof options, "%s/options", at.folder);
	if (r == NVRTC_SUCCESS)
		r = write_words(&at, p, s, options, &p->log);
	if (r == NVRTC_SUCCESS)
		r = compile(p, &at);
	if (*at.folder)
		remove_folder(at.folder);
	if (r != NVRTC_SUCCESS)
		ct_buf_free(&p->ptx);
	return r;
}
