/* resnet - basic blocks of ResNet as Tango's: two 3 x 3 convolutions and the shortcut; scaled but at the paper's
 * size. */
#include "cnn.h"

#ifdef __CUDACC__
CNN_KERNEL(resnet_conv3x3_a)
CNN_KERNEL(resnet_conv3x3_b)
#endif

APP(resnet)
{
	uint32_t side = app_pick(a, 14, 28, 28, 56), f = app_pick(a, 16, 16, 24, 64);
	uint32_t blocks = app_pick(a, 1, 1, 2, 1);
	struct cnn_tensor x = cnn_input(a, f, side);
	struct cnn_layer l = cnn_layer(f, side, f, 3, 1, 1);
	for (uint32_t i = 0; i < blocks; i++) {
		struct cnn_tensor y = cnn_tensor(a, "conv a", f, side), z = cnn_tensor(a, "conv b", f, side);
		CNN_CONVOLVE(a, resnet_conv3x3_a, &l, &x, NULL, &y, 0);
		CNN_CONVOLVE(a, resnet_conv3x3_b, &l, &y, &x, &z, 0);
		x = z;
	}
}
