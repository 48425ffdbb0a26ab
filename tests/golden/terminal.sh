# -O table on a terminal: bars and sparklines in Unicode where the locale has it, ASCII
# where it has not, colours unless NO_COLOR, text that knows the width; a file gets ASCII.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
unset COLUMNS
export PATH="$CT_BIN:$PATH"
if ! command -v script >/dev/null 2>&1; then
	skip "tables on a terminal" "script is not installed"
	finish
fi
# on COLUMNS LOCALE COMMAND: its output on a terminal of that width
on() {
	LC_ALL=$2 TERM=xterm script -qec "stty cols $1; $3 2>/dev/null" /dev/null </dev/null | tr -d '\r'
}
blocks() { grep -cE $'\xe2\x96[\x81-\x8f]'; }
high() { LC_ALL=C grep -cE $'[\x80-\xff]'; }
escapes() { grep -c $'\033'; }

"$CT_RELEASE/tracegen" -q workingset --footprint 224KiB --passes 4 --ctas 36 -o ws || fail tracegen
"$CT_RELEASE/tracegen" -q kmeans --size small -o km || fail tracegen
"$CT_RELEASE/triage" -q --scale 1/16 --resume kept ws km -o verdicts || fail triage
p=$(ls kept/ws-*)
head -c 65536 /dev/zero >values
while read -r name what command; do
	out=$(on 120 C.UTF-8 "$command")
	if [ "$(printf '%s\n' "$out" | blocks)" -gt 0 ]; then pass "$name: $what"; else fail "$name: $what" "$out"; fi
	same "$name: ASCII where the locale has no more" 0 "$(on 120 C "$command" | high)"
	same "$name: NO_COLOR" 0 "$(NO_COLOR=1 on 120 C.UTF-8 "$command" | escapes)"
done <<END
triage curves triage -q --no-verify $p
traceinfo shares traceinfo km
reuse distances reuse -q --scale 1/16 ws
replicate sizes replicate --sizes 8KiB,128KiB $p
lineutil shares lineutil $p
mpki curves mpki $p
bdi encodings bdi values
morpheus-est sweep morpheus-est --sweep sms=1..5 $p
sharedl1-est sweep sharedl1-est --sweep l1.latency=8..64:8 $p
tsc-est sweep tsc-est --sweep hit_latency=0..8 $p
malekeh-est sweep malekeh-est --sweep sthld=0..16:8 $p
END
check "verdicts have colours" test "$(on 120 C.UTF-8 "triage -q $p" | escapes)" -gt 0
same "not on a dumb terminal" 0 "$(LC_ALL=C.UTF-8 TERM=dumb script -qec "triage -q $p" /dev/null </dev/null | escapes)"
for w in 80 120 160; do
	wide=$(NO_COLOR=1 on $w C.UTF-8 "triage -q kept/*" | LC_ALL=C.UTF-8 wc -L)
	check "lines of triage fit $w columns ($wide)" test "$wide" -le $w -a "$wide" -gt 40
done
wide=$(on 80 C "tracegen --list" | wc -L)
check "the list of workloads fits 80 columns ($wide)" test "$wide" -le 80 -a "$wide" -gt 40
same "a narrow terminal keeps the reasons" 0 "$(on 80 C.UTF-8 "triage -q $p" | blocks)"
COLUMNS=400 triage -q -O table --no-verify "$p" >file
same "a file gets ASCII" "0 0" "$(high <file) $(escapes <file)"
same "with the same columns" "$(NO_COLOR=1 on 400 C "triage -q $p")" "$(cat file)"
# The part of the GPU takes four words ("5 of 68 SMs").
curve=$(awk '/^ws/ { print $10; exit }' file)
same "nine capacities" 9 "${#curve}"
# Misses cannot rise with the size; the ASCII levels rise as _.-=+*#@.
same "a curve falls" "" "$(awk 'NR > 1 { for (i = 2; i <= length($10); i++) if (index("_.-=+*#@", substr($10, i, 1)) > index("_.-=+*#@", substr($10, i - 1, 1))) print }' file)"
out=$(script -qec "triage --progress --scale 1/16 -O csv -o /dev/null ws km" /dev/null </dev/null | tr '\r' '\n')
check "progress counts and says what it works on" grep -q 'triage: [01] of 2, 0 failed, .*MB/s.*now ' <<<"$out"
deep=$(printf 'folder-%s/' 1 2 3 4 5 6 7 8 9)
mkdir -p "$deep" && cp -r ws "${deep}named"
out=$(script -qec "triage --progress --scale 1/16 -O csv -o /dev/null ${deep}named" /dev/null </dev/null | tr '\r' '\n')
check "of a long path its end" grep -q 'now \.\..*folder-9/named$' <<<"$out"
same "on one line of the screen" "" "$(awk '/MB/ && length > 79' <<<"$out")"
finish
