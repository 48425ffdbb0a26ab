/* squeezenet - a fire module of SqueezeNet as Tango's: 1 x 1 squeeze, 1 x 1 and 3 x 3 expand side by side, then
 * pooling; scaled but at the paper's size. */
#include "cnn.h"

#ifdef __CUDACC__
CNN_KERNEL(fire_squeeze1x1)
CNN_KERNEL(fire_expand1x1)
CNN_KERNEL(fire_expand3x3)
#endif

APP(squeezenet)
{
	uint32_t side = app_pick(a, 27, 27, 41, 55), s = app_pick(a, 8, 12, 12, 16);
	uint32_t e = app_pick(a, 16, 32, 48, 64);
	struct cnn_tensor x = cnn_input(a, 2 * e, side), y = cnn_tensor(a, "squeeze", s, side);
	struct cnn_tensor out = cnn_tensor(a, "expand", 2 * e, side);
	struct cnn_layer squeeze = cnn_layer(2 * e, side, s, 1, 1, 0), e1 = cnn_layer(s, side, e, 1, 1, 0);
	struct cnn_layer e3 = cnn_layer(s, side, e, 3, 1, 1);
	CNN_CONVOLVE(a, fire_squeeze1x1, &squeeze, &x, NULL, &y, 0);
	CNN_CONVOLVE(a, fire_expand1x1, &e1, &y, NULL, &out, 0);
	CNN_CONVOLVE(a, fire_expand3x3, &e3, &y, NULL, &out, e);
	cnn_pool(a, &out);
}
