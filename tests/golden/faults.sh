# Every kind of call fails once in every command (tests/faults): exit 2 with one line and
# nothing left behind, or the whole answer. The plain build: a preloaded library and the
# address sanitizer do not go together. `make faults` makes every call fail; CT_FAULT_DONE=FILE
# keeps there what was run, a line each (command, kind, calls), and goes on after it.
# All of it takes some 12 CPU minutes and has been run whole: 35 commands, 44,859 allocations and 796 other
# calls, one failing at a time, and each command with all its calls short, interrupted or without nameless files.
. "$(dirname "$0")/lib.sh"
tools=$CT_RELEASE/../tests
runs=${CT_FAULT_RUNS:-12}
done_file=${CT_FAULT_DONE:-}
once=${CT_FAULT_ONCE:-} # each command once, without a fault: for valgrind.sh
[ -z "$done_file" ] || touch "$done_file" || exit 1
if [ -z "$once" ] && ! [ -x "$tools/faults" ] || ! [ -e "$tools/inject.so" ]; then
	skip "faults" "tests/faults is not built here (it needs glibc)"
	finish
fi
mkdir "$TMPDIR/work" && cd "$TMPDIR/work" || exit 1
"$CT_RELEASE/tracegen" vecadd --size small -o ../t >/dev/null || exit 1
"$CT_RELEASE/reuse" ../t >../p.prof && "$CT_RELEASE/tracecat" ../t -o ../t.ctz || exit 1
# What is replayed is small, on two SMs and one memory channel, so that there are more kinds of calls than
# repetitions: `make faults` runs it once for each of its calls.
"$CT_RELEASE/tracecat" --ctas 0-2 ../t -o ../few.ctz || exit 1
"$CT_RELEASE/tracecat" -O accelsim ../few.ctz -o ../few.d || exit 1
few=(--scale 1/34 ../few.ctz)

# faults NAME [-i INPUT] [-x FILE] [-k FILE]... [-p yes] [-w TEXT] -- COMMAND...
faults() {
	local name=$1 kind out bad= in=/dev/null
	shift
	if [ -n "$once" ]; then
		while [ "$1" != -- ]; do
			[ "$1" != -i ] || in=$2
			[ "$1" != -x ] || rm -rf "$2"
			shift 2
		done
		shift
		if out=$("$@" 2>&1 >out <"$in"); then pass "$name"; else fail "$name" "$out"; fi
		return
	fi
	for kind in alloc read write close open link stat thread tmpfile short eintr; do
		[ -n "$done_file" ] && grep -qF "$name"$'\t'"$kind"$'\t' "$done_file" && continue
		out=$("$tools/faults" "$tools/inject.so" $kind "$runs" "$@" 2>&1)
		[[ $out == *$'\nok\n'* || $out == ok* ]] || { bad+="$out"$'\n'; continue; }
		[ -z "$done_file" ] || printf '%s\t%s\t%s\n' "$name" $kind "$(grep -oE '[0-9]+' <<<"$out" | head -1)" >>"$done_file"
	done
	if [ -z "$bad" ]; then pass "$name survives every fault"; else fail "$name survives every fault" "$bad"; fi
}
b=$CT_RELEASE
[ -z "$once" ] || b=$CT_BIN
faults "reuse" -- "$b/reuse" --scale 1/34 ../few.d
faults "reuse -o, sampled, two threads" -x x.out -- "$b/reuse" -@ 2 -S 0.1 -o x.out "${few[@]}"
faults "reuse of one kernel" -- "$b/reuse" -k 'vec.*' "${few[@]}"
faults "reuse that spills" -- "$b/reuse" --max-memory 1 "${few[@]}"
faults "replicate of a profile" -i ../p.prof -- "$b/replicate"
faults "lineutil of a profile" -i ../p.prof -- "$b/lineutil"
faults "mpki" -- "$b/mpki" -@ 2 "${few[@]}"
# Of a profile whose trace cannot be read estimates stand without replays, which is no failure and is told.
"$CT_RELEASE/reuse" -q "${few[@]}" >../few.prof || exit 1
untold=(-w 'as nothing could be replayed')
faults "morpheus-est with a sweep" -i ../few.prof "${untold[@]}" -- "$b/morpheus-est" -O json --scale 1 --sweep sms=1..2
faults "malekeh-est, replayed" -- "$b/malekeh-est" --method replay "${few[@]}"
faults "mpki --explain" -- "$b/mpki" --explain "${few[@]}"
faults "tracecat packs" -x y.ctz -- "$b/tracecat" ../t -o y.ctz
faults "tracecat unpacks" -x z.traceg -- "$b/tracecat" -O accelsim ../t.ctz -o z.traceg
faults "tracecat of standard input" -i ../t.ctz -- "$b/tracecat"
faults "traceinfo" -- "$b/traceinfo" ../t
faults "traceinfo of a part" -- "$b/traceinfo" ../few.ctz
faults "tracecat of a part" -x y.ctz -- "$b/tracecat" ../few.ctz -o y.ctz
head -c 65536 "$b/reuse" >../raw
faults "bdi" -- "$b/bdi" ../raw
faults "tracecat makes a folder" -x z -- "$b/tracecat" -O accelsim ../t.ctz -o z
faults "tracecat makes a folder of packed text" -x z -- "$b/tracecat" -O tracez ../few.ctz -o z
"$CT_RELEASE/reuse" -q --per-kernel --scale 1/34 ../few.ctz >../each.prof || exit 1
printf 'ID,Kernel Name,gpc__cycles_elapsed.max\n0,vecadd(int),21000\n' >../c.csv
faults "correlate, with a page" -x x.out -k p.html -- "$b/correlate" -q --html p.html -o x.out ../each.prof ../c.csv
faults "tracegen" -x z -- "$b/tracegen" -q vecadd -o z
faults "report" -x r.html -- "$b/report" --html r.html ../p.prof
faults "sharedl1-est of a profile" -i ../few.prof "${untold[@]}" -- "$b/sharedl1-est" --scale 1
faults "merging" -- "$b/reuse" -q --merge ../p.prof ../p.prof
faults "tsc-est, replayed" -- "$b/tsc-est" --method replay "${few[@]}"
faults "sharedl1-est, replayed" -- "$b/sharedl1-est" --method replay "${few[@]}"
faults "morpheus-est, replayed" -- "$b/morpheus-est" --method replay "${few[@]}"
faults "triage of a trace, two threads" -p yes -- "$b/triage" -q -@ 2 -O profile "${few[@]}"
faults "reuse that leaves launches out" -- "$b/reuse" --sample-kernels 0.3 "${few[@]}"
faults "reuse --mechanisms" -- "$b/reuse" --mechanisms all "${few[@]}"
# What stands on standard output and in one file goes through stdio, gzip, liblzma and zstd.
"$b/tracecat" -q -O accelsim ../few.ctz >../few.traceg
for x in gzip xz zstd; do
	$x -c ../few.traceg >../few.$x 2>/dev/null || exit 1
	faults "traceinfo of $x" -- "$b/traceinfo" ../few.$x
