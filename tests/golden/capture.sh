# tracegen capture: three small OpenCL programs under Oclgrind become traces; nothing half-written.
. "$CT_ROOT/tests/golden/lib.sh"
T=$CT_BIN/tracegen
P=$CT_RELEASE/../lib/cachetriage-capture.so
cd "$TMPDIR" || exit 1

refuses "capture of nothing" 2 'give the program' "$T" capture -o x
refuses "a width that no GPU has" 2 'use 32 or 64' "$T" capture --warp 48 -o x -- true
refuses "capture options belong to capture" 2 'capture options' "$T" vecadd --warp 64 -o x
printf '#!/bin/sh\n# libOpenCL.so\n' >opencl && chmod +x opencl
CACHETRIAGE_CAPTURE=$PWD/none refuses "no plugin" 2 'none is not there: .*liboclgrind-dev' "$T" capture -o x -- ./opencl
refuses "a packed file of OpenCL" 2 'into a folder: give -o DIR' "$T" capture -o x.ctz -- ./opencl
refuses "kernels of OpenCL by name" 2 '[-]-launches alone' "$T" capture -k a -o x -- ./opencl
refuses "a program that is not there" 2 'nowhere: no such program' "$T" capture -o x -- ./nowhere
CACHETRIAGE_CAPTURE=$PWD/none refuses "neither CUDA nor OpenCL" 2 'true ended with status 0 and used neither' "$T" capture -o x -- true
rm opencl
same "nothing is left behind" "" "$(ls -A | grep -v '^refuses.out$')"

if [ ! -e "$P" ] || ! command -v oclgrind >/dev/null 2>&1; then
	skip "OpenCL programs are captured" "oclgrind, liboclgrind-dev or LLVM's headers are not installed (make deps)"
	finish
fi
export CACHETRIAGE_CAPTURE=$P
for p in saxpy reduce diverge; do
	if ! gcc -Wall -Wextra -Werror -o "$p" "$CT_ROOT/tests/opencl/$p.c" -lOpenCL 2>gcc.txt; then
		skip "OpenCL programs are captured" "no OpenCL headers or loader (make deps)"
		finish
	fi
done

value() { # TRACE METRIC
	"$CT_RELEASE/traceinfo" -O profile "$1" | awk -F'\t' -v m="$2" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }'
}
lines() { zstd -dcq "$1" | grep -cE "$2"; }

for p in saxpy reduce diverge; do
	same "$p runs and checks its result" "$(oclgrind "./$p")" "$("$T" capture -o "c-$p" -- "./$p")"
	check "$p: traceinfo accepts the trace" "$CT_RELEASE/traceinfo" "c-$p"
	"$T" capture -o again -- "./$p" >/dev/null
	same "$p: the same bytes again" "$(cat "c-$p"/* | sha256sum)" "$(cat again/* | sha256sum)"
	rm -r again
done

# 1000 of 1024 items do y = a x + y: two loads and a store each.
same "saxpy: copies to the device" 2 "$(grep -c '^MemcpyHtoD,0x00007f5200[0-9a-f]*,4000$' c-saxpy/kernelslist.g)"
same "saxpy: lane accesses" 3000 "$(value c-saxpy global_lane_accesses)"
same "saxpy: lines of 2 x 4000 bytes" 64 "$(value c-saxpy distinct_lines)"
same "saxpy: one store per warp" 32 "$(value c-saxpy global_store_requests)"
same "saxpy: coalesced" 32 "$(lines c-saxpy/kernel-1.traceg.zst '^[0-9a-f]+ (ffffffff|000000ff) 0 STG.E 2 R[0-9]+ R[0-9]+ 4 1 0x[0-9a-f]+ 4 ')"
# 64 groups of 2 warps: 1 + 6 barriers each, one atomic a group, two launches.
same "reduce: launches" 2 "$(grep -c '^kernel' c-reduce/kernelslist.g)"
same "reduce: atomics" 128 "$(value c-reduce global_atomic_requests)"
same "reduce: barriers" $((64 * 2 * 7)) "$(lines c-reduce/kernel-1.traceg.zst BAR.SYNC)"
same "reduce: half of a warp adds" 64 "$(lines c-reduce/kernel-1.traceg.zst ' 0000ffff 0 STS ')"
# Every lane ends once, all of a warp together: they have met again.
same "diverge: warps end whole" 4 "$(lines c-diverge/kernel-1.traceg.zst ' ffffffff 0 EXIT ')"
same "diverge: the private array is local memory" 8 \
	"$(zstd -dcq c-diverge/kernel-1.traceg.zst | grep -m8 -cE ' ffffffff 0 STL .* 4 1 0x[0-9a-f]+ 0 ')"
