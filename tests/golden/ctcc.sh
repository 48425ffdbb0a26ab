# ctcc: nvcc's options, launches however they are written, what it refuses, and nothing left behind.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
own=$TMPDIR/tmp
mkdir "$own"
ctcc=$PWD/ctcc
printf '#!/bin/sh\nTMPDIR=%s exec %s "$@"\n' "$own" "$CT_BIN/ctcc" >ctcc
chmod +x ctcc

refuses "linking of the device side in advance" 2 'dlto is not supported' "$ctcc" -dlto -dc a.cu
refuses "neither true nor false" 2 'write true or false' "$ctcc" -rdc=yes -c a.cu
refuses "machine code" 2 'machine code' "$ctcc" -cubin a.cu
refuses "libraries that are not there" 2 'lcusolver is not supported' "$ctcc" a.cu -lcusolver
refuses "unknown options" 2 'unknown' "$ctcc" --frobnicate a.cu
refuses "an architecture that is none" 2 'sm_70' "$ctcc" -arch=volta -c a.cu
refuses "32-bit programs" 2 '64-bit' "$ctcc" -m32 -c a.cu
refuses "no source" 2 'no source' "$ctcc" -O3
refuses "a source that is not there" 2 'missing.cu: no such file' "$ctcc" -c missing.cu
: >a.txt
refuses "a file of no known kind" 2 'a.txt: what is it' "$ctcc" -c a.txt
: >a.ptx
refuses "PTX" 2 'tracegen ptx' "$ctcc" a.ptx
cat >a.cu <<'END'
#include "b.h"
int main() { return launch(); }
END
cat >b.h <<'END'
#include <vector>
#include "lane.h"
static __global__ void k(int *p, int n) { p[threadIdx.x] = n + lane(); }
static int launch()
{
	std::vector<std::vector<int> > v(1);
	const char *text = "k << <1, 2>> >"; // k << <1, 2>> >
	k << <1, dim3(2, 1)>> >((int *)0, 1 << 3);
	return v.size() == 1 && text[3] == '<' && text[4] == ' ' ? 0 : 1;
}
END
mkdir -p far && cat >far/lane.h <<'END'
static __device__ int lane()
{
	int a, b;
	asm volatile("mov.u32 %0, " /* %laneid */
		     "%laneid;" : "=r"(a));
	__asm__("mov.u32 %0, %%smid;" : "=r"(b));
	__shared__ alignas(16) int c[4];
	c[threadIdx.x & 3] = a;
	__syncthreads();
	return c[0] + b;
}
static inline const char *percent() { return "%laneid"; }
END
cp a.cu c.cu
refuses "a source where objects are linked" 2 'compile the sources with -dc' "$ctcc" -dlink a.cu
refuses "one name for two objects" 2 'one name for 2 outputs' "$ctcc" -c -o x.o a.cu c.cu
refuses "a compiler that is not there" 2 'cannot be started' env CTCC_CLANG=no-such-clang "$ctcc" -c a.cu
same "--dryrun shows both sides and runs neither" "2 0" "$("$ctcc" -dryrun -c a.cu 2>&1 | grep -c '^#\$ .*--cuda-.*-only') $(ls ./*.o 2>/dev/null | wc -l)"
same "options of nvcc" "" "$(CTCC_CLANG=echo "$ctcc" -arch sm_35 -gencode arch=compute_80,code=sm_80 --use_fast_math -lineinfo -maxrregcount=32 \
	-Xptxas -v,-O3 -Xcompiler -Wall,-fopenmp -I. -DN=3 -U M -std=c++17 -O3 -lm -lcudart -rdc=false -c a.cu 2>&1 >out | head -3)"
for word in --cuda-gpu-arch=sm_80 -DCTCC_FAST_MATH -fcuda-flush-denormals-to-zero -nvptx-prec-divf32=0 -gline-tables-only -I. -DN=3 -UM -std=c++17 -Wall -O3; do
	check "  $word arrives" grep -qe " $word" out
done
check "  -fopenmp does not" sh -c '! grep -qe " -fopenmp" out'

