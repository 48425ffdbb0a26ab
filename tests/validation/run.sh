#!/bin/bash
# run.sh BUILD [PAPER|PAPER:WORKLOAD...]: makes the traces of the workloads that the papers name, estimates each
# mechanism on its paper's GPU, and writes what compare.awk needs to results/PAPER.tsv: for each workload
# the SMs of the GPU it was scaled to and every estimate. Then renders man/cachetriage-validation.7.
#
# GPUs and sizes are fixed here, before any result was seen: --scale auto makes a GPU that a medium trace
# fills; where that has fewer than 8 SMs, a large trace is taken. An app line of published.tsv may name
# another scale in a sixth column (covariance: the paper's effect is that it does not fill the GPU). Small
# traces are enough for malekeh, whose parts are inside a sub-core.
set -u
cd "$(dirname "$0")/../.." || exit 2
bin=$PWD/$1/bin
shift
here=tests/validation
mkdir -p $here/results
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

paper() { # NAME: sets gpu, sizes, mechanisms, estimator
	case $1 in
	morpheus) gpu=rtx3080 size=medium larger=large mechanisms= estimator=morpheus-est ;;
	shared-l1) gpu=sharedl1-28 size=medium larger=large mechanisms= estimator=sharedl1-est ;;
	tag-split) gpu=fermi-15 size=medium larger=large mechanisms=tag-split estimator=tsc-est ;;
	malekeh) gpu=rtx2060-third size=small larger=small mechanisms=malekeh estimator=malekeh-est ;;
	*) echo "run.sh: no paper $1" >&2; exit 2 ;;
	esac
}

profile() { # WORKLOAD SIZE: its trace and profile
	"$bin/tracegen" "$1" --size "$2" --values --force -o "$dir/t" &&
		"$bin/reuse" -g $gpu --scale "$scale" ${mechanisms:+--mechanisms $mechanisms} -O profile "$dir/t" >"$dir/p"
}

estimate() { # WORKLOAD: prints its records
	local made=$size scale
	scale=$(awk -F'\t' -v p="$p" -v w="$1" '$1 == "app" && $2 == p && $4 == w { print $6 }' $here/published.tsv)
	scale=${scale:-auto}
	profile "$1" $size || return
	if [ $size != $larger ] && [ "$(awk -F'\t' '$1 == "GP" && $2 == "sm.count" { print $3 }' "$dir/p")" -lt 8 ]; then
		made=$larger
		profile "$1" $larger || return
	fi
	"$bin/bdi" -O profile "$dir/p" "$dir/t" >"$dir/q" &&
		"$bin/$estimator" -O profile "$dir/q" >"$dir/r" &&
		awk -F'\t' -v w="$1" -v size=$made '
			$1 == "GP" && $2 == "sm.count" { print w "\tsms\t-\t" $3; print w "\tsize\t-\t" size }
			$1 == "SN" && $2 == "all" && $3 ~ /^(sm_fill|cold_miss_fraction)$/ { print w "\t" $3 "\t-\t" $4 }
			$1 == "ES" && $2 == "all" { print w "\t" $5 "\t" $4 "\t" $6 }' "$dir/r"
}

# Replaces the results of the workloads named.
run() { # PAPER WORKLOAD...
	local p=$1 w out=$here/results/$1.tsv
	shift
	printf '#workload\tmetric\tsystem\tvalue\t(%s)\n' $gpu >"$dir/all"
	[ ! -e "$out" ] || awk -F'\t' -v drop=" $* " '!/^#/ && !index(drop, " " $1 " ")' "$out" >>"$dir/all"
	for w in "$@"; do
		echo "validation: $p: $w" >&2
		estimate "$w" >"$dir/one" || return
		cat "$dir/one" >>"$dir/all"
	done
	LC_ALL=C sort -u "$dir/all" >"$out"
}

[ $# -gt 0 ] || set -- morpheus shared-l1 tag-split malekeh
for name; do
	p=${name%%:*}
	paper "$p"
	if [ ! -x "$bin/$estimator" ]; then
		echo "run.sh: $estimator is not built: $p is left as it was" >&2
		continue
	fi
	if [ "$p" = "$name" ]; then
		# shellcheck disable=SC2046
		run "$p" $(awk -F'\t' -v p="$p" '$1 == "app" && $2 == p { print $4 }' $here/published.tsv) || exit 2
	else
		run "$p" "${name#*:}" || exit 2
	fi
done
bash $here/render.sh >"$dir/page" && cp "$dir/page" man/cachetriage-validation.7
