#!/usr/bin/env bash
# The long runs: run.sh BUILD [stream|accesses|budget|coverage|triage]..., all by default.
# Prints figures as it goes and "ok" or "not ok" per run; BUILD/long has the details.
#
#   stream    SECONDS (600) of trace from a generator through reuse | replicate |
#             morpheus-est. Flat memory: once warm, no stage grows by more than 5 %.
#   accesses  ACCESSES (10^9) accesses of threads, generated on the fly, through
#             reuse --sample 0.01.
#   budget    INSTS (10^9) warp instructions in a packed trace through triage --budget 60s.
#   coverage  twenty traces whole and by a sample (coverage.sh, tests/long/coverage.tsv).
#   triage    TRACES (10000) small traces in one triage, which says something of each.
#
# Seen on two cores that were shared with other work: 10,000 traces of 1,040 instructions in one triage, a
# verdict on each, in 1,069 s, or 218 CPU seconds with their generation; triage itself at 18.8 MiB from the first
# seconds to the end. 600 s of stream at the lowest share of a busy machine, 40 million accesses: reuse 159.7 MiB in the second quarter and 159.9 MiB after it, replicate 2.6 and morpheus-est
# 2.9 MiB throughout; 1,000,341,504 accesses in 537 CPU seconds, 50.8 MiB after 10 s and 52.9 MiB at most.
#
# Where the time of accesses goes, in CPU seconds per 10.5 million (983,000 warp instructions): the generator
# 0.04, reading the text 0.2, the pass 5.5. All 10^9 are about ten minutes of one core; a packed input would
# save a thirtieth of that.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
build=$1
shift
out=$build/long
mkdir -p "$out"
[ "${build#/}" = "$build" ] && build=$PWD/$build
out=$build/long
export PATH="$build/bin:$PATH"
stream=$build/tests/stream
failed=0
verdict() { # STATUS NAME
	if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failed=1; fi
}

# watch FILE PID...: resident KiB of each process every 5 s, while the first one lives.
watch() {
	local file=$1 pid
	shift
	: >"$file"
	while kill -0 "$1" 2>/dev/null; do
		printf '%s' "$SECONDS" >>"$file"
		for pid; do printf ' %s' "$(awk '/^VmRSS/ {print $2}' "/proc/$pid/status" 2>/dev/null || echo 0)"; done >>"$file"
		echo >>"$file"
		sleep 5
	done
}

# flat FILE: largest resident size of each stage in the second quarter and after it.
flat() {
	awk '{ for (i = 2; i <= NF; i++) v[NR, i] = $i; if (NF > n) n = NF }
	END {
		for (i = 2; i <= n; i++) {
			warm = late = 0
			for (r = int(NR / 4) + 1; r <= NR; r++)
				if (r <= NR / 2) { if (v[r, i] > warm) warm = v[r, i] }
				else if (v[r, i] > late) late = v[r, i]
			printf "stage %d: %d KiB in the second quarter, %d KiB after it\n", i - 1, warm, late
			if (late > warm * 1.05) bad = 1
		}
		exit bad || NR < 8
	}' "$1"
}

run_stream() {
	local seconds=${SECONDS_OF_STREAM:-600} dir pids st
	dir=$(mktemp -d) || exit 1
	mkfifo "$dir/a" "$dir/b" "$dir/c"
	"$stream" -t "$seconds" >"$dir/a" 2>"$out/stream.count" &
	reuse -q <"$dir/a" >"$dir/b" & pids=$!
	replicate -q <"$dir/b" >"$dir/c" & pids+=" $!"
	morpheus-est -q <"$dir/c" >"$out/stream.prof" & pids+=" $!"
	# shellcheck disable=SC2086
	watch "$out/stream.rss" $pids
	wait "${pids##* }"
	st=$?
	cat "$out/stream.count"
	flat "$out/stream.rss" || st=1
	grep -qP '^ES\tall\tmorpheus\tMorpheus-ALL\tspeedup\t' "$out/stream.prof" || st=1
	rm -rf "$dir"
	verdict $st "$seconds s of streaming, the pipe answers, memory is flat"
}