# What depends on the version of clang: its headers' way through ours, the PTX that it writes, and our passes over it.
with_clang() {
	check "$clang compiles launches with blanks, and special registers with one percent sign" "$ctcc" -c a.cu -Ifar
	same "$clang: kernels are registered" "1" "$(nm a.o | grep -c ' U __cudaRegisterFunction$')"
	check "$clang: the object says how it was made" grep -qa "ctcc .*$clang, sm_70: -c -I far a.cu" a.o
	same "$clang: the PTX is in the object" "1" "$(grep -ac '^.version 6.3' a.o)"
	check "$clang: -ptx" "$ctcc" -ptx -arch=sm_86 a.cu -Ifar -o a.out.ptx
	same "$clang: its target" ".target sm_86" "$(grep ^.target a.out.ptx)"
	printf '#include "names.h"\n__global__ void k(float *f, double *d) { *f = nanf(""); *d = nan("1"); }\n' >names.cu
	check "$clang: headers are known by CUDA's names" "$ctcc" -c names.cu
	printf '__global__ void k(float *p) { for (int i = 1; i <= __log2f(16); i++) p[i] += i; }\n' >log.cu
	"$ctcc" -ptx -o log.ptx log.cu
	same "$clang: a loop to the logarithm of a constant is unrolled" "4 0" "$(grep -c 'st.global' log.ptx) $(grep -c 'lg2' log.ptx)"
	cat >triangle.cu <<-'END'
		__global__ void k(float *p)
		{
			__shared__ float d[16][16], a[16][16];
			d[threadIdx.x][threadIdx.y] = a[threadIdx.y][threadIdx.x] = p[threadIdx.x];
			__syncthreads();
			for (int i = 0; i < 16; i++) {
				for (int j = 0; j < i; j++)
					a[threadIdx.x][i] -= d[j][i] * a[threadIdx.x][j];
				a[threadIdx.x][i] /= d[i][i];
			}
			if (threadIdx.y)
				p[threadIdx.x + 1] = a[15][threadIdx.x];
			else
				p[threadIdx.x * 2] = d[14][threadIdx.x];
		}
	END
	"$ctcc" -ptx -o triangle.ptx triangle.cu
	same "$clang: loops of 120 turns are unrolled, and each side of a branch stores" "120 2" \
		"$(grep -c 'fma.rn' triangle.ptx) $(grep -c 'st.global' triangle.ptx)"
	# Of the plain build: a run-time library with sanitizers needs them in the program, too.
	check "$clang: kernels of every kind" "$CT_RELEASE/ctcc" -o device "$CT_ROOT/tests/cuda/device.cu"
	same "$clang: what they compute" "all as in C" "$(./device 2>&1)"
	for name in layers mipmap surface; do
		check "$clang: textures and surfaces, $name" "$CT_RELEASE/ctcc" -o $name "$CT_ROOT/tests/cuda/$name.cu"
		same "$clang: which are as they should be" "0 failures" "$(./$name 2>&1)"
	done
	rdc=$CT_ROOT/tests/cuda
	check "$clang: what clang by itself does not take" "$CT_RELEASE/ctcc" -w -I"$rdc/spelled" -o spelled "$rdc/spelled.cu"
	same "$clang: which means what it does to nvcc" "no error: 0 failures" "$(./spelled 2>&1)"
	# Device code of one source that another uses.
	want=$'linked: 221\nother: 7\n221 70 250 234 1 16 0 0 7 3 71\ndepth 71, own 11 and 22, books 200, table 1.5, managed 35\nno error'
	check "$clang: -rdc=true with two sources" "$CT_RELEASE/ctcc" -rdc=true -o linked "$rdc/linked.cu" "$rdc/linked_other.cu"
	same "$clang: which use each other's functions and variables" "$want" "$(./linked 2>&1)"
}

