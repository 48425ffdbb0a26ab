# replicate and mpki at other capacities: the histograms' answer against caches that are
# replayed, the trace found again through the profile, and what a profile cannot follow.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

sn() { awk -F'\t' -v s="$2" -v m="$3" '$1=="SN" && $2==s && $3==m { print $4 }' "$1"; }
sw() { awk -F'\t' -v x="$2" -v m="$3" '$1=="SW" && $2=="all" && $6==x && $7==m { print $8 }' "$1"; }
mr() { awk -F'\t' -v l="$2" -v c="$3" '$1=="MR" && $2=="all" && $3==l && $4==c { print $5 }' "$1"; }
# near NAME A B TOLERANCE: passes when |A - B| <= TOLERANCE.
near() {
	if awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { d = a - b; exit !(a != "" && b != "" && a a != "NANA" && d <= t && -d <= t) }'; then
		pass "$1"
	else
		fail "$1" "$2 and $3 differ by more than $4"
	fi
}

tracegen -q workingset --footprint 256KiB --sharing 8 -o ws
# In kmeans a thread goes through lines of its own with many loads on their way: the order decides what stays in a small L1.
tracegen -q bfs -o bfs
tracegen -q pagerank -o pagerank

# Both methods on the configured GPU. Fills that overlap and sectors make them differ.
for w in ws bfs pagerank; do
	reuse -q --no-sms-views --scale 1/8 $w > $w.profile
	replicate --method analytic $w.profile | mpki --method analytic > $w.analytic
	near "$w: analytic and replayed replication ratio" \
		"$(sn $w.profile all replication_ratio)" "$(sn $w.analytic all replication_ratio)" 0.03
	near "$w: analytic and replayed replicas" \
		"$(sn $w.profile all replicas_mean)" "$(sn $w.analytic all replicas_mean)" 0.15
	near "$w: analytic and replayed L1 miss rate" \
		"$(sn $w.profile all l1_miss_rate)" "$(sn $w.analytic all l1_miss_rate)" 0.01
	near "$w: analytic and replayed LLC miss rate" \
		"$(sn $w.profile all llc_miss_rate)" "$(sn $w.analytic all llc_miss_rate)" 0.08
done

# Another L1: from the profile, and replayed. A tolerance for the changed interleaving.
for w in ws bfs pagerank; do
	mpki -p l1.size=32KiB $w.profile > a
	mpki -p l1.size=32KiB --method replay $w.profile > r
	near "$w: L1 miss rate at 32 KiB" "$(sn a all l1_miss_rate)" "$(sn r all l1_miss_rate)" 0.09
	near "$w: LLC miss rate behind it" "$(sn a all llc_miss_rate)" "$(sn r all llc_miss_rate)" 0.03
	same "$w: the answer says how it was got" "analytic" \
		"$(awk -F'\t' '$1=="SN" && $2=="all" && $3=="l1_miss_rate" { print $6 }' a)"
	same "$w: GP is the GPU in force" "32768" "$(awk -F'\t' '$2=="l1.size" { print $3 }' a)"
done

reuse -q --scale 1/8 -p l1.size=32KiB ws > direct
mpki -p l1.size=32KiB --method replay ws.profile > r
same "--method replay finds the trace and replays it on the changed GPU" \
	"$(grep ^SN direct)" "$(grep ^SN r)"

# Another LLC: the analytic model of time moves with it.
mpki -p llc.size=6MiB bfs.profile > a
mpki -p llc.size=6MiB --method replay bfs.profile > r
near "LLC miss rate of a larger LLC" "$(sn a all llc_miss_rate)" "$(sn r all llc_miss_rate)" 0.03
near "its cycles in ten thousand" "$(awk "BEGIN { print $(sn a all cycles) / 1e4 }")" \
	"$(awk "BEGIN { print $(sn r all cycles) / 1e4 }")" 1
same "cycles of single kernels are not known" "NA" "$(awk -F'\t' '$1=="SN" && $2~/^name:/ && $3=="cycles" { print $4; exit }' a)"
mpki -p l1.latency=80 bfs.profile > a
same "a latency leaves the miss rates as they are" "$(sn bfs.profile all l1_miss_rate) $(sn bfs.profile all llc_mpki)" \
	"$(sn a all l1_miss_rate) $(sn a all llc_mpki)"
