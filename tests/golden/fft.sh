# cuFFT: its kernels are what clang 19 makes of data/fft, its results are those of direct sums, and traces show its kernels.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
unset CACHETRIAGE_GPU CACHETRIAGE_MAX_STEPS CACHETRIAGE_CHECK CACHETRIAGE_THREADS CACHETRIAGE_RESIDENT CACHETRIAGE_BOUNDS
kernels_compiled fft
if ! "$CT_RELEASE/ctcc" -std=c++17 -O0 -o fft "$CT_ROOT/tests/cuda/fft.cpp" -lcufft 2>ctcc.txt; then
	skip "programs with cuFFT" "ctcc or clang is not here: $(head -n 1 ctcc.txt)"
	finish
fi
same "transforms are direct sums" "no error: 0 failures" "$(./fft 2>&1)"
mkdir -p data && cp -r "$CT_ROOT/data/gpus" data/
check "without its kernels it says what is missing" eval 'CACHETRIAGE_DATA=$PWD/data ./fft 2>&1 | grep -q "data/fft/single.ptx: the kernels of cuFFT are not there"'

# A program of C, whose trace has the kernels: one pass, two with a real line's, and a convolution's two in one.
cat >waves.c <<'END_OF_C'
#include <cufft.h>
#include <stdio.h>
enum { N = 16384 };
int main(void)
{
	static cufftComplex h[N];
	cufftComplex *d, *half;
	cufftHandle one, real, chirp;
	cudaMalloc((void **)&d, sizeof h);
	cudaMalloc((void **)&half, sizeof h);
	for (int i = 0; i < N; i++)
		h[i].x = (float)(i % 7 - 3);
	cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
	if (cufftPlan1d(&one, 1024, CUFFT_C2C, 16) || cufftPlan1d(&real, N, CUFFT_R2C, 1) || cufftPlan1d(&chirp, 1009, CUFFT_C2C, 2))
		return 1;
	if (cufftExecC2C(one, d, d, CUFFT_FORWARD) || cufftExecC2C(one, d, d, CUFFT_INVERSE) || cufftExecR2C(real, (cufftReal *)d, half) ||
	    cufftExecC2C(chirp, d, d, CUFFT_INVERSE))
		return 1;
	cudaMemcpy(h, half, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i <= N / 2; i++)
		printf("%a %a\n", h[i].x, h[i].y);
	return cufftDestroy(one) || cufftDestroy(real) || cufftDestroy(chirp);
}
END_OF_C
check "a program of C compiles" "$CT_RELEASE/ctcc" -o waves waves.c -lcufft
check "and runs" eval '"$CT_BIN/tracegen" capture --compress none -o w -- ./waves >first.txt'
same "its trace has the kernels by name" "ct_fft_c2c ct_fft_c2c ct_fft_c2c ct_fft_c2c ct_fft_r2c_untangle ct_fft_c2c_general" \
	"$(grep -h '^-kernel name' w/kernel-?.traceg | sed 's/.* //' | paste -sd' ')"
CACHETRIAGE_THREADS=1 ./waves >second.txt
check "numbers are the same with one thread" cmp first.txt second.txt

# Stores of complex lines are of 32 numbers that lie next to each other, in one pass and in both of two; kernels 1, 3 and 4.
same "stores of a warp are together" "512 256 256" \
	"$(for k in 1 3 4; do grep -cE '^[0-9a-f]+ ffffffff 0 STG.E.64.SYS 2 R[0-9]+ R[0-9]+ 8 1 0x[0-9a-f]+ 8 ' w/kernel-$k.traceg; done | paste -sd' ')"
same "and there are no others" "512 256 256" "$(for k in 1 3 4; do grep -c STG w/kernel-$k.traceg; done | paste -sd' ')"
finish
