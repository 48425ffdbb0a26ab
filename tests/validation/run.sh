#!/bin/bash
# run.sh BUILD [PAPER|PAPER:WORKLOAD...]: the papers' programs at the papers' size, beside what the papers print.
#
# Emulates each program once into a packed trace. For each paper that names it: replays its gate (gates.sh), asks the
# mechanism's estimator, and replays in full timing the systems that published.tsv names (tests/verdicts/truth.c),
# Morpheus' at the SM count that replays find best. Writes what compare.awk needs to results/PAPER.tsv and renders
# man/cachetriage-validation.7. GPUs are the papers', whole.
#
# What was measured stays in OUT and is not measured again while the trace, the GPU and the systems asked for are the same,
# so that a run that is cut goes on where it stopped. OUT: where that is (default BUILD/validation). SIZE: the programs' size
# (default paper). SCALE: the part of the GPU, 1 (default), auto or 1/N, for trials of this script on small programs.
# RESULTS, GATES: other places for results/ and gates.tsv; the manual page is left alone then. LIMIT: CPU seconds for the replays
# of one program, 7200. SAMPLE: estimates and replays are of that share of the instructions (doc/sampling.md), as 0.1, and each
# replayed speed-up comes with half of its range of 90 %. KEEP=1 keeps traces. PASSING=1 leaves estimates and replays out where the gate is not passed.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1
shift
here=tests/validation
SIZE=${SIZE:-paper} SCALE=${SCALE:-1} LIMIT=${LIMIT:-7200} KEEP=${KEEP:-} PASSING=${PASSING:-} SAMPLE=${SAMPLE:-1}
OUT=${OUT:-$build/validation}
results=${RESULTS:-$here/results}
export SIZE OUT LIMIT LC_ALL=C
export GATES=${GATES:-$here/gates.tsv}
mkdir -p "$results" "$OUT/traces" "$OUT/estimates" "$OUT/replays" || exit 2
traces=$OUT/traces
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

. $here/papers.sh

paper() { # NAME WORKLOAD: sets gpu, estimator, the mechanism that the pass measures, and the systems that are compared
	paper_gpu "$1" "$2"
	measured=
	case $1 in
	morpheus) estimator=morpheus-est ;;
	shared-l1) estimator=sharedl1-est ;;
	tag-split) estimator=tsc-est measured=tag-split ;;
	malekeh) estimator=malekeh-est measured=malekeh ;;
	esac
	systems=$(awk -F'\t' -v p="$1" '$1 == "item" && $2 == p { print $4; if ($5 != "-") print $5 }' $here/published.tsv | sort -u | paste -sd,)
}

# What the estimator says, as lines of results. Some mechanisms are measured in the pass, others follow from its histograms.
estimate() { # PAPER WORKLOAD TRACE
	"$build/bin/reuse" -q -g $gpu --scale "$SCALE" --sample-kernels "$SAMPLE" ${measured:+--mechanisms "$measured"} -O profile "$3" >"$dir/p" &&
		"$build/bin/$estimator" -q --method analytic "${options[@]/#/--}" -O profile "$dir/p" >"$dir/r" &&
		awk -F'\t' -v w="$2" -v size="$SIZE" '
			$1 == "GP" && $2 == "sm.count" { print w "\tsms\t-\t" $3; print w "\tsize\t-\t" size }
			$1 == "SN" && $2 == "all" && $3 ~ /^(sm_fill|cold_miss_fraction)$/ { print w "\t" $3 "\t-\t" $4 }
			$1 == "ES" && $2 == "all" { print w "\t" $5 "\t" $4 "\t" $6 }' "$dir/r"
}

# What replays say, as lines of results: the speed-up over the GPU as configured of each system at its best setting, and what
# else was counted there.
replay() { # PAPER WORKLOAD TRACE KNOWN
	(ulimit -t "$LIMIT"; "$build/tests/truth" -s "$SCALE" $([ "$SAMPLE" = 1 ] || echo "-S $SAMPLE") -y "$1:$systems" "${options[@]/#/-o}" $gpu data "$3" "$4") || return
	awk -F'\t' -v OFS='\t' -v w="$2" '
		$1 == "-" && $5 == "full" { configured = $6 }
		$1 == "half" { half[$3, $4] = $5 }
		$1 == "counted" { metrics[$3, $4] = metrics[$3, $4] " " $5; counted[$3, $4, $5] = $6; next }
		$1 != "-" && NF == 6 && $5 == "full" && $6 != "inf" && (!($3 in best) || $6 < best[$3]) { best[$3] = $6; setting[$3] = $4 }
		END {
			for (s in best) {
				print w, "speedup@replay", s, sprintf("%.6g", configured / best[s])
				if ((s, setting[s]) in half) print w, "speedup_half@replay", s, half[s, setting[s]]
				if (setting[s] > 0) print w, "setting@replay", s, setting[s]
				n = split(metrics[s, setting[s]], metric, " ")
				for (i = 1; i <= n; i++) print w, metric[i] "@replay", s, counted[s, setting[s], metric[i]]
			}
		}' "$4" | sort
}

