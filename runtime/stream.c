/* Streams and events. Work is done when its call returns, but on a stream that is captured into a graph: every stream is
 * empty, and an event that was recorded has happened. The time between events is that of the host's clock: how long the emulation took. */
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "runtime/runtime.h"

/* Hints, which are kept for a program that asks for them. */
struct hints {
	struct cudaAccessPolicyWindow window;
	enum cudaSynchronizationPolicy policy; /* 0: none was set */
};

struct CUstream_st {
	struct CUstream_st *next;
	struct hints hints;
	unsigned flags;
	int priority;
	cudaGraph_t capture; /* NULL: its work is done */
};

struct CUevent_st {
	struct CUevent_st *next;
	unsigned flags;
	int recorded;
	struct timespec when;
	cudaGraph_t capture; /* of the stream on which it was recorded last */
};

static struct CUstream_st *streams;
static struct CUevent_st *events;
static struct hints default_hints; /* of the default streams */

/* The default streams are no objects. */
static int is_default(cudaStream_t s)
{
	return s == NULL || s == cudaStreamLegacy || s == cudaStreamPerThread;
}

static cudaError_t check_stream(cudaStream_t s)
{
	if (is_default(s))
		return cudaSuccess;
	for (struct CUstream_st *at = streams; at; at = at->next)
		if (at == s)
			return cudaSuccess;
	return cudaErrorInvalidResourceHandle;
}

static cudaError_t check_event(cudaEvent_t e)
{
	for (struct CUevent_st *at = events; at; at = at->next)
		if (at == e)
			return cudaSuccess;
	return cudaErrorInvalidResourceHandle;
}

cudaGraph_t *ct_cuda_capture_of(cudaStream_t stream)
{
	return is_default(stream) || check_stream(stream) != cudaSuccess ? NULL : &stream->capture;
}

void ct_cuda_end_capture(cudaGraph_t graph)
{
	for (struct CUstream_st *s = streams; s; s = s->next)
		s->capture = s->capture == graph ? NULL : s->capture;
	for (struct CUevent_st *e = events; e; e = e->next)
		e->capture = e->capture == graph ? NULL : e->capture;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!stream || flags > cudaStreamNonBlocking))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct CUstream_st *s = ct_calloc(1, sizeof *s);
		if (s) {
			s->flags = flags;
			s->priority = priority < -1 ? -1 : priority > 0 ? 0 : priority;
			s->next = streams;
			streams = s;
			*stream = s;
		} else {
			error = cudaErrorMemoryAllocation;
		}
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (is_default(stream) || check_stream(stream) != cudaSuccess))
		error = cudaErrorInvalidResourceHandle;
	for (struct CUstream_st **at = &streams; error == cudaSuccess && *at; at = &(*at)->next)
		if (*at == stream) {
			*at = stream->next;
			free(stream);
			break;
		}
	return ct_cuda_leave(error);
}

/* A call that only needs a stream that is there. */
static cudaError_t on_stream(cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_stream(stream);
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return on_stream(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return on_stream(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && flags != 0)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = check_stream(stream);
	if (error == cudaSuccess)
		error = check_event(event);
	if (error == cudaSuccess && event->capture && !is_default(stream))
		stream->capture = event->capture;
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = flags ? check_stream(stream) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*flags = is_default(stream) ? cudaStreamDefault : stream->flags;
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = priority ? check_stream(stream) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*priority = is_default(stream) ? 0 : stream->priority;
	return ct_cuda_leave(error);
}

static struct hints *hints_of(cudaStream_t stream)
{
	return is_default(stream) ? &default_hints : &stream->hints;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   const union cudaLaunchAttributeValue *value)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = value ? check_stream(stream) : cudaErrorInvalidValue;
	if (error == cudaSuccess && attribute == cudaLaunchAttributeAccessPolicyWindow)
		hints_of(stream)->window = value->accessPolicyWindow;
	else if (error == cudaSuccess && attribute == cudaLaunchAttributeSynchronizationPolicy)
		hints_of(stream)->policy = value->syncPolicy;
	else if (error == cudaSuccess && attribute == cudaLaunchAttributePriority && !is_default(stream))
		stream->priority = value->priority < 0 ? -1 : 0;
	else if (error == cudaSuccess)
		error = cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attribute,
                                   union cudaLaunchAttributeValue *value)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = value ? check_stream(stream) : cudaErrorInvalidValue;
	if (error == cudaSuccess && attribute == cudaLaunchAttributeAccessPolicyWindow)
		value->accessPolicyWindow = hints_of(stream)->window;
	else if (error == cudaSuccess && attribute == cudaLaunchAttributeSynchronizationPolicy)
		value->syncPolicy = hints_of(stream)->policy ? hints_of(stream)->policy
		                                             : cudaSyncPolicyAuto;
	else if (error == cudaSuccess && attribute == cudaLaunchAttributePriority)
		value->priority = is_default(stream) ? 0 : stream->priority;
	else if (error == cudaSuccess)
		error = cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_stream(to);
	if (error == cudaSuccess)
		error = check_stream(from);
	if (error == cudaSuccess)
		*hints_of(to) = *hints_of(from);
	return ct_cuda_leave(error);
}

/* Which lines persist is the replay's to say. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return ct_cuda_leave(ct_cuda_enter());
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned flags)
{
	cudaError_t error = on_stream(stream);
	if (error == cudaSuccess && (!callback || flags != 0))
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidValue);
	if (error == cudaSuccess)
		callback(stream, cudaSuccess, user);
	return error;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
	cudaError_t error = on_stream(stream);
	if (error == cudaSuccess && !function)
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidValue);
	if (error != cudaSuccess)
		return error;
	return ct_cuda_submit(stream, &(struct ct_cuda_work){
					      .kind = CT_CUDA_HOST, .function = function, .user = user});
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !event)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct CUevent_st *e = ct_calloc(1, sizeof *e);
		if (e) {
			e->flags = flags;
			e->next = events;
			events = e;
			*event = e;
		} else {
			error = cudaErrorMemoryAllocation;
		}
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_event(event);
	for (struct CUevent_st **at = &events; error == cudaSuccess && *at; at = &(*at)->next)
		if (*at == event) {
			*at = event->next;
			free(event);
			break;
		}
	return ct_cuda_leave(error);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_stream(stream);
	if (error == cudaSuccess)
		error = check_event(event);
	if (error == cudaSuccess) {
		event->capture = is_default(stream) ? NULL : stream->capture;
		if (!event->capture) {
			clock_gettime(CLOCK_MONOTONIC, &event->when);
			event->recorded = 1;
		}
	}
	return ct_cuda_leave(error);
}

static cudaError_t on_event(cudaEvent_t event)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_event(event);
	return ct_cuda_leave(error);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return on_event(event);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return on_event(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !milliseconds)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess &&
	    (check_event(start) != cudaSuccess || check_event(end) != cudaSuccess || !start->recorded ||
	     !end->recorded || ((start->flags | end->flags) & cudaEventDisableTiming)))
		error = cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess)
		*milliseconds = (float)((double)(end->when.tv_sec - start->when.tv_sec) * 1e3 +
		                        (double)(end->when.tv_nsec - start->when.tv_nsec) * 1e-6);
	return ct_cuda_leave(error);
}