# What ctcc does by itself.
by_itself() {
	check "-fatbin is the same PTX" eval '"$ctcc" -ptx -arch=sm_86 a.cu -Ifar -o a.out.ptx && "$ctcc" -fatbin -arch=sm_86 a.cu -Ifar && cmp a.fatbin a.out.ptx'
	check "what is not linked needs no library" "$ctcc" -c a.cu -Ifar -lcusolver
	check "several sources" "$ctcc" -c a.cu c.cu -Ifar
	printf 'int main(void) { return cudaGetDeviceCount(0); }\n' >lenient.c
	check "a source in C" "$ctcc" -c lenient.c
	printf '#include <cuda_runtime.h>\n#include <cuda.h>\nint main() { dim3 g(1); return cudaDeviceSynchronize() + (int)g.x; }\n' >api.cpp
	check "one in C++ with the API" "$ctcc" -c api.cpp
	printf '#include <cuda_runtime_api.h>\nstatic __host__ __device__ float f(float4 v) { return v.w; }\nint main() { return (int)f(float4()); }\n' >types.cpp
	check "whose declarations alone bring qualifiers and vectors" "$ctcc" -c types.cpp
	printf '#include "names.h"\n' | tee names.cpp >names.c
	check "CUDA's headers in C++" "$ctcc" -c -Xcompiler -Wall,-Wextra,-Werror names.cpp
	check "and in C" "$ctcc" -c -Xcompiler -Wall,-Wextra,-Werror names.c
	printf '__global__ void k() { undeclared(); }\n' >bad.cu
	"$ctcc" -c bad.cu -o bad.o >out 2>&1
	same "an error of the source is told once, exit 1" "1 1 0" "$? $(grep -c 'error: use of undeclared' out) $(ls bad.o 2>/dev/null | wc -l)"
	printf 'int h() { return 1; }\n__global__ void k(int *p) { *p = h(); }\n' >side.cu
	"$ctcc" -c side.cu >out 2>&1
	same "a call of the host's function in a kernel is an error" "1 1" "$? $(grep -c "error: no matching function for call to 'h'" out)"
	printf '__device__ int d() { return 1; }\nint main() { return d(); }\n' >side.cu
	"$ctcc" -c side.cu >out 2>&1
	same "and one of the device's on the host" "1 1" "$? $(grep -c "error: no matching function for call to 'd'" out)"
	printf '__global__ void k() {}\n__global__ void p() { k<<<1, 1>>>(); }\n' >nested.cu
	"$ctcc" -c nested.cu >out 2>&1
	same "dynamic parallelism is refused by name" "1 1" "$? $(grep -c 'dynamic parallelism' out)"
	printf '#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::this_multi_grid(); }\n' >grids.cu
	"$ctcc" -c grids.cu >out 2>&1
	same "groups of several grids are refused by name" "1 yes" "$? $(grep -q 'groups of several grids are not supported' out && echo yes)"
	rdc=$CT_ROOT/tests/cuda
	check "-rdc: two sources in the other order" "$CT_RELEASE/ctcc" -rdc true -o linked "$rdc/linked_other.cu" "$rdc/linked.cu"
	same "which do the same" "$want" "$(./linked 2>&1)"
	check "-dc" "$ctcc" -dc "$rdc/linked.cu" "$rdc/linked_other.cu"
	check "-dlink" "$ctcc" -dlink linked.o linked_other.o -o link.o
	same "makes an object without content" "" "$(nm link.o 2>&1 | grep -v 'no symbols')"
	check "objects and that one" "$CT_RELEASE/ctcc" linked.o linked_other.o link.o -o linked
	same "the same, too" "$want" "$(./linked 2>&1)"
	check "objects alone" "$CT_RELEASE/ctcc" -rdc=true linked.o linked_other.o -o linked
	same "and the same" "$want" "$(./linked 2>&1)"
	check "-dw is -c" eval '"$ctcc" -dw -o w.o a.cu -Ifar && "$ctcc" -c -o c.o a.cu -Ifar && [ "$(nm w.o)" = "$(nm c.o)" ]'
	printf '__device__ int f(int x) { return x + 1; }\n__device__ int v = 4;\n' >f.cu
	printf '#include <cstdio>\n__device__ int f(int);\nextern __device__ int v;\n__global__ void k() { printf("%%d\\n", f(v)); }\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >calls.cu
	check "a source of device functions alone" "$CT_RELEASE/ctcc" -rdc=true -o calls calls.cu f.cu
	same "is there" "5 0" "$(./calls) $?"
	check "one in an archive" eval '"$ctcc" -dc -MD f.cu && rm -f libf.a && ar rcs libf.a f.o && "$CT_RELEASE/ctcc" -rdc=true -o calls calls.cu -L. -lf'
	same "is found there" "5 0 0" "$(./calls) $? $(grep -c "$own" f.d)"
	printf '__device__ int v = 4;\n' >v.cu
	"$CT_RELEASE/ctcc" -rdc=true -o missing calls.cu v.cu >out 2>&1
	same "a function that no source has is named" "1 1" "$? $(grep -c 'undefined reference to .device function _Z1fi' out)"
}

found=
cp "$CT_ROOT/tests/cuda/names.h" names.h
for clang in clang-19 clang-14; do
	command -v $clang >/dev/null 2>&1 || { skip "$clang compiles" "$clang is not installed"; continue; }
	export CTCC_CLANG=$clang
	with_clang
	[ -n "$found" ] || by_itself
	found=$clang
done
same "no temporary file is left" "" "$(ls "$own")"
if [ -n "$found" ]; then
	printf '#!/bin/sh\nsleep 30 & wait\n' >slow
	chmod +x slow
	CTCC_CLANG=$PWD/slow "$ctcc" -c a.cu &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(ls "$own")" ] && break; sleep 0.2; done
	there=$(ls "$own" | wc -l)
	kill $pid
	wait $pid 2>/dev/null
	same "nor where a signal ends it" "1 0" "$there $(ls "$own" | wc -l)"
fi
finish
