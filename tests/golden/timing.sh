# --timing quick: what it prints, says of itself, and refuses; near the full timing.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

sn() { awk -F'\t' -v m="$2" '$1=="SN" && $2=="all" && $3==m { print $4 }' "$1"; }
near() { # NAME A B PERCENT
	check "$1" awk "BEGIN { d = $2 - $3; if (d < 0) d = -d; exit !(d <= $4 / 100 * $3) }"
}
tracegen -q stencil --size small -o st
mpki -q -g rtx3070 --timing full st > full
mpki -q -g rtx3070 st > default
mpki -q -g rtx3070 --timing quick st > quick
same "full is the default" "$(grep -v '^PG\|^EN' default)" "$(grep -v '^PG\|^EN' full)"
same "the profile says what replayed it" "GP	model.timing	quick	" "$(grep 'model.timing' quick)"
same "and not where that is full" "" "$(grep 'model.timing' full)"
same "accesses are the same" "$(sn full l1_sector_accesses) $(sn full warp_insts)" \
	"$(sn quick l1_sector_accesses) $(sn quick warp_insts)"
near "cycles are near" "$(sn quick cycles)" "$(sn full cycles)" 10
near "misses too" "$(sn quick l1_sector_misses)" "$(sn full l1_sector_misses)" 3
same "a pass of reuse gives the same" "$(grep -v '^PG\|^EN\|^#' quick)" \
	"$(reuse -q -g rtx3070 --timing quick st | mpki -q | grep -v '^PG\|^EN\|^#')"
same "with threads too" "$(grep -v '^PG\|^EN' quick)" "$(mpki -q -g rtx3070 -@ 2 --timing quick st | grep -v '^PG\|^EN')"
same "a stage behind keeps the record" "GP	model.timing	quick	" \
	"$(mpki -q -p l1.size=64KiB quick | grep 'model.timing')"
check "the table says it" grep -q '^timing of the replay: quick' <(mpki -q -O table --timing quick st)
check "a changed GPU is replayed in the same way" grep -q 'model.timing.quick' \
	<(mpki -q --method replay --timing quick -p llc.latency=300 quick)
refuses "another word" 2 'full or quick' mpki --timing slow st
refuses "effects of the full timing" 2 'explain.*quick out' mpki --explain --timing quick st
refuses "a profile" 2 'timing needs the trace' mpki --timing quick full
check "mechanisms are measured in it" grep -q '^ES	all	tag-split	TSC+	' <(reuse -q --timing quick --mechanisms all st)
# A verdict from a quick pass has a range that is no narrower.
width() { awk -F'\t' '$1=="TV" && $3=="tag-split" { print log($7 / $6) }'; }
verdict_of() { triage -q --scale 1 --method analytic --mechanism tag-split --timing "$1" -O profile st; }
verdict_of quick >quick.tv
triage -q --scale 1 --method analytic --mechanism tag-split --timing quick --resume kept -O profile st >/dev/null
check "profiles that triage keeps say quick" grep -q 'model.timing.quick' kept/*.profile
check "and doubt more" awk "BEGIN { exit !($(width <quick.tv) > 0.9 * $(verdict_of full | width)) }"
for c in replicate lineutil sharedl1-est tsc-est; do
	check "$c takes it" grep -q 'model.timing.quick' <($c -q --timing quick st)
done
refuses "a word that is neither" 2 'full or quick' triage --timing slow st
refuses "a mesh" 2 'no network but the crossbar: use full' mpki --timing quick -p noc.kind=mesh st
refuses "profiles of two timings" 2 'model.timing is absent' reuse --merge full quick
finish
