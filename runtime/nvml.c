/* NVML: what a board's manager says of it. Names, sizes and clocks are those of the GPU's file; what only a board knows is not supported. */
#include "data/cuda/nvml.h"

#include <stdio.h>
#include <string.h>

#include "runtime/runtime.h"

/* The driver that CUDA 11.8 came with, and NVML's own version, as boards tell them: CUDA Toolkit release notes. */
#define DRIVER "520.61.05"

struct nvmlDevice_st {
	char unused;
};
static struct nvmlDevice_st the_board;
static unsigned users; /* calls of nvmlInit without their nvmlShutdown, behind the lock */

static const struct {
	nvmlReturn_t result;
	const char *text;
} results[] = {
	{NVML_SUCCESS, "Success"},
	{NVML_ERROR_UNINITIALIZED, "Uninitialized"},
	{NVML_ERROR_INVALID_ARGUMENT, "Invalid Argument"},
	{NVML_ERROR_NOT_SUPPORTED, "Not Supported"},
	{NVML_ERROR_NO_PERMISSION, "Insufficient Permissions"},
	{NVML_ERROR_ALREADY_INITIALIZED, "Already Initialized"},
	{NVML_ERROR_NOT_FOUND, "Not Found"},
	{NVML_ERROR_INSUFFICIENT_SIZE, "Insufficient Size"},
	{NVML_ERROR_MEMORY, "Insufficient Memory"},
	{NVML_ERROR_NO_DATA, "No data"},
};

const char *nvmlErrorString(nvmlReturn_t result)
{
	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i].result == result)
			return results[i].text;
	return "Unknown Error";
}

/* ---- the library and the driver ---- */

nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
	if (flags & ~(unsigned)(NVML_INIT_FLAG_NO_GPUS | NVML_INIT_FLAG_NO_ATTACH))
		return NVML_ERROR_INVALID_ARGUMENT;
	ct_cuda_lock();
	users++;
	ct_cuda_leave_quietly(cudaSuccess);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlInit_v2(void)
{
	return nvmlInitWithFlags(0);
}

nvmlReturn_t nvmlShutdown(void)
{
	ct_cuda_lock();
	nvmlReturn_t r = users ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
	users -= users != 0;
	ct_cuda_leave_quietly(cudaSuccess);
	return r;
}

/* Whether a call may go on: the library is initialized, and all that the caller gives is there. */
static nvmlReturn_t check(int given)
{
	ct_cuda_lock();
	nvmlReturn_t r = !users  ? NVML_ERROR_UNINITIALIZED
	                 : given ? NVML_SUCCESS
	                         : NVML_ERROR_INVALID_ARGUMENT;
	ct_cuda_leave_quietly(cudaSuccess);
	return r;
}

static nvmlReturn_t check_board(nvmlDevice_t device, const void *out)
{
	return check(device == &the_board && out);
}

/* Writes the text, which has to fit with its NUL. */
static nvmlReturn_t put_text(nvmlReturn_t r, const char *text, char *out, unsigned length)
{
	if (r == NVML_SUCCESS && strlen(text) >= length)
		r = NVML_ERROR_INSUFFICIENT_SIZE;
	if (r == NVML_SUCCESS)
		memcpy(out, text, strlen(text) + 1);
	return r;
}

static nvmlReturn_t put_number(nvmlReturn_t r, unsigned value, unsigned *out)
{
	if (r == NVML_SUCCESS)
		*out = value;
	return r;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length)
{
	return put_text(check(version != NULL), DRIVER, version, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
	return put_text(check(version != NULL), NVML_API_VERSION_STR "." DRIVER, version, length);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	if (!version)
		return NVML_ERROR_INVALID_ARGUMENT;
	*version = CT_CUDA_DRIVER_VERSION;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	return nvmlSystemGetCudaDriverVersion(version);
}

/* ---- the board ---- */

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count)
{
	return put_number(check(count != NULL), 1, count);
}

/* The properties of the board, for a call that may go on. */
static nvmlReturn_t properties(nvmlReturn_t r, struct cudaDeviceProp *p)
{
	if (r == NVML_SUCCESS && cudaGetDeviceProperties(p, 0) != cudaSuccess)
		r = NVML_ERROR_UNKNOWN;
	return r;
}

static nvmlReturn_t give_board(nvmlReturn_t r, nvmlDevice_t *device)
{
	if (r == NVML_SUCCESS)
		*device = &the_board;
	return r;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
	return give_board(check(index == 0 && device), device);
}

/* Domains have eight digits where NVML writes them; programs that ask CUDA have names with four. */
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvmlDevice_t *device)
{
	nvmlReturn_t r = check(bus_id && device);
	int found;
	if (r == NVML_SUCCESS && strncmp(bus_id, "0000", 4) == 0 && strlen(bus_id) > 12)
		bus_id += 4;
	if (r == NVML_SUCCESS && cudaDeviceGetByPCIBusId(&found, bus_id) != cudaSuccess)
		r = NVML_ERROR_NOT_FOUND;
	return give_board(r, device);
}

