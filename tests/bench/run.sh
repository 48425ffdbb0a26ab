#!/usr/bin/env bash
# Runs every build/tests/bench_* (or those whose names hold a given word): a table on
# standard output and build/bench.tsv with columns bench, case, metric, value, unit; at the
# end one line per stream of reuse distances.
#   run.sh BUILD [WORD...]
# `make bench SHORT=1`: reuse distances over 5 million accesses instead of 50, and fewer
# seeds. `make bench ONLY=WORD` or run.sh with words: only those benches.
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${SHORT:-}" ]; then
	export CT_BENCH_N=${CT_BENCH_N:-5000000} CT_BENCH_SEED_N=${CT_BENCH_SEED_N:-2000000} \
		CT_BENCH_SEEDS=${CT_BENCH_SEEDS:-20} CT_BENCH_ROUNDS=${CT_BENCH_ROUNDS:-3}
fi
build=$1
shift
[ -n "${ONLY:-}" ] && set -- "$ONLY" "$@"
export LC_ALL=C CT_ROOT=$PWD CT_BIN=$PWD/$build/bin
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/bench-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
out=$build/bench.tsv
wanted() {
	local name=$1 w
	shift
	[ $# -eq 0 ] && return 0
	for w; do [[ $name == *"$w"* ]] && return 0; done
	return 1
}
printf 'bench\tcase\tmetric\tvalue\tunit\n' >"$out.new"
failed=0
for f in tests/bench/bench_*.c; do
	name=$(basename "$f" .c)
	wanted "$name" "$@" || continue
	if ! "$build/tests/$name" >"$TMPDIR/lines"; then
		echo "bench: $name failed" >&2
		failed=1
	fi
	cat "$TMPDIR/lines" >>"$out.new"
done
mv "$out.new" "$out"
awk -F'\t' '{ for (i = 1; i <= 5; i++) { c[NR, i] = $i; if (length($i) > w[i]) w[i] = length($i) } }
END { for (r = 1; r <= NR; r++)
	printf "%-*s  %-*s  %-*s  %*s  %s\n", w[1], c[r,1], w[2], c[r,2], w[3], c[r,3], w[4], c[r,4], c[r,5] }' "$out"
awk -f tests/bench/locality_table.awk "$out"
exit $failed
