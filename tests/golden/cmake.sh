# A project of CMake takes ctcc for its CUDA compiler, and whatever looks for a CUDA toolkit by its folder finds one.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
# The plain build has the library that programs run with.
toolkit=$("$CT_RELEASE/ctcc" --print-toolkit)
check "ctcc names a folder that is laid out as a toolkit" test -d "$toolkit"
for f in bin/nvcc include/cuda_runtime.h lib64/libcudart.so lib64/libcudart_static.so lib64/libcuda.so lib/libcudadevrt.so nvvm/libdevice; do
	check "  it has $f" test -e "$toolkit/$f"
done
same "its compiler is ctcc" "$("$CT_BIN/ctcc" --version)" "$("$toolkit/bin/nvcc" --version)"
"$CT_RELEASE/ctcc" -dryrun -arch=sm_80 -o p "$CT_ROOT/tests/cuda/add.cu" >shown 2>&1
same "-v says where things are" "$toolkit" "$(sed -n 's/^#\$ TOP=//p' shown)"
check "and for which capability" grep -q -- '-arch compute_80$' shown
check "the line that links has what LIBRARIES says" eval 'grep -q -- "$(sed -n "s/^#\$ LIBRARIES=//p" shown) .*-lctcuda" shown'

# ---- what CMake writes, without it ----

clang=$(command -v clang-19 || command -v clang-14) || { skip "ctcc compiles" "clang is not installed"; finish; }
cat >add.cu <<'END'
#include <cstdio>
#include <cuda_runtime.h>
__global__ void add(int *a) { a[threadIdx.x] += ADDED; }
int main()
{
	int *d, h[32];
	cudaMalloc(&d, sizeof h);
	cudaMemset(d, 0, sizeof h);
	add<<<1, 32>>>(d);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d\n", h[31]);
	return cudaFree(d);
}
END
printf -- '-DADDED="4 + 3" --options-file more\n' >words
printf -- '-I"." -I %s\n' "'a folder'" >more
check "options files, which name others" "$CT_BIN/ctcc" -forward-unknown-to-host-compiler --options-file words -march=native -fno-strict-aliasing -Werror all-warnings \
	-Xcudafe --diag_suppress=177 --diag-suppress=20012 -isystem="$toolkit/include" "--generate-code=arch=compute_80,code=[compute_80,sm_80]" \
	-Xcompiler=-fPIE -MD -MT add.o -MF add.d -x cu -c add.cu -o add.o
check "  and makes a rule" grep -q '^add.o:.*add.cu' add.d
refuses "options that it does not know, unless told to pass them on" 2 'unknown' "$CT_BIN/ctcc" -DADDED=7 -fno-strict-aliasing -c add.cu
check "and passes them on" eval 'CTCC_CLANG=echo "$CT_BIN/ctcc" -forward-unknown-opts -Ofast -march=native -pthread -O1 -c add.cu | tail -1 | grep -q -- "-O1 .* -Ofast -march=native -pthread "'
check "and words in quotes" eval 'CTCC_CLANG=echo "$CT_BIN/ctcc" -Xcompiler ",\"-g\",\"-O1\"" -c add.cu | tail -1 | grep -q -- " -g -O1 "'
check "a value that looks like an option is a value" eval 'CTCC_CLANG=echo "$CT_BIN/ctcc" -Xcompiler -shared -c add.cu | tail -1 | grep -q -- " -shared "'
same "the host's compiler tells its version, without a source" "$("$clang" -dumpversion)" "$("$CT_BIN/ctcc" .c -Xcompiler "-dumpfullversion -dumpversion")"
same "and its name, which CMake files read" clang "$("$CT_BIN/ctcc" .c -Xcompiler --version | grep -o clang | head -n 1)"
printf -- '--options-file loop\n' >loop
refuses "options files that name themselves" 2 'name one another' "$CT_BIN/ctcc" -optf loop -c add.cu
refuses "one that is not there" 2 'nowhere: no such file' "$CT_BIN/ctcc" -optf=nowhere -c add.cu
for lib in cudart cudart_static cuda nvrtc; do
	check "a linker finds lib$lib in the toolkit" "$clang" -o with-$lib add.o -L"$toolkit/lib64" -l$lib
	same "  and the program the library, by itself" 7 "$(env -u LD_LIBRARY_PATH ./with-$lib)"
done

# ---- CMake ----

