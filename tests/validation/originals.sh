#!/bin/bash
# originals.sh BUILD [WORKLOAD...]: has a suite's own program what the paper's effect needs, as our program of its algorithm has?
#
#     RODINIA=DIR [OUT=DIR] bash tests/validation/originals.sh BUILD
#
# Compiles the programs of originals.tsv with ctcc, as they are in a checkout of Rodinia (its folder `cuda`), captures each with inputs of the
# suite's kind and size paper, and replays the gates (gates.sh) of every paper that names it. A row a program and paper: paper,
# workload, warp instructions, waves, two figures, whether they pass; then the same four of our program, from gates.tsv. The
# checkout is not changed and not part of this repository. OUT: where traces stay (default: nowhere); those that are there are not made again.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(cd "$1" && pwd) || exit 2
shift
[ -d "${RODINIA:-}/cuda" ] || { echo "originals.sh: set RODINIA to a checkout" >&2; exit 2; }
here=$PWD/tests/validation
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
OUT=${OUT:-$dir}
export DATA=$dir/data PATH=$build/bin:$PATH CACHETRIAGE_DATA=${CACHETRIAGE_DATA:-$PWD/data} LC_ALL=C
# srad reads the row before its picture, as boards let it.
export CACHETRIAGE_BOUNDS=pages

# Inputs that the suite keeps outside of its checkout. What the numbers are does not matter to the programs.
make_inputs() {
	mkdir -p "$DATA/dwt2d" # where that program looks for its picture
	awk -v d="$DATA" -v nn="$dir/cuda/nn" 'BEGIN {
		srand(5)
		n = 1000000; f = d "/bfs"; print n > f
		for (i = 0; i < n; i++) { k = 2 + int(9 * rand()); print s + 0, k > f; s += k }
		print "\n0\n\n" s > f
		for (i = 0; i < s; i++) print int(n * rand()), 1 > f
		f = d "/keys"; print n > f
		for (i = 1; i <= n; i++) print i > f
		print "j 6000 3000\nk 10000" > (d "/commands")
		for (i = 0; i < 1024 * 1024; i++) { printf "%f\n", 320 + 10 * rand() > (d "/temperature"); printf "%f\n", rand() / 1000 > (d "/power") }
		for (i = 0; i < 1024 * 1024 * 3; i++) printf "%c", 32 + int(95 * rand()) > (d "/dwt2d/rgb.bmp")
		for (i = 0; i < 427640; i++) printf "%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n", 1980, 1, 2, 6, 3, "KIRK", 7 + 63 * rand(), 358 * rand(), 99, 100 > (nn "/cane.db")
		for (i = 0; i < 40; i++) print "cane.db" > (nn "/filelist")
	}'
}

capture() { # WORKLOAD FOLDER COMPILE ARGUMENTS LAUNCHES
	local limit=()
	[ -s "$OUT/$1.ctz" ] && return
	[ -d "$DATA" ] || make_inputs
	[ "$5" = - ] || limit=(--launches "$5")
	cd "$dir/cuda/$2" || return
	# shellcheck disable=SC2086
	ctcc -arch=sm_80 -O3 -w -o "$dir/program" $3 >"$dir/log" 2>&1 &&
		tracegen capture -q --force "${limit[@]}" -o "$OUT/$1.ctz" -- "$dir/program" ${4//\$DATA/$DATA} </dev/null >"$dir/log" 2>&1
	local st=$?
	cd "$here/../.." || return
	[ $st -eq 0 ] || { echo "originals.sh: $1: $(tail -n 1 "$dir/log")" >&2; return 1; }
}

cp -r "$RODINIA/cuda" "$dir/cuda" && chmod -R u+w "$dir/cuda" || exit 2
printf 'paper\tworkload\twarp_insts\twaves\tfirst\tsecond\tpass\tour_insts\tour_first\tour_second\tour_pass\n'
failed=0
while IFS=$'\t' read -r workload rest; do
	[[ $workload != \#* ]] && { [ $# -eq 0 ] || [[ " $* " == *" $workload "* ]]; } || continue
	IFS=$'\t' read -r folder compile arguments launches <<<"$rest"
	capture "$workload" "$folder" "$compile" "$arguments" "$launches" || { failed=1; continue; }
	for paper in $(awk -F'\t' -v w="$workload" '$1 == "app" && $2 != "shared-l1" && $4 == w { print $2 }' "$here/published.tsv"); do
		GATES=$dir/gates TRACES=$OUT bash "$here/gates.sh" "$build" "$paper:$workload" 2>"$dir/log" >/dev/null || { echo "originals.sh: $paper: $workload: $(head -n 1 "$dir/log")" >&2; failed=1; continue; }
		awk -F'\t' -v OFS='\t' -v p="$paper" -v w="$workload" '
			$1 == p && $2 == w && FNR == NR { row = $1 OFS $2 OFS $3 OFS $4 OFS $5 OFS $6 OFS $7 }
			$1 == p && $2 == w && FNR != NR { print row, $3, $5, $6, $7 }' "$dir/gates" "$here/gates.tsv"
	done
done <"$here/originals.tsv"
exit $failed
