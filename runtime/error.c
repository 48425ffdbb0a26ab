/* Errors: their names and texts, the last one of a thread, and what the library says. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/runtime.h"

static _Thread_local cudaError_t last_error;

static const struct {
	cudaError_t error;
	const char *name, *text;
} errors[] = {
#define ERROR(name, text) \
	{ \
		name, #name, text \
	}
	ERROR(cudaSuccess, "no error"),
	ERROR(cudaErrorInvalidValue, "invalid argument"),
	ERROR(cudaErrorMemoryAllocation, "out of memory"),
	ERROR(cudaErrorInitializationError, "initialization error"),
	ERROR(cudaErrorCudartUnloading, "driver shutting down"),
	ERROR(cudaErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
	ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
	ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
	ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
	ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
	ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
	ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
	ERROR(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
	ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
	ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
	ERROR(cudaErrorInvalidFilterSetting, "linear filtering not supported for non-float type"),
	ERROR(cudaErrorInvalidNormSetting,
              "read as normalized float not supported for 32-bit non float type"),
	ERROR(cudaErrorNotYetImplemented, "feature not yet implemented"),
	ERROR(cudaErrorInsufficientDriver,
              "CUDA driver version is insufficient for CUDA runtime version"),
	ERROR(cudaErrorInvalidSurface, "invalid surface reference"),
	ERROR(cudaErrorDuplicateVariableName, "duplicate global variable looked up by string name"),
	ERROR(cudaErrorDuplicateTextureName, "duplicate texture looked up by string name"),
	ERROR(cudaErrorDevicesUnavailable, "all CUDA-capable devices are busy or unavailable"),
	ERROR(cudaErrorMissingConfiguration, "missing launch configuration"),
	ERROR(cudaErrorLaunchMaxDepthExceeded, "launch would exceed maximum depth of nested launches"),
	ERROR(cudaErrorLaunchFileScopedTex, "launch of a kernel that reads a texture of another file's"),
	ERROR(cudaErrorLaunchFileScopedSurf, "launch of a kernel that uses a surface of another file's"),
	ERROR(cudaErrorSyncDepthExceeded, "synchronization depth exceeds the set limit"),
	ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
	ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
	ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
	ERROR(cudaErrorStartupFailure, "startup failure in cuda runtime"),
	ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
	ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
	ERROR(cudaErrorMapBufferObjectFailed, "mapping of buffer object failed"),
	ERROR(cudaErrorNoKernelImageForDevice,
              "no kernel image is available for execution on the device"),
	ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
	ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
	ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
	ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
	ERROR(cudaErrorInvalidSource, "device kernel image is invalid"),
	ERROR(cudaErrorFileNotFound, "file not found"),
	ERROR(cudaErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
	ERROR(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
	ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
	ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
	ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
	ERROR(cudaErrorNotReady, "device not ready"),
	ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
	ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
	ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
	ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
	ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
	ERROR(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process"),
	ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
	ERROR(cudaErrorAssert, "device-side assert triggered"),
	ERROR(cudaErrorHostMemoryAlreadyRegistered,
              "part or all of the requested memory range is already mapped"),
	ERROR(cudaErrorHostMemoryNotRegistered,
              "pointer does not correspond to a registered memory region"),
	ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
	ERROR(cudaErrorMisalignedAddress, "misaligned address"),
	ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
	ERROR(cudaErrorInvalidPc, "invalid program counter"),
	ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
	ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
	ERROR(cudaErrorNotPermitted, "operation not permitted"),
	ERROR(cudaErrorNotSupported, "operation not supported"),
	ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
	ERROR(cudaErrorStreamCaptureInvalidated, "a stream's capture was ended by an earlier error"),
	ERROR(cudaErrorStreamCaptureUnjoined, "a stream that joined a capture has not come back to it"),
	ERROR(cudaErrorCapturedEvent, "an event that was recorded on a captured stream"),
	ERROR(cudaErrorTimeout, "timeout"),
	ERROR(cudaErrorGraphExecUpdateFailure,
              "the graph differs in more than what an executable graph can take over"),
	ERROR(cudaErrorInvalidClusterSize, "invalid size of a cluster"),
	ERROR(cudaErrorUnknown, "unknown error"),
#undef ERROR
};

const char *cudaGetErrorName(cudaError_t error)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].error == error)
			return errors[i].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].error == error)
			return errors[i].text;
	return "unrecognized error code";
}

void ct_cuda_keep_error(cudaError_t error)
{
	if (error != cudaSuccess && error != cudaErrorNotReady)
		last_error = error;
}

cudaError_t cudaPeekAtLastError(void)
{
	cudaError_t fault = ct_cuda_enter();
	return ct_cuda_leave_quietly(fault != cudaSuccess ? fault : last_error);
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t fault = ct_cuda_enter(), last = last_error;
	last_error = cudaSuccess;
	return ct_cuda_leave_quietly(fault != cudaSuccess ? fault : last);
}

void ct_cuda_say(const char *fmt, ...)
{
	char text[CT_ERROR_TEXT_MAX + 256];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fflush(stdout); /* in the order in which things happened */
	fprintf(stderr, "libctcuda: %s\n", text);
}

cudaError_t ct_cuda_refuse(const char *function, const char *what)
{
	ct_cuda_say("%s: %s", function, what);
	return cudaErrorNotSupported;
}