/* "GPU-" and the bytes of CUDA's identifier, in groups of 4, 2, 2, 2 and 6. */
static void write_uuid(const struct cudaDeviceProp *p, char out[NVML_DEVICE_UUID_BUFFER_SIZE])
{
	size_t at = (size_t)snprintf(out, NVML_DEVICE_UUID_BUFFER_SIZE, "GPU-");
	for (unsigned i = 0; i < 16; i++)
		at += (size_t)snprintf(out + at, NVML_DEVICE_UUID_BUFFER_SIZE - at, "%s%02x",
		                       i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
		                       (unsigned char)((const char *)&p->uuid)[i]);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length)
{
	struct cudaDeviceProp p;
	char text[NVML_DEVICE_UUID_BUFFER_SIZE];
	nvmlReturn_t r = properties(check_board(device, uuid), &p);
	if (r == NVML_SUCCESS)
		write_uuid(&p, text);
	return put_text(r, text, uuid, length);
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	struct cudaDeviceProp p;
	char text[NVML_DEVICE_UUID_BUFFER_SIZE];
	nvmlReturn_t r = properties(check(uuid && device), &p);
	if (r == NVML_SUCCESS)
		write_uuid(&p, text);
	if (r == NVML_SUCCESS && strcmp(uuid, text) != 0)
		r = NVML_ERROR_NOT_FOUND;
	return give_board(r, device);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
	return put_number(check_board(device, index), 0, index);
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *number)
{
	return put_number(check_board(device, number), 0, number);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
	struct cudaDeviceProp p;
	nvmlReturn_t r = properties(check_board(device, name), &p);
	return put_text(r, p.name, name, length);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	struct cudaDeviceProp p;
	nvmlReturn_t r = properties(check_board(device, pci), &p);
	if (r != NVML_SUCCESS)
		return r;
	*pci = (nvmlPciInfo_t){.domain = (unsigned)p.pciDomainID,
	                       .bus = (unsigned)p.pciBusID,
	                       .device = (unsigned)p.pciDeviceID};
	if (cudaDeviceGetPCIBusId(pci->busIdLegacy, sizeof pci->busIdLegacy, 0) != cudaSuccess)
		return NVML_ERROR_UNKNOWN;
	snprintf(pci->busId, sizeof pci->busId, "0000%s", pci->busIdLegacy);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	struct cudaDeviceProp p;
	nvmlReturn_t r = properties(check_board(device, major && minor ? major : NULL), &p);
	if (r == NVML_SUCCESS) {
		*major = p.major;
		*minor = p.minor;
	}
	return r;
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture)
{
	struct cudaDeviceProp p;
	nvmlReturn_t r = properties(check_board(device, architecture), &p);
	if (r == NVML_SUCCESS)
		*architecture = p.major == 9                   ? NVML_DEVICE_ARCH_HOPPER
		                : p.major == 8 && p.minor == 9 ? NVML_DEVICE_ARCH_ADA
		                : p.major == 8                 ? NVML_DEVICE_ARCH_AMPERE
		                : p.minor == 5                 ? NVML_DEVICE_ARCH_TURING
		                                               : NVML_DEVICE_ARCH_VOLTA;
	return r;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	size_t left, total;
	nvmlReturn_t r = check_board(device, memory);
	if (r == NVML_SUCCESS && cudaMemGetInfo(&left, &total) != cudaSuccess)
		r = NVML_ERROR_UNKNOWN;
	if (r == NVML_SUCCESS)
		*memory = (nvmlMemory_t){total, left, total - left};
	return r;
}

nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned *bits)
{
	struct cudaDeviceProp p;
	nvmlReturn_t r = properties(check_board(device, bits), &p);
	return put_number(r, r == NVML_SUCCESS ? (unsigned)p.memoryBusWidth : 0, bits);
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode)
{
	nvmlReturn_t r = check_board(device, mode);
	if (r == NVML_SUCCESS)
		*mode = NVML_COMPUTEMODE_DEFAULT;
	return r;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
	nvmlReturn_t r = check_board(device, mode);
	if (r == NVML_SUCCESS)
		*mode = NVML_FEATURE_DISABLED;
	return r;
}

/* The program does not see itself, as in a container: no list is made. */
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned *count,
                                                     nvmlProcessInfo_t *processes)
{
	(void)processes;
	return put_number(check_board(device, count), 0, count);
}

/* ---- clocks ---- */

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	struct cudaDeviceProp p;
	nvmlReturn_t r = properties(check_board(device, mhz), &p);
	if (r != NVML_SUCCESS)
		return r;
	switch (type) {
	case NVML_CLOCK_GRAPHICS:
	case NVML_CLOCK_SM: *mhz = (unsigned)p.clockRate / 1000; return NVML_SUCCESS;
	case NVML_CLOCK_MEM: *mhz = (unsigned)p.memoryClockRate / 1000; return NVML_SUCCESS;
	case NVML_CLOCK_VIDEO: return NVML_ERROR_NOT_SUPPORTED;
	default: return NVML_ERROR_INVALID_ARGUMENT;
	}
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

