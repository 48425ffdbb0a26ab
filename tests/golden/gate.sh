# The measurer of gates (tests/validation/gate.c) replays the systems that commands replay.
. "$CT_ROOT/tests/golden/lib.sh"
GATE=$(dirname "$CT_RELEASE")/tests/gate
cd "$CT_ROOT" || exit 1
"$CT_RELEASE/tracegen" hotspot --size small -q -o "$TMPDIR/hotspot" || exit 1
"$CT_RELEASE/malekeh-est" -g rtx2060-third --scale 1 --method replay -q -O profile "$TMPDIR/hotspot" >"$TMPDIR/profile" || exit 1

# What of a pass the bits of registers are from: the gate's own, on the same GPU.
engine() { awk -F'\t' -v s="$1" -v launch="$2" '$1 == "ES" && $5 == "cycles" && $4 == s { printf "%s %d\n", $4, $6 - launch }' "$TMPDIR/profile"; }
cycles() {
	engine Malekeh "$1"
	engine Malekeh_PR "$1"
}
launch=$(awk -F'\t' '$1 == "SN" && $3 == "launch_cycles" { print $4 }' "$TMPDIR/profile")
same "systems that need a pass get one, and are those of the command" "$(cycles "$launch")" \
	"$("$GATE" rtx2060-third "$TMPDIR/hotspot" Malekeh:system=malekeh/Malekeh Malekeh_PR:system=malekeh/Malekeh_PR |
		awk -F'\t' '$2 == "cycles" { print $1, $3 }' | sort)"
same "and follow their parameters" "1 2 3 4" "$("$GATE" rtx2060-third "$TMPDIR/hotspot" 1:system=malekeh/Malekeh 2:system=malekeh/Malekeh,malekeh.priority=1 \
	3:system=malekeh/Malekeh,malekeh.priority=2 4:system=malekeh/Malekeh,malekeh.shared_counter=1 |
	awk -F'\t' '$2 == "cycles" && !seen[$3]++ { print $1 }' | paste -sd' ')"
refuses "true distances are no engine's" 2 'Malekeh cannot be replayed: it needs true distances \(malekeh.oracle=1\) of whole warps' \
	"$GATE" rtx2060-third "$TMPDIR/hotspot" m:system=malekeh/Malekeh,malekeh.oracle=1
refuses "a trace that is read once is refused where a pass has to come first" 2 'Malekeh needs a pass of its own' \
	"$GATE" rtx2060-third - m:system=malekeh/Malekeh
refuses "so is a system that no engine can have" 2 'SW-RFC-mono cannot be replayed: it needs one scheduler' \
	"$GATE" rtx2060-third "$TMPDIR/hotspot" m:system=malekeh/SW-RFC-mono
same "plans are those of the command" "$(engine SW-RFC "$launch")" \
	"$("$GATE" rtx2060-third "$TMPDIR/hotspot" SW-RFC:system=malekeh/SW-RFC | awk -F'\t' '$2 == "cycles" { print $1, $3 }')"
refuses "and a trace that is not there" 2 'cannot open' "$GATE" rtx2060-third "$TMPDIR/none" m:system=malekeh/Malekeh
check "systems that need none read standard input" eval '"$CT_RELEASE/tracecat" -q "$TMPDIR/hotspot" -o - | "$GATE" rtx2060-third - o:system=malekeh/OCU'
finish
