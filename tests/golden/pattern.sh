#!/usr/bin/env bash
# --pattern: other text traces by named groups; the recipes of cachetriage-traces(5).
. "$CT_ROOT/tests/golden/lib.sh"
info=$CT_BIN/traceinfo

# counts FILE OPTION...: warps, accesses, lanes, loads, stores
counts() {
	local f=$1
	shift
	"$info" -q -O profile "$@" "$f" | awk -F'\t' '$1=="SN" && $2=="all" {v[$3]=$4} END {
		print v["warps"], v["warp_insts"], v["global_lane_accesses"], v["global_load_requests"], \
			v["global_store_requests"], v["distinct_sectors"]}'
}

# The pattern of a recipe, as the page has it.
recipe() {
	awk -v n="$1" '$0 == ".\\\" recipe " n {on=1} on && /--pattern/ {
		sub(/.*--pattern \x27/, ""); sub(/\x27.*/, ""); print; exit}' \
		<(sed 's/\\-/-/g; s/\\e/\\/g' "$CT_ROOT/man/cachetriage-traces.5")
}

lackey() {
	cat >"$TMPDIR/lackey" <<-'X'
	==12== Lackey, an example Valgrind tool
	I  04001090,3
	 L 1ffeffe7e,8
	 S 1ffeffe80,8
	I  04001093,5
	 M 0421c7cc,4
	 L 04222cac,16
	==12== Counted 1 call to main()
	X
	same "lackey: L, S, M" "1 5 5 3 2 4" "$(counts "$TMPDIR/lackey" --pattern "$(recipe lackey)")"
	local n warned=
	for n in $(seq 40 "$(stat -c %s "$TMPDIR/lackey")"); do
		head -c "$n" "$TMPDIR/lackey" | "$info" --pattern "$(recipe lackey)" >/dev/null 2>"$TMPDIR/err"
		grep -q 'may be cut' "$TMPDIR/err" && warned+="$(head -c "$n" "$TMPDIR/lackey" | tail -n 1 | tr ' ' _);"
	done
	same "a last access that may be cut is told" \
		"_L_1ffeffe7e,8;_S_1ffeffe80,8;_M_0421c7cc,4;_L_04222cac,1;_L_04222cac,16;" "$warned"
	refuses "hexadecimal numbers in a decimal group" 1 'lackey:3: group addr holds .1ffeffe7e.' \
		"$info" --pattern '^ [LSM] (?<addr>[0-9a-f]+),' "$TMPDIR/lackey"
}

dynamorio() {
	cat >"$TMPDIR/dr" <<-'X'
	Format: <data address>: <data size>, <(r)ead/(w)rite/opcode>
	0x00007f7f3a4e2090:  3, mov
	0x00007ffd13d6c3b8:  8, w
	0x00007f7f3a4e3a50:  5, call
	0x00007ffd13d6c3b0:  8, r
	X
	same "DynamoRIO memtrace" "1 2 2 1 1 1" "$(counts "$TMPDIR/dr" --pattern "$(recipe memtrace)")"
	cat >"$TMPDIR/view" <<-'X'
	Output format:
	<--record#-> <--instr#->: <---tid---> <record details>
	------------------------------------------------------------
	           1           0:     3264659 <marker: version 4>
	           6           1:     3264659 ifetch       3 byte(s) @ 0x00007fe4f1b3f090 48 89 e7 mov %rsp, %rdi
	           8           2:     3264659 write        8 byte(s) @ 0x00007ffd01f5b6a8 by PC 0x00007fe4f1b3f093
	          20           8:     3264659 read         8 byte(s) @ 0x00007fe4f1b63e68 by PC 0x00007fe4f1b3fd7d
	          21           9:     3264660 read         4 byte(s) @ 0x00007fe4f1b63e68 by PC 0x00007fe4f1b3fd7d
	X
	same "DynamoRIO view: a warp per thread" "2 3 3 2 1 2" \
		"$(counts "$TMPDIR/view" --pattern "$(recipe view)")"
}

# Lanes of one instruction merge; a lane that comes again begins the next.
lanes() {
	local i p='^(?<cta>\d+) (?<warp>\d+) (?<lane>\d+) (?<pc>\w+) (?<op>\S+) (?<addr>\w+)'
	for i in $(seq 0 31); do echo "3 1 $i 0x10 LDG.E.64 $((4096 + 8 * i))"; done >"$TMPDIR/lanes"
	for i in 0 5 0 5; do echo "3 1 $i 0x20 STG.E $((4096 + 4 * i))"; done >>"$TMPDIR/lanes"
	same "32 lanes are one instruction" "1 3 36 1 2 8" "$(counts "$TMPDIR/lanes" --pattern "$p")"
	for i in $(seq 0 99); do echo "$i $((4096 + 4 * i))"; done >"$TMPDIR/threads"
	same "thread numbers make warps" "4 4 100 4 0 13" \
		"$(counts "$TMPDIR/threads" --pattern '(?<lane>\d+) (?<addr>\d+)')"
	same "without lanes each line is an instruction" "1 100 100 100 0 13" \
		"$(counts "$TMPDIR/threads" --pattern '\d+ (?<addr>\d+)')"
	gzip -c "$TMPDIR/threads" >"$TMPDIR/threads.gz"
	same "compressed text too" "1 100 100 100 0 13" \
		"$(counts "$TMPDIR/threads.gz" --pattern '\d+ (?<addr>\d+)')"
	same "and said to be that" pattern/gz \
		"$("$info" -q -O profile --pattern '\d+ (?<addr>\d+)' "$TMPDIR/threads.gz" | awk '/^TR/ {print $3}')"
}

errors() {
	echo 'a 1' >"$TMPDIR/x"
	refuses "no line matches" 1 'x: the pattern matches none of its 1 lines' "$info" \
		--pattern 'b (?<addr>\d)' "$TMPDIR/x"
	refuses "no addr group" 2 'needs one group' "$info" --pattern 'a' "$TMPDIR/x"
	refuses "an unknown group" 2 "unknown group 'adr'" "$info" --pattern '(?<adr>.)' "$TMPDIR/x"
	refuses "a bad pattern" 2 'bad --pattern' "$info" --pattern '(?<addr>' "$TMPDIR/x"
	seq 0 2048 | sed 's/$/ 16/' >"$TMPDIR/x"
	same "a thread block of 65536 threads" "(65536,1,1)" \
		"$("$info" -q -O profile --pattern '(?<warp>\d+) (?<addr>\d+)' <(head -n 2048 "$TMPDIR/x") | awk '/^KN/ {print $5}')"
	refuses "and no more, which no form of a trace holds" 2 'x:[0-9]+: thread blocks of 2049 warps, 2048 are most' \
		"$CT_BIN/tracecat" --pattern '(?<warp>\d+) (?<addr>\d+)' -o "$TMPDIR/x.ctz" "$TMPDIR/x"
	printf '%060000d!x\n' 0 >"$TMPDIR/x"
	refuses "a pattern without end" 2 'x:1: the pattern takes too long' "$info" \
		--pattern '^(0+)+(?<addr>x)$' "$TMPDIR/x"
}

lackey
dynamorio
lanes
errors
finish
