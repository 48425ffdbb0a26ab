#!/bin/bash
# run.sh BUILD [PAPER...]: makes the traces of the workloads that the papers name, estimates each
# mechanism on its paper's GPU, and writes what compare.awk needs to results/PAPER.tsv: for each workload
# the SMs of the GPU it was scaled to and every estimate. Then renders man/cachetriage-validation.7.
#
# GPUs and sizes are fixed here, before any result was seen: --scale auto makes a GPU that a medium trace
# fills; where that has fewer than 8 SMs, a large trace is taken.
set -u
cd "$(dirname "$0")/../.." || exit 2
bin=$PWD/$1/bin
shift
here=tests/validation
mkdir -p $here/results
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

paper() { # NAME: sets gpu, mechanisms, estimator
	case $1 in
	morpheus) gpu=rtx3080 mechanisms= estimator=morpheus-est ;;
	shared-l1) gpu=sharedl1-28 mechanisms= estimator=sharedl1-est ;;
	tag-split) gpu=fermi-15 mechanisms=tag-split estimator=tsc-est ;;
	malekeh) gpu=rtx2060-third mechanisms=malekeh estimator=malekeh-est ;;
	*) echo "run.sh: no paper $1" >&2; exit 2 ;;
	esac
}

profile() { # WORKLOAD SIZE: its trace and profile
	"$bin/tracegen" "$1" --size "$2" --values --force -o "$dir/t" &&
		"$bin/reuse" -g $gpu --scale auto ${mechanisms:+--mechanisms $mechanisms} -O profile "$dir/t" >"$dir/p"
}

estimate() { # WORKLOAD: prints its records
	local size=medium
	profile "$1" medium || return
	if [ "$(awk -F'\t' '$1 == "GP" && $2 == "sm.count" { print $3 }' "$dir/p")" -lt 8 ]; then
		size=large
		profile "$1" large || return
	fi
	"$bin/bdi" -O profile "$dir/p" "$dir/t" >"$dir/q" &&
		"$bin/$estimator" -O profile "$dir/q" >"$dir/r" &&
		awk -F'\t' -v w="$1" -v size=$size '
			$1 == "GP" && $2 == "sm.count" { print w "\tsms\t-\t" $3; print w "\tsize\t-\t" size }
			$1 == "SN" && $2 == "all" && $3 ~ /^(sm_fill|cold_miss_fraction)$/ { print w "\t" $3 "\t-\t" $4 }
			$1 == "ES" && $2 == "all" { print w "\t" $5 "\t" $4 "\t" $6 }' "$dir/r"
}

for name in "${@:-morpheus shared-l1 tag-split malekeh}"; do
	for p in $name; do
		paper "$p"
		if [ ! -x "$bin/$estimator" ]; then
			echo "run.sh: $estimator is not built: $p is left as it was" >&2
			continue
		fi
		{
			printf '#workload\tmetric\tsystem\tvalue\t(%s)\n' $gpu
			for w in $(awk -F'\t' -v p="$p" '$1 == "app" && $2 == p { print $4 }' $here/published.tsv); do
				echo "validation: $p: $w" >&2
				estimate "$w" || exit 2
			done
		} >"$dir/results" && sort -u "$dir/results" >"$here/results/$p.tsv" || exit 2
	done
done
bash $here/render.sh >"$dir/page" && cp "$dir/page" man/cachetriage-validation.7
