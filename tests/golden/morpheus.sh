# morpheus-est on generated workloads: verdicts, pipes, records, constants.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
# Of the plain build: verdicts replay, which takes minutes with sanitizers.
est=$(CT_BIN=$CT_RELEASE unscaled morpheus-est)

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
	"$("$CT_RELEASE/morpheus-est" --scale 1 -q --scale 1/8 stream | grep '^ES')"
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
check "Frequency-Boost is as fast as IBL, and at most by its clocks faster" within \
	"$(awk -v a="$(both Frequency-Boost speedup replay)" -v b="$(both IBL speedup replay)" 'BEGIN { print a / b }')" 0.99 1.2
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

# Every other key: the question is asked anew at each value.
swept() { # KEY X METRIC FILE
	awk -F'\t' -v k="$1" -v x="$2" -v m="$3" '$1 == "SW" && $4 == "Morpheus-ALL" && $5 == k && $6 == x && $7 == m { print $8, $10, $11, $12 }' "$4"
}
asked() { # METRIC OPTION...: each question is asked once for all its metrics
	local metric=$1 answer
	shift
	answer=asked-$(printf %s "$*" | cksum | cut -d' ' -f1)
	[ -e "$answer" ] || "$est" -q -O profile -o "$answer" "$@"
	awk -F'\t' -v m="$metric" '$1 == "ES" && $4 == "Morpheus-ALL" && $5 == m { print $6, $8, $9, $10 }' "$answer"
}
for k in morpheus.ext_gbps=20..40:20 llc.latency=150..300:150 llc.size=768KiB..1536KiB; do
	key=${k%%=*}
	"$est" --sweep "$k" -o swept between.profile
	for x in $(awk -F'\t' -v k="$key" '$1 == "SW" && $5 == k { print $6 }' swept | sort -nu); do
		for m in speedup speedup_configured cycles llc_mpki cache_sms; do
			same "$key=$x in a sweep is -p $key=$x: $m" "$(asked $m -p "$key=$x" between.profile)" "$(swept "$key" "$x" $m swept)"
		done
	done
	same "the estimate beside the sweep of $key is as without" "$(grep '^ES' between.out)" "$(grep '^ES' swept)"
done
same "sizes double" "786432 1572864" "$(awk -F'\t' '$5 == "llc.size" && $1 == "SW" { print $6 }' swept | sort -nu | paste -sd' ')"
"$est" -q --sweep sm.count=6..9:3 -o swept between.profile
check "tracegen and reuse: half of it, for replays of every system" made half --footprint 448KiB --passes 2 --ctas 27 --sharing 1
same "what the profile cannot follow is asked of the trace" "$(asked cycles --method replay -p sm.count=6 half.profile | cut -d' ' -f1)" \
	"$("$est" -q --method replay --sweep sm.count=6..6 -O profile half.profile | swept sm.count 6 cycles - | cut -d' ' -f1)"
same "and the SM count that it has is the estimate" "$(value Morpheus-ALL cycles between.out)" "$(swept sm.count 9 cycles swept | cut -d' ' -f1)"
refuses "but not where the analytic answer is asked for" 2 'needs the trace' "$est" --method analytic --sweep sm.count=6..9:3 between.profile
refuses "nor of a trace that cannot be read again" 2 'standard input' sh -c "'$CT_RELEASE/tracecat' -q -o - between | '$est' -q --scale 1/8 --sweep sm.count=6..9:3"
same "a trace is swept like its profile" "$(grep '^SW' swept)" "$("$est" -q --scale 1/8 --sweep sm.count=6..9:3 between | grep '^SW')"
verdict() { awk -F'\t' '$1 == "TV" { print $4 }'; }
for w in between stream compute; do
	same "the verdict below the table is triage's: $w" "$("$CT_RELEASE/triage" -q --scale 1 --mechanism morpheus -O profile $w.profile | verdict)" \
		"$("$est" -O table $w.profile | sed -n 's/^verdict: \([a-z]*\).*/\1/p')"
done
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
refuses "a sweep of something else" 2 'sms=10\.\.68, or a key of -p' "$est" --sweep warps=1..10 between.profile
refuses "a swept key that there is not" 2 'did you mean .l1\.size' "$est" --sweep l1.siz=1..2 between.profile
refuses "a key of another model" 2 'tsc' "$est" --sweep tsc.chunk=8..16 between.profile
refuses "another SM count needs the trace" 2 'trace' "$est" -p sm.count=8 between.profile
grep -v '^IM' between.profile >bare.profile
refuses "a profile without IM" 2 'lacks IM all' "$est" --no-verify bare.profile

missing=
for c in $("$est" --constants | awk 'NR > 1 { print $1 }'); do
	grep -q -- "$c" "$CT_ROOT/man/cachetriage-morpheus.7" || missing="$missing $c"
done
same "the man page has every constant" "" "$missing"
finish
