# Ours beside a board's counters (make silicon): records the programs of programs.tsv, replays them on data/gpus/gv100.conf with
# cold caches, prints a table and writes BUILD/silicon.tsv; exit 1 past the goals.
#     POLYBENCH=DIR RODINIA=DIR [SILICON=DIR] [TRACES=DIR] bash tests/silicon/run.sh BUILD
# POLYBENCH and RODINIA are src/cuda/polybench-gpu-1.0 and src/cuda/rodinia/3.1 of a checkout of accel-sim/gpu-app-collection: loop
# bounds that are constants there, and what is loaded, stored and divided, differ in other releases and in the counters.
# Neither the checkouts nor the board's numbers are part of this repository. TRACES keeps what was recorded for the next time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
board=${SILICON:-$root/../shared/silicon}/gv100_ncu.tsv
if [ ! -e "$board" ] || [ -z "${POLYBENCH:-}${RODINIA:-}" ]; then
	echo "silicon: skipped: POLYBENCH and RODINIA name no checkouts, or there is no $board" >&2
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
traces=${TRACES:-$work}
mkdir -p "$traces" "$work/run/here"
export PATH=$build/bin:$PATH

. "$root/tests/lowering/inputs.sh"

# A copy of the sources, without the host's own computation, which takes hours; of gramschmidt's 2048 steps, the first.
copy_sources() { # FOLDER APP
	mkdir -p "$work/source" && cp -r "$1/." "$work/source" && chmod -R u+w "$work/source"
	find "$work/source" -name '*.cu' -exec sed -i -E -e '/define RUN_ON_CPU/d' \
		-e '/^[[:space:]]*(conv2D|atax_cpu|bicg_cpu|gemm|gesummv|gramschmidt)\(A, [A-Za-z, ]*\);/d' {} +
	[ "$2" != gramschmidt ] || find "$work/source" -name gramschmidt.cu -exec sed -i 's/k < N; k++/k < 1; k++/' {} +
}

# The program's trace, unless it is there from the last time.
record() { # APP LAUNCHES CHECKOUT FOLDER SOURCES ARGUMENTS
	[ ! -s "$traces/$1.ctz" ] || return 0
	[ -e "$work/run/here/cane.db" ] || make_inputs "$work/run/here" "$work/run/here/rgb.bmp"
	rm -rf "$work/source"
	copy_sources "$3" "$1"
	(cd "$work/source/$4" && ctcc -O3 -I. -o "$work/run/here/$1" $5 >"$work/log" 2>&1) || { echo "silicon: $1 does not compile" >&2; return 1; }
	[ "$6" != - ] || set -- "$1" "$2" "$3" "$4" "$5" ""
	(cd "$work/run/here" && tracegen capture --force --launches "$2" -o "$traces/$1.ctz" -- "./$1" $6 </dev/null >/dev/null 2>"$work/log") ||
		{ echo "silicon: $1 cannot be recorded: $(tail -n 1 "$work/log")" >&2; return 1; }
}

cd "$root" || exit 1
grep -v '^#' "$here/programs.tsv" | while IFS=$'\t' read -r app half launches suite folder sources arguments; do
	[ "$suite" = P ] && base=${POLYBENCH:-} || base=${RODINIA:-}
	[ -n "$base" ] && [ -d "$base/$folder" ] || continue
	record "$app" "$launches" "$base" "$folder" "$sources" "$arguments" || continue
	"$build/tests/silicon" "$root/data/gpus/gv100.conf" "$launches" "$traces/$app.ctz" |
		awk -F'\t' -v OFS='\t' -v a="$app" -v h="$half" 'NR > 1 || a == "2DConvolution" { print NR == 1 ? "program" : a, NR == 1 ? "half" : h, $0 }'
done >"$work/rows"
awk -v out="$build/silicon.tsv" -f "$here/compare.awk" "$board" "$work/rows"
