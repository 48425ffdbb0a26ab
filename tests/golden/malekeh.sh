# malekeh-est on generated workloads: pipes, records, bounds, sweeps, studies, constants.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
est=$(unscaled malekeh-est)
# With the sanitizers each kind of question is asked once; what asks again, in another way, is asked of the plain build.
plain() { "$CT_RELEASE/malekeh-est" --scale 1 "$@"; }

check "tracegen: hotspot" "$CT_RELEASE/tracegen" hotspot --size small -o hotspot
check "reuse --mechanisms malekeh" sh -c "'$CT_RELEASE/reuse' -q -g rtx2060-third --mechanisms malekeh hotspot >with.profile"
check "reuse" sh -c "'$CT_RELEASE/reuse' -q -g rtx2060-third hotspot >bare.profile"
check "estimate" "$est" -q -o out with.profile
value() { # SYSTEM METRIC PROFILE [METHOD]
	awk -F'\t' -v s="$1" -v m="$2" -v how="${4:-replay}" \
		'$1 == "ES" && $3 == "malekeh" && $4 == s && $5 == m && $8 == how { print $6 }' "$3"
}
holds() { awk "BEGIN { exit !($1) }"; }

same "nine systems, a bound and the GPU's own" "OCU OCU-8 RFC SW-RFC LTRF BOW Malekeh Malekeh_PR GTO+LRU OCU-ideal OCU-own" \
	"$(awk -F'\t' '$1 == "ES" && $5 == "speedup" { print $4 }' out | paste -sd' ')"
same "OCU is the baseline" "1 1 1" \
	"$(value OCU speedup out) $(value OCU rf_bank_reads_ratio out) $(value OCU rf_energy_ratio out)"
same "Malekeh adds 2 KB to an SM" 2048 "$(value Malekeh storage_bytes out)"
same "storage of all systems, of BOW's" "8.3 33.3" "$("$est" --overheads -g rtx2060-third |
	awk '$1 == "Malekeh" || $1 == "Malekeh_PR" { print $5 }' | paste -sd' ')"
same "a hit is a bank read less" "" "$(for s in Malekeh Malekeh_PR BOW GTO+LRU RFC SW-RFC; do
	holds "($(value $s rf_hit_ratio out) + $(value $s rf_bank_reads_ratio out) - 1)^2 < 1e-9" || echo "$s"; done)"
check "GTO+LRU hits far less than Malekeh" \
	holds "$(value GTO+LRU rf_hit_ratio out) < $(value Malekeh rf_hit_ratio out) / 3"
check "a table for each warp hits at least as often as BOW" \
	holds "$(value Malekeh_PR rf_hit_ratio out) >= $(value BOW rf_hit_ratio out)"
check "two active warps lose in a sub-core" holds "$(value RFC speedup out) < 1.01"

es() { grep '^ES' "$1"; }
plain -q -g rtx2060-third -O profile hotspot >from-trace
same "the trace gives what the pipe gives" "$(es out)" "$(es from-trace)"
plain -q -O profile bare.profile >from-bare
same "a bare profile's trace is replayed" "$(es out)" "$(es from-bare)"
same "a profile with estimates gives them again" "$(es out)" "$("$est" -q -O profile <out | grep '^ES')"
same "threads change nothing" "$(es out)" "$("$est" -q -@ 4 -g rtx2060-third -O profile hotspot | grep '^ES')"

"$est" -q --method analytic -o bounds bare.profile
same "bounds have no replay" "" "$(awk -F'\t' '$1 == "ES" && $8 != "analytic"' bounds)"
same "BOW's window is the histogram's first three distances" \
	"$(awk -F'\t' '$1 == "RD" && $2 == "all" && $3 == "reg_insts" { n += $6; if ($5 <= 4) h += $6 }
		END { printf "%.6g", h / n }' bare.profile)" "$(value BOW rf_hit_ratio_distinct bounds analytic)"
"$est" -q --check -o checked with.profile
same "replayed hit ratios keep to their bounds" "" "$(for s in BOW Malekeh Malekeh_PR GTO+LRU RFC; do
	most=$(awk -F'\t' -v s=$s '$1 == "ES" && $4 == s && $5 == "rf_hit_ratio_distinct" && $8 == "analytic" { print $10 }' checked)
	holds "$(value $s rf_hit_ratio_distinct checked) <= $most + 0.01" || echo "$s"; done)"
