/* __managed__ variables: the host's variable and the device's are the same memory.
 *
 * ctcc puts such variables of a program into a section, whose pages are mapped a second time in the arena
 * before main() begins. The device's variable is in that second place, so that its address is the same in every
 * run. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/register.h"
#include "runtime/runtime.h"

enum { PAGE = 4096, SECTIONS_MAX = 64 };

/* Sections of the program and of libraries that it loads. */
static struct {
	uint64_t first, end; /* where the host has it */
	uint64_t delta;      /* from there to where the device has it */
} section[SECTIONS_MAX];
static unsigned sections;

uint64_t ct_cuda_managed_place(const void *shadow)
{
	uint64_t at = (uint64_t)(uintptr_t)shadow;
	for (unsigned i = 0; i < sections; i++)
		if (at >= section[i].first && at < section[i].end)
			return at + section[i].delta;
	return 0;
}

int ct_cuda_nameless_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/ctcuda.XXXXXX", folder && *folder ? folder : "/tmp");
	int fd = n > 0 && (size_t)n < sizeof path ? mkstemp(path) : -1;
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* A nameless file that holds the pages: a descriptor, or -1 with errno. */
static int file_of(const unsigned char *pages, size_t bytes)
{
	int fd = ct_cuda_nameless_file();
	for (size_t done = 0; fd >= 0 && done < bytes;) {
		ssize_t w = write(fd, pages + done, bytes - done);
		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)w;
	}
	return fd;
}

/* Maps the pages of a section twice. They hold other variables of the program, too, which keep their values:
 * nothing else runs yet. */
static int map_twice(uint64_t first, uint64_t end, uint64_t *delta)
{
	uint64_t from = first / PAGE * PAGE, bytes = (end + PAGE - 1) / PAGE * PAGE - from, device;
	unsigned char *pages = (unsigned char *)(uintptr_t)from;
	if (ct_cuda_place_pages(bytes, &device) != cudaSuccess)
		return -1;
	int fd = file_of(pages, (size_t)bytes), both = PROT_READ | PROT_WRITE;
	if (fd < 0)
		return -1;
	int failed = mmap((void *)(uintptr_t)device, (size_t)bytes, both, MAP_SHARED | MAP_FIXED, fd,
	                  0) == MAP_FAILED ||
	             mmap(pages, (size_t)bytes, both, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED;
	close(fd);
	*delta = device - from;
	return failed ? -1 : 0;
}

void __cudaRegisterManagedRange(const void *first, const void *end)
{
	uint64_t from = (uint64_t)(uintptr_t)first, to = (uint64_t)(uintptr_t)end, delta;
	ct_cuda_enter();
	/* Every translation unit tells of its program's section. */
	if (from < to && !ct_cuda_managed_place(first)) {
		if (sections == SECTIONS_MAX || map_twice(from, to, &delta) != 0 ||
		    ct_cuda_know_range(from, to - from) != cudaSuccess ||
		    ct_cuda_trace_alias(from, to - from, from + delta) != cudaSuccess) {
			ct_cuda_say("__managed__ variables cannot be mapped: is there room in TMPDIR?");
			exit(2);
		}
		section[sections].first = from;
		section[sections].end = to;
		section[sections++].delta = delta;
	}
	ct_cuda_leave_quietly(cudaSuccess);
}
