/* nvToolsExt.h - names, marks and ranges for a profiler. Nobody looks at them here: they do nothing, and a trace knows its kernels. Names and
 * values are those of NVTX's reference. */
#ifndef CT_CUDA_NVTOOLSEXT_H
#define CT_CUDA_NVTOOLSEXT_H
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxEventAttributes_t)))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_UNKNOWN = 0,
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN = 0,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
	NVTX_PAYLOAD_TYPE_INT32 = 5,
	NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType;
	int32_t reserved0;
	union {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;

#define CT_NVTX static __inline__ __attribute__((unused))
#define CT_NVTX_NOTHING(name, arguments) \
	CT_NVTX void name arguments \
	{ \
	}
#define CT_NVTX_GIVES(type, name, arguments, value) \
	CT_NVTX type name arguments \
	{ \
		return (type)(value); \
	}

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
CT_NVTX_NOTHING(nvtxInitialize, (const void *reserved))
CT_NVTX_NOTHING(nvtxMarkA, (const char *message))
CT_NVTX_NOTHING(nvtxMarkW, (const wchar_t *message))
CT_NVTX_NOTHING(nvtxMarkEx, (const nvtxEventAttributes_t *event))
CT_NVTX_GIVES(nvtxRangeId_t, nvtxRangeStartA, (const char *message), 0)
CT_NVTX_GIVES(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t *message), 0)
CT_NVTX_GIVES(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), 0)
CT_NVTX_NOTHING(nvtxRangeEnd, (nvtxRangeId_t range))
CT_NVTX_GIVES(int, nvtxRangePushA, (const char *message), NVTX_NO_PUSH_POP_TRACKING)
CT_NVTX_GIVES(int, nvtxRangePushW, (const wchar_t *message), NVTX_NO_PUSH_POP_TRACKING)
CT_NVTX_GIVES(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event), NVTX_NO_PUSH_POP_TRACKING)
CT_NVTX_GIVES(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
CT_NVTX_GIVES(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), 0)
CT_NVTX_GIVES(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t *name), 0)
CT_NVTX_NOTHING(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
CT_NVTX_GIVES(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *string), 0)
CT_NVTX_NOTHING(nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char *name))
CT_NVTX_NOTHING(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event))
CT_NVTX_GIVES(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), 0)
CT_NVTX_NOTHING(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t range))
CT_NVTX_GIVES(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event),
              NVTX_NO_PUSH_POP_TRACKING)
CT_NVTX_GIVES(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), NVTX_NO_PUSH_POP_TRACKING)
CT_NVTX_NOTHING(nvtxNameCategoryA, (uint32_t category, const char *name))
CT_NVTX_NOTHING(nvtxNameCategoryW, (uint32_t category, const wchar_t *name))
CT_NVTX_NOTHING(nvtxNameOsThreadA, (uint32_t thread, const char *name))
CT_NVTX_NOTHING(nvtxNameOsThreadW, (uint32_t thread, const wchar_t *name))
/* Of devices, streams and events, which are pointers or numbers. */
CT_NVTX_NOTHING(nvtxNameCudaDeviceA, (int device, const char *name))
CT_NVTX_NOTHING(nvtxNameCudaStreamA, (void *stream, const char *name))
CT_NVTX_NOTHING(nvtxNameCudaEventA, (void *event, const char *name))
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#undef CT_NVTX_NOTHING
#undef CT_NVTX_GIVES
#undef CT_NVTX

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
#endif

#endif