done
printf 'sm.count = 2\nllc.size = 128KiB\nllc.slices = 1\nllc.partitions = 1\ndram.channels = 1\n' >../g.conf
faults "mpki with a GPU of its own" -- "$b/mpki" -g ../g.conf ../few.ctz
faults "triage of a shard" -p yes -- "$b/triage" -q --scale 1 --method analytic --shard 1/2 -O profile ../p.prof ../few.ctz
mkdir state
faults "triage that can go on" -p yes -- "$b/triage" -q --resume state ../p.prof
rm -r state
"$b/morpheus-est" -q ../p.prof >../m.prof
echo 'morpheus.Morpheus-ALL.speedup >= 0.1' >../req
faults "report of a folder, four files" -x r.html -k m.md -k j.xml -k c.csv -- "$b/report" -q --html r.html --markdown m.md --junit j.xml \
	--csv c.csv --requirements ../req ../m.prof
# Standard output is written before the drawing takes its place.
faults "report of a figure" -x f.svg -p yes -- "$b/report" -q --figure morpheus:12 --svg f.svg ../m.prof
# What has no records is replayed, what has them is only read.
"$b/reuse" -q --annotate --scale 1/34 ../few.ctz >../pc.prof || exit 1
printf '4096\t4096\tnodes\n' >../names.tsv
faults "annotate of a profile, for KCachegrind" -x cg.out -p yes -- "$b/annotate" -q --callgrind cg.out -O table ../pc.prof
faults "annotate with names, each launch" -- "$b/annotate" -q --symbols ../names.tsv --per-kernel "${few[@]}"
faults "sweep of a profile" -p yes -- "$b/sweep" -q -O csv l1.size=64KiB -- ../pc.prof
faults "two mechanisms together" -- "$b/tsc-est" -q --with malekeh "${few[@]}"
mkdir ../folder && cp ../m.prof ../folder/a && cp ../m.prof ../folder/b
faults "report that compares with a folder" -- "$b/report" -q --compare ../folder ../folder
finish
