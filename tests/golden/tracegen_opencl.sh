# Workloads against traces captured from the OpenCL programs that they follow: active lanes,
# share of loads, stores and atomics among the global requests, and distinct lines lie within
# a factor of two where the inputs are alike. (kmeans and histo: capture.sh.)
. "$CT_ROOT/tests/golden/lib.sh"
B=$CT_RELEASE
needs_shared "workloads resemble captured OpenCL programs" || finish
[ -x "$B/traceinfo" ] || { skip "workloads resemble captured OpenCL programs" "traceinfo is not built"; finish; }
cd "$TMPDIR" || exit 1

# Prints lanes, load, store and atomic shares, and distinct lines of a trace.
measure() {
	"$B/traceinfo" -q -O profile "$@" | awk -F'\t' '$1 == "SN" && $2 == "all" { v[$3] = $4 } END {
		n = v["global_requests"]
		if (n == 0 || v["warp_insts"] == 0) exit 1
		print v["thread_insts"] / v["warp_insts"], v["global_load_requests"] / n,
			v["global_store_requests"] / n, v["global_atomic_requests"] / n, v["distinct_lines"] }'
}

# alike WHAT WORKLOAD SIZE CAPTURED METRICS [KERNEL]: metrics by number (1 lanes, 2 loads,
# 3 stores, 4 atomics, 5 lines).
alike() {
	local name=$1 ours theirs filter=
	[ -n "${6:-}" ] && filter="-k $6"
	"$B/tracegen" "$2" --size "$3" --force -o "t-$2" || { fail "$name"; return; }
	# shellcheck disable=SC2086
	ours=$(measure $filter "t-$2") && theirs=$(measure $filter "$CT_SHARED/traces-opencl/$4/kernelslist.g") ||
		{ fail "$name" "cannot measure"; return; }
	if awk -v a="$ours" -v b="$theirs" -v which="$5" 'BEGIN {
		split(a, x, " "); split(b, y, " ")
		for (n = split(which, m, ","); n > 0; n--) {
			p = x[m[n]]; q = y[m[n]]
			# Shares below a hundredth are none at all.
			if (m[n] > 1 && m[n] < 5 && p < 0.01 && q < 0.01) continue
			if (p > 2 * q || q > 2 * p) exit 1
		} }' /dev/null
	then pass "$name"; else fail "$name" "ours:     $ours" "captured: $theirs"; fi
}

alike "spmv-csr (a thread per row)" spmv-csr medium shoc-spmv 1,2,3,5 1
alike bfs bfs small rodinia-bfs 1,2,3,5
alike bfs-queue bfs-queue small parboil-bfs 1,2,3,4,5
alike backprop backprop small rodinia-backprop 1,2,3,5
alike nn nn small rodinia-nn 1,2,3,5
alike hotspot hotspot medium rodinia-hotspot 1,2,3,5
alike covariance covariance medium polybench-covariance 1,2,3,5
alike dwt2d dwt2d small rodinia-dwt2d 1,2,3,5
alike reduction reduction small shoc-reduction 1,2,5
# Captured in part, or at another size: only lanes and mix.
alike stencil stencil small parboil-stencil 1,2,3
alike sgemm sgemm medium parboil-sgemm 1,2,3
alike nw nw small rodinia-nw 1,2,3
alike pathfinder pathfinder small rodinia-pathfinder 1,2,3
alike pagerank pagerank small pannotia-pagerank 1,2,4
alike mri-q mri-q small parboil-mri-q 1,5
finish
