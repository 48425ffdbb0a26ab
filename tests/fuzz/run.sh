#!/usr/bin/env bash
# Runs every fuzz target under libFuzzer: run.sh SECONDS [TARGET...]
# (campaign.sh counts what was run, goes on where it stopped, and keeps a table).
set -u
cd "$(dirname "$0")/../.."
seconds=$1
shift
[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed 's/\.c$//')
out=build/fuzz
bash tests/fuzz/build.sh libfuzzer $out "$@" || exit 1
rc=0
for n; do
	mkdir -p "$out/corpus/$n" "$out/findings"
	dict=tests/fuzz/dict/${n#fuzz_}.dict
	echo "== $n"
	"$out/engine/$n" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 \
		-artifact_prefix="$out/findings/$n-" $([ ! -e "$dict" ] || echo "-dict=$dict") \
		"$out/corpus/$n" "tests/fuzz/corpus/${n#fuzz_}" >"$out/$n.log" 2>&1 || rc=1
	grep -E 'stat::number|ERROR|SUMMARY|Test unit|runtime error' "$out/$n.log"
done
exit $rc