passes() { # PAPER WORKLOAD
	awk -F'\t' -v p="$1" -v w="$2" '$1 == p && $2 == w { pass = $7 == "yes" } END { exit !pass }' "$GATES"
}

# Estimates and replays of one program, those that are there already left out.
measure() { # PAPER WORKLOAD
	local key estimates=$OUT/estimates/$1-$2 known=$OUT/replays/$1-$2
	echo "validation: $1: $2" >&2
	[ "$1" != morpheus ] || [ -n "$PASSING" ] || make_trace "$1" "$2" values || return
	bash $here/gates.sh "$build" "$1:$2" >&2 || return
	[ -z "$PASSING" ] || passes "$1" "$2" || return 3
	options=()
	[ "$1" != morpheus ] || make_trace "$1" "$2" values || return
	make_trace "$1" "$2" || return
	[ "$1" != morpheus ] || options=("mix=$(awk -F'\t' '$1 == "SN" && $3 ~ /^compression_(high|low|none)$/ { v[$3] = $4 }
		END { printf "%s,%s,%s", v["compression_high"], v["compression_low"], v["compression_none"] }' "${trace%.ctz}.bdi")")
	key="$SIZE $SCALE $([ "$SAMPLE" = 1 ] || echo "$SAMPLE ")$(digest "$trace") $(digest data/gpus/$gpu.conf) ${options[*]}"
	if [ "$(head -n 1 "$estimates" 2>/dev/null)" != "#$key" ]; then
		estimate "$1" "$2" "$trace" >"$dir/estimates" || return
		{ echo "#$key"; cat "$dir/estimates"; } >"$estimates"
	fi
	[ "$(cat "$known.key" 2>/dev/null)" = "$key" ] || rm -f "$known"
	echo "$key" >"$known.key"
	replay "$1" "$2" "$trace" "$known" >"$dir/replays" || echo "run.sh: $1: $2: not all systems were replayed" >&2
	cat "$estimates" "$dir/replays" | grep -v '^#'
}

# Replaces the results of one program, or takes away those that are not to be had.
run() { # PAPER WORKLOAD
	local out=$results/$1.tsv st=0
	paper "$1" "$2"
	measure "$1" "$2" >"$dir/one" || st=$?
	[ $st = 0 ] || [ $st = 3 ] || return $st
	[ $st = 0 ] || : >"$dir/one"
	{
		printf '#workload\tmetric\tsystem\tvalue\n'
		{ [ ! -e "$out" ] || awk -F'\t' -v drop="$2" '!/^#/ && $1 != drop' "$out"; cat "$dir/one"; } | sort -u
	} >"$dir/all" && cp "$dir/all" "$out"
}

# The lines PAPER WORKLOAD of what was asked for, all papers of a workload together.
pairs() { # PAPER|PAPER:WORKLOAD...
	local name w
	for name; do
		for w in $(paper_workloads "$name"); do
			echo "${name%%:*} $w"
		done
	done | sort -s -k 2,2
}

[ $# -gt 0 ] || set -- morpheus shared-l1 tag-split malekeh
failed=0
before=
while read -r paper workload; do
	[ "$workload" = "$before" ] || [ -z "$before" ] || [ -n "$KEEP" ] || rm -f "$traces/$before-$SIZE"{,--*}.{ctz,bdi}
	before=$workload
	run "$paper" "$workload" </dev/null || failed=1
done < <(pairs "$@")
[ -z "$before" ] || [ -n "$KEEP" ] || rm -f "$traces/$before-$SIZE"{,--*}.{ctz,bdi}
[ "$results" != $here/results ] || { bash $here/render.sh >"$dir/page" && cp "$dir/page" man/cachetriage-validation.7; } || failed=1
exit $failed
