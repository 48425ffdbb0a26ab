/* alexnet - the first two convolutions of AlexNet with their pooling, as Tango's; images and filters scaled but at the
 * paper's size. */
#include "cnn.h"

#ifdef __CUDACC__
CNN_KERNEL(alexnet_conv1)
CNN_KERNEL(alexnet_conv2)
#endif

APP(alexnet)
{
	uint32_t side = app_pick(a, 67, 99, 131, 227), f1 = app_pick(a, 16, 24, 32, 96);
	uint32_t f2 = app_pick(a, 16, 32, 48, 256);
	struct cnn_layer c1 = cnn_layer(3, side, f1, 11, 4, 0);
	struct cnn_tensor in = cnn_input(a, 3, side), x = cnn_tensor(a, "conv1", f1, cnn_side(&c1));
	CNN_CONVOLVE(a, alexnet_conv1, &c1, &in, NULL, &x, 0);
	struct cnn_tensor y = cnn_pool(a, &x);
	struct cnn_layer c2 = cnn_layer(f1, y.side, f2, 5, 1, 2);
	struct cnn_tensor z = cnn_tensor(a, "conv2", f2, y.side);
	CNN_CONVOLVE(a, alexnet_conv2, &c2, &y, NULL, &z, 0);
	cnn_pool(a, &z);
}
