# cuBLAS: its kernels are what clang 19 makes of data/blas, programs link with it as with NVIDIA's, and its results are those of plain loops.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
unset CACHETRIAGE_GPU CACHETRIAGE_MAX_STEPS CACHETRIAGE_CHECK CACHETRIAGE_THREADS CACHETRIAGE_RESIDENT CACHETRIAGE_BOUNDS
B=$CT_ROOT/data/blas

same "every file of kernels has its PTX, and no other is there" "$(ls "$B"/*.cu | sed 's/\.cu$//')" "$(ls "$B"/*.ptx | sed 's/\.ptx$//')"
if command -v clang-19 >/dev/null 2>&1; then
	stale() { for f in "$B"/*.cu; do
		n=$(basename "$f" .cu)
		CTCC_CLANG=clang-19 "$CT_RELEASE/ctcc" -std=c++17 -ptx -arch=sm_70 -o new.ptx "$f" && cmp -s new.ptx "$B/$n.ptx" || echo "$n"
	done; }
	same "the PTX is what clang 19 makes (make workloads)" "" "$(stale)"
else
	skip "the PTX is what clang 19 makes" "no clang-19"
fi
finish
