# The main pipe as a user types it: profiles pass through the stages, a saved
# profile gives the same estimates, threads and repetition change nothing, JSON is
# JSON, and the shared captures go through.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_BIN:$PATH"
cd "$TMPDIR" || exit 1

check "tracegen makes a working set" tracegen workingset --footprint 256KiB -o ws
check "reuse profiles it" reuse ws -o ws.profile
check "the stages take it from each other" bash -c \
	'set -o pipefail; reuse ws | replicate | morpheus-est > piped.profile'
check "a saved profile goes through too" bash -c \
	'set -o pipefail; replicate ws.profile | morpheus-est > saved.profile'
same "a saved profile gives the same estimates" \
	"$(grep -E '^(ES|SW)' piped.profile)" "$(grep -E '^(ES|SW)' saved.profile)"
[ -n "$(grep '^ES' saved.profile)" ] && pass "there are estimates" || fail "there are estimates"
for stage in replicate mpki morpheus-est; do
	same "$stage TRACE equals reuse TRACE | $stage" \
		"$(reuse ws | $stage --no-provenance | grep -vE '^#?(PG|EN)')" \
		"$($stage --no-provenance ws | grep -vE '^#?(PG|EN)')"
done
for n in 2 3 8; do
	same "reuse -@ $n prints what -@ 1 prints" "$(cat ws.profile | md5sum)" "$(reuse -@ $n ws | md5sum)"
done
same "locale does not matter" "$(md5sum < ws.profile)" "$(LC_ALL=de_DE.UTF-8 reuse ws | md5sum)"

for stage in "reuse ws" "replicate ws.profile" "mpki ws.profile" "morpheus-est ws.profile" "traceinfo ws"; do
	check "$stage -O json is JSON lines" bash -c "set -o pipefail; $stage -O json | jq -es 'length > 3 and all(.[]; type == \"object\")'"
	check "$stage -O table says something" bash -c "$stage -O table | grep '[a-z]' >/dev/null"
done
check "traceinfo is short for a profile's reader" bash -c 'reuse ws | sed -n 1p | grep -xF "#cachetriage-profile	1"'

# Damage is refused by every stage, whole and with one line.
: > empty
printf '\177ELF\1\2\3\0\0\0\0\0\0' > binary
mkdir folder
for tool in traceinfo reuse replicate mpki morpheus-est; do
	want='1|2'
	[ $tool = traceinfo ] && want=1
	refuses "$tool refuses an empty file" "$want" "^$tool: .*empty" $tool empty
	refuses "$tool refuses /dev/null" "$want" "^$tool: /dev/null" $tool /dev/null
	refuses "$tool refuses a binary" "$want" "^$tool: binary" $tool binary
	refuses "$tool refuses a folder without a list" "$want" "^$tool: folder" $tool folder
	refuses "$tool refuses a missing file" 2 "^$tool: nowhere.*No such file" $tool nowhere
	refuses "$tool refuses an unknown option" 2 "did you mean --output" $tool --outptu x ws
	refuses "$tool says that the disk is full" 2 "No space left" $tool ws -o /dev/full
done
head -c 900 ws.profile > cut.profile
for tool in replicate mpki morpheus-est; do
	refuses "$tool refuses a cut profile" 2 "cut.profile" $tool cut.profile
	refuses "$tool refuses another SM count for a profile" 2 "needs the trace" $tool -p sm.count=10 ws.profile
done
# What was salvaged says so in every stage, and ends it in 1 as the trace itself would.
tracecat -q -O accelsim ws | head -n 2000 >cut.traceg
reuse -q --salvage cut.traceg >salvaged.profile
same "reuse --salvage ends in 1" 1 $?
for tool in replicate lineutil mpki morpheus-est sharedl1-est "reuse --merge" triage report; do
	$tool salvaged.profile >out 2>err
	same "$tool of a salvaged profile: exit 1 and a warning" "1 1" "$? $(grep -c 'damage' err)"
done
report -q --html - salvaged.profile | grep -q 'trace is damaged' && pass "the page says so" || fail "the page says so"
# A packed trace that was cut ends inside its second launch: commands that look for its size first use what precedes that.
tracecat -q ws -o whole.ctz
head -c $(($(stat -c %s whole.ctz) * 9 / 10)) whole.ctz >cut.ctz
for tool in triage morpheus-est "triage -k 1" mpki; do
	$tool --salvage -O csv cut.ctz >out 2>err
	same "$tool --salvage of a cut packed trace: exit 1, a warning, and rows" "1 1 yes" "$? $(grep -c 'precedes the damage' err) $([ "$(wc -l <out)" -gt 3 ] && echo yes)"
done
head -c 600 whole.ctz >head.ctz
for tool in triage mpki; do
	refuses "$tool --salvage where nothing is left" 2 'no instruction precedes the damage|no kernel' $tool --salvage -O profile head.ctz
done
# A trace of which a part is missing may have been cut on purpose: each stage says that it is a part.
tracecat -q -O accelsim ws | awk '/^#BEGIN_TB/ {n++} n < 3' >short.traceg
reuse -q --mechanisms all short.traceg >short.profile || fail "reuse of a short grid" "$?"
says='kernel lacks thread blocks'
for tool in replicate lineutil mpki morpheus-est sharedl1-est tsc-est malekeh-est "reuse --merge" triage report; do
	$tool short.profile >out 2>err
	same "$tool of a profile with a short grid: done, and a warning" "0 1" "$? $(grep -c "$says" err)"
