# What the rules of boards do to a replay, and the table that holds replays beside a board's counters.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
bin=$CT_RELEASE
"$bin/tracegen" -q workingset --footprint 256KiB --passes 1 --ctas 16 --stride 64 -o strided
metric() { # METRIC OPTION...
	local m=$1
	shift
	"$bin/mpki" -q -g gv100 "$@" -O profile strided | awk -F'\t' -v m="$m" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }'
}
same "a profile says whose rules made it" silicon "$("$bin/mpki" -q -g gv100 -O profile strided | awk -F'\t' '$2 == "machine" { print $3 }')"
same "a V100 follows a board's rules" silicon "$("$bin/mpki" -q -g v100 -O profile strided | awk -F'\t' '$2 == "machine" { print $3 }')"
same "Accel-Sim's are the default" accelsim "$("$bin/mpki" -q -g qv100 -O profile strided | awk -F'\t' '$2 == "machine" { print $3 }')"
one=$(metric dram_read_bytes -p machine=accelsim)
same "a board's DRAM hands out pairs of sectors" $((2 * one)) "$(metric dram_read_bytes)"
same "and nobody asks the LLC for more" "$(metric ncu_l2_read_sectors -p machine=accelsim)" "$(metric ncu_l2_read_sectors)"
cold=$(metric cycles -p llc.flush=on)
check "cold code costs time" test "$cold" -gt "$(metric cycles -p llc.flush=on -p sm.code_first_cycles=0 -p sm.code_line_cycles=0)"
check "branches cost time" test "$cold" -gt "$(metric cycles -p llc.flush=on -p sm.branch_cycles=0)"

same "idle SMs and the launch are no active cycles" "$("$bin/mpki" -q -g gv100 --cold -O profile strided |
	awk -F'\t' '$1 == "IM" && $2 == "all" && $3 == "busy_sm_cycles" { printf "%.0f", $4 / 80 }')" "$(metric active_cycles --cold)"
check "which are fewer than all" test "$(metric active_cycles)" -lt "$(($(metric cycles) - $(metric launch_cycles)))"
same "Accel-Sim has no word for them" "" "$(metric active_cycles --machine accelsim)"

same "--machine says whose rules they are" accelsim "$("$bin/mpki" -q -g gv100 --machine accelsim -O profile strided | awk -F'\t' '$2 == "machine" { print $3 }')"
same "and gives what the key gives" "$(metric dram_read_bytes --machine accelsim)" "$one"
refuses "other rules" 2 'use accelsim or silicon' "$bin/mpki" --machine volta strided
same "only replays after a board's rules have intervals" 0 "$("$bin/mpki" -q -g qv100 -O table strided | grep -c 'doc/replay.md section 13')"
same "--cold empties the caches" "$cold" "$(metric cycles --cold)"
same "a key goes over it" "$(metric cycles)" "$(metric cycles -p llc.flush=off --cold)"

# The figures that tests/silicon/results.tsv keeps are those of this replay: stored traces of three programs.
measured() { # PROGRAM LAUNCHES
	"${CT_RELEASE%/bin}/tests/silicon" "$CT_ROOT/data/gpus/gv100.conf" "$2" "$CT_ROOT/tests/silicon/traces/$1.ctz" | tail -n +2
}
while read -r program launches; do
	same "$program is as make silicon kept it" "$(awk -F'\t' -v p="$program" '$1 == p' "$CT_ROOT/tests/silicon/results.tsv" |
		head -n "$launches" | cut -f3-)" "$(measured "$program" "$launches")"
done <<-'END'
	nn 1
	hotspot 1
	gramschmidt 2
END

# Beside the board's counters, where they are: no mean has passed its goal.
board=$CT_SHARED/silicon/gv100_ncu.tsv
if [ -e "$board" ]; then
	awk -v out=all -f "$CT_ROOT/tests/silicon/compare.awk" "$board" "$CT_ROOT/tests/silicon/results.tsv" >kept
	same "no mean has passed its goal" "" "$(awk -F'\t' '$2 == "open" && $7 ~ /^[0-9]/ && $3 > $7' kept)"
	same "ours is nearer than every published simulator" "" "$(awk -F'\t' '$2 == "open" { for (i = 4; i < 7; i++) if ($i ~ /^[0-9]/ && $i <= $3) print $1 }' kept)"
	same "mpki prints the intervals that follow from them" \
		"$(awk -f "$CT_ROOT/tests/silicon/intervals.awk" all | awk -F'\t' 'NR > 1 { printf "%s..%s%s", $3, $4, NR % 3 == 1 ? "\n" : " " }')" \
		"$("$bin/mpki" -q -g gv100 -O table strided | grep -E '^(the board|ctcc)' | grep -oE '[-+][0-9.]+\.\.[-+][0-9.]+' | paste -d' ' - - -)"
	same "nine programs of ten lie within what the others say" "" "$(awk -f "$CT_ROOT/tests/silicon/intervals.awk" all | awk -F'\t' 'NR > 1 && $1 == "open" && ($7 < 85 || $7 > 95)')"
else
	skip "means beside the board's" "no ../shared/silicon"
fi

# Two kernels of a program and one of another: b's second launch is left out of its gate by its loads.
printf '%s\n' "app kernel_id gpu_cycles l1_hit l1_hit_read l2_hit l2_read_sectors l2_write_sectors dram_sectors warp_insts gld_req gst_req accelsim_cycles accelsim_l1_hit accelsim_l2_hit hyfiss_cycles hyfiss_l1_hit hyfiss_l2_hit ppt_cycles ppt_l1_hit ppt_l2_hit" \
	"a 0 1000 50 50 60 100 10 100 500 7 3 1500 60 70 - - - 2000 50 50" "a 1 3000 50 50 60 100 10 100 500 7 3 1500 60 70 - - - 2000 50 50" \
	"b 0 1000 50 50 60 100 10 100 500 9 3 1500 60 70 - - - 2000 50 50" | tr ' ' '\t' >board
printf '%s\n' "program half launch kernel l1_hit l1_hit_read l2_hit sm_active_cycles gpu_cycles warp_insts gld_req gst_req gld_sectors gst_sectors l2_read_sectors l2_write_sectors dram_sectors" \
	"a fit 0 k 51 50 60 1 1100 500 7 3 1 1 100 10 110" "a fit 1 k 52 50 60 1 2500 500 7 3 1 1 100 10 110" "b out 0 k 50 50 60 1 2000 500 7 3 1 1 100 10 100" | tr ' ' '\t' >rows
awk -v out=table -f "$CT_ROOT/tests/silicon/compare.awk" board rows >means
same "it fails where too few programs pass the gate" 1 $?
same "launches are averaged first" "gpu_cycles open 10.0 25.0 - 0.0 10" "$(grep '^gpu_cycles	open' means | tr '\t' ' ')"
same "hit rates are in points" "l1_hit open 1.5 10.0 - 0.0 1.5" "$(grep '^l1_hit	open' means | tr '\t' ' ')"
same "all rows, too" "gpu_cycles all 55.0 37.5 - 50.0 10" "$(grep '^gpu_cycles	all' means | tr '\t' ' ')"
same "gates are counted" "gate: 1 of 2 programs, 1 of 2 kernels" "$(grep '^gate' means)"
same "a row for each launch and metric" "a k 1 gpu_cycles cycles 3000 2500 1500 NA 2000 open" "$(grep '^a	k	1	gpu_cycles' table | tr '\t' ' ')"
finish
