# Workloads in CUDA: the PTX that is checked in is what clang 19 makes, a program that ctcc makes of a workload runs the kernels
# that tracegen runs, and what they write is right.
. "$(dirname "$0")/lib.sh"
T=$CT_BIN/tracegen
W=$CT_ROOT/data/workloads
cd "$TMPDIR" || exit 1
ctcc() { "$CT_RELEASE/ctcc" -arch=sm_80 "$@"; }

same "every program has its PTX, and no other is there" "$(ls "$W"/*.cu | sed 's/\.cu$//')" "$(ls "$W"/*.ptx | sed 's/\.ptx$//')"
if command -v clang-19 >/dev/null 2>&1; then
	export CTCC_CLANG=clang-19
	stale() { for f in "$W"/*.cu; do
		n=$(basename "$f" .cu)
		ctcc -ptx -o new.ptx "$f" && cmp -s new.ptx "$W/$n.ptx" || echo "$n"
	done; }
	same "the PTX is what clang 19 makes (make workloads)" "" "$(stale)"
	for n in vecadd kmeans hotspot bfs-queue; do
		check "$n compiles" ctcc -o "$n-program" "$W/$n.cu"
		"$T" "$n" -q --compress none -o "$n-here" && "$T" capture -q --sm 80 --compress none -o "$n-there" -- "./$n-program"
	done
	kernels() { for k in "$1"/kernel-*.traceg; do grep -v '^-kernel id' "$k"; done | sha256sum; }
	for n in vecadd kmeans hotspot; do
		same "$n as a program has the same kernels" "$(kernels "$n-here")" "$(kernels "$n-there")"
	done
	# The warps of a program have short turns behind a barrier, so that they take places of a queue in another order.
	launches() { grep -h -e '^-kernel name' -e '^-grid dim' "$1"/kernel-*.traceg; }
	same "bfs-queue as a program has the same launches" "$(launches bfs-queue-here)" "$(launches bfs-queue-there)"
	refuses "a size that is none" 1 'usage' ./vecadd-program tiny
else
	skip "the PTX is what clang 19 makes" "no clang-19"
fi

check "a packed file" "$T" -q hotspot -o hotspot.ctz
same "holds what a folder holds" "$("$T" -q hotspot -o hotspot && "$CT_RELEASE/traceinfo" -q -O profile --no-provenance hotspot | grep -c '^KN')" \
	"$("$CT_RELEASE/traceinfo" -q -O profile --no-provenance hotspot.ctz | grep -c '^KN')"
refuses "and is not replaced by itself" 2 'force' "$T" -q hotspot -o hotspot.ctz
same "arrays have their names" "power temperature next temperature" "$(tail -n +2 hotspot/arrays.tsv | cut -f3 | paste -sd' ')"

# A kernel that computes something else is found, and a file of kernels that is not the program's.
mkdir -p data/workloads && cp -r "$CT_ROOT/data/gpus" data/ && sed 's/add\.f32/sub.f32/' "$W/vecadd.ptx" >data/workloads/vecadd.ptx
refuses "a wrong result" 2 'vecadd: sum\[0\] is .*the reference has' env CACHETRIAGE_DATA="$PWD/data" "$T" -q vecadd -o x
cp "$W/gemm.ptx" data/workloads/vecadd.ptx
refuses "another program's kernels" 2 'has no kernel vecadd of 4 arguments: run make workloads' env CACHETRIAGE_DATA="$PWD/data" "$T" -q vecadd -o x
rm data/workloads/vecadd.ptx
refuses "no kernels" 2 'vecadd.ptx: cannot open' env CACHETRIAGE_DATA="$PWD/data" "$T" -q vecadd -o x
same "nothing is left" "" "$(ls -d x* 2>/dev/null)"
finish