mv hotspot elsewhere
check "without the trace auto gives bounds" sh -c "'$est' -O table bare.profile 2>warn | grep -q '^note: bounds'"
check "and says so" grep -q 'warning: hotspot.*--trace-root.*bounds only' warn
refuses "replay refuses" 2 'trace-root' "$est" --method replay bare.profile
refuses "so does a sweep" 2 'trace-root' "$est" --sweep sthld=0..2 bare.profile
mv elsewhere hotspot

"$est" -q --sweep sthld=0..8:4 -o swept bare.profile
same "a sweep has every value" "0 4 8" \
	"$(awk -F'\t' '$1 == "SW" && $5 == "sthld" && $7 == "rf_hit_ratio" { print $6 }' swept | paste -sd' ')"
plain -q --sweep sthld=0..8:4 -o again swept
same "asked again it takes the place of the first" "$(grep ^SW swept)" "$(grep ^SW again)"
plain -q --sweep window=1..8 -o swept bare.profile
check "BOW hits more with each instruction of its window" sh -c "awk -F'\t' '\$1 == \"SW\" && \$7 == \"rf_hit_ratio\" {
	bad += \$8 < last; last = \$8; n++ } END { exit !(n == 8 && !bad) }' swept"
for k in malekeh.ports=1..3:2 sm.collectors=2..4:2; do
	key=${k%%=*}
	plain -q --sweep "$k" -o swept bare.profile
	for x in $(awk -F'\t' -v k="$key" '$1 == "SW" && $5 == k { print $6 }' swept | sort -nu); do
		same "$key=$x in a sweep is -p $key=$x" "$(plain -q -O profile -g rtx2060-third -p "$key=$x" hotspot |
			awk -F'\t' '$1 == "ES" && $8 !~ /quick|full/ && $5 ~ /^(speedup|rf_hit_ratio|cycles)$/ { print $4, $5, $6, $9, $10 }')" \
			"$(awk -F'\t' -v k="$key" -v x="$x" '$1 == "SW" && $5 == k && $6 == x && $7 ~ /^(speedup|rf_hit_ratio|cycles)$/ { print $4, $7, $8, $11, $12 }' swept)"
	done
done
"$est" -q --studies -o studied bare.profile
same "studies" 18 "$(awk -F'\t' '$1 == "ES" && $5 == "speedup"' studied | wc -l)"
same "a monolithic baseline of its own" 1 "$(value OCU-mono speedup studied)"
check "the table has a verdict" sh -c "'$est' -O table out | grep -q '^verdict: '"
check "published numbers" sh -c "'$est' -O table --published out | grep -q '^GTO+LRU  *-  *rf_hit_ratio  *0.079'"
if command -v jq >/dev/null 2>&1; then
	check "JSON lines are JSON" sh -c "'$est' -q -O json out | jq -e . >/dev/null"
else
	skip "JSON lines are JSON" "jq is not installed"
fi

plain -q --method replay -o engine bare.profile
same "private tables hit as often in the full engine" "" "$(for s in BOW Malekeh_PR; do
	holds "($(value $s rf_hit_ratio engine) - $(value $s rf_hit_ratio out))^2 < 0.05^2" || echo "$s"; done)"
check "there too GTO+LRU hits far less than Malekeh" \
	holds "$(value GTO+LRU rf_hit_ratio engine) < $(value Malekeh rf_hit_ratio engine) / 3"
same "a hit is a bank read less there, too" "" "$(for s in BOW Malekeh RFC SW-RFC; do
	holds "($(value $s rf_hit_ratio engine) + $(value $s rf_bank_reads_ratio engine) - 1)^2 < 1e-9" || echo "$s"; done)"
check "code for all warps hits nearly as often as a plan for each" \
	holds "$(value SW-RFC rf_hit_ratio engine) > 0.95 * $(value SW-RFC rf_hit_ratio out) && $(value SW-RFC rf_hit_ratio engine) <= $(value SW-RFC rf_hit_ratio out)"
check "cycles are the engine's" holds "$(value OCU cycles engine) != $(value OCU cycles out)"
check "--method replay prints both" sh -c "'$CT_RELEASE/malekeh-est' --scale 1 -q -O table --method replay engine | grep -q '^system  *cycles  *over OCU, engine'"

