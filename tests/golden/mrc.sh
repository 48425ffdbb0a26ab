# reuse --mrc and the error bounds of a sampled profile: curves against each other, against
# mpki's, and sampled ones against exact ones.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

# curve FILE LEVEL: capacities and ratios of scope all.
curve() { awk -F'\t' -v l="$2" '$1=="MR" && $2=="all" && $3==l { print $4, $5 }' "$1"; }
gp() { awk -F'\t' -v k="$2" '$1=="GP" && $2==k { print $3 }' "$1"; }

tracegen -q kmeans -o km
reuse -q --no-sms-views --scale 1/8 --mrc km > exact
reuse -q --no-sms-views --scale 1/8 km > plain
same "--mrc changes nothing else" "$(grep -v -e '^.\?MR' -e '^PG' -e '^EN' -e llc_slice plain)" \
	"$(grep -v -e '^.\?MR' -e '^PG' -e '^EN' -e llc_slice exact)"
same "without -S only replication has an error record" "replication" "$(awk -F"\t" "/^(ME|RE)/ { print \$3 }" exact)"
same "with -S 1 there is none" "" "$(reuse -q --no-sms-views --scale 1/8 --mrc -S 1 km | grep -E "^(ME|RE)")"
for l in l1 l1_sector merged merged_sector llc llc_sector; do
	same "the $l curve falls with the capacity and ends in the cold misses" "" \
		"$(curve exact $l@lru | awk 'NR > 1 && $2 > last + 1e-6 { print $1 } { last = $2 } END { if (NR < 8) print "short" }')"
done
same "the last point is the share of cold accesses" \
	"$(awk -F'\t' '$1=="RD" && $2=="all" && $3=="l1" { n += $6 + $7; if ($4 == "inf") c += $6 + $7 } END { printf "%.5f", c / n }' exact)" \
	"$(curve exact l1@lru | awk 'END { printf "%.5f", $2 }')"

# Slices of nearly equal load act like one cache; LRU with sets blurs the curve.
check "slices are near the whole cache" awk -v lim=0.02 \
	'NR == FNR { a[$1] = $2; next } { d = $2 - a[$1]; if (d > lim || d < -lim) exit 1 } END { exit FNR < 8 }' \
	<(curve exact llc@assoc) <(curve exact llc@slices)
check "imbalance is at least 1" awk -F'\t' \
	'$3 == "llc_slice_imbalance" && $2 == "all" { ok = $4 >= 1 && $4 < 3 } END { exit !ok }' exact

# Where the LLC is no larger than the L1s the relation of the filtered LLC is not used.
l1_all=$(( $(gp exact sm.count) * $(gp exact l1.size) ))
same "below the L1s together llc@filtered is the replayed view" \
	"$(curve exact llc@lru | awk -v m=$l1_all '$1 <= m')" \
	"$(curve exact llc@filtered | awk -v m=$l1_all '$1 <= m')"
reuse -q --no-sms-views --scale 1/8 --mrc -p l1.size=16KiB -p l1.adaptive=0 km > small
l1_all=$(( $(gp small sm.count) * $(gp small l1.size) ))
check "above, it is near the replayed LLC" awk -v m=$l1_all \
	'NR == FNR { a[$1] = $2; next } $1 > m { n++; d = $2 - a[$1]; s += d < 0 ? -d : d } END { exit !(n > 3 && s / n < 0.03) }' \
	<(curve small llc@lru) <(curve small llc@filtered)

# mpki answers in sectors with the occupancy's L1s; both stand side by side.
mpki exact > both
same "mpki keeps reuse's curves" "$(grep -c '^MR.*@' exact)" "$(grep -c '^MR.*@' both)"
check "and adds its own" grep -q '^MR	all	l1	' both
mpki -q -p l1.size=32KiB exact > moved
same "a changed GPU drops the curves of the old one" "0" "$(grep -c '^M[RE].*@' moved)"

# Bounds.
inside=0 points=0
for seed in 1 2 3 4; do
	reuse -q --no-sms-views --scale 1/8 --mrc -S 0.2 --seed $seed km > sampled.$seed
	read -r i n < <(awk -F'\t' 'FNR == NR { if ($1 == "MR" && $2 == "all") m[$3, $4] = $5; next }
		$1 == "ME" && ($3, $4) in m { n++; i += m[$3, $4] >= $5 - 1e-6 && m[$3, $4] <= $6 + 1e-6 }
		END { print i + 0, n + 0 }' exact sampled.$seed)
	inside=$((inside + i)) points=$((points + n))
done
check "sampled curves hold the exact ones in 93 % of their points" \
	test $((inside * 100)) -ge $((points * 93)) -a "$points" -gt 400
same "every view has its error" "l1 l1_sector llc llc_sector merged merged_sector" \
	"$(awk -F'\t' '$1=="RE" && $4 == 0.2 && $5 > 0 && $6 >= $5 && $6 < 1 { print $3 }' sampled.1 | sort | xargs)"
same "every point of scope all has its bounds" \
	"$(awk -F'\t' '$1=="MR" && $2=="all" { print $3, $4 }' sampled.1)" \
	"$(awk -F'\t' '$1=="ME" && $5 <= $6 { print $3, $4 }' sampled.1)"
for n in 2 3; do
	reuse -q --no-sms-views --scale 1/8 --mrc -S 0.2 --seed 1 -@ $n km > threads
	check "-@ $n changes nothing" cmp sampled.1 threads
done
reuse --merge sampled.1 sampled.2 > merged
same "merged bounds are not known" "NA" "$(awk -F'\t' '$1=="ME" || $1=="RE" { print $NF }' merged | sort -u)"
check "nor are verdicts on them" \
	grep -q '^merged,morpheus,unknown,[0-9.]*,NA,NA,' <(triage -q -O csv merged)
reuse -q --no-sms-views --scale 1/8 --mrc -S 0.2 -O table km > table
refuses "a sample of nothing" 2 'none of the lines of km: give a larger' reuse --scale 1/8 -S 1e-12 km
check "people see the errors" grep -q 'Sampled: ratios' table
check "and the curves" grep -q 'LLC by capacity' table
finish
