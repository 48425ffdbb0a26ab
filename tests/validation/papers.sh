# papers.sh - what gates.sh and run.sh both know of the papers. To be sourced.

# Sets gpu to the one that a paper uses.
paper_gpu() { # PAPER
	case $1 in
	morpheus) gpu=rtx3080 ;;
	shared-l1) gpu=sharedl1-28 ;;
	tag-split) gpu=fermi-15 ;;
	malekeh) gpu=rtx2060-third ;;
	*) echo "$(basename "$0"): no paper $1" >&2; exit 2 ;;
	esac
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
