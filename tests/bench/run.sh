#!/usr/bin/env bash
# Runs every BUILD/tests/bench_* (or those whose names hold a given word): a table on standard output and
# BUILD/bench.tsv with columns bench, case, metric, value, unit; at the end one line per stream of reuse distances.
#   run.sh BUILD [WORD...]
# BUILD may be a path of any kind. Rows of benches that did not run stay in bench.tsv as they are. A word that no bench
# has in its name is an error.
# `make bench SHORT=1`: reuse distances over 5 million accesses instead of 50, fewer seeds, and small traces, once.
# `make bench ONLY=WORD` or run.sh with words: only those benches.
set -eu
[ $# -ge 1 ] || { echo "usage: run.sh BUILD [WORD...]" >&2; exit 2; }
[ -d "$1" ] || { echo "bench: no folder $1: make builds it" >&2; exit 2; }
build=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
if [ -n "${SHORT:-}" ]; then
	export CT_BENCH_N=${CT_BENCH_N:-5000000} CT_BENCH_SEED_N=${CT_BENCH_SEED_N:-2000000} \
		CT_BENCH_SEEDS=${CT_BENCH_SEEDS:-20} CT_BENCH_ROUNDS=${CT_BENCH_ROUNDS:-3} \
		CT_BENCH_SIZE=${CT_BENCH_SIZE:-small} CT_BENCH_RUNS=${CT_BENCH_RUNS:-1}
fi
[ -n "${ONLY:-}" ] && set -- "$ONLY" "$@"
export LC_ALL=C CT_ROOT=$PWD CT_BIN=$build/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-XXXXXX")
trap 'rm -rf "$work"' EXIT
out=$build/bench.tsv
wanted() {
	local name=$1 w
	shift
	[ $# -eq 0 ] && return 0
	for w; do [[ $name == *"$w"* ]] && return 0; done
	return 1
}
has() { # WORD: whether it is in the name of a bench
	local f
	for f in tests/bench/bench_*.c; do
		[[ $(basename "$f" .c) == *"$1"* ]] && return 0
	done
	return 1
}
for w; do
	has "$w" || { echo "bench: no bench has $w in its name" >&2; exit 2; }
done
head='bench\tcase\tmetric\tvalue\tunit'
[ -s "$out" ] || printf "$head\n" >"$out"
printf "$head\n" >"$work/table"
failed=0
for f in tests/bench/bench_*.c; do
	name=$(basename "$f" .c)
	wanted "$name" "$@" || continue
	# Each makes its traces in a folder of its own.
	mkdir "$work/$name"
	if ! TMPDIR=$work/$name "$build/tests/$name" >"$work/lines"; then
		echo "bench: $name failed" >&2
		failed=1
	fi
	rm -rf "${work:?}/$name"
	cat "$work/lines" >>"$work/table"
	# Its rows of an earlier run go: those that begin with a word that it writes in the first column.
	awk -F'\t' 'FILENAME == ARGV[1] { own[$1]; next } FNR == 1 || !($1 in own)' "$work/lines" "$out" >"$work/all"
	cat "$work/lines" >>"$work/all"
	cp "$work/all" "$out.new"
	mv "$out.new" "$out"
done
awk -F'\t' '{ for (i = 1; i <= 5; i++) { c[NR, i] = $i; if (length($i) > w[i]) w[i] = length($i) } }
END { for (r = 1; r <= NR; r++)
	printf "%-*s  %-*s  %-*s  %*s  %s\n", w[1], c[r,1], w[2], c[r,2], w[3], c[r,3], w[4], c[r,4], c[r,5] }' \
	"$work/table"
awk -f tests/bench/locality_table.awk "$work/table"
exit $failed
