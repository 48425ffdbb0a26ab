# CUDA programs run by themselves and under tracegen capture: choice of launches, forms of output, faults, exit codes;
# nothing half-written.
. "$(dirname "$0")/lib.sh"
T=$CT_BIN/tracegen
cd "$TMPDIR" || exit 1
unset CACHETRIAGE_GPU CACHETRIAGE_MAX_STEPS CACHETRIAGE_CHECK CACHETRIAGE_THREADS CACHETRIAGE_RESIDENT CACHETRIAGE_BOUNDS

refuses "a check that there is not" 2 'the one check is init' "$T" capture --check all -o x -- true
refuses "an option of OpenCL with one of CUDA" 2 'launches alone chooses' "$T" capture --warp 64 -k a -o x -- true
refuses "capture's options with a workload" 2 'no options of ptx|no capture options' "$T" vecadd -k a -o x
if ! "$CT_RELEASE/ctcc" -O2 -lineinfo -o add "$CT_ROOT/tests/cuda/add.cu" 2>ctcc.txt; then
	skip "CUDA programs are captured" "ctcc or clang is not here: $(head -n 1 ctcc.txt)"
	finish
fi
rm -f ctcc.txt refuses.out

want=$'thread 3 of add: 4.0\nno error\n0 wrong, 2 hits'
same "a program runs by itself" "$want" "$(./add)"
same "and under capture" "$want" "$("$T" capture -o f -- ./add)"
same "the folder lists copies and launches" "2 3" "$(grep -c ^MemcpyHtoD f/kernelslist.g) $(grep -c ^kernel- f/kernelslist.g)"
same "and the program" "command ./add" "$(grep ^command f/tracegen.txt)"
same "arrays.tsv has both arrays, and the variable by its name" "2 1" \
	"$(grep -cE $'^0x[0-9a-f]+\t4000\tarray@0x[0-9a-f]+\\+4000\t1$' f/arrays.tsv) $(grep -cE $'\t4\thits\t1$' f/arrays.tsv)"
check "a packed file" "$T" capture -o f.ctz -- ./add
"$T" capture -- ./add >s.ctz 2>s.txt
same "on standard output the trace has it alone" "$want" "$(cat s.txt)"
facts() { "$CT_RELEASE/traceinfo" -q -O profile "$1" | grep -E $'^(KN|SN)\t' | grep -v text_bytes; }
same "all forms hold the same: packed" "$(facts f)" "$(facts f.ctz)"
same "all forms hold the same: streamed" "$(facts f)" "$(facts s.ctz)"
arrays() { "$CT_RELEASE/traceinfo" -q -O table "$1" | sed -n '/^array /,/^$/p'; }
same "a packed file tells of the arrays as the folder does" "$(arrays f)" "$(arrays f.ctz)"
same "the arrays and the variable" "2 1" "$(arrays f.ctz | grep -c '^array@0x.*+4000 .* 4,000 *1$') $(arrays f.ctz | grep -c '^hits .* 4 *1$')"
"$CT_RELEASE/tracecat" -q -o c.ctz f.ctz && "$CT_RELEASE/tracecat" -q -O accelsim -o c f
same "tracecat keeps them" "$(arrays f)$(arrays f)" "$(arrays c.ctz)$(arrays c)"
rm -rf c c.ctz
check "reuse reads it from a pipe" bash -o pipefail -c "'$T' capture -- ./add 2>/dev/null | '$CT_RELEASE/reuse' -q - | grep -q l1_miss_rate"
check "a second time the same bytes" bash -c "'$T' capture -o g.ctz -- ./add >/dev/null && cmp f.ctz g.ctz"

