#!/bin/bash
# sharedl1.sh BUILD [-d DIR] [-l SECONDS] [-g GPU] [-m] [NAME...]: the L1 miss rates and replication
# ratios of sharedl1-est by the profile beside the replayed ones, for every trace of tracegen (small) and of the shared
# folders, or those whose name is given: `close` within 3 points, `range` else in the stated range,
# `neither`; and whether it says order-sensitive. Then what differs by more than 3 points
# (the error that is allowed), how many are order-sensitive, and of those that are not (what a user of the pass with
# --mechanisms shared-l1 is given by the profile) the worst. Ends with 1 if any row is neither.
#
# A replay that needs more than SECONDS (60) of processor time is left out and named. DIR
# keeps traces, profiles and replays: what is there is not made again, so that after a change of the
# model only the profiles' part runs (-m: make the profiles again, too).
build=$1
shift
limit=60 gpu=sharedl1-28 dir= remake=
while getopts d:l:g:m o; do
	case $o in
	d) dir=$OPTARG ;;
	l) limit=$OPTARG ;;
	g) gpu=$OPTARG ;;
	m) remake=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
root=${CT_ROOT:-$PWD}
shared=$root/../shared
bin=$build/bin
[ -n "$dir" ] || { dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT; }
mkdir -p "$dir"

# Names and where the traces lie; generated ones are made when their turn comes.
traces() {
	local t
	for t in $("$bin/tracegen" --list | awk '{ print $1 }'); do
		echo "$t $dir/$t.trace"
	done
	for t in "$shared"/traces/*/kernelslist-kept.g "$shared"/traces/*/kernelslist.g \
		"$shared"/traces/*/kernelslist "$shared"/traces-opencl/*/kernelslist.g; do
		[ -f "$t" ] || continue
		echo "$(basename "$(dirname "$t")") $t"
	done
	for t in "$shared"/traces-synthetic/*.zst; do
		[ -f "$t" ] && echo "$(basename "$t" .traceg.zst) $t"
	done
}
wanted() { # NAME PATTERN...
	local name=$1
	shift
	[ $# -eq 0 ] && return 0
	for p; do
		[ "$name" = "$p" ] && return 0
	done
	return 1
}
# Value, range and share at the edge by one method, a line per system and metric.
rates() {
	awk -F'\t' -v m="$2" '$1 != "ES" || $8 != m { next }
		$5 == "l1_request_miss_rate" { rate[$4 ":misses"] = $6 " " $9 " " $10 }
		$5 == "replication_ratio" { rate[$4 ":replication"] = $6 " " $9 " " $10 }
		$5 == "edge_fraction" { edge[$4 ":misses"] = $6 }
		END { for (s in rate) print s, rate[s], s in edge ? edge[s] : "NA" }' "$1"
}

one() { # NAME PATH
	local p=$dir/$1.profile r=$dir/$1.replay a=$dir/$1.analytic
	[ -e "$2" ] || "$bin/tracegen" "$1" --size small -o "$2" || return 1
	if [ ! -s "$p" ] || [ -n "$remake" ]; then
		(ulimit -t "$limit" && exec "$bin/reuse" -q -@ 1 -g "$gpu" -o "$p" "$2") 2>"$dir/$1.err" || return 1
	fi
	if [ ! -e "$r" ]; then
		(ulimit -t "$limit" && exec "$bin/sharedl1-est" -q -@ 1 --method replay -O profile -o "$r" "$p") \
			2>>"$dir/$1.err" || { [ -e "$r" ] || : >"$r"; }
	fi
	[ -s "$r" ] || return 1
	"$bin/sharedl1-est" -q --method analytic -O profile -o "$a" "$p" || return 1
	rates "$a" analytic | sort >"$dir/a"
	rates "$r" replay | sort >"$dir/r"
	# system and metric, analytic value, low, high, edge, replayed value
	join "$dir/a" "$dir/r" | awk -v t="$1" 'BEGIN { OFS = "\t" }
		$1 ~ /^Best:/ || $2 == "NA" || $6 == "NA" { next }
		{
			d = $2 - $6
			word = d * d <= 0.03 * 0.03 ? "close" : $3 <= $6 && $6 <= $4 ? "range" : "neither"
			print t, $1, 100 * $2, 100 * $6, 100 * d, 100 * $3, 100 * $4, word, ($5 != "NA" && $5 > 0.03 ? "order" : "-")
		}'
}

printf 'trace\tsystem\tprofile\treplay\tpoints\tlow\thigh\tis\tsaid\n'
left=
while read -r name path; do
	wanted "$name" "$@" || continue
	one "$name" "$path" || left="$left $name"
done < <(traces) | tee "$dir/rows" | awk -F'\t' '{
	print
	d = $5 < 0 ? -$5 : $5
	n[$2]++; sum[$2] += d
	if (d > worst[$2]) { worst[$2] = d; where[$2] = $1 }
	if ($8 != "close") over[$2] = over[$2] " " $1 sprintf("(%+.1f%s)", $5, $9 == "order" ? "" : ", unsaid")
	is[$8]++
	said[$2] += $9 == "order"
	if ($9 != "order" && d > rest[$2]) rest[$2] = d
} END {
	print "\nsystem\ttraces\tmean\tworst\twhere\torder-sensitive\tworst of the others\tover 3 points"
	for (s in n)
		printf "%s\t%d\t%.2f\t%.1f\t%s\t%d\t%.1f\t%s\n", s, n[s], sum[s] / n[s], worst[s], where[s],
		       said[s], rest[s], over[s]
	printf "\nwithin 3 points %d, in the stated range %d, neither %d\n", is["close"], is["range"], is["neither"]
}'
! awk -F'\t' '$8 == "neither" { found = 1 } END { exit !found }' "$dir/rows"
status=$?
for r in "$dir"/*.replay; do
	[ -s "$r" ] || echo "left out: $(basename "$r" .replay)"
done
exit $status