# Its warps end on instructions that the parts are done with in the cycle of their issue.
"$CT_RELEASE/tracegen" vecadd --size small -o vecadd
check "as many collectors as a word has bits" "$est" -q --sweep collectors=63..64 -o many vecadd
check "warps that end in the part's own cycle" sh -c "'$est' -q --method replay -o short vecadd"
same "every system has the engine's cycles there" 11 \
	"$(awk -F'\t' '$1 == "ES" && $5 == "cycles" && $8 == "replay" && $6 > 0' short | wc -l)"

# Speed-ups over the GPU as configured are over OCU-own, estimated and replayed; with two collectors and greedy-then-oldest
# schedulers that is OCU.
same "on the paper's GPU OCU-own is OCU" "$(value OCU cycles engine)" "$(value OCU-own cycles engine)"
plain -q -p sm.scheduler=lrr -p sm.collectors=3 --method replay -o other vecadd
check "elsewhere it is not" test "$(value OCU cycles other)" != "$(value OCU-own cycles other)"
for p in out engine other; do
	same "speed-ups over it, $p" "" "$(awk -F'\t' '$1 == "ES" && $8 == "replay" && $4 !~ /mono/ { v[$4, $5] = $6; s[$4] }
		END { for (i in s) { r = v[i, "speedup"] / v["OCU-own", "speedup"] - v[i, "speedup_configured"]; if (r * r > 1e-9) print i } }' $p)"
done
same "a speed-up has the error that such estimates have where issue stalls as often" "" "$(awk -F'\t' '
	$1 != "ES" { next } { v[$4, $5] = $6; low[$4, $5] = $9; high[$4, $5] = $10; s[$4] }
	END {
		at = v["OCU-own", "issue_stall_fraction"]; e = at <= .01 ? .025 : at <= .05 ? .04 : at <= .2 ? .07 : at <= .8 ? .085 : .24
		for (i in s) { x = v[i, "speedup_configured"]; m = x == 1 ? 0 : e
			if (x && ((low[i, "speedup_configured"] - x * exp(-m)) ^ 2 > 1e-9 || (high[i, "speedup_configured"] - x * exp(m)) ^ 2 > 1e-9)) print i } }' with.profile)"
"$CT_RELEASE/triage" -q --scale 1 -g rtx2060-third --mechanism malekeh --method replay -o verdict vecadd
same "and verdicts name it" "OCU-own" "$(awk -F'\t' '$1 == "TV" { print $9 }' verdict)"

# A load without registers: the register file does nothing, and nothing is said of its energy.
{
	printf -- '-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#traces format\n#BEGIN_TB\nthread block = 0,0,0\n'
	printf 'warp = 0\ninsts = 2\n0000 00000001 0 LDG.E 0 4 1 0x1000 0\n0010 ffffffff 0 EXIT 0 0\n#END_TB\n'
} >idle.traceg
"$est" -q -O table idle.traceg >idle
"$est" -q -O profile idle.traceg | grep -v 'OCU-8.storage_bytes' | "$est" -q --no-verify -O table >>idle
same "what has no value is no number" "2 0" "$(grep -c '^verdict' idle) $(grep -ci '\bnan\b' idle)"

printf 'start\t1\t0\t0\t64\n' >bad.tsv
refuses "nor are there bounds in its place" 2 'bad.tsv:.*state 1' "$est" --sthld-table bad.tsv with.profile
refuses "half a table of transitions" 2 'bad.tsv:.*state 1' "$est" --sthld-table bad.tsv hotspot
refuses "an unknown sweep" 2 'write sthld=0\.\.16:2, entries=' "$est" --sweep speed=1..2 with.profile
refuses "entries below six" 2 'from 6 to 64' "$est" --sweep entries=4..8 with.profile
refuses "an unknown constant is named" 2 'did you mean malekeh\.rthld' "$est" -p malekeh.rthd=3 with.profile
missing=
for c in $("$est" --constants | awk 'NR > 1 { print $1 }'); do
	grep -q -- "$c" "$CT_ROOT/man/cachetriage-malekeh.7" || missing="$missing $c"
done
same "the man page has every constant" "" "$missing"
finish