# What is in the memory that a launch touched, at its end: y, after add and after each doubling.
"$T" capture --values --compress none -o values -- ./add >/dev/null
numbers() { od -An -v -w4 -tf4 "values/kernel-$1.blocks" | awk '(NR - 1) % 34 > 1 {print $1}'; } # behind each line's address
same "--values: the lines of y, whole" "$((32 * 136)) 32" "$(stat -c %s values/kernel-3.blocks) $("$CT_RELEASE/bdi" -q values/kernel-3.blocks | awk '$3 == "compression_blocks" {print $4}')"
same "--values: what the kernel left there" "$(seq 4 4 4000)" "$(numbers 3 | head -n 1000)"
same "--values: and the kernel before" "$(seq 2 2 2000)" "$(numbers 2 | head -n 1000)"
refuses "a packed trace has no place for them" 2 'give a folder' "$T" capture --values -o v.ctz -- ./add
rm -rf values

# Which launches: add, twice, twice.
names() { "$CT_RELEASE/traceinfo" -q -O profile "$1" | awk -F'\t' '$1 == "KN" {printf "%s%s:%s", n++ ? " " : "", $2, $3}'; }
chosen() { "$T" capture --force -o k.ctz "$@" -- ./add >/dev/null && names k.ctz; }
same "-k REGEX" "2:_Z5twicePfi 3:_Z5twicePfi" "$(chosen -k twice)"
same "-k N" "3:_Z5twicePfi" "$(chosen -k 3)"
same "--skip, --launches" "2:_Z5twicePfi" "$(chosen --skip 1 --launches 1)"
same "--end: the program does not come to its end" "2:_Z5twicePfi 0" "$(chosen --skip 1 --launches 1 --end) $("$T" capture --force -o k.ctz --launches 1 --end -- ./add | grep -c hits)"
refuses "--end without a number" 2 'needs --launches' "$T" capture --force -o k.ctz --end -- ./add
same "-k with --skip" "3:_Z5twicePfi" "$(chosen -k twice --skip 1)"
refuses "no launch is chosen" 2 'no launch was chosen' bash -c "'$T' capture -o none -k nothing -- ./add 2>&1 >/dev/null | tail -n 1 >&2; exit \${PIPESTATUS[0]}"

# What was there before.
refuses "an earlier folder stays" 2 'force replaces it' "$T" capture -o f -- ./add
refuses "an earlier file stays" 2 'force replaces it' "$T" capture -o f.ctz -- ./add
check "--force replaces a folder" eval '"$T" capture --force --launches 1 -o f -- ./add >/dev/null && [ "$(grep -c ^kernel- f/kernelslist.g)" = 1 ]'
mkdir other && : >other/file
refuses "a folder of another's stays" 2 'not \(only\) a tracegen output' "$T" capture --force -o other -- ./add
rm -rf f g.ctz f.ctz s.ctz s.txt k.ctz other refuses.out

# How a program may end.
run() { # ARGUMENT: exit status, then what standard error says
	"$T" capture -o r "${@:2}" -- ./add "$1" >out.txt 2>err.txt
	echo "$?"
}
same "another status: exit 1" 1 "$(run status)"
same "the trace is kept, and says so" "status 3" "$(grep ^status r/tracegen.txt)"
check "with a warning" grep -q 'ended with status 3: its trace is kept' err.txt
check "whoever reads the folder is warned" eval '"$CT_RELEASE/reuse" r 2>&1 >/dev/null | grep -q "ended with status 3"'
"$T" capture -o r.ctz -- ./add status >/dev/null 2>&1
check "and who reads a packed file" eval '"$CT_RELEASE/reuse" r.ctz 2>&1 >/dev/null | grep -q "ended with status 3"'
"$CT_RELEASE/tracecat" -q -O accelsim -o rc r.ctz
same "traceinfo and tracecat know, too" "3 3" "$("$CT_RELEASE/traceinfo" -q -O profile r.ctz | awk -F'\t' '$3 == "program_status" { print $4 }') $("$CT_RELEASE/traceinfo" -q -O profile rc | awk -F'\t' '$3 == "program_status" { print $4 }')"
rm -rf r.ctz rc
rm -rf r
same "a fault: exit 1" 1 "$(run far)"
same "CUDA's error follows" "an illegal memory access was encountered" "$(tail -n 1 out.txt)"
check "the fault names kernel, block and thread" \
	grep -qE 'add\[1\]\.ptx:[0-9]+: kernel _Z3addPfPKfi, block \(7,0,0\), thread \(104,0,0\): ld\.global.* of 4 bytes at .* is out of range' err.txt
