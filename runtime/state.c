/* The state of the device: its lock, the settings of the environment, the board. */
#define _GNU_SOURCE /* dladdr: not of POSIX, but every libc of Linux and the BSDs has it */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "runtime/driver.h"
#include "runtime/runtime.h"

struct ct_cuda ct_cuda;

/* Recursive: a callback of a stream may call the API. */
static pthread_mutex_t lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;

static void make_lock(void)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &a);
	pthread_mutexattr_destroy(&a);
}

static void end(const char *why)
{
	ct_cuda_say("%s", why);
	exit(2);
}

/* A whole number of the environment, or 0. */
static uint64_t number(const char *variable)
{
	const char *text = getenv(variable);
	uint64_t n = 0;
	char why[256];
	if (text && *text && ct_parse_u64(text, &n) < 0) {
		snprintf(why, sizeof why, "%s=%.100s: give a whole number", variable, text);
		end(why);
	}
	return n;
}

static int is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int ct_cuda_library_file(char *path)
{
	Dl_info me;
	return dladdr(&ct_cuda, &me) && me.dli_fname && realpath(me.dli_fname, path) ? 0 : -1;
}

/* CACHETRIAGE_DATA, or the data beside the tree or the prefix that this library lies in. */
static const char *data_dir(void)
{
	static char path[PATH_MAX];
	static const char *const folders[] = {"/data", "/share/cachetriage"};
	const char *told = getenv("CACHETRIAGE_DATA");
	if (told && *told)
		return told;
	if (ct_cuda_library_file(path) < 0)
		return CT_DATADIR;
	for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/'))
		for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
			snprintf(slash, sizeof path - (size_t)(slash - path), "%s/gpus", folders[i]);
			int there = is_folder(path);
			slash[there ? strlen(folders[i]) : 0] = '\0';
			if (there)
				return path;
		}
	return CT_DATADIR;
}

/* Reads the settings from the environment and prepares the device, at the program's first call. */
static void start(void)
{
	const char *gpu = getenv("CACHETRIAGE_GPU"), *check = getenv("CACHETRIAGE_CHECK"),
		   *bounds = getenv("CACHETRIAGE_BOUNDS");
	struct ct_diag quiet = {0};
	struct ct_error e = {0};
	struct ct_cuda_settings *s = &ct_cuda.settings;
	ct_cuda.started = 1;
	s->max_steps = number("CACHETRIAGE_MAX_STEPS");
	s->threads = (unsigned)number("CACHETRIAGE_THREADS");
	s->resident = number("CACHETRIAGE_RESIDENT") != 0;
	s->data_dir = data_dir();
	s->check_init = check && strcmp(check, "init") == 0;
	if (check && *check && !s->check_init)
		end("CACHETRIAGE_CHECK: the one check is init");
	s->maps_around = bounds && strcmp(bounds, "pages") == 0;
	if (bounds && *bounds && !s->maps_around && strcmp(bounds, "exact") != 0)
		end("CACHETRIAGE_BOUNDS: exact or pages");
	if (s->maps_around && s->check_init)
		end("CACHETRIAGE_BOUNDS=pages: the check init knows allocations alone");
	if (!gpu || !*gpu)
		gpu = ct_cuda_board_for(ct_cuda_highest_target());
	if (ct_gpu_load(&ct_cuda.gpu, gpu, s->data_dir, &quiet, &e) != CT_OK ||
	    ct_ptx_memory_create(&ct_cuda.memory, &e) != CT_OK)
		end(e.text);
	ct_cuda_trace_open();
}

void ct_cuda_lock(void)
{
	pthread_once(&lock_once, make_lock);
	pthread_mutex_lock(&lock);
}

cudaError_t ct_cuda_enter(void)
{
	ct_cuda_lock();
	if (!ct_cuda.started)
		start();
	return ct_cuda.fault;
}

cudaError_t ct_cuda_leave(cudaError_t error)
{
	ct_cuda_keep_error(error);
	ct_cuda_driver_use_primary();
	return ct_cuda_leave_quietly(error);
}

cudaError_t ct_cuda_leave_quietly(cudaError_t error)
{
	pthread_mutex_unlock(&lock);
	return error;
}