check "and costs cycles" awk "BEGIN { exit !($(sn a all cycles) > $(sn bfs.profile all cycles)) }"
mpki -p unit.sp=9,9 bfs.profile > a
same "where the model does not know a change, cycles are unknown" "NA NA" "$(sn a all cycles) $(sn a all ipc)"
mpki -p energy.llc=20 bfs.profile > a
near "an energy changes no cycles" "$(sn bfs.profile all cycles)" "$(sn a all cycles)" 1

# The table says of each number how it was got.
for x in "l1.latency=80|replay, cycles analytic" "llc.size=6MiB|L1 replay, else analytic" "l1.size=32KiB|analytic"; do
	same "the method of a table with ${x%|*}" "${x#*|}" "$(mpki -q -O table -p "${x%|*}" bfs.profile | awk -F'  +' '$1 == "all" { print $NF; exit }')"
done

# A sweep is one answer for each size, and the same answer as for that size alone.
replicate --sizes 16KiB,32KiB..128KiB,32KiB pagerank.profile > sweep
same "every size of the list once" "16384 32768 65536 131072" \
	"$(awk -F'\t' '$1=="SW" && $2=="all" && $7=="replicas_mean" { printf "%s%s", n++ ? " " : "", $6 }' sweep)"
replicate -p l1.size=32KiB --method analytic pagerank.profile > alone
same "a point of the sweep is the answer for that size" \
	"$(sn alone all replication_ratio) $(sn alone all replicas_mean)" \
	"$(sw sweep 32768 replication_ratio) $(sw sweep 32768 replicas_mean)"
replicate --check pagerank.profile > checked
same "--check keeps the replay's answer" "$(sn pagerank.profile all replicas_mean)" "$(sn checked all replicas_mean)"
[ -n "$(sw checked 131072 replication_ratio)" ] && pass "and adds the analytic one" || fail "and adds the analytic one"

# mpki --check: both methods, on the profile's GPU and on any other.
point() { awk -F'\t' -v m="$2" '$1=="SW" && $2=="all" && $4=="configured" && $7==m { print $8 }' "$1"; }
mpki --check bfs.profile > c
same "--check keeps what the profile says" "$(grep ^SN bfs.profile)" "$(grep ^SN c)"
check "the closed network without its anchor is another number" \
	awk "BEGIN { exit !($(point c cycles_without_launches) > 0 && $(point c ipc) != $(sn bfs.profile all ipc)) }"
for p in llc.size=6MiB l1.size=96KiB sm.count=6 dram.latency=900; do
	mpki -q --check -p $p bfs.profile > c
	same "$p: the replay's numbers take the place of the old" "replay" \
		"$(awk -F'\t' '$1=="SN" && $2=="all" && $3=="cycles" { print $6 }' c)"
	near "$p: cycles of both within a tenth" \
		"$(awk "BEGIN { print $(point c cycles_without_launches) / ($(sn c all cycles) - $(sn c all launch_cycles)) }")" 1 0.1
	near "$p: LLC miss rate of both" "$(point c llc_miss_rate)" "$(sn c all llc_miss_rate)" 0.05
done
mpki -q --check -p sm.count=6 bfs.profile > c
same "GP names the SM count in force" "6" "$(awk -F'\t' '$2=="sm.count" { print $3 }' c)"
same "and its replay fewer slots for CTAs" "$(($(sn bfs.profile all cta_slots) * 6 / 9))" "$(sn c all cta_slots)"
check "a table with the difference" grep -q "dram_utilisation" <(mpki --check -O table bfs.profile)
refuses "without --check an SM count needs the trace" 2 "needs the trace" mpki -p sm.count=6 bfs.profile

sed -E 's/^(SN\tall\tcycles\t)[0-9]+/\1-5/' bfs.profile > negative
same "cycles that cannot be are no number of a table" "-" \
	"$(mpki -q --no-verify -O table negative | awk -F'  +' '$1 == "all" { print $8; exit }')"

