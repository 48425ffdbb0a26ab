/* Transforms in single precision. */
#include "fft.cuh"

CT_FFT_KERNEL(c2c, complex_lines<float>, ct_fft_pass)
CT_FFT_KERNEL(c2c_general, any_lines<float>, ct_fft_pass)
CT_FFT_KERNEL(r2c, real_lines<float>, ct_fft_pass)
CT_FFT_KERNEL(c2r, lines_to_real<float>, ct_fft_pass)
CT_FFT_KERNEL(r2c_untangle, (tangle_lines<float, false>), ct_fft_tangle)
CT_FFT_KERNEL(c2r_tangle, (tangle_lines<float, true>), ct_fft_tangle)
