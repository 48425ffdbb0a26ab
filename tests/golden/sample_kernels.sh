# --sample-kernels: what is left out is counted by what stands for it, marked, and within
# the range that is told; a sample of everything is the whole.
. "$(dirname "$0")/lib.sh"
export PATH="${CT_VALGRIND:-$CT_RELEASE}:$PATH" # the sanitizers would take minutes
cd "$TMPDIR" || exit 1

sn() { awk -F'\t' -v s="$2" -v m="$3" '$1=="SN" && $2==s && $3==m { print $4 }' "$1"; }
# between NAME V LOW HIGH
between() {
	if awk -v v="$2" -v l="$3" -v h="$4" 'BEGIN { exit !(v != "" && l != "" && h != "" && v + 0 >= l + 0 && v + 0 <= h + 0) }'; then
		pass "$1"
	else
		fail "$1" "$2 is not between $3 and $4"
	fi
}
part() { awk "BEGIN { print $1 * (1 - $2), $1 * (1 + $2) }"; }

# Many waves of equal CTAs.
tracegen -q vecadd --size medium -o va
g="--scale 1/32 -p sm.max_ctas=4"
reuse -q $g va > full
reuse -q --sample-kernels 0.2 $g va > some
between "most CTAs of a long launch are left out" "$(sn some all replayed_share)" 0 0.5
between "its cycles are in the range" "$(sn full all cycles)" "$(sn some all cycles_low)" "$(sn some all cycles_high)"
inside() { awk -F'\t' '$1 == "SN" && $3 ~ /^cycles(_low|_high)?$/ { v[$2, $3] = $4; s[$2] = 1 }
	END { for (i in s) if (v[i, "cycles"] != "NA" && !(v[i, "cycles_low"] + 0 <= v[i, "cycles"] + 0 && v[i, "cycles"] + 0 <= v[i, "cycles_high"] + 0)) print i }' "$1"; }
same "cycles lie between their ends in every scope" "" "$(inside some)"
mpki -q -p llc.latency=400 some > other
same "on another GPU too" "" "$(inside other)"
between "cycles within 5 %" "$(sn some all cycles)" $(part "$(sn full all cycles)" 0.05)
for m in l1_sector_accesses l1_sector_misses llc_sector_accesses dram_read_bytes thread_insts \
	l1_line_accesses; do
	between "$m within 2 %" "$(sn some all $m)" $(part "$(sn full all $m)" 0.02)
done
same "warp instructions are exact" "$(sn full all warp_insts) $(sn full all ctas)" \
	"$(sn some all warp_insts) $(sn some all ctas)"
rd() { awk -F'\t' -v v="$2" '$1=="RD" && $2=="all" && $3==v { n += $6 + $7 } END { print n + 0 }' "$1"; }
for v in l1_sector llc_sector "llc_sector@sms=1" reg_insts; do
	[ "$(rd full "$v")" = 0 ] && continue
	between "RD $v stands for all" "$(rd some "$v")" $(part "$(rd full "$v")" 0.04)
done
same "marked as sampled" "sampled" "$(awk -F'\t' '$1=="SN" && $2=="all" && $3=="cycles" { print $6 }' some)"
same "what is not known is NA" "NA" "$(sn some all distinct_lines)"
mpki -q some > /dev/null && pass "mpki takes such a profile" || fail "mpki takes such a profile"
mpki -q --sample-kernels 20% $g va | grep ^SN > a
same "mpki makes the same pass" "$(grep ^SN some)" "$(cat a)"
reuse -q --sample-kernels 0.2 -@ 2 $g va | grep -v ^PG > b
same "with threads too" "$(grep -v ^PG some)" "$(cat b)"

# Launches that repeat.
tracegen -q rnn -o rnn
reuse -q --scale 1/8 rnn > full
reuse -q --sample-kernels 0.2 --scale 1/8 rnn > some
check "launches that repeat are left out" test "$(sn some all sampled_launches)" -ge 1
same "and counted" "$(grep -c ^KN full)" "$(grep -c ^KN some)"
same "their instructions are the others'" "$(sn full all warp_insts)" "$(sn some all warp_insts)"
between "cycles with them" "$(sn some all cycles)" $(part "$(sn full all cycles)" 0.01)
same "cycles of repeated launches lie between their ends" "" "$(inside some)"
between "in the range" "$(sn full all cycles)" "$(sn some all cycles_low)" "$(sn some all cycles_high)"

# A share of all.
for o in "" "--timing quick"; do
	# shellcheck disable=SC2086
	same "a sample of everything is the whole$o" "$(reuse -q $o --no-sms-views $g va | grep -v "^PG" | grep -v "^EN")" \
		"$(reuse -q $o --no-sms-views --sample-kernels 1 $g va | grep -v "^PG" | grep -v "^EN")"
done

# From a packed trace only the frames that are wanted are read: the same numbers, and the digest of the whole.
tracecat -q va -o va.ctz
tracecat -q -O accelsim va.ctz -o again
reuse -q --sample-kernels 0.2 $g va.ctz | grep "^SN" > a
reuse -q --sample-kernels 0.2 $g again | grep "^SN" > b
same "packed and text give the same numbers" "$(cat b)" "$(cat a)"
tr() { awk -F'\t' '$1 == "TR" { print $4, $5 }' "$1"; }
mpki -q $g va.ctz > full
mpki -q --sample-kernels 0.2 $g va.ctz > some
same "and the trace's digest" "$(tr full)" "$(tr some)"
reuse -q --sample-kernels 0.2 $g < va.ctz | grep "^SN" > a
same "from a pipe too" "$(cat b)" "$(cat a)"

# Mechanisms, in the pass and in replays of the same sample.
triage -q -O profile --sample-kernels 0.2 $g va.ctz > some
check "triage judges by a sample" test "$(grep -c "^TV" some)" -ge 4
reuse -q --sample-kernels 0.2 --mechanisms all $g va.ctz > a
check "reuse measures mechanisms by a sample" test "$(grep -c "^ES" a)" -ge 4
triage -q -O csv --no-provenance --sample-kernels 0.2 $g va.ctz > a
triage -q -O csv --no-provenance --sample-kernels 0.2 -@ 2 $g va.ctz > b
same "with threads too" "$(cat a)" "$(cat b)"

refuses "--warmup" 2 "leaves launches out" reuse --sample-kernels 0.5 --warmup 10 va
refuses "no share" 2 "a share above 0" reuse --sample-kernels 0 va
refuses "a profile" 2 "needs the trace" mpki --sample-kernels 0.5 some
finish