check "the nearest allocation" grep -q 'it is 0 bytes behind the end of allocation 1 (4000 bytes at' err.txt
check "and the line of the source" grep -q "in .*tests/cuda/add.cu:$(grep -n 'y\[i\] += x\[i\]' "$CT_ROOT/tests/cuda/add.cu" | cut -d: -f1)\$" err.txt
rm -rf r
check "and what lets it go on as boards do" grep -q 'CACHETRIAGE_BOUNDS=pages' err.txt
same "which it does" "0 0 wrong, 2 hits" "$(CACHETRIAGE_BOUNDS=pages run far) $(tail -n 1 out.txt)"
rm -rf r
refuses "bounds that there are not" 2 'exact or pages' env CACHETRIAGE_BOUNDS=none ./add
same "killed by a signal: exit 2" 2 "$(run abort)"
check "which is named" grep -q 'killed by signal 6' err.txt
same "no launch: exit 2" 2 "$(run none)"
same "a kernel that waits for a later block ends at --max-steps" 1 "$(run loop --max-steps 10000)"
check "with an error that names the loop" grep -qE 'more than 10000 warp instructions, in the loop of lines [0-9]+ to [0-9]+' err.txt
rm -rf r
same "--check init" 0 "$(run unset --check init)"
check "tells who reads what nothing wrote" grep -qE 'kernel _Z3addPfPKfi, block \(0,0,0\), thread \(0,0,0\): ld\.global.* reads 4 bytes .* of allocation 1 ' err.txt
check "and how often" grep -q 'check init: 1000 reads of memory that nothing has written, by 1 instruction' err.txt
rm -rf r
same "of a program without such a read nothing" 0 "$(run '' --check init)"
check "but the count" grep -q 'check init: 0 reads' err.txt
rm -rf r
printf '#!/bin/sh\n./add\n./add status\nexit 0\n' >script && chmod +x script
check "of a script the first program is recorded" "$T" capture -o r -- ./script
"$T" capture --force -o r -- ./script >/dev/null 2>err.txt
same "with all its launches" 3 "$(grep -c ^kernel- r/kernelslist.g)"
check "the others are told of" grep -q 'another program of this run is recorded' err.txt
rm -rf r script
same "nothing else is left" "add err.txt out.txt" "$(ls -A | grep -v refuses.out | tr '\n' ' ' | sed 's/ $//')"

# A signal ends tracegen and its program.
cat >stuck.cu <<'C'
#include <cuda_runtime.h>
#include <unistd.h>
int main() { void *p; cudaMalloc(&p, 4); for (;;) sleep(1); }
C
"$CT_RELEASE/ctcc" -o stuck stuck.cu
"$T" capture -o x -- ./stuck >/dev/null 2>stop.txt &
pid=$!
for _ in $(seq 100); do ls -A | grep -q '^\.x\.' && break; sleep 0.05; done
sleep 0.3
kill -TERM "$pid"
wait "$pid"
same "a signal ends it with status 2" 2 "$?"
same "and leaves nothing behind" "" "$(ls -A | grep '^\.*x')"

# Textures, and two units whose kernels and variables have the same names.
check "textures and two units compile" "$CT_RELEASE/ctcc" -O2 -w -o texture "$CT_ROOT/tests/cuda/texture.cu" "$CT_ROOT/tests/cuda/unit.cu"
same "they compute what they should" "reference to memory: 0 wrong, no error
reference to an array: 0 wrong, no error
object of pitched memory: 0 wrong, no error
the other unit has 21" "$(./texture)"
check "and are captured" "$T" capture -o t -- ./texture
same "with variables at places of their own" 2 "$(awk -F'\t' '$3 ~ /own/ {print $1}' t/arrays.tsv | sort -u | wc -l)"

