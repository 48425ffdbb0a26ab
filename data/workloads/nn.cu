/* nn - nearest neighbours as Rodinia's: the distances of all records to a place. */
#include "inputs.h"

enum { BLOCK = 64, RECORDS = 42764 /* of the original's input */ };

struct place {
	float latitude, longitude;
};

#ifdef __CUDACC__
extern "C" __global__ void
nn_distance(const place *places, float *distances, int n, float latitude, float longitude)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float x = latitude - places[i].latitude, y = longitude - places[i].longitude;
		distances[i] = sqrtf(x * x + y * y);
	}
}
#endif

APP(nn)
{
	uint32_t n = RECORDS * app_pick(a, 1, 20, 120, 400);
	struct place *p = (struct place *)app_host(a, n, sizeof *p);
	float *want = (float *)app_host(a, n, sizeof *want), *got = (float *)app_host(a, n, sizeof *got);
	float latitude = 30, longitude = 90;
	for (uint32_t i = 0; i < n; i++) {
		p[i].latitude = app_between(a, 0, 70);
		p[i].longitude = app_between(a, 0, 360);
		double x = (double)latitude - (double)p[i].latitude;
		double y = (double)longitude - (double)p[i].longitude;
		want[i] = (float)(x * x + y * y);
	}
	const void *places = app_upload(a, "places", p, sizeof *p * n);
	void *distances = app_device(a, "distances", sizeof *got * n);
	APP_LAUNCH(a, nn_distance, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &places, &distances, &n,
	           &latitude, &longitude);
	app_to_host(a, got, distances, sizeof *got * n);
	for (uint32_t i = 0; i < n; i++)
		got[i] *= got[i];
	app_check_floats(a, "squared distance", got, want, n, 1e-5f);
}
