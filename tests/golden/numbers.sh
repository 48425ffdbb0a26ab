# One definition per number: for the same configuration the profile, mpki, its curves, the estimators and the page of
# report give the same L1 and LLC miss rates, MPKI, cycles and IPC, whatever the workload; every table names units and
# baselines, and its ranges are those that verdicts state.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

workloads='vecadd gemm hotspot bfs spmv-csr transpose scan nw kmeans gaussian'
sn() { awk -F'\t' -v m="$2" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }' "$1"; }
# The last record of an estimate, which is the estimator's own.
es() { awk -F'\t' -v m="$2" -v s="$3" -v k="$4" '$1 == "ES" && $3 == m && $4 == s && $5 == k { v = $6 } END { print v }' "$1"; }
mr() { awk -F'\t' -v l="$2" -v c="$3" '$1 == "MR" && $2 == "all" && $3 == l && $4 == c { print $5 }' "$1"; }
gp() { awk -F'\t' -v k="$2" '$1 == "GP" && $2 == k { print $3 }' "$1"; }
percent() { awk -v v="$1" 'BEGIN { if (v == "NA") print "-"; else printf "%.1f %%\n", 100 * v }'; }
# cell FILE HEADING ROW: of a table for people, whose columns are two blanks apart or more.
cell() {
	awk -v h="$2" -v r="$3" '
		!at && index($0, h) { at = index($0, h) + length(h) - 1; next }
		at && (index($0, r " ") == 1 || $0 == r) {
			# numbers end where their heading ends, or fill their column from the right
			s = substr($0, 1, at); sub(/.*  /, "", s); gsub(/^ +| +$/, "", s); print s; exit }' "$1"
}

mkdir run
for w in $workloads; do
	tracegen -q "$w" -o "$w"
	reuse -q --scale auto --mechanisms all "$w" > p0
	mpki -q p0 > curve
	mpki -q -O table p0 > mpki.table
	for t in morpheus-est sharedl1-est tsc-est malekeh-est bypass-est; do
		$t -q --method analytic -O table p0 > $t.table
		cat $t.table >> tables
	done
	morpheus-est -q --method analytic p0 | sharedl1-est -q --method analytic | tsc-est -q --method analytic | malekeh-est -q --method analytic | bypass-est -q --method analytic > "run/$w.profile"
	p=run/$w.profile

	# Records.
	for m in l1_miss_rate l1_mpki llc_mpki ipc cycles; do
		want=$(sn p0 $m)
		for who in 'shared-l1 Private' 'tag-split configured' 'bypass BL'; do
			same "$w: $m of $who" "$want" "$(es $p $who $m)"
		done
	done
	# Morpheus' BL has a larger LLC: what an L1 misses is the same.
	same "$w: L1 of morpheus BL" "$(sn p0 l1_miss_rate) $(sn p0 l1_mpki)" "$(es $p morpheus BL l1_miss_rate) $(es $p morpheus BL l1_mpki)"
	same "$w: cycles and IPC of malekeh OCU-own" "$(sn p0 cycles) $(sn p0 ipc)" "$(es $p malekeh OCU-own cycles) $(es $p malekeh OCU-own ipc)"
	same "$w: L1 line misses of shared-l1" \
		"$(awk -v a="$(sn p0 l1_line_misses)" -v b="$(sn p0 l1_line_accesses)" 'BEGIN { printf "%.4f", a / b }')" \
		"$(printf %.4f "$(es $p shared-l1 Private l1_request_miss_rate)")"
	# A chart's IPC holds launches, as the table does.
	sms=$(gp p0 sm.count)
	if grep -qP '^SW\tall\tmorpheus\tBL\tsms\t' $p; then
		same "$w: the chart of IPC ends where the table is" "$(es $p morpheus BL ipc)" \
			"$(awk -F'\t' -v n="$sms" '$1 == "SW" && $3 == "morpheus" && $4 == "BL" && $5 == "sms" && $6 == n && $7 == "ipc" { print $8 }' $p)"
	fi
	# Curves.
	for l in l1 llc; do
		same "$w: the curve of $l at the capacity in force" "$(sn p0 ${l}_miss_rate)" "$(mr curve $l "$(gp p0 $l.size)")"
	done
	# Tables.
	want=$(percent "$(sn p0 l1_miss_rate)")
	same "$w: tables" "$want $want $want $want" \
		"$(cell mpki.table 'L1 sector misses' all) $(cell sharedl1-est.table 'L1 sector misses' Private) $(
			cell tsc-est.table 'L1 sector misses' configured) $(cell bypass-est.table 'L1 sector misses' BL)"
done

same "no table has a range without width" "" "$(grep -oE '([0-9.]+)\.\.\1( |$)' tables | sort -u)"
same "each names what its speed-ups are over" "over 128B over BL over OCU over Private" \
	"$(grep -oE 'over (BL|Private|128B|OCU)' tables | sort -u | paste -sd' ')"
same "and calls it so in its row" 50 "$(grep -c ' baseline ' <(sed 's/$/ /' tables))"
same "no heading leaves out the unit" "" "$(grep -hE '^(system|scope) ' tables mpki.table | grep -oE '  (MPKI|L1 misses|LLC misses|LLC MPKI|IPC|cycles|speed-up)(  |$)')"

# The page.
report -q --html page.html run/*.profile
for w in $workloads; do
	p=run/$w.profile
	awk -v w="$w" 'index($0, "<details class=\"w\"") && index($0, "<h3>" w "</h3>") { on = 1 }
		on { print; deep += gsub(/<details/, "&") - gsub(/<\/details>/, "&"); if (!deep) exit }' page.html > part
	want=$(percent "$(sn $p l1_miss_rate)")
	if [ "$want" != "-" ]; then
		same "$w: the page's bar and the mark of its curve" "$want miss, $want" \
			"$(grep -oE 'sector accesses [0-9.]+ % hit, [0-9.]+ % miss' part | sed -n '1s/.*hit, //p'), $(
				grep -oE 'configured [0-9.]+ [KM]iB: [0-9.]+ %' part | sed -n '1s/.*: //p')"
	fi
	same "$w: the page's table" "$(sn $p ipc) $(sn $p l1_miss_rate) $(sn $p llc_mpki)" \
		"$(tr -d '\n' < page.html | grep -oE "<tr role=\"row\" data-name=\"$w\".*" | head -c 6000 |
			grep -oE 'data-k="(IPC with launch|L1 sector misses|LLC sector MPKI)" data-v="[^"]*"' | head -3 | sed 's/.*data-v="//; s/"//' | paste -sd' ')"
done
finish
