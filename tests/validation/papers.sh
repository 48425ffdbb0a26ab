# papers.sh - what gates.sh and run.sh both know of the papers. To be sourced.

# A column of the line that published.tsv has of a paper's workload.
app_column() { # PAPER WORKLOAD COLUMN
	awk -F'\t' -v p="$1" -v w="$2" -v c="$3" '$1 == "app" && $2 == p && $4 == w { print $c }' tests/validation/published.tsv
}

# Sets gpu to the one that a paper uses, for a workload the one that published.tsv names where it is another: column 7.
paper_gpu() { # PAPER WORKLOAD
	local other
	case $1 in
	morpheus) gpu=rtx3080 ;;
	shared-l1) gpu=sharedl1-28 ;;
	tag-split) gpu=fermi-15 ;;
	malekeh) gpu=rtx2060-third ;;
	*) echo "$(basename "$0"): no paper $1" >&2; exit 2 ;;
	esac
	other=$(app_column "$1" "$2" 7)
	gpu=${other:-$gpu}
}

# The workloads of PAPER, or the one that PAPER:WORKLOAD names.
paper_workloads() { # PAPER|PAPER:WORKLOAD
	if [[ $1 == *:* ]]; then
		echo "${1#*:}"
	else
		awk -F'\t' -v p="$1" '$1 == "app" && $2 == p { print $4 }' tests/validation/published.tsv
	fi
}

digest() { cat "$@" | sha256sum | cut -c1-12; }

# What tracegen is told of a paper's input where it is not that of size paper: column 6 of published.tsv.
input() { # PAPER WORKLOAD
	[ "$SIZE" != paper ] || app_column "$1" "$2" 6
}

# Sets trace to the packed trace of a paper's workload: of TRACES, a folder of other programs' traces, where that is set; else
# of size SIZE in the folder $traces, which is made where it is not there;
# with "values" also what bdi says of its memory, beside it in .bdi. $dir is a scratch folder, $build has the programs.
make_trace() { # PAPER WORKLOAD [values]
	local values=${3:+--values} input
	trace=${TRACES:-}/$2.ctz
	[ -n "${TRACES:-}" ] && { [ -s "$trace" ]; return; }
	input=$(input "$1" "$2")
	trace=$traces/$2-$SIZE${input// /}.ctz
	[ -s "$trace" ] && { [ -z "$values" ] || [ -s "${trace%.ctz}.bdi" ]; } && return
	"$build/bin/tracegen" "$2" --size "$SIZE" $input $values -q --force -o "$dir/raw" &&
		{ [ -z "$values" ] || "$build/bin/bdi" -q -O profile -o "${trace%.ctz}.bdi" "$dir/raw"; } &&
		{ [ -s "$trace" ] || "$build/bin/tracecat" -q "$dir/raw" -o "$trace"; }
	local st=$?
	rm -rf "$dir/raw"
	return $st
}
