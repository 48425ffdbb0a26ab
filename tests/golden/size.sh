# Traces that are too small for the GPU: who scales it by itself, who does not, and what is said of it.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
b=$CT_RELEASE
names=$("$b/../lib/estimator" --commands)

gp() { awk -F'\t' -v k="$1" '$1 == "GP" && $2 == k { print $3 }' "${2:--}"; }
waves() { awk -F'\t' '$1 == "SN" && $2 == "all" && $3 == "sm_fill" { print $4 }' "${1:--}"; }
holds() { awk "BEGIN { exit !($1) }"; }
make_trace() { "$b/tracegen" -q "$@" || fail "tracegen $*"; }

# 136 CTAs, 6 an SM: 11 SMs hold two waves. One CTA fills nothing.
make_trace workingset --footprint 256KiB --passes 2 --ctas 136 -o ws
make_trace workingset --footprint 16KiB --ctas 1 --sharing 1 -o one
make_trace bfs --size small -o bfs

# ---- the part of the GPU ----
"$b/reuse" -q --no-sms-views ws -o whole || fail reuse
same "reuse does not scale by itself" "68 " "$(gp sm.count whole) $(gp sm.asked whole)"
for c in replicate mpki lineutil; do
	same "nor does $c" 68 "$("$b/$c" -q -O profile ws | gp sm.count)"
done
"$b/reuse" -q --mechanisms all --scale auto ws -o part || fail "reuse --scale auto"
same "a part has whole memory channels and their SMs, rounded up" "11 3 6 68" \
	"$(gp sm.count part) $(gp dram.channels part) $(gp llc.slices part) $(gp sm.asked part)"
check "which the trace fills" holds "$(waves part) >= 2"
same "the smallest with a channel of its own has four SMs" "4 1" \
	"$("$b/reuse" -q --no-sms-views --scale auto bfs | tee p | gp sm.count) $(gp dram.channels p)"
same "a smaller trace gets no fewer" "4 1" \
	"$("$b/reuse" -q --no-sms-views --scale auto one | tee p | gp sm.count) $(gp dram.channels p)"
same "a trace that fills the GPU leaves it whole" "2 " \
	"$("$b/reuse" -q --no-sms-views --scale auto -p sm.count=2 bfs | tee p | gp sm.count) $(gp sm.asked p)"
same "a factor is obeyed" "68 68" "$("$b/reuse" -q --no-sms-views --scale 1 ws | tee p | gp sm.count) $(gp sm.asked p)"

# The grid of a header may promise more than the trace has: what is there decides.
mkdir short
sed 's/-grid dim = (1,1,1)/-grid dim = (4096,1,1)/' <("$b/tracecat" -q -O accelsim -o plain one && cat plain/kernel-1.traceg* | zstd -dcq) >short/kernel-1.traceg
echo kernel-1.traceg >short/kernelslist.g
check "a header of another grid" grep -q 'grid dim = (4096,1,1)' short/kernel-1.traceg
same "a grid that the trace does not have fills nothing" "4 68" \
	"$("$b/reuse" -q --no-sms-views --scale auto short | tee p | gp sm.count) $(gp sm.asked p)"
same "and warnings come once" 1 "$("$b/reuse" --no-sms-views --scale auto short 2>&1 >p | grep -c 'thread block')"

# Small launches before a large one: the instructions count, not the launches.
"$b/tracecat" -q one one one ws -o mixed.ctz || fail tracecat
same "launches weigh as many instructions as they have" 11 "$("$b/reuse" -q --no-sms-views --scale auto mixed.ctz | gp sm.count)"
"$b/tracecat" -q -O accelsim -o mixed mixed.ctz
same "in any form" 11 "$("$b/reuse" -q --no-sms-views --scale auto mixed | gp sm.count)"

# ---- estimators and triage ----
for c in $names; do
	"$b/$c" -q --no-provenance -O profile ws >from.trace || fail "$c"
	same "$c scales by itself" "11 of 68" "$(gp sm.count from.trace) of $(gp sm.asked from.trace)"
	"$b/reuse" -q --no-provenance --scale auto ws | "$b/$c" -q --no-provenance -O profile >from.pipe
	check "$c: reuse --scale auto T | E and E T print the same" cmp from.trace from.pipe
	"$b/$c" -q --no-provenance -O table whole >from.profile
	check "$c makes an unscaled profile again from its trace" cmp <("$b/$c" -q --no-provenance -O table ws) from.profile
	same "$c says so in its heading" 1 "$(sed -n 1p from.profile | grep -c '^11 of 68 SMs of rtx3080')"
	same "$c obeys --scale 1" "68 68" "$("$b/$c" -q -O profile --scale 1 ws | tee p | gp sm.count) $(gp sm.asked p)"
