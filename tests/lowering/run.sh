# Machine instructions of lowered programs beside those of a board (make lowering): compiles the programs of programs.tsv with
# ctcc, records them with tracegen, and prints a row a kernel; then what code is like, beside captured traces.
#     POLYBENCH=DIR RODINIA=DIR bash tests/lowering/run.sh BUILD
# The board ran PolyBench-GPU as its first revision has it (d699db9): its atax sets nothing to zero, as the board's requests
# say. The checkouts and ../shared are not part of this repository; what is not there is left out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
board=$root/../shared/silicon/gv100_ncu.tsv
captured=$root/../shared/traces
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PATH=$build/bin:$PATH

. "$root/tests/lowering/inputs.sh"

# Rows "app half kernel name warp_insts gld gst registers" of one program.
record() { # APP HALF LAUNCHES SUITE-FOLDER SOURCES ARGUMENTS
	[ "$6" = - ] && set -- "$1" "$2" "$3" "$4" "$5" ""
	(cd "$4" && ctcc -O3 -I. -o "$work/$1" $5 >"$work/$1.log" 2>&1) || { echo "$1: does not compile" >&2; return; }
	(cd "$work" && tracegen capture --force --launches "$3" -o "$1.ctz" -- "./$1" $6 >/dev/null 2>"$1.log") ||
		{ echo "$1: cannot be recorded: $(tail -n 1 "$work/$1.log")" >&2; return; }
	"$build/tests/lowering" "$work/$1.ctz" | awk -F'\t' -v OFS='\t' -v a="$1" -v h="$2" 'NR > 1 { print a, h, $1 - 1, $2, $3, $4, $5, $8 }'
	rm -f "$work/$1.ctz"
}

if [ -e "$board" ] && [ -n "${POLYBENCH:-}${RODINIA:-}" ]; then
	make_inputs "$work" /dev/null
	grep -v '^#' "$here/programs.tsv" | while IFS=$'\t' read -r app half launches suite folder sources arguments; do
		[ "$suite" = P ] && base=${POLYBENCH:-} || base=${RODINIA:-}
		[ -n "$base" ] && [ -d "$base/$folder" ] && record "$app" "$half" "$launches" "$base/$folder" "$sources" "$arguments"
	done >"$work/rows"
	awk -F'\t' -v OFS='\t' '
		FNR == NR { if (FNR == 1) for (i = 1; i <= NF; i++) c[$i] = i
			else { w[$1, $2] = $c["warp_insts"]; l[$1, $2] = $c["gld_req"]; s[$1, $2] = $c["gst_req"] } next }
		FNR == 1 { print "app", "half", "kernel", "name", "warp_insts", "board", "error_%", "gld_off", "gst_off", "registers" }
		($1, $3) in w { print $1, $2, $3, $4, $5, w[$1, $3], sprintf("%.1f", 100 * ($5 / w[$1, $3] - 1)), $6 - l[$1, $3], $7 - s[$1, $3], $8 }
	' "$board" "$work/rows"
else
	echo "lowering: POLYBENCH and RODINIA name no checkouts, or ../shared is not here: no programs" >&2
fi
if [ -d "$captured" ]; then
	echo "# captured code: depends = share of instructions that read what the one before wrote"
	for t in bfs-sm80-v3 btree-sm90-v5 vecadd-sm75-v1.2; do
		"$build/tests/lowering" "$captured/$t" | awk -F'\t' -v OFS='\t' -v t="$t" 'NR == 1 || !($2 in seen) { seen[$2] = 1; print t, $2, $6, $7, $8 }'
	done
fi
