/* device/define.h - how the functions of these headers are declared. */
#ifndef CT_CUDA_DEVICE_DEFINE_H
#define CT_CUDA_DEVICE_DEFINE_H

#pragma GCC system_header

#include <host_defines.h>

/* A function of the device that is there only where it is used. What it does has the source line of its caller. */
#define CT_DEVICE static __inline__ __attribute__((always_inline, device, nodebug))
/* The same for the rare part of a function, which is called and not repeated. */
#define CT_DEVICE_CALL static __attribute__((noinline, device, unused, nodebug))
/* A method of a class, on the device, and on both sides. */
#define CT_METHOD __inline__ __attribute__((always_inline, device, nodebug))
#define CT_METHOD_BOTH __inline__ __attribute__((always_inline, nodebug)) __host__ __device__
/* A function of the device and of the host. */
#define CT_BOTH static __inline__ __attribute__((always_inline, nodebug)) __host__ __device__

#endif
