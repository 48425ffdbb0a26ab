/* register.h - the functions through which compiled programs make themselves known. Private.
 *
 * Compilers emit calls of them; their names and arguments are those that clang's and nvcc's code has. */
#ifndef CT_RUNTIME_REGISTER_H
#define CT_RUNTIME_REGISTER_H

#include <stddef.h>

#include "data/cuda/cuda_runtime_api.h"

#include "base/decls.h"

CT_DECLS_BEGIN

/* Takes a translation unit's fat binary, whose data is PTX text that a NUL ends; returns its handle. */
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
/* A kernel: the address of its stub, and its name in the PTX. */
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *device_name, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *warp_size);
/* A variable: the address of its shadow in the program, and its name in the PTX. */
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *device_name,
                       int external, size_t bytes, int constant, int global);
/* The section that has the program's __managed__ variables; before they are registered. */
void __cudaRegisterManagedRange(const void *first, const void *end);
/* A texture reference; normalized: its reads give numbers in [0, 1]. */
void __cudaRegisterTexture(void **handle, const struct textureReference *host,
                           const void **device_address, const char *device_name, int dimensions,
                           int normalized, int external);
/* A surface reference. */
void __cudaRegisterSurface(void **handle, const void *host, const void **device_address,
                           const char *device_name, int dimensions, int external);

CT_DECLS_END

#endif
