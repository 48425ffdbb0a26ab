#!/usr/bin/env bash
# sweep.sh BUILD PROFILE...: points of a sweep beside replays of them, to build/sweep.tsv. Of six sizes of the LLC and five
# counts of compute SMs, POINTS (20) are replayed, drawn evenly from all profiles. A replay agrees when it lies in the range
# that the sweep states. The traces that the profiles name have to be there. LLC and SMS: other values.
#
# tests/verdicts/sweep.tsv has such points of other workloads than those that the ranges are held against: LLC=5242880,20971520
# SMS=20,34,48,62 and POINTS=all, without its columns low, high and agrees. The error that Morpheus' ranges add for SMs in
# cache mode is that of nine in ten of them: awk -v estimate=4 -v replayed=5 -f tests/verdicts/errors.awk.
set -eu
bin=$1/bin
shift
points=${POINTS:-20} system=${SYSTEM:-Morpheus-ALL}
llc=${LLC:-1310720,2621440,5242880,10485760,20971520,41943040} sms=${SMS:-14,27,41,54,68}
out=build/sweep.tsv tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ask() { "$bin/sweep" -q -O csv --metric speedup_configured --system "$system" "$@" | tr -d '\r' | awk -F, 'NR > 1'; }
ask "llc.size=$llc" "sms=$sms" -- "$@" >"$tmp/grid"
all=$(wc -l <"$tmp/grid")
[ "$points" = all ] && points=$all
# One from each of as many equal pieces, at a place in it that moves, so that no value of a key is favoured.
awk -v n="$points" -v all="$all" 'BEGIN { for (i = 0; i < n; i++) take[int(i * all / n) + i * 7 % int(all / n) + 1] = 1 }
	NR in take' "$tmp/grid" >"$tmp/some"
printf 'workload\tllc\tsms\tlow\testimate\thigh\treplay\tagrees\n' | tee "$out"
while IFS=, read -r workload _ _ size count _ value _ _ low high; do
	for p; do
		[ "$(basename "$p" .profile)" = "$workload" ] || continue
		replay=$(ask "llc.size=$size" "sms=$count" --method replay -- "$p" | awk -F, '{ print $7 }')
		printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$workload" "$size" "$count" "$low" "$value" "$high" "$replay" |
			awk -F'\t' -v OFS='\t' '{ print $0, ($7 >= $4 && $7 <= $6) }'
	done
done <"$tmp/some" | tee -a "$out"
awk -F'\t' 'NR > 1 { n++; agree += $8 } END { printf "%d of %d points agree\n", agree, n }' "$out"
