#!/usr/bin/env bash
# A fuzz campaign: every target gets CPU seconds without a finding, in slices round robin.
#   campaign.sh build FOLDER [libfuzzer|afl]    builds into FOLDER, apart from the working tree
#   campaign.sh run FOLDER [TARGET...]          fuzzes; ends when every target has had CPU seconds
#   campaign.sh table FOLDER                    adds up FOLDER/slices.tsv into tests/fuzz/campaigns.tsv
# Environment: CPU=1800 (seconds per target since the last finding of any fuzzer), SLICE=60 (CPU seconds),
# FUZZER=libfuzzer|afl, UNTIL=HH:MM (UTC; stop then). Stopped at any time, `run` goes on
# where it stopped: corpora, findings and slices.tsv stay in FOLDER, and a later `build` only
# replaces the binaries. Limits: leaks count, 10 s, 1 GiB resident, 1 GiB in one allocation.
set -u
cd "$(dirname "$0")/../.."
verb=${1:?build, run or table} dir=${2:?folder}
shift 2
fuzzer=${FUZZER:-libfuzzer} want=${CPU:-1800} slice=${SLICE:-60}
# Parsers first: what strangers' files reach.
order="accelsim tracez ctz ctzfile list nvbit pattern profile counters gpu gpgpusim require plugin blocks kernelslist tables models capture replay stack setlru shards ptx execute"
columns='#target\tfuzzer\tcommit\tcpu_s\texecutions\tcorpus\tfindings'

build() { # [ENGINE]
	local engine=${1:-libfuzzer} commit to
	bash tests/fuzz/build.sh "$engine" "$dir/build-$engine" || exit 1
	commit=$(git describe --always --dirty --exclude '*')
	to=$dir/$engine/$commit.$(date -u +%H%M%S)
	mkdir -p "$to"
	cp "$dir/build-$engine"/engine/fuzz_* "$to/"
	cp -r tests/fuzz/corpus tests/fuzz/campaign.sh "$to/"
	[ ! -d tests/fuzz/dict ] || cp -r tests/fuzz/dict "$to/"
	ln -sfn "$(basename "$to")" "$dir/$engine/current"
	echo "$to"
}

targets() { # in order, then those the list does not know
	local n
	for n in $order; do [ ! -e "$1/fuzz_$n" ] || echo "fuzz_$n"; done
	for n in "$1"/fuzz_*; do
		n=${n##*/}
		[[ $n != *.so ]] || continue
		[[ " $order " == *" ${n#fuzz_} "* ]] || echo "$n"
	done
}

missing_cpu() { # TARGET: whole CPU seconds that it still wants, by whichever fuzzer since its last finding
	[ -e "$dir/slices.tsv" ] || { echo "$want" && return; }
	awk -F'\t' -v t="$1" -v w="$want" '$1 == t { if ($7 > 0) s = 0; else s += $4 } END { printf "%d\n", w - s }' \
		"$dir/slices.tsv"
}

over() { [ -n "${UNTIL:-}" ] && [ "$(date -u +%s)" -ge "$(date -u -d "$UNTIL" +%s)" ]; }

# CPU seconds, not wall time: on a busy machine a slice would end before its corpus is read.
stop_after() { # PID SECONDS
	local ticks used
	ticks=$(getconf CLK_TCK)
	while kill -0 "$1" 2>/dev/null; do
		used=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk -v t="$ticks" '{ printf "%d", ($12 + $13) / t }')
		if [ "${used:-0}" -ge "$2" ] || over; then
			kill -USR1 "$1" 2>/dev/null
			return
		fi
		sleep 2
	done
}

# libFuzzer's limit of 10 s is wall time, of which a busy machine makes many from one: where an input
# stopped it, the input's own CPU seconds decide whether that was a hang.
forgive_waits() { # BIN TARGET: clears status where the machine was slow, and not the input
	local f cpu TIMEFORMAT=%U
	for f in "$dir/findings/$2"-timeout-*; do
		[ "$f" -nt "$dir/time-$2" ] || continue
		cpu=$({ time "$1/$2" -timeout=600 "$f" >/dev/null 2>&1; } 2>&1)
		[ "${cpu%.*}" -lt 10 ] && rm "$f" && status=0
	done
}

one_libfuzzer() { # BIN TARGET SECONDS: sets execs and corpus
	local bin=$1 n=$2 opts= pid
	[ ! -e "$bin/dict/${n#fuzz_}.dict" ] || opts="-dict=$bin/dict/${n#fuzz_}.dict"
	# A hang is what takes 10 s (-timeout); a slow unit would be reported at the same limit, and is none
	# where only the machine had no time for it.
	# shellcheck disable=SC2086
	"$bin/$n" -rss_limit_mb=1024 -malloc_limit_mb=1024 -timeout=10 -report_slow_units=60 -print_final_stats=1 \
		-artifact_prefix="$dir/findings/$n-" $opts "$dir/corpus/$n" "$bin/corpus/${n#fuzz_}" >"$dir/logs/$n.log" 2>&1 &
	pid=$!
	stop_after $pid "$3"
	wait $pid
	status=$?
	[ $status -eq 0 ] || forgive_waits "$bin" "$n"
	execs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/logs/$n.log")
	[ -n "$execs" ] || execs=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$dir/logs/$n.log" | tail -n 1)
	corpus=$(find "$dir/corpus/$n" -type f | wc -l)
}