check "diverge: calls return" test "$(lines c-diverge/kernel-1.traceg.zst CALL.REL)" -gt 0

# Contents of memory: bdi reads what the program left in its buffers.
check "bdi reads the contents" eval '"$CT_RELEASE/bdi" c-saxpy | grep -q "compression_"'
same "contents: y[1] is 4" "00008040" \
	"$(zstd -dcq c-saxpy/kernel-1.blocks.zst | od -An -v -tx1 -w136 | tr -d ' ' | sed -n 's/^001000[0-9a-f]\{10\}.\{8\}\(.\{8\}\).*/\1/p')"
"$T" capture --no-values -o bare -- ./saxpy >/dev/null
same "--no-values leaves them out" "" "$(find bare -name '*.blocks*')"
"$T" capture --launches 1 -o one -- ./reduce >/dev/null
same "--launches 1" 1 "$(grep -c '^kernel' one/kernelslist.g)"
same "and its kernel is the first of all" "$(sha256sum <c-reduce/kernel-1.traceg.zst)" "$(sha256sum <one/kernel-1.traceg.zst)"

# 64 lanes in lockstep: both halves of a wave have the same lines.
"$T" capture --warp 64 -o wide -- ./diverge >/dev/null
check "waves of 64: traceinfo accepts them" "$CT_RELEASE/traceinfo" wide
same "waves of 64: halves of equal length" 2 \
	"$(zstd -dcq wide/kernel-1.traceg.zst | awk '/^insts/ { n[$3]++ } END { print length(n) }')"
same "waves of 64: the same lanes do the same" "$(value c-diverge global_lane_accesses)" "$(value wide global_lane_accesses)"

# Programs of other algorithms; the workload histo against the OpenCL program of the same algorithm and size, compiled by
# LLVM: lanes, shares of loads, stores and atomics, and distinct lines within a factor of two. The workload kmeans reads
# its points as textures, so that requests are none to compare.
measure() {
	"$CT_RELEASE/traceinfo" -q -O profile "$1" | awk -F'\t' '$1 == "SN" && $2 == "all" { v[$3] = $4 } END {
		n = v["global_requests"]
		print v["thread_insts"] / v["warp_insts"], v["global_load_requests"] / n,
			v["global_store_requests"] / n, v["global_atomic_requests"] / n, v["distinct_lines"] }'
}
for p in kmeans histo; do
	gcc -Wall -Wextra -Werror -o $p "$CT_ROOT/tests/opencl/$p.c" -lOpenCL
	check "$p runs and checks its result" "$CT_RELEASE/tracegen" capture --no-values -o "c-$p" -- "./$p"
	[ "$p" = histo ] || continue
	"$CT_RELEASE/tracegen" $p -o "w-$p"
	ours=$(measure "w-$p") theirs=$(measure "c-$p")
	if awk -v a="$ours" -v b="$theirs" 'BEGIN {
		n = split(a, x, " "); split(b, y, " ")
		for (i = 1; i <= n; i++) if (x[i] > 2 * y[i] || y[i] > 2 * x[i]) exit 1
		exit n != 5 }' /dev/null
	then pass "$p: the workload resembles the program"; else fail "$p: the workload resembles the program" "ours:     $ours" "captured: $theirs"; fi
done

# Complete or absent.
refuses "a program that does not use OpenCL" 2 'true ended with status 0 and used neither' "$T" capture -o x -- true
printf '#!/bin/sh\nexec ./saxpy\n' >script && chmod +x script
check "a script's program is captured" "$T" capture -o s -- ./script
same "as it is by itself" "$(cat c-saxpy/kernel-1.traceg.zst | sha256sum)" "$(cat s/kernel-1.traceg.zst | sha256sum)"
cat >stuck.c <<'C'
#include <unistd.h>
int main(void) { for (;;) sleep(1); }
C
gcc -o stuck stuck.c
before=$(ls -A | grep -v "^stop.txt$")
"$T" capture -o x -- ./stuck >/dev/null 2>stop.txt &
pid=$!
for _ in $(seq 100); do ls -A | grep -q '^\.x\.' && break; sleep 0.05; done
kill -TERM "$pid"
wait "$pid"
same "a signal ends it with status 2" 2 "$?"
rm -f stop.txt
same "and leaves nothing behind" "$before" "$(ls -A)"
finish
