#!/usr/bin/env bash
# How well the ranges of --sample-kernels cover: coverage.sh BUILD OUT.tsv [INSTS [SHARE [SCALE [SEED]]]]
#
# Twenty traces of tests/long/packed.c, each kernel alone, all pairs, and five of three, are replayed whole and by a sample:
# by reuse for cycles and miss rates, by triage --method replay for the speed-ups of mechanisms, but those of exactly one,
# where nothing acts. OUT.tsv gets a line for each number: trace, metric, whole, told, low, high, and whether the range holds
# the whole. Last it prints by metric how many do, and the median half-width in percent of the number.
set -u
export LC_ALL=C
build=$(cd "$1" && pwd) || exit 1
out=$2 insts=${3:-3e6} share=${4:-0.3} scale=${5:-1/16} seed=${6:-0}
export PATH="$build/bin:$PATH"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
printf '#trace\tmetric\twhole\ttold\tlow\thigh\tholds\n' >"$out"
for k in 1 2 3 4 5 12 13 14 15 23 24 25 34 35 45 124 135 245 345 235; do
	seed=$((seed + 1))
	"$build/tests/packed" -n "$insts" -s $seed -k $k >"$dir/t.ctz" 2>/dev/null || exit 1
	g="-q --timing quick --scale $scale --no-sms-views --seed $seed"
	# shellcheck disable=SC2086
	reuse $g "$dir/t.ctz" >"$dir/whole" && reuse $g --sample-kernels "$share" "$dir/t.ctz" >"$dir/some" || exit 1
	awk -F'\t' -v k=$k -v OFS='\t' '$1 == "SN" && $2 == "all" { v[FILENAME, $3] = $4 }
		END {
			n = split("cycles l1_miss_rate llc_miss_rate", m, " ")
			for (i = 1; i <= n; i++) {
				whole = v[ARGV[1], m[i]]; low = v[ARGV[2], m[i] "_low"]; high = v[ARGV[2], m[i] "_high"]
				# Six digits are printed.
				e = whole * 1e-6
				print k, m[i], whole, v[ARGV[2], m[i]], low, high, (low - e <= whole && whole <= high + e) + 0
			}
		}' "$dir/whole" "$dir/some" >>"$out"
	g="-q --timing quick --scale $scale --seed $seed --method replay -O profile"
	# A verdict that says "hurts" makes triage end with 1.
	# shellcheck disable=SC2086
	triage $g "$dir/t.ctz" >"$dir/whole"
	[ $? -le 1 ] || exit 1
	# shellcheck disable=SC2086
	triage $g --sample-kernels "$share" "$dir/t.ctz" >"$dir/some"
	[ $? -le 1 ] || exit 1
	awk -F'\t' -v k=$k -v OFS='\t' '$1 == "TV" && FILENAME == ARGV[1] { whole[$3] = $5 }
		$1 == "TV" && FILENAME == ARGV[2] && $5 != "NA" && whole[$3] != "NA" && whole[$3] != 1 {
			print k, "speedup", whole[$3], $5, $6, $7, ($6 <= whole[$3] && whole[$3] <= $7) + 0
		}' "$dir/whole" "$dir/some" >>"$out"
done
awk -F'\t' '!/^#/ { n[$2]++; holds[$2] += $7; half = $4 > 0 ? 50 * ($6 - $5) / $4 : 0; h[$2, n[$2]] = half }
	END {
		for (m in n) {
			for (i = 1; i <= n[m]; i++)
				for (j = i + 1; j <= n[m]; j++)
					if (h[m, j] < h[m, i]) { x = h[m, i]; h[m, i] = h[m, j]; h[m, j] = x }
			printf "%s: %d of %d ranges hold the whole, median half-width %.2f %%\n", m, holds[m], n[m], h[m, int((n[m] + 1) / 2)]
		}
	}' "$out" | sort