done
same "--sweep leaves the GPU whole, whose values it names" "68 10 68" \
	"$("$b/morpheus-est" -q -O profile --sweep sms=10..68:58 ws | tee p | gp sm.count) $(awk -F'\t' '$1 == "SW" { print $6 }' p | sort -un | paste -sd' ')"
"$b/triage" -q --no-provenance -O profile ws | grep '^TV' >from.trace
same "triage says on how many SMs" "11 68" "$(awk -F'\t' '{ print $13, $14 }' from.trace | sort -u)"
for p in whole part; do
	"$b/triage" -q --no-provenance -O profile $p | grep '^TV' | sed "s/^TV	$p/TV	ws/" >from.$p
	check "triage of a profile says what it says of the trace ($p)" cmp from.trace from.$p
done
same "in a column" 4 "$("$b/triage" -q -O table ws bfs | grep -c '11 of 68 SMs')"
same "that is left out where nothing was scaled" 0 "$("$b/triage" -q -O table -p sm.count=2 --mechanism malekeh ws | grep -c 'SMs')"
same "and in CSV" 4 "$("$b/triage" -q -O csv ws | grep -c ',11,68.$')"

# ---- what cannot be scaled ----
cp -r ws gone && "$b/reuse" -q gone -o gone.profile && rm -r gone
out=$("$b/morpheus-est" -O table gone.profile 2>err)
check "without its trace a profile is unknown" \
	grep -q 'verdict: unknown.*: profile fills 0.33 waves; make it with reuse --scale auto' <<<"$out"
check "a command that has read the trace names its own option" \
	grep -q 'the trace fills 0.33 waves: give --scale auto' \
	<("$b/morpheus-est" -q -O table --sweep sms=10..68:58 ws | tr '\n' ' ' | tr -s ' ')
check "and it is said why" grep -q 'warning: the profile fills 0.33 waves .*--trace-root' err
check "triage says it too" grep -q 'unknown.*profile fills 0.33 waves; make it with reuse --scale auto' \
	<("$b/triage" -q -O csv --mechanism morpheus gone.profile)
check "with another --scale the advice is about the GPU that was named" \
	grep -q 'profile fills 0.67 waves of the 34 of 68 SMs that --scale asks for; --scale auto takes at most 11' \
	<("$b/triage" -q -O csv --mechanism morpheus --scale 1/2 ws)
check "of a trace that does not fill the SMs of one channel the numbers are judged, with a word of it" \
	grep -qE 'malekeh,.*bank conflicts.*; the trace fills 0.042 waves of 4 of 68 SMs only' \
	<("$b/triage" -q -O csv --mechanism malekeh one)

# ---- pipes: what may be read again is kept in a file without a name ----
"$b/tracecat" -q -o ws.ctz ws
"$b/triage" -q --no-provenance -O profile ws.ctz | grep '^TV' >from.file
check "a trace from a pipe is judged as from a file" cmp <(sed 's/^TV	ws/TV	-/' from.file) \
	<("$b/tracecat" -q -o - ws | "$b/triage" -q --no-provenance -O profile - | grep '^TV')
mkfifo fifo || fail "mkfifo" fifo
cat ws.ctz >fifo &
same "a named one, too" "11 68" "$("$b/reuse" -q --no-sms-views --scale auto fifo | tee p | gp sm.count) $(gp sm.asked p)"
same "of one kernel's text" 11 "$(zstd -dcq ws/kernel-1.traceg.zst | "$b/reuse" -q --no-sms-views --scale auto | gp sm.count)"
refuses "what is too large to keep, where that was asked for" 2 'too large to keep' \
	bash -c "'$b/reuse' --no-sms-views --scale auto --max-memory 1KiB - < <(cat ws.ctz)"
same "without room the GPU stays whole" "68 " \
	"$(TMPDIR=/nonexistent "$b/morpheus-est" -q -O profile - < <(cat ws.ctz) | tee p | gp sm.count) $(gp sm.asked p)"
