# morpheus-est on generated workloads: verdicts, pipes, records, constants.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
est=$CT_BIN/morpheus-est

# Small working sets on an eighth of the GPU (9 SMs, 640 KiB of LLC).
made() { # NAME TRACEGEN-OPTION...
	local name=$1
	shift
	"$CT_RELEASE/tracegen" workingset "$@" -o "$name" &&
		"$CT_RELEASE/reuse" -q --scale 1/8 "$name" >"$name.profile"
}
value() { # SYSTEM METRIC PROFILE
	awk -F'\t' -v s="$1" -v m="$2" '$1 == "ES" && $4 == s && $5 == m { print $6 }' "$3"
}
within() { awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN { exit !(v >= lo && v <= hi) }'; }

check "tracegen and reuse: between the capacities" made between --footprint 896KiB --passes 6 --ctas 54 --sharing 1
check "tracegen and reuse: streaming" made stream --footprint 2MiB --passes 1 --ctas 54
check "tracegen and reuse: compute-bound" made compute --footprint 256KiB --passes 2 --ctas 54 --intensity 100
for w in between stream compute; do
	check "estimate: $w" "$est" -o "$w.out" "$w.profile"
done
check "a working set between the capacities gains" \
	within "$(value Morpheus-ALL speedup_configured between.out)" 1.05 4
check "streaming gains nothing" within "$(value Morpheus-ALL speedup_configured stream.out)" 0.99 1.01
check "compute-bound code gains nothing" \
	within "$(value Morpheus-ALL speedup_configured compute.out)" 0.99 1.01
same "BL is the baseline" 1 "$(value BL speedup between.out)"
same "thirteen systems" 13 "$(awk -F'\t' '$1 == "ES" && $5 == "speedup"' between.out | wc -l)"
same "every value has a method" "" "$(awk -F'\t' '$1 == "ES" && $8 != "analytic"' between.out)"
same "what a slow replay leaves of a peak is said as it is counted" \
	"DRAM bandwidth, at $(awk "BEGIN { printf \"%.0f\", 100 * $(value BL dram_utilisation stream.out) }") % of its peak" \
	"$("$est" -O table stream.profile | sed -n 's/^BL .*limited by \(.*\) ([0-9]* % busy\(, at .*\))$/\1\2/p')"

# 40 CTAs on 68 SMs: each has an SM of its own on 51, not on 34.
"$CT_RELEASE/tracegen" workingset --footprint 256KiB --passes 2 --ctas 40 -o few
"$CT_RELEASE/reuse" -q -o few.profile few
view() { awk -F'\t' -v OFS='\t' -v v="$1" '$1 == "RD" && $3 == v { $3 = ""; print }' few.profile; }
check "40 CTAs have an LLC stream" test -n "$(view llc_sector@sms=68)"
for v in llc llc_sector; do
	same "on 51 SMs they send what they send on 68: $v" "$(view $v@sms=68)" "$(view $v@sms=51)"
	check "on 34 they share L1s: $v" test "$(view $v@sms=68)" != "$(view $v@sms=34)"
done
same "with a thread for each view, too" "$(grep -v '^PG\|^EN' few.profile)" \
	"$("$CT_RELEASE/reuse" -q -@ 4 few | grep -v '^PG\|^EN')"

same "a pipe gives what a file gives" "$(grep -v '^PG\|^EN' between.out)" \
	"$("$est" -O profile <between.profile | grep -v '^PG\|^EN')"
same "and what the trace gives" "$(grep '^ES' stream.out)" \
	"$("$CT_RELEASE/morpheus-est" -q --scale 1/8 stream | grep '^ES')"
same "a profile with estimates gives them again" "$(grep '^ES' between.out)" \
	"$("$est" -O profile <between.out | grep '^ES')"
same "threads change nothing" "$("$est" -@ 1 -O profile between.profile)" "$("$est" -@ 8 -O profile between.profile)"
if command -v jq >/dev/null 2>&1; then
	check "JSON lines are JSON" sh -c "'$est' -O json between.profile | jq -e . >/dev/null"
else
	skip "JSON lines are JSON" "jq is not installed"
fi

"$est" --check -q -o both.out between.profile
both() { # SYSTEM METRIC METHOD
	awk -F'\t' -v s="$1" -v m="$2" -v how="$3" '$1 == "ES" && $4 == s && $5 == m && $8 == how { print $6 }' both.out
}
check "replayed, a working set between the capacities gains, too" \
	within "$(both Morpheus-ALL speedup_configured replay)" 1.05 4
same "--check has the analytic answer as it was" "$(value Morpheus-ALL speedup between.out)" "$(both Morpheus-ALL speedup analytic)"
same "Frequency-Boost is not replayed" "" "$(both Frequency-Boost speedup replay)"
same "a perfect predictor is never wrong" 0 "$(both Morpheus-Basic/Perfect-Prediction bloom_false_positive_rate replay)"
same "without a predictor each miss asks the SM" 1 "$(both Morpheus-Basic/No-Prediction bloom_false_positive_rate replay)"
"$est" --method replay -q --scale 1/8 -o replayed.out between
same "--method replay of the trace gives the same" "$(grep '^ES.*replay' both.out)" "$(grep '^ES.*replay' replayed.out)"
for w in stream compute; do
	"$est" --method replay -q -o "$w.replay" "$w.profile"
	check "replayed, $w gains nothing" within "$(value Morpheus-ALL speedup_configured $w.replay)" 0.98 1.02
done

"$est" --sweep sms=2..9 -o swept between.profile
same "a sweep has every SM count" "2 3 4 5 6 7 8 9" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "BL" && $7 == "ipc" { print $6 }' swept | paste -sd' ')"
same "the sweep's best is the estimate" "$(value Morpheus-Basic compute_sms between.out)" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "Morpheus-Basic" && $7 == "ipc" && $8 > best { best = $8; x = $6 } END { print x }' swept)"
check "the table has a verdict" sh -c "'$est' -O table between.profile | grep -q '^verdict: benefits: '"
check "the table has published numbers" sh -c "'$est' -O table --published between.profile | grep -q '^Morpheus-ALL  *speedup  *BL  *1.39'"

same "the controllers' storage" 215040 "$("$est" --overheads | awk '/whole GPU/ { print $NF }')"
check "another helper kernel" sh -c "'$est' -O table --helper rf between.profile | grep -q '^Morpheus-Basic '"
same "stated values are no assumption" "" "$("$est" -O table --mix 0.2,0.3,0.5 between.profile | grep assumed)"
same "values of bdi on the input are used" 4 "$(head -c 131072 /dev/zero | "$CT_RELEASE/bdi" between.profile - | "$est" -O profile |
	awk -F'\t' '$1 == "ES" && $4 == "Morpheus-Compression" && $5 == "compression_ratio" { print $6 }')"
refuses "a kernel that there is not" 2 'rf\+l1' "$est" --helper tape between.profile
refuses "two shares" 2 'three shares' "$est" --mix 0.2,0.3 between.profile
refuses "an unknown constant is named" 2 'morpheus\.ext_gps: did you mean morpheus\.ext_gbps' \
	"$est" -p morpheus.ext_gps=3 between.profile
refuses "a sweep beyond the GPU" 2 'has 9 SMs' "$est" --sweep sms=1..10 between.profile
refuses "a sweep of something else" 2 'sms=A\.\.B' "$est" --sweep warps=1..10 between.profile
refuses "another SM count needs the trace" 2 'trace' "$est" -p sm.count=8 between.profile
grep -v '^IM' between.profile >bare.profile
refuses "a profile without IM" 2 'lacks IM all' "$est" --no-verify bare.profile

missing=
for c in $("$est" --constants | awk 'NR > 1 { print $1 }'); do
	grep -q -- "$c" "$CT_ROOT/man/cachetriage-morpheus.7" || missing="$missing $c"
done
same "the man page has every constant" "" "$missing"
finish
