/* cuda_runtime.h - CUDA for ctcc(1): the language of kernels, and the run-time API of libctcuda.
 *
 * ctcc includes this file in front of every CUDA source. Other C and C++ sources get the API alone. */
#ifndef CT_CUDA_RUNTIME_H
#define CT_CUDA_RUNTIME_H

#pragma GCC system_header

#define __CUDA_RUNTIME_H__ /* by which other headers know that the run-time is there; those below have names of their own */

#include "host_defines.h"
#include "vector_types.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__CUDA__) && defined(__cplusplus)
/* Functions of the device come before those of the C and C++ libraries, which std:: then takes along. */
#include "device/index.h"
#include "device/integer.h"
#include "device/overload.h"
#include "device/sync.h"
#include "device/dpx.h"
#include "device/warp.h"
#include "device/atomic.h"
#include "device/load.h"
#include "device/system.h"
#include "device/texture.h"
#include "device/surface.h"
#endif

#if defined(__CUDACC_RTC__)
#include "device/rtc.h"
#else
#if defined(__cplusplus)
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include "runtime_templates.h"
#endif
#if defined(__CUDA__) && defined(__cplusplus)
#include "host_math.h"
#endif
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif

/* The run-time is told where __managed__ variables are before it is told of them. */
#if defined(__CUDA__) && defined(__cplusplus) && !defined(__CUDA_ARCH__)
extern "C" {
extern char __start_ctcuda_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_ctcuda_managed[] __attribute__((weak, visibility("hidden")));
void __cudaRegisterManagedRange(const void *first, const void *end);
}
static __attribute__((constructor(101), used)) void ct_cuda_managed(void)
{
	if (__start_ctcuda_managed != __stop_ctcuda_managed)
		__cudaRegisterManagedRange(__start_ctcuda_managed, __stop_ctcuda_managed);
}
#endif

/* clang hands the device side of a source to the run-time only where the host knows something of it: of device functions that other
 * sources call it does not. */
#if defined(__CUDACC_RDC__) && defined(__CUDA__) && !defined(__CUDA_ARCH__)
static __device__ char ct_cuda_relocatable __attribute__((used));
#ifdef CTCC_DEVICE_NAMES
__asm__(".include \"" CTCC_DEVICE_NAMES "\"");
#endif
#endif

/* How the object was made, for `readelf -p ctcc_flags PROGRAM`. */
#if defined(CTCC_FLAGS) && !defined(__CUDA_ARCH__)
static const char ct_cuda_flags[] __attribute__((section("ctcc_flags"), used)) = CTCC_FLAGS;
#endif

#endif
