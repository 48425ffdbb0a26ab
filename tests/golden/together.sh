# --with: mechanisms at work together, each alone, and how they interact.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
PATH=$CT_RELEASE:$PATH

tracegen workingset --footprint 512KiB --passes 2 --ctas 32 -o ws >/dev/null
es() { awk -F'\t' -v m="$2" -v s="$3" -v n="$4" -v how="$5" '$1 == "ES" && $3 == m && $4 == s && $5 == n && $8 == how { print $6; exit }' "$1"; }

# Both act: the records, and what the interaction is.
tsc-est -q --scale 1/16 -O profile --with morpheus:IBL-4x-LLC ws >both
pair=(both tag-split,morpheus TSC+,IBL-4x-LLC)
check "together has cycles" test -n "$(es "${pair[@]}" cycles replay)"
same "the speed-up is against the GPU as configured" "$(es "${pair[@]}" speedup_configured replay)" "$(es "${pair[@]}" speedup replay)"
check "the interaction is together over the product of each alone" awk -v t="$(es "${pair[@]}" speedup replay)" \
	-v a="$(es both tag-split TSC+ speedup_configured full)" -v b="$(es both morpheus IBL-4x-LLC speedup_configured full)" \
	-v i="$(es "${pair[@]}" interaction replay)" 'BEGIN { d = t / (a * b) / i - 1; exit !(i > 0 && d < 1e-5 && d > -1e-5) }'
tsc-est -q --scale 1/16 --method replay -O profile ws >alone
same "alone is what the estimator replays" "$(es alone tag-split TSC+ cycles replay)" "$(es both tag-split TSC+ cycles full)"
same "the same with three threads" "$(grep ^ES both)" "$(tsc-est -q -@ 3 --scale 1/16 -O profile --with morpheus:IBL-4x-LLC ws | grep ^ES)"
same "and in the other order" "$(es "${pair[@]}" cycles replay)" \
	"$(morpheus-est -q --scale 1/16 -O profile --with morpheus:IBL-4x-LLC,tag-split ws >turned && es turned morpheus,tag-split IBL-4x-LLC,TSC+ cycles replay)"

# One that does nothing leaves the other as it is, to the last cycle.
sharedl1-est -q --scale 1/64 -O profile --with tag-split:TSC ws >/dev/null 2>err
same "what excludes each other: exit 2 and why" "2 1" "$? $(grep -c 'shared-l1 and tag-split exclude each other: both decide what an L1' err)"
sharedl1-est -q --scale 1/68 -O profile --with malekeh ws >one
same "an L1 that nobody can share with" "$(es one malekeh Malekeh cycles full)" "$(es one shared-l1,malekeh DynEB,Malekeh cycles replay)"
triage -q --scale 1/68 --method replay --mechanism malekeh -O profile ws >own
same "Malekeh alone and beside others is over what stands for the GPU in its own verdict" \
	"$(awk -F'\t' '$1 == "TV" { print $5, $5, $9 }' own)" \
	"$(es one malekeh Malekeh speedup_configured full) $(es one shared-l1,malekeh DynEB,Malekeh speedup_configured replay) OCU-own"

# SMs that cache, and what is left to share: the search tries fewer SMs than all.
"$CT_BIN/sharedl1-est" -q --scale 1/16 -O profile --with shared-l1:Shared,morpheus ws >shared || fail "shared L1s beside SMs that cache" "exit $?"
check "shared L1s beside SMs that cache" test -n "$(es shared shared-l1,morpheus Shared,Morpheus-ALL interaction replay)"

# The table, triage, and what cannot be.
check "the table ends with the interaction" sh -c "tsc-est -q --scale 1/16 -O table --with malekeh ws | grep -q '^interaction: [01]\.'"
"$CT_BIN/triage" -q --scale 1/16 -O csv --with tag-split,malekeh --mechanism bypass ws >t.csv
same "triage has a line for it" '"tag-split,malekeh" full' \
	"$(awk -F'\t' '{ print }' t.csv | grep -o '"tag-split,malekeh"') $(grep '"tag-split,malekeh"' t.csv | grep -o ',full,' | tr -d ,)"
same "a single name stands beside --mechanism" 1 "$(triage -q --scale 1/16 -O profile --mechanism tag-split --with malekeh ws | grep -c '^TV.ws.tag-split,malekeh')"
reuse -q --scale 1/16 -o ws.profile ws
mv ws gone
refuses "a profile whose trace is gone" 2 'trace is not there' "$CT_BIN/tsc-est" -q --scale 1 --with malekeh ws.profile
mv gone ws
refuses "an unknown mechanism" 2 '--with foo: name one of morpheus' "$CT_BIN/tsc-est" --with foo ws
refuses "an unknown system" 2 'morpheus has no such system' "$CT_BIN/tsc-est" --with morpheus:TSC ws
refuses "one alone" 2 'name two mechanisms' "$CT_BIN/triage" --with tag-split ws
refuses "one twice" 2 'morpheus is named twice' "$CT_BIN/tsc-est" --with morpheus,morpheus ws
refuses "an estimate" 2 'leave out --method analytic' "$CT_BIN/tsc-est" -q --method analytic --scale 1 --with malekeh ws.profile
finish