# CPU seconds of AFL++'s fork server and what that has forked: nobody waits for them.
forked_cpu() { # PID of afl-fuzz
	local c g
	for c in $(pgrep -P "$1"); do
		for g in $(pgrep -P "$c"); do sed 's/.*) //' "/proc/$g/stat" 2>/dev/null | awk '{ print $12 + $13 }'; done
		sed 's/.*) //' "/proc/$c/stat" 2>/dev/null | awk '{ print $12 + $13 + $14 + $15 }'
	done | awk -v t="$(getconf CLK_TCK)" '{ s += $1 } END { printf "%d", s / t }'
}

one_afl() { # BIN TARGET SECONDS: the same
	local bin=$1 n=$2 out=$dir/afl-out/$2 opts= in=$1/corpus/${2#fuzz_} before=0 stats=$dir/afl-out/$2/default/fuzzer_stats pid now
	[ ! -e "$bin/dict/${n#fuzz_}.dict" ] || opts="-x $bin/dict/${n#fuzz_}.dict"
	if [ -e "$stats" ]; then in=-; before=$(sed -n 's/^execs_done *: *//p' "$stats"); fi
	[ ! -e "$bin/$n.so" ] || export AFL_CUSTOM_MUTATOR_LIBRARY=$bin/$n.so
	# shellcheck disable=SC2086
	AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_UI=1 AFL_AUTORESUME=1 \
	ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=1:hard_rss_limit_mb=1024:allocator_may_return_null=1 \
		afl-fuzz -m none -t 10000 -i "$in" -o "$out" $opts -- "$bin/$n" >"$dir/logs/afl-$n.log" 2>&1 &
	pid=$!
	forked=0
	while kill -0 $pid 2>/dev/null; do
		now=$(forked_cpu $pid)
		[ "$now" -le "$forked" ] || forked=$now
		if [ "$forked" -ge "$3" ] || over; then kill -INT $pid; break; fi
		sleep 2
	done
	wait $pid
	status=$?
	unset AFL_CUSTOM_MUTATOR_LIBRARY
	execs=$(($(sed -n 's/^execs_done *: *//p' "$stats") - before))
	corpus=$(sed -n 's/^corpus_count *: *//p' "$stats")
	local f
	for f in "$out"/default/crashes/id* "$out"/default/hangs/id*; do
		[ -e "$f" ] && cp -n "$f" "$dir/findings/$n-afl-$(sha1sum <"$f" | cut -c1-16)"
	done
}

run() { # TARGET...
	local n bin busy=1 status execs corpus forked before found cpu names
	mkdir -p "$dir/findings" "$dir/logs" "$dir/afl-out"
	export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 TMPDIR=$dir
	while [ $busy = 1 ]; do
		busy=0
		names=${*:-$(targets "$dir/$fuzzer/current")}
		for n in $names; do
			bin=$dir/$fuzzer/$(readlink "$dir/$fuzzer/current") || exit 1
			[ -x "$bin/$n" ] && [ "$(missing_cpu "$n")" -gt 0 ] || continue
			if over; then exit 0; fi
			exec {lock}>"$dir/lock-$fuzzer-$n"
			flock -n $lock || continue
			cpu=$(missing_cpu "$n") # what has the lock now may have been run meanwhile
			[ "$cpu" -gt 0 ] || continue
			[ "$cpu" -lt "$slice" ] || cpu=$slice
			busy=1
			mkdir -p "$dir/corpus/$n"
			before=$(find "$dir/findings" -name "$n-*" | wc -l)
			TIMEFORMAT='%U %S'
			status=0 execs=0 corpus=0 forked=0
			{ time "one_$fuzzer" "$bin" "$n" "$cpu"; } 2>"$dir/time-$n"
			cpu=$(awk -v f="$forked" '{ s += $1 + $2 } END { printf "%.0f", s + f }' "$dir/time-$n")
			if [ "${execs:-0}" -le 0 ] && ! over; then
				echo "campaign.sh: $n did not run: see $dir/logs" >&2
				exit 1
			fi
			found=$(($(find "$dir/findings" -name "$n-*" | wc -l) - before))
			# A repeated finding has its old name.
			[ "$fuzzer" = afl ] || [ $status -eq 0 ] || [ $found -gt 0 ] || found=1
			printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$n" "$fuzzer" "$(basename "$bin" | sed 's/\.[0-9]*$//')" \
				"$cpu" "${execs:-0}" "$corpus" "$found" >>"$dir/slices.tsv"
			exec {lock}>&-
		done
	done
}

# Rows of other campaigns stay: FOLDER's replace those of the same target, fuzzer and commit.
table() {
	local out=tests/fuzz/campaigns.tsv
	touch $out
	{
		printf "$columns\n"
		awk -F'\t' -v OFS='\t' '
			FNR == NR { k = $1 OFS $2 OFS $3; cpu[k] += $4; n[k] += $5; c[k] = $6; f[k] += $7; next }
			/^#/ { next }
			{ k = $1 OFS $2 OFS $3; if (!(k in cpu)) print }
			END { for (k in cpu) print k, cpu[k], n[k], c[k], f[k] }' "$dir/slices.tsv" $out | LC_ALL=C sort
	} >"$dir/campaigns.tsv" && mv "$dir/campaigns.tsv" $out
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
case $verb in
build | run | table) "$verb" "$@" ;;
*) echo "campaign.sh: $verb: not build, run or table" >&2 && exit 2 ;;
esac