# Device code in two sources.
check "sources whose device code is linked compile" "$CT_RELEASE/ctcc" -lineinfo -rdc=true -o linked "$CT_ROOT/tests/cuda/linked.cu" "$CT_ROOT/tests/cuda/linked_other.cu"
same "they run" "no error" "$(./linked | tail -n 1)"
check "and are captured" "$T" capture -o linked.ctz -- ./linked
same "a variable of both is there once, one of each twice" "1 2" \
	"$(arrays linked.ctz | grep -c '^depth ') $(arrays linked.ctz | grep -c '^_ZL3own')"
same "kernels of one name are told apart" "1:_ZL3usePi 2:_ZL3usePi\$2" "$(names linked.ctz)"

# The headers' other numbers and functions, products of matrices, graphs, and what boards do with careless lanes.
agrees() { # NAME EXPECTED OPTION...
	local name=$1 expected=$2
	shift 2
	check "$name $*: compiles" "$CT_RELEASE/ctcc" -std=c++17 "$@" -o "$name" "$CT_ROOT/tests/cuda/$name.cu"
	same "$name $*: as it should be" "$expected" "$(./"$name" 2>&1)"
}
agrees numbers "0 failures" -arch=sm_70
agrees numbers "0 failures" -arch=sm_80
agrees matrix "0 failures" -arch=sm_70
agrees matrix "0 failures" -arch=sm_80 -DAMPERE
same "and parts of bytes are captured as the machine's" "BMMA.168256.AND.POPC BMMA.88128.XOR.POPC IMMA.16864.S4.U4 IMMA.8832.U4.U4" \
	"$("$T" capture -q -o matrix.ctz -- ./matrix >/dev/null && "$CT_RELEASE/tracecat" -q -O accelsim -o - matrix.ctz |
		grep -o 'IMMA.8832.U4.U4\|IMMA.16864.S4.U4\|BMMA[.A-Z0-9]*' | sort -u | grep -v 'BMMA.168128\|BMMA.88128.AND' | paste -sd' ')"
agrees layers "0 failures"
agrees surface "0 failures"
same "what is outside of a surface ends the launch" "cudaErrorIllegalAddress 1" \
	"$(./surface trap 2>surface.txt) $(grep -c 'at byte 96 of row 3 .* is outside of the surface' surface.txt)"
same "so does an odd address" "cudaErrorMisalignedAddress 1" "$(./surface odd 2>surface.txt) $(grep -c 'is misaligned' surface.txt)"
"$T" capture -o s1.ctz -- ./surface >/dev/null && CACHETRIAGE_THREADS=1 "$T" capture -o s2.ctz -- ./surface >/dev/null
check "traces of surfaces are the same each time" cmp s1.ctz s2.ctz
check "and have the machine code of them" bash -c "'$CT_RELEASE/tracecat' -q -O accelsim -o - s1.ctz | grep -q 'SULD.D.BA'"
check "graph: compiles" "$CT_RELEASE/ctcc" -o graph "$CT_ROOT/tests/cuda/graph.cu"
same "graph: as it should be, and clusters are refused by name" "libctcuda: cudaLaunchKernelExC: clusters of blocks are not emulated
0 failures" "$(./graph 2>&1)"
agrees lanes "no error: 0 0 0 0 0 0 wrong" -O3
agrees async "no error: 0 failures" -arch=sm_70
agrees async "no error: 0 failures" -arch=sm_80
"$T" capture --compress none -o async.d -- ./async >/dev/null
check "asynchronous copies are machine instructions of their own" grep -q ' LDGSTS.E ' async.d/kernel-1.traceg
agrees cooperative "no error: 0 failures"
same "blocks that wait for one another in a plain launch are stopped at the barrier of the grid" cudaErrorLaunchFailure "$(./cooperative alone 2>/dev/null)"
same "and at one of their own, with what helps" 1 "$(CACHETRIAGE_MAX_STEPS=100000 ./cooperative own 2>&1 | grep -c CACHETRIAGE_RESIDENT=1)"
same "without a limit this one is found to wait, and its blocks take turns" "no error: 0 failures 1" \
	"$(./cooperative own 2>waits.txt) $(grep -c '^libctcuda: launch 1: a block of .*wait_by_hand.* seems to wait for a later one' waits.txt)"
