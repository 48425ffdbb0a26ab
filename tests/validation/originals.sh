#!/bin/bash
# originals.sh BUILD [WORKLOAD...]: has a suite's own program what the paper's effect needs, as our program of its algorithm has?
#
#     RODINIA=DIR [PARBOIL=DIR ...] [OUT=DIR] bash tests/validation/originals.sh BUILD
#
# Compiles the programs of originals.tsv with ctcc, as they are in checkouts of their suites, captures each with inputs of the suite's kind and
# size paper, and replays the gates (gates.sh) of the papers that name it. A row a program and paper: paper, workload, suite, warp
# instructions, waves, two figures, whether they pass; then the same but the waves of our program, from gates.tsv. Each suite's folder of CUDA programs is named
# by the variable that originals.tsv has for it; programs of suites that are not named are left out. Checkouts are not changed and not
# part of this repository. OUT: where traces stay (default: nowhere); those that are there are not made again.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(cd "$1" && pwd) || exit 2
shift
here=$PWD/tests/validation
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
OUT=${OUT:-$dir/traces}
export DATA PATH=$build/bin:$PATH CACHETRIAGE_DATA=${CACHETRIAGE_DATA:-$PWD/data} LC_ALL=C
# srad reads the row before its picture, as boards let it.
export CACHETRIAGE_BOUNDS=pages
# shellcheck source=tests/validation/inputs.sh
. "$here/inputs.sh"

# Sets copy to a copy of the suite's folder, in which programs may write; fails where the suite is not named.
copy_suite() { # SUITE
	copy=$dir/$1
	[ -d "$copy" ] && return
	[ -d "${!1:-}" ] && cp -r "${!1}" "$copy" && chmod -R u+w "$copy"
}

# Sets trace to the captured trace of a row.
capture() { # WORKLOAD PAPERS SUITE FOLDER COMPILE ARGUMENTS LAUNCHES
	local limit=() environment=() words inputs=inputs_${1//[^a-z0-9_]/_}
	trace=$OUT/$3/$2/$1.ctz
	[ -s "$trace" ] && return
	mkdir -p "${trace%/*}" && cd "$copy/$4" || return
	DATA=$dir/data/$1 # fresh for each row: a program's inputs
	rm -rf "$DATA"
	mkdir -p "$DATA"
	declare -F "$inputs" >/dev/null && "$inputs" "$2"
	[ "$7" = - ] || limit=(--launches "$7" --end)
	# shellcheck disable=SC2206
	words=(${6//\$DATA/$DATA})
	while [[ ${words[0]:-} == *=* ]]; do # in front of the arguments: what the environment has for this program
		environment+=("${words[0]}")
		words=("${words[@]:1}")
	done
	# shellcheck disable=SC2086
	ctcc -arch=sm_80 -O3 -w -o "$dir/program" $5 >"$dir/log" 2>&1 &&
		env "${environment[@]}" tracegen capture -q --force "${limit[@]}" -o "$trace" -- "$dir/program" "${words[@]}" </dev/null >"$dir/log" 2>&1
	local st=$?
	cd "$here/../.." || return
	[ $st -eq 0 ] || { rm -f "$trace"; echo "originals.sh: $1: $(tail -n 1 "$dir/log")" >&2; return 1; }
}

gate() { # PAPER WORKLOAD
	GATES=$dir/gates TRACES=${trace%/*} bash "$here/gates.sh" "$build" "$1:$2" 2>"$dir/log" >/dev/null
}

# A paper's gate of the trace, beside that of our program. Compilers for Fermi gave a thread 63 registers at most and kept the rest in memory,
# which ctcc does not: where a CTA needs more than an SM has, registers limit nothing.
measure() { # PAPER WORKLOAD SUITE
	gate "$1" "$2" || { grep -q 'not enough registers' "$dir/log" && SETTINGS=sm.registers=131072 gate "$1" "$2"; } ||
		{ echo "originals.sh: $1: $2: $(head -n 1 "$dir/log")" >&2; return 1; }
	awk -F'\t' -v OFS='\t' -v p="$1" -v w="$2" -v suite="$3" '
		$1 == p && $2 == w && FNR == NR { row = $1 OFS $2 OFS suite OFS $3 OFS $4 OFS $5 OFS $6 OFS $7 }
		$1 == p && $2 == w && FNR != NR { print row, $3, $5, $6, $7 }' "$dir/gates" "$here/gates.tsv"
}

# The papers of a row: those it names, or all that have the workload.
papers_of() { # WORKLOAD PAPERS
	[ "$2" = - ] || { echo "${2//,/ }"; return; }
	awk -F'\t' -v w="$1" '$1 == "app" && $4 == w { print $2 }' "$here/published.tsv"
}

suites=$(awk -F'\t' '!/^#/ { print $3 }' "$here/originals.tsv" | sort -u)
named=0
for suite in $suites; do
	[ -z "${!suite:-}" ] || { named=1; [ -d "${!suite}" ] || { echo "originals.sh: $suite: no such folder: ${!suite}" >&2; exit 2; }; }
done
[ $named = 1 ] || { echo "originals.sh: set one of ${suites//$'\n'/, } to the folder of its CUDA programs" >&2; exit 2; }
printf 'paper\tworkload\tsuite\twarp_insts\twaves\tfirst\tsecond\tpass\tour_insts\tour_first\tour_second\tour_pass\n'
failed=0
while IFS=$'\t' read -r workload papers suite rest; do
	[[ $workload != \#* ]] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $workload "* ]] || continue
	copy_suite "$suite" || continue
	IFS=$'\t' read -r folder compile arguments launches <<<"$rest"
	capture "$workload" "$papers" "$suite" "$folder" "$compile" "$arguments" "$launches" || { failed=1; continue; }
	for paper in $(papers_of "$workload" "$papers"); do
		measure "$paper" "$workload" "$suite" || failed=1
	done
done <"$here/originals.tsv"
exit $failed