run_accesses() {
	local n=${ACCESSES:-1000000000} dir pid st
	dir=$(mktemp -d) || exit 1
	mkfifo "$dir/a"
	"$stream" -n "$n" >"$dir/a" 2>"$out/accesses.count" &
	SECONDS=0
	reuse -q --sample 0.01 --no-sms-views <"$dir/a" >"$out/accesses.prof" & pid=$!
	watch "$out/accesses.rss" $pid
	wait $pid
	st=$?
	cat "$out/accesses.count"
	echo "$SECONDS s, $(awk '$2 > m {m = $2} END {print m}' "$out/accesses.rss") KiB at most"
	awk -F'\t' -v n="$n" '$1=="SN" && $2=="all" && $3=="thread_insts" {t = $4}
		END {exit !(t > n)}' "$out/accesses.prof" || st=1
	rm -rf "$dir"
	verdict $st "$n accesses through reuse --sample"
}

run_triage() {
	local n=${TRACES:-10000} dir i st
	dir=$(mktemp -d) || exit 1
	for ((i = 1; i <= n; i++)); do "$stream" -n 1 -s "$i" -l $((i % 4096 + 32)) -c 1 >"$dir/t$i.traceg"; done 2>/dev/null
	SECONDS=0
	(cd "$dir" && exec triage -q -O profile --scale 1/64 t*.traceg) >"$out/triage.prof" 2>"$out/triage.err" &
	watch "$out/triage.rss" $!
	wait $!
	st=$?
	i=$(awk -F'\t' '$1=="TV" && !seen[$2]++ {n++} END {print n + 0}' "$out/triage.prof")
	echo "$SECONDS s for $n traces, verdicts on $i"
	[ "$i" -eq "$n" ] || st=1
	rm -rf "$dir"
	verdict $st "$n traces in one triage"
}

# cpu FILE: CPU seconds of the children so far, in tenths, from what `times` wrote there.
cpu() {
	awk 'END { for (i = 1; i <= 2; i++) { split($i, x, /[ms]/); t += 60 * x[1] + x[2] } printf "%d", 10 * t }' "$1"
}

# CPU seconds count, since the machine may be shared: 90 of them, and 1 GB of memory.
run_budget() {
	local n=${INSTS:-1e9} dir pid st before used most
	dir=$(mktemp -d) || exit 1
	"$build/tests/packed" -n "$n" >"$dir/t.ctz" 2>"$out/budget.count" || st=1
	times >"$out/budget.times"
	before=$(cpu "$out/budget.times")
	triage -g rtx3070 -O csv --budget 60s "$dir/t.ctz" >"$out/budget.csv" 2>"$out/budget.err" & pid=$!
	watch "$out/budget.rss" $pid
	wait $pid
	st=$?
	times >"$out/budget.times"
	used=$(($(cpu "$out/budget.times") - before))
	most=$(awk '$2 > m { m = $2 } END { print m + 0 }' "$out/budget.rss")
	cat "$out/budget.count" "$out/budget.err"
	echo "$((used / 10)) CPU seconds, $most KiB at most"
	[ "$used" -le 900 ] && [ "$most" -le 976562 ] || st=1
	rm -rf "$dir"
	verdict $st "$n warp instructions in triage --budget 60s"
}

run_coverage() {
	bash tests/long/coverage.sh "$build" "$out/coverage.tsv" | tee "$out/coverage.txt"
	awk '{ exit !($3 / $5 >= 0.85) }' "$out/coverage.txt"
	verdict $? "ranges of samples cover"
}

[ $# -gt 0 ] || set -- stream accesses budget coverage triage
for part; do "run_$part"; done
exit $failed