nvmlReturn_t
nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	return nvmlDeviceGetMaxClockInfo(device, type, mhz);
}

nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t device, nvmlClockType_t type, nvmlClockId_t id,
                                unsigned *mhz)
{
	return id < NVML_CLOCK_ID_COUNT ? nvmlDeviceGetMaxClockInfo(device, type, mhz)
	                                : NVML_ERROR_INVALID_ARGUMENT;
}

/* A list of one clock, for which there must be room. */
static nvmlReturn_t list_clock(nvmlDevice_t device, nvmlClockType_t type, unsigned *count, unsigned *mhz)
{
	unsigned room = count ? *count : 0;
	nvmlReturn_t r = put_number(check_board(device, count), 1, count);
	if (r == NVML_SUCCESS && (!mhz || room < 1))
		r = NVML_ERROR_INSUFFICIENT_SIZE;
	return r == NVML_SUCCESS ? nvmlDeviceGetMaxClockInfo(device, type, mhz) : r;
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t device, unsigned *count, unsigned *mhz)
{
	return list_clock(device, NVML_CLOCK_MEM, count, mhz);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t device, unsigned memory_mhz,
                                                  unsigned *count, unsigned *mhz)
{
	unsigned only;
	nvmlReturn_t r = nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_MEM, &only);
	if (r == NVML_SUCCESS && memory_mhz != only)
		r = NVML_ERROR_NOT_FOUND;
	return r == NVML_SUCCESS ? list_clock(device, NVML_CLOCK_GRAPHICS, count, mhz) : r;
}

/* ---- what is not supported ---- */

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* A function that says that its board cannot tell or do it. */
#define NOT_SUPPORTED(name, ...) \
	nvmlReturn_t name(nvmlDevice_t device, __VA_ARGS__) \
	{ \
		nvmlReturn_t r = check_board(device, &the_board); \
		return r == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : r; \
	}

NOT_SUPPORTED(nvmlDeviceGetTemperature, nvmlTemperatureSensors_t sensor, unsigned *degrees)
NOT_SUPPORTED(nvmlDeviceGetUtilizationRates, nvmlUtilization_t *utilization)
NOT_SUPPORTED(nvmlDeviceGetPowerUsage, unsigned *milliwatts)
NOT_SUPPORTED(nvmlDeviceGetTotalEnergyConsumption, unsigned long long *millijoules)
NOT_SUPPORTED(nvmlDeviceGetPowerManagementLimit, unsigned *milliwatts)
NOT_SUPPORTED(nvmlDeviceGetPowerManagementDefaultLimit, unsigned *milliwatts)
NOT_SUPPORTED(nvmlDeviceGetEnforcedPowerLimit, unsigned *milliwatts)
NOT_SUPPORTED(nvmlDeviceGetPowerManagementMode, nvmlEnableState_t *mode)
NOT_SUPPORTED(nvmlDeviceGetPerformanceState, nvmlPstates_t *state)
NOT_SUPPORTED(nvmlDeviceGetFanSpeed, unsigned *percent)
NOT_SUPPORTED(nvmlDeviceGetEccMode, nvmlEnableState_t *now, nvmlEnableState_t *next)
NOT_SUPPORTED(nvmlDeviceGetAPIRestriction, nvmlRestrictedAPI_t what, nvmlEnableState_t *restricted)
NOT_SUPPORTED(nvmlDeviceSetAPIRestriction, nvmlRestrictedAPI_t what, nvmlEnableState_t restricted)
NOT_SUPPORTED(nvmlDeviceGetAutoBoostedClocksEnabled, nvmlEnableState_t *now, nvmlEnableState_t *normally)
NOT_SUPPORTED(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long *reasons)
NOT_SUPPORTED(nvmlDeviceGetCurrPcieLinkGeneration, unsigned *generation)
NOT_SUPPORTED(nvmlDeviceGetCurrPcieLinkWidth, unsigned *lanes)
NOT_SUPPORTED(nvmlDeviceGetSerial, char *serial, unsigned length)
NOT_SUPPORTED(nvmlDeviceSetPersistenceMode, nvmlEnableState_t mode)
NOT_SUPPORTED(nvmlDeviceSetApplicationsClocks, unsigned memory_mhz, unsigned graphics_mhz)
NOT_SUPPORTED(nvmlDeviceSetGpuLockedClocks, unsigned least, unsigned most)
NOT_SUPPORTED(nvmlDeviceSetPowerManagementLimit, unsigned milliwatts)

nvmlReturn_t nvmlDeviceResetApplicationsClocks(nvmlDevice_t device)
{
	return nvmlDeviceSetApplicationsClocks(device, 0, 0);
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t device)
{
	return nvmlDeviceSetGpuLockedClocks(device, 0, 0);
}
