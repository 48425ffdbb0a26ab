/* device/rtc.h - what a source of NVRTC has without including anything, in the place of the C and C++ libraries' headers. */
#ifndef CT_CUDA_DEVICE_RTC_H
#define CT_CUDA_DEVICE_RTC_H

#pragma GCC system_header

/* Names of the language that NVRTC knows. They include no header that names types of a certain size, as programs do that themselves. */
#include <stddef.h>

#include <initializer_list>
#include <utility>

#include "define.h"

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
	((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, sizeof(char)))
#endif

/* Kinds of a number, which C has as macros. */
#define CT_CUDA_KINDS(T) \
	CT_DEVICE bool isnan(T x) \
	{ \
		return __builtin_isnan(x); \
	} \
	CT_DEVICE bool isinf(T x) \
	{ \
		return __builtin_isinf(x); \
	} \
	CT_DEVICE bool isfinite(T x) \
	{ \
		return __builtin_isfinite(x); \
	} \
	CT_DEVICE bool signbit(T x) \
	{ \
		return __builtin_signbit(x); \
	}
CT_CUDA_KINDS(float)
CT_CUDA_KINDS(double)
#undef CT_CUDA_KINDS

#endif