command -v cmake >/dev/null 2>&1 || { skip "projects of CMake" "cmake is not installed"; finish; }
mkdir project && cd project || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(P LANGUAGES C CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(device STATIC device.cu)
set_target_properties(device PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_executable(separable main.cu)
set_target_properties(separable PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(separable device)
add_library(whole SHARED whole.cu)
set_target_properties(whole PROPERTIES CUDA_STANDARD 17)
target_compile_options(whole PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-extended-lambda;-Xcudafe;--display_error_number>)
add_executable(host host.cpp)
target_link_libraries(host whole CUDA::cudart CUDA::cuda_driver CUDA::nvrtc)
add_executable(blas blas.c)
target_link_libraries(blas CUDA::cublas CUDA::cufft CUDA::curand CUDA::cusparse CUDA::cudart)
END
echo '__device__ int twice(int x) { return 2 * x; }' >device.cu
cat >main.cu <<'END'
#include <cstdio>
extern __device__ int twice(int);
__global__ void k(int *p) { *p = twice(*p); }
int main()
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = 21;
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	printf("%d\n", *p);
}
END
cat >whole.cu <<'END'
__global__ void k(int *p) { if constexpr (sizeof(int) == 4) *p += 1; }
int next(int x)
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = x;
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	return *p;
}
END
cat >host.cpp <<'END'
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime_api.h>
int next(int x);
int main()
{
	int n = 0, version = 0;
	cudaGetDeviceCount(&n);
	cuDriverGetVersion(&version);
	printf("%d %d %d\n", n, next(41), version >= 11000);
}
END
cat >blas.c <<'END'
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusparse_v2.h>
#include <stdio.h>
int main(void)
{
	float x[3] = {1, -2, 3}, sum = 0, *d = NULL;
	cublasHandle_t h;
	curandGenerator_t g;
	cusparseHandle_t s;
	cufftHandle f;
	cublasStatus_t st = cublasCreate(&h);
	cudaMalloc((void **)&d, sizeof x);
	cublasSetVector(3, sizeof *x, x, 1, d, 1);
	if (!st)
		st = cublasSasum(h, 3, d, 1, &sum);
	printf("%s %g\n", cublasGetStatusName(st), sum);
	if (curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10) || curandGenerateUniform(g, d, 3) || curandDestroyGenerator(g))
		return 1;
	cublasGetVector(3, sizeof *x, d, 1, x, 1);
	printf("%.3f\n", x[0]);
	if (cusparseCreate(&s) || cusparseXcoo2csr(s, (int *)d, 0, 2, (int *)d, CUSPARSE_INDEX_BASE_ONE) || cusparseDestroy(s))
		return 1;
	cublasGetVector(3, sizeof *x, d, 1, x, 1);
	printf("%d\n", *(int *)&x[2]);
	if (cufftPlan1d(&f, 1, CUFFT_C2C, 1) || cufftExecC2C(f, (cufftComplex *)d, (cufftComplex *)d, CUFFT_FORWARD) || cufftDestroy(f))
		return 1;
	return cublasDestroy(h);
}
END
check "CMake takes ctcc for a compiler" eval 'cmake -S . -B build -DCMAKE_CUDA_COMPILER="$CT_RELEASE/ctcc" -DCMAKE_BUILD_TYPE=Release >log 2>&1 || { cat log; false; }'
same "and finds its toolkit" "$toolkit/include" "$(sed -n 's/.*Found CUDAToolkit: \([^ ]*\).*/\1/p' log)"
check "it builds libraries and programs" eval 'cmake --build build >log 2>&1 || { tail -30 log; false; }'
same "device code that is linked" 42 "$(build/separable)"
same "a program of C++ with a library of kernels" "1 42 1" "$(build/host)"
same "a program of C with cuBLAS, cuFFT, cuRAND and cuSPARSE" $'CUBLAS_STATUS_SUCCESS 6\n0.399\n1' "$(build/blas)"
touch device.cu
check "and again what has changed" eval 'cmake --build build | grep -q "Building CUDA object .*device.cu.o"'

# Projects of long ago look for the toolkit themselves.
mkdir ../old && cd ../old && cp ../add.cu . || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.5)
project(Old CXX)
find_package(CUDA REQUIRED)
set(CUDA_NVCC_FLAGS "${CUDA_NVCC_FLAGS};-O3;-DADDED=7;-gencode;arch=compute_70,code=sm_70")
cuda_add_executable(old add.cu)
END
if [ -e "$(cmake --help-module FindCUDA >/dev/null 2>&1 && echo /dev/null)" ]; then
	check "and find it" eval 'cmake -S . -B build -DCUDA_TOOLKIT_ROOT_DIR="$toolkit" >log 2>&1 && cmake --build build >>log 2>&1 || { tail -30 log; false; }'
	same "their programs run" 7 "$(build/old)"
else
	skip "projects that look for the toolkit themselves" "this cmake has no FindCUDA"
fi
finish