"$T" capture -o v1.ctz -- ./cooperative own >/dev/null 2>&1 && CACHETRIAGE_THREADS=1 "$T" capture -o v2.ctz -- ./cooperative own >/dev/null 2>&1
check "in the same trace each time" cmp v1.ctz v2.ctz
same "and side by side from the beginning where that is asked for" "no error: 0 failures" "$(CACHETRIAGE_RESIDENT=1 ./cooperative own 2>&1)"
"$T" capture -o w1.ctz -- ./cooperative >/dev/null && CACHETRIAGE_THREADS=1 "$T" capture -o w2.ctz -- ./cooperative >/dev/null
check "their traces are the same each time" cmp w1.ctz w2.ctz
same "with all warps" "2 8 3 39 5040" "$("$CT_RELEASE/traceinfo" -q -O profile w1.ctz | awk -F'\t' '$1 == "KN" {printf "%s%s", n++ ? " " : "", $6}')"
agrees blas "no error: 0 failures" -O0 -lcublas
agrees blas_matrices "no error: 0 failures" -O0 -lcublas
mkdir -p data && cp -r "$CT_ROOT/data/gpus" data/
check "cuBLAS without its kernels says what is missing" eval 'CACHETRIAGE_DATA=$PWD/data ./blas 2>&1 | grep -q "data/blas/level1.ptx: the kernels of cuBLAS are not there"'
rm -rf data
if [ -e /usr/include/cub/cub.cuh ] && [ -e /usr/include/thrust/sort.h ]; then
	agrees library "no error: blocks 0, scan 0, sum 0, sort 0 wrong"
else
	skip "CUB and Thrust" "libcub-dev and libthrust-dev, which no other test needs, are not installed"
fi

check "managed variables compile" "$CT_RELEASE/ctcc" -O2 -o managed "$CT_ROOT/tests/cuda/managed.cu"
same "host and kernels see the same" $'5 1.5\n43 43 77 3 43 9\n8' "$("$T" capture -o m.ctz -- ./managed)"
"$T" capture -o m2.ctz -- ./managed >/dev/null
check "with the same trace each time" cmp m.ctz m2.ctz
rm -f managed m.ctz m2.ctz

# The driver API, from C, with PTX that ctcc wrote.
check "ctcc -ptx" "$CT_RELEASE/ctcc" -O2 -ptx -o add.ptx "$CT_ROOT/tests/cuda/add.cu"
check "a program of the driver API compiles" "$CT_RELEASE/ctcc" -O2 -o driver "$CT_ROOT/tests/cuda/driver.c"
same "and runs" "CUDA_SUCCESS, 0 wrong" "$(./driver add.ptx)"
same "or says why not" "CUDA_ERROR_FILE_NOT_FOUND, 0 wrong" "$(./driver none.ptx)"
check "and is captured" "$T" capture -o d.ctz -- ./driver add.ptx

cat >both.cu <<'C'
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
int main()
{
	CUcontext none = NULL, some = NULL;
	size_t left, all = 0;
	int before = cuCtxGetCurrent(&none);
	cudaFree(0);
	printf("%d %d", before, cuMemGetInfo(&left, &all));
	cuCtxGetCurrent(&some);
	printf(" %d %d\n", !none && some, all > 0);
}
C
"$CT_RELEASE/ctcc" -o both both.cu
same "a call of the run-time API initializes the driver API, too, and makes the primary context current" "3 0 1 1" "$(./both)"

