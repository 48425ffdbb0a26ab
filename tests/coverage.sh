#!/usr/bin/env bash
# Line coverage of lib and models by the whole suite: coverage.sh BUILD, a
# build with --coverage. Writes BUILD/coverage.tsv (file, lines, covered) and
# BUILD/uncovered.txt (file:line: text), prints the total, and fails below 95 %.
# A line counts when it has code in any object it is compiled into.
set -u
cd "$(dirname "$0")/.." || exit 1
build=$1
shift

[ "${1:-}" = report ] || bash tests/run.sh "$build" "$build" "$@"
find "$build/obj/lib" "$build/obj/models" -name '*.gcda' | sort | while read -r data; do
	gcov -t -p -r "$data" 2>/dev/null
done | awk -F: -v tsv="$build/coverage.tsv" -v missed="$build/uncovered.txt" '
	$3 == "Source" { file = $4; ours = file ~ /^(lib|models)\//; next }
	ours && $2 + 0 > 0 && $1 !~ /-/ {
		key = file SUBSEP ($2 + 0)
		n = $1 ~ /#|=/ ? 0 : 1
		if (!(key in hit)) { hit[key] = 0; lines[file]++ }
		if (n && !hit[key]) { hit[key] = 1; covered[file]++ }
		text = $0
		sub(/^[^:]*:[^:]*:/, "", text)
		what[key] = text
	}
	END {
		for (f in lines) {
			printf "%s\t%d\t%d\n", f, lines[f], covered[f] | ("sort >" tsv)
			all += lines[f]; done += covered[f]
		}
		for (k in hit) if (!hit[k]) {
			split(k, part, SUBSEP)
			printf "%s:%d:%s\n", part[1], part[2], what[k] | ("sort -t: -k1,1 -k2,2n >" missed)
		}
		printf "%d of %d lines of lib and models are covered: %.2f %%\n", done, all, all ? 100 * done / all : 0
		exit !(all && done >= 0.95 * all)
	}'
