# cuRAND's host interface: its kernels are what clang 19 makes of data/rand, programs link with it as with NVIDIA's, and traces show its kernels.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
unset CACHETRIAGE_GPU CACHETRIAGE_MAX_STEPS CACHETRIAGE_CHECK CACHETRIAGE_THREADS CACHETRIAGE_RESIDENT CACHETRIAGE_BOUNDS
kernels_compiled rand
if ! "$CT_RELEASE/ctcc" -std=c++17 -O0 -o rand "$CT_ROOT/tests/cuda/rand.cu" -lcurand 2>ctcc.txt; then
	skip "programs with cuRAND" "ctcc or clang is not here: $(head -n 1 ctcc.txt)"
	finish
fi
same "numbers are those of twins, of the host and of kernels, and distributed as they should be" "no error: 0 failures" "$(./rand 2>&1)"
same "and with one thread" "no error: 0 failures" "$(CACHETRIAGE_THREADS=1 ./rand 2>&1)"
same "after a kernel's fault there are none" "0 failures" "$(./rand fault 2>/dev/null)"
mkdir -p data && cp -r "$CT_ROOT/data/gpus" data/
check "without its kernels it says what is missing" eval 'CACHETRIAGE_DATA=$PWD/data ./rand 2>&1 | grep -q "data/rand/xorwow.ptx: the kernels of cuRAND are not there"'

# A program of C, whose trace has the kernels, and the states' copy.
cat >fill.c <<'END'
#include <curand.h>
#include <stdio.h>
int main(void)
{
	float *d, h[4096], sum = 0;
	curandGenerator_t g;
	cudaMalloc((void **)&d, sizeof h);
	curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
	curandSetPseudoRandomGeneratorSeed(g, 1234);
	curandStatus_t st = curandGenerateUniform(g, d, 4096);
	curandDestroyGenerator(g);
	curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MT19937);
	st = st ? st : curandGenerateNormal(g, d, 4096, 0, 1);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 4096; i++)
		sum += h[i];
	printf("%d %d\n", st, sum > -400 && sum < 400);
	return curandDestroyGenerator(g);
}
END
check "a program of C compiles" "$CT_RELEASE/ctcc" -o fill fill.c -lcurand
same "and runs" "0 1" "$("$CT_BIN/tracegen" capture --compress none -o f -- ./fill)"
same "its trace has the kernels by name" "ct_rand_xorwow_uniform ct_rand_mt19937 ct_rand_mt19937_normal" "$(grep -h '^-kernel name' f/kernel-?.traceg | sed 's/.* //' | paste -sd' ')"
same "and the copies of states" "MemcpyHtoD 98304 MemcpyHtoD 2500" "$(grep ^MemcpyHtoD f/kernelslist.g | awk -F, '{printf "%sMemcpyHtoD %d", n++ ? " " : "", $NF}')"
"$CT_BIN/tracegen" capture -o f1.ctz -- ./fill >/dev/null && CACHETRIAGE_THREADS=1 "$CT_BIN/tracegen" capture -o f2.ctz -- ./fill >/dev/null
check "which is the same each time" cmp f1.ctz f2.ctz
finish