done
same "and with -q the tables say so" "1 1 1 1 1 1" \
	"$(for t in replicate lineutil mpki morpheus-est tsc-est malekeh-est; do $t -q -O table short.profile 2>&1 | grep -c "^only a part of the trace was there: 1 $says"; done | paste -sd' ')"
same "so does reuse, of which a whole trace's table does not" "1 0" \
	"$(for t in short.traceg ws; do reuse -q -O table $t | grep -c '^only a part of the trace was there'; done | paste -sd' ')"
same "triage says so in its reasons, in every form" "4 4 4 4" \
	"$(for f in table csv json profile; do triage -q -O $f short.profile | grep -c "; only a part of the trace was there: 1 $says"; done | paste -sd' ')"
for f in html markdown junit; do
	report -q --$f - short.profile | grep -qi "only a part of the trace was there: 1 $says" && pass "so does report --$f" || fail "report --$f"
	report -q --$f - ws.profile | grep -qi 'only a part of' && fail "report --$f of a whole one" || pass "and of a whole one not"
done
report -q short.profile | grep -q "^short: only a part of the trace was there: 1 $says" && pass "so does the table" || fail "the table"
mkdir old new && cp short.profile old/ws.profile && cp ws.profile new/
for f in html markdown junit; do
	report -q --compare old --$f - new | grep -q "short.*(old run): only a part of the trace was there" && pass "report --$f says so of an old run" ||
		fail "report --$f of an old run"
done
report -q --html - short.profile | grep -q 'Not of whole traces:.*short' && pass "so does the page's overview" || fail "overview"
# So does what has lost warps: nothing but them is in doubt, so it is used, and marked.
tracecat -q -O accelsim ws | awk '/^warp = 1$/ && !n++ {skip = 1} /^warp = 2$|^#END_TB/ {skip = 0} !skip' >lost.traceg
traceinfo -q -O profile lost.traceg >out
same "traceinfo counts the warps that are absent, and ends in 1" "1 1 1" \
	"$? $(awk -F'\t' '$3 == "absent_warps" || $3 == "truncated" {printf "%s%s", s, $4; s = " "}' out)"
tracecat -q -o lost.ctz lost.traceg
same "tracecat packs what is there, and ends in 1" "1 1" "$? $(traceinfo -q -O profile lost.ctz | grep -cP 'absent_warps\t1\t')"
for in in lost.traceg lost.ctz; do
	reuse $in >lost.profile 2>err
	same "reuse of $in: used, marked, told, exit 1" "1 2 1" \
		"$? $(grep -cP '^SN\tall\t(truncated|absent_warps)\t1\t' lost.profile) $(grep -c 'lacks 1 warps' err)"
	replicate -q lost.profile >out
	same "and what reads its profile ends in 1" 1 $?
	triage -q -O profile $in >out
	same "triage of $in gives no verdict" "1 0" "$? $(grep '^TV' out | grep -vc 'damaged')"
done
# A producer that dies leaves no end of its profile.
for n in 1 2; do
	for tool in replicate lineutil mpki morpheus-est sharedl1-est tsc-est malekeh-est "reuse --merge -" triage report; do
		{ head -c $((n * 1500)) ws.profile; } | $tool -q >out 2>err
		same "$tool notices that its producer was killed ($n)" "2 1" "$? $(wc -l <err)"
	done
done
cat ws.profile ws.profile >twice.profile
for tool in replicate lineutil mpki morpheus-est sharedl1-est tsc-est malekeh-est "reuse --merge" triage report; do
	$tool -q twice.profile >out 2>err
	same "$tool refuses two profiles in one file" "2 1" "$? $(grep -c twice.profile err)"
done

refuses "an unknown GPU key names the nearest" 2 "l1.size" reuse -p l1.sise=64KiB ws
refuses "an unknown GPU is named" 2 "rtx30801" reuse -g rtx30801 ws
reuse ws -o out.profile && cp out.profile before
reuse cut.profile -o out.profile 2>/dev/null
same "a failed run leaves -o as it was" "$(md5sum < before)" "$(md5sum < out.profile)"
same "no temporary file is left" "" "$(ls -A | grep tmp)"

# A trace without a memory access: what has no value is a dash, not a number that is none.
tracecat -q --space none ws -o dry.ctz
"$CT_RELEASE/reuse" -q --scale 1/8 --mechanisms all dry.ctz -o dry.profile
for t in mpki replicate lineutil "morpheus-est --published" "sharedl1-est --published" "tsc-est --published" "malekeh-est --published" triage; do
	# shellcheck disable=SC2086
	out=$($t -q -O table dry.profile)
	same "$t of a trace without memory accesses" "0 0" "$? $(printf '%s\n' "$out" | grep -ciE '(^|[^a-z])-?(nan|inf)([^a-z]|$)')"
done

if needs_shared "the shared captures go through the pipe"; then
	for t in bfs-sm80-v3 btree-sm90-v5 nn-step-sm80-v5; do
		check "$t goes through the pipe" bash -o pipefail -c \
			"reuse -q $CT_SHARED/traces/$t | replicate | morpheus-est | grep '^ES' >/dev/null"
	done
	check "flash-decode goes through on standard input" bash -o pipefail -c \
		"xzcat $CT_SHARED/traces/flash-decode-sm80-v5/kernel-1.traceg.xz | $CT_RELEASE/reuse -q | replicate | morpheus-est | grep '^ES' >/dev/null"
	for t in pannotia-mis polybench-atax rodinia-nn shoc-bfs; do
		check "$t goes through the pipe" bash -o pipefail -c \
			"$CT_RELEASE/reuse -q $CT_SHARED/traces-opencl/$t | replicate | morpheus-est | grep '^ES' >/dev/null"
	done
fi
finish
