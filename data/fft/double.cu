/* Transforms in double precision. */
#include "fft.cuh"

CT_FFT_KERNEL(z2z, complex_lines<double>, ct_fft_pass)
CT_FFT_KERNEL(z2z_general, any_lines<double>, ct_fft_pass)
CT_FFT_KERNEL(d2z, real_lines<double>, ct_fft_pass)
CT_FFT_KERNEL(z2d, lines_to_real<double>, ct_fft_pass)
CT_FFT_KERNEL(d2z_untangle, (tangle_lines<double, false>), ct_fft_tangle)
CT_FFT_KERNEL(z2d_tangle, (tangle_lines<double, true>), ct_fft_tangle)
