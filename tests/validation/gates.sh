#!/bin/bash
# gates.sh BUILD [PAPER|PAPER:WORKLOAD...]: has each program that the papers name what the paper's effect needs?
#
# Replays each program on its paper's whole GPU (gate.c), without any mechanism, and writes what doc/validation.md
# defines to gates.tsv: paper, workload, warp instructions, waves, two figures, and whether they pass. It is run before
# estimates are made, and no estimate is looked at. Rows stay while the trace, the GPU file and the replays are the same,
# so that a run that is cut goes on where it stopped. SIZE: the programs' size (default paper). OUT: where traces are kept
# (default: nowhere). LIMIT: CPU seconds for a program's replays, 3600. SETTINGS: parameters of the GPU that all replays have besides, with commas.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
shift
here=tests/validation
SIZE=${SIZE:-paper} LIMIT=${LIMIT:-3600} OUT=${OUT:-}
rows=${GATES:-$here/gates.tsv}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
traces=${OUT:-$dir}/traces
mkdir -p "$traces" || exit 2
export LC_ALL=C

. $here/papers.sh

# Sets gpu and the replays that decide.
paper() { # NAME WORKLOAD
	paper_gpu "$1" "$2"
	case $1 in
	morpheus) replays=(all three-quarters:sm.count=51 all-llc4:llc.size=20MiB three-quarters-llc4:sm.count=51,llc.size=20MiB) ;;
	malekeh) replays=(all:system=malekeh/OCU ideal:system=malekeh/OCU-ideal) ;;
	*) replays=(all perfect:l1.size=16MiB) ;;
	esac
	[ -z "${SETTINGS:-}" ] || for r in "${!replays[@]}"; do
		[[ ${replays[r]} == *:* ]] && replays[r]+=,$SETTINGS || replays[r]+=:$SETTINGS
	done
}

measure() { # PAPER WORKLOAD
	local key
	paper "$1" "$2"
	make_trace "$1" "$2" || { echo "gates.sh: $2 has no trace of size $SIZE" >&2; return 1; }
	key=$SIZE:$(digest "$trace"):$(digest "data/gpus/$gpu.conf"):$(digest <<<"${replays[*]}")
	if ! awk -F'\t' -v p="$1" -v w="$2" -v k="$key" '$1 == p && $2 == w && $NF == k { found = 1 } END { exit !found }' "$rows" 2>/dev/null; then
		(ulimit -t "$LIMIT"; "$build/tests/gate" $gpu "$trace" "${replays[@]}") >"$dir/figures" || return 1
		awk -F'\t' -v OFS='\t' -v paper="$1" -v workload="$2" -v key="$key" -f $here/gates.awk "$dir/figures" >"$dir/row" || return 1
		[ -s "$rows" ] || printf '#paper\tworkload\twarp_insts\twaves\tfirst\tsecond\tpass\tkey\n' >"$rows"
		{ awk -F'\t' -v p="$1" -v w="$2" '!($1 == p && $2 == w)' "$rows"; cat "$dir/row"; } | sort -u >"$dir/rows" && cp "$dir/rows" "$rows"
	fi
	awk -F'\t' -v p="$1" -v w="$2" '$1 == p && $2 == w' "$rows"
	[ -n "$OUT${TRACES:-}" ] || rm -f "$trace"
}

[ $# -gt 0 ] || set -- morpheus shared-l1 tag-split malekeh
failed=0
for name; do
	for w in $(paper_workloads "$name"); do
		measure "${name%%:*}" "$w" || failed=1
	done
done
exit $failed