# Curves.
mpki --l1-sizes 8KiB..256KiB --llc-sizes 64KiB..16MiB pagerank.profile > curve
for l in l1 llc; do
	same "the $l curve falls" "" "$(awk -F'\t' -v l=$l '$1=="MR" && $2=="all" && $3==l { if (n++ && $5 > last) print $4; last = $5 }' curve)"
done
# Where no launch takes shared memory an L1 in proportion is an L1 of that size.
mpki --l1-sizes 32KiB --llc-sizes 384KiB bfs.profile > point
same "a curve's point is the miss rate at that size" "$(sn <(mpki -p l1.size=32KiB bfs.profile) all l1_miss_rate)" \
	"$(mr point l1 32768)"
same "in the LLC too" "$(sn <(mpki -p llc.size=384KiB bfs.profile) all llc_miss_rate)" "$(mr point llc 393216)"
mpki --l1-sizes 128KiB --llc-sizes 768KiB pagerank.profile > point
same "and the replay's own where nothing changes" "$(sn pagerank.profile all l1_miss_rate) $(sn pagerank.profile all llc_miss_rate)" \
	"$(mr point l1 131072) $(mr point llc 786432)"
same "without lists the curves span a factor of 256" "9 9" \
	"$(mpki pagerank.profile | awk -F'\t' '$1=="MR" && $2=="all" { n[$3]++ } END { print n["l1"], n["llc"] }')"

# What warms the caches is not counted: not its launches, not in the histograms, and in no answer that
# is made from them.
tracegen -q workingset --footprint 256KiB --passes 3 --ctas 54 -o passes
reuse -q --scale 1/8 --per-kernel passes > whole
first=$(awk -F'\t' '$1=="KN" { print $7; exit }' whole)
sum() { awk -F'\t' -v v="$2" '$1=="RD" && $2=="all" && $3==v { n += $6 + $7 } END { print n }' "$1"; }
reuse -q --scale 1/8 --per-kernel --warmup $((first + 1)) passes > warm
same "a launch of the warm-up is no launch" "2 3" "$(awk -F'\t' '$1=="KN" { print $2 }' warm | paste -sd' ')"
check "nor are its instructions counted" test "$(sn warm all warp_insts)" -le "$((2 * first - 1))"
same "the last launch is what it was" "$(grep -P '^SN\tkernel:3' whole)" "$(grep -P '^SN\tkernel:3' warm)"
same "histograms hold what is counted" "$(sn warm all l1_sector_accesses) $(sn warm all l1_line_accesses)" \
	"$(sum warm l1_sector) $(sum warm l1)"
same "of fewer SMs too" 1 "$(awk "BEGIN { print $(sum warm llc@sms=3) < 0.8 * $(sum whole llc@sms=3) }")"
same "the LLC holds what the warm-up touched" "0" "$(sn warm all llc_sector_misses)"
same "the same with four threads" "$(cat warm)" "$(reuse -q -@ 4 --scale 1/8 --per-kernel --warmup $((first + 1)) passes)"
refuses "a warm-up longer than the trace" 2 'leaves nothing to count: passes has' reuse --scale 1/8 --warmup 1000000000 passes
for t in sharedl1-est morpheus-est; do
	check "$t of what is counted" $t -q warm -o /dev/null
done

# Estimates and verdicts of the profile's GPU are none of another, and what was moved to one
# is no replay that an estimator could start from.
triage -q --mechanism morpheus,malekeh --resume kept --scale 1/8 bfs -o /dev/null
for t in mpki replicate; do
	$t -q -p dram.latency=900 kept/bfs-*.profile > moved
	same "$t: estimates stay behind" "" "$(grep -E '^(ES|SW|TV)' moved | cut -f1-3 | grep -v '^SW.all.baseline')"
	refuses "and estimators take no such profile" 2 "moved to another GPU" morpheus-est moved
