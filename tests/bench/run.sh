#!/usr/bin/env bash
# Runs every build/tests/bench_* (or those whose names hold a given word): a table on
# standard output and build/bench.tsv with columns bench, case, metric, value, unit.
#   run.sh BUILD [WORD...]
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
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
exit $failed