# The device is what CACHETRIAGE_GPU says, else the first that executes the program's PTX.
cat >board.cu <<'C'
#include <cuda_runtime.h>
#include <stdio.h>
#ifdef KERNEL
__global__ void nothing() {}
#endif
int main()
{
	cudaDeviceProp p;
	cudaGetDeviceProperties(&p, 0);
	printf("%s, %d.%d, %d SMs, %.0f GB/s\n", p.name, p.major, p.minor, p.multiProcessorCount,
	       2e-6 * p.memoryClockRate * p.memoryBusWidth / 8);
}
C
"$CT_RELEASE/ctcc" -o board board.cu
same "a V100 by default" "Tesla V100-SXM2-16GB, 7.0, 80 SMs, 898 GB/s" "$(./board)"
"$CT_RELEASE/ctcc" -DKERNEL -arch=sm_75 -o board75 board.cu
"$CT_RELEASE/ctcc" -DKERNEL -arch=sm_80 -o board80 board.cu
echo '__global__ void other() {}' >other.cu
"$CT_RELEASE/ctcc" -DKERNEL -c -arch=sm_70 -o board.o board.cu && "$CT_RELEASE/ctcc" -c -arch=sm_86 -o other.o other.cu &&
	"$CT_RELEASE/ctcc" -o board86 other.o board.o
same "an RTX 2060, an A100 and an RTX 3070 for programs of their compute capability" "NVIDIA GeForce RTX 2060, 7.5, 30 SMs, 336 GB/s
NVIDIA A100-SXM4-40GB, 8.0, 108 SMs, 1555 GB/s
NVIDIA GeForce RTX 3070, 8.6, 46 SMs, 448 GB/s" "$(./board75; ./board80; ./board86)"
same "also one that is older" "Tesla V100-SXM2-16GB, 7.0, 80 SMs, 898 GB/s" "$(CACHETRIAGE_GPU=v100 ./board80)"
same "or another" "NVIDIA GeForce RTX 3080, 8.6, 68 SMs, 760 GB/s" "$(CACHETRIAGE_GPU=rtx3080 ./board)"
# What a board gives in units: registers, and shared memory, behind which a careless kernel may store with pages.
cat >units.cu <<'C'
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void units(unsigned *out, unsigned last)
{
	extern __shared__ char bytes[];
	bytes[last] = 1;
	asm("mov.u32 %0, %%total_smem_size;" : "=r"(*out));
}
int main()
{
	unsigned *out;
	int blocks = 0;
	cudaMallocManaged(&out, 4);
	for (unsigned last = 31; last <= 1600; last = 5 * last + 132) {
		units<<<1, 1, 32>>>(out, last);
		cudaError_t error = cudaDeviceSynchronize();
		printf("%s ", error ? cudaGetErrorName(error) : "well");
	}
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, units, 32, 16 << 10);
	printf("%u bytes, %d blocks\n", *out, blocks);
}
C
"$CT_RELEASE/ctcc" -o units units.cu
same "shared memory is given in units of 256 bytes" "well cudaErrorIllegalAddress cudaErrorIllegalAddress 256 bytes, 0 blocks" "$(./units 2>err.txt)"
check "and a fault behind them tells what lets it pass" grep -q 'has 32 bytes of shared memory.*CACHETRIAGE_BOUNDS=pages' err.txt
same "behind which a kernel may store a little where pages are mapped" "well well cudaErrorIllegalAddress 256 bytes, 0 blocks" "$(CACHETRIAGE_BOUNDS=pages ./units 2>/dev/null)"
sed -i 's/last <= 1600/last <= 300/' units.cu && "$CT_RELEASE/ctcc" -o units units.cu
same "blocks that fit have whole units" "well well 256 bytes, 6 blocks" "$(CACHETRIAGE_BOUNDS=pages ./units)"
same "and the system keeps some of each from 8.0 on" "well well 128 bytes, 9 blocks" "$(CACHETRIAGE_GPU=a100 CACHETRIAGE_BOUNDS=pages ./units)"
refuses "a board that there is not" 2 'rtx9999' env CACHETRIAGE_GPU=rtx9999 ./board
finish