done
reuse -q --scale 1/8 -p dram.latency=900 ws -o other
reuse -q --merge moved other -o sum
refuses "nor one that such a profile was merged into" 2 "moved to another GPU" morpheus-est sum
for t in morpheus-est sharedl1-est; do
	$t -q -p dram.latency=900 kept/bfs-*.profile > moved
	same "$t: what it writes is of that GPU alone" "900 1" "$(awk -F'\t' '$2=="dram.latency" { print $3 }' moved) $(
		awk -F'\t' '$1=="ES" { print $3 }' moved | sort -u | wc -l)"
	same "and so is what is told of it" "" "$(grep -E '^(SW|TV)' moved | head -1)"
done
check "on its own GPU they stay" grep -q '^ES.all.malekeh' <(mpki kept/bfs-*.profile)
mpki -p llc.size=6MiB bfs.profile > a
near "first touches stay as many" \
	"$(awk "BEGIN { print $(sn a all cold_miss_fraction) * $(sn a all llc_line_misses) }")" \
	"$(awk "BEGIN { print $(sn bfs.profile all cold_miss_fraction) * $(sn bfs.profile all llc_line_misses) }")" 2

# What a profile cannot follow.
for p in sm.count=34 l1.line=64 sm.scheduler=lrr l1.write=evict l1.flush=off; do
	for t in replicate mpki; do
		refuses "$t: $p needs the trace" 2 "needs the trace" $t -p $p ws.profile
	done
done
for o in "-k 1" "--warmup 5" "-S 0.5"; do
	# shellcheck disable=SC2086
	refuses "$o needs the trace" 2 "needs the trace" mpki $o ws.profile
done
refuses "an unknown key is named" 2 "l1.size" mpki -p l1.sise=3 ws.profile
refuses "a size that is none" 2 "sizes.*16KiB" replicate --sizes 16Kib,32KiB ws.profile
grep -v '^RJ' ws.profile > norj
refuses "a profile without RJ" 2 "no RJ records" replicate --no-verify norj
mv pagerank elsewhere
mkfifo pipe && sed 's/^TR\t[^\t]*/TR\tpipe/' pagerank.profile >piped.profile
refuses "a trace that came from a pipe" 2 'pipe: the profile.s trace came from a pipe' \
	timeout 20 mpki --no-verify -p l1.size=32KiB --method replay piped.profile
check "one that is to be read twice is kept" \
	bash -c 'cat elsewhere/kernel-1.traceg* >pipe & timeout 20 reuse --scale auto pipe'
refuses "a trace that has moved" 2 "trace-root" mpki -p l1.size=32KiB --method replay pagerank.profile
mkdir root && mv elsewhere root/pagerank
check "--trace-root finds it" mpki -p l1.size=32KiB --method replay --trace-root root pagerank.profile -o /dev/null
check "the trace's own folder does, too" mpki -p l1.size=32KiB --method replay --trace-root root/pagerank pagerank.profile -o /dev/null
rm -r root/pagerank && tracegen -q pagerank --seed 2 -o root/pagerank
refuses "another trace in its place" 2 "digest differs" mpki -p l1.size=32KiB --method replay --trace-root root pagerank.profile
reuse -q --no-sms-views --scale 1/8 -k 1 bfs > one.profile
same "the kernels of a profile are replayed" \
	"$(mpki -O profile --scale 1/8 -k 1 -p l1.size=32KiB bfs | awk -F'\t' '$1 == "SN" && $2 == "all"')" \
	"$(mpki -O profile -p l1.size=32KiB --method replay one.profile | awk -F'\t' '$1 == "SN" && $2 == "all"')"
check "the same kernels" mpki -p l1.size=32KiB --method replay -k 1 one.profile -o /dev/null
reuse -q --no-sms-views --scale 1/8 - < bfs/kernel-1.traceg.zst > piped.profile
refuses "a trace that came through a pipe" 2 "standard input" mpki -p l1.size=32KiB --method replay piped.profile

if needs_shared "replication of shared captures"; then
	for t in bfs-sm80-v3 btree-sm90-v5; do
		reuse -q --no-sms-views "$CT_SHARED/traces/$t" | replicate --check > c
		near "$t: analytic and replayed replication ratio" "$(sn c all replication_ratio)" \
			"$(sw c 131072 replication_ratio)" 0.03
		near "$t: analytic and replayed replicas" "$(sn c all replicas_mean)" "$(sw c 131072 replicas_mean)" 0.15
	done
fi
finish
