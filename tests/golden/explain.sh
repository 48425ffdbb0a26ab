# mpki --explain: the classes add up to the misses, the stack to the cycles, and made-up
# workloads show the class and the resource that they were made for.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

sn() { awk -F'\t' -v s="$2" -v m="$3" '$1=="SN" && $2==s && $3==m { print $4 }' "$1"; }
# add FILE SCOPE METRIC...: their sum.
add() {
	local f=$1 s=$2
	shift 2
	for m in "$@"; do sn "$f" "$s" "$m"; done | awk '{ v += $1; n++ } END { print n, v + 0 }'
}
classes="compulsory capacity associativity latency mshr"
parts="base issue dependencies l1 network llc dram"
misses() { add "$1" "$2" $(printf "$3_%s_misses " $classes); }
stack() { add "$1" "$2" $(printf "cycles_stack_%s " $parts); }

tracegen -q kmeans -o km
tracegen -q workingset --footprint 96KiB --sharing 8 -o ws
reuse -q --no-sms-views --scale 1/8 km > km.profile
mpki --explain km.profile > km.why
for s in all name:kmeans_swap name:kmeans_nearest; do
	for l in l1 llc; do
		same "$s: classes add up to the $l misses" "5 $(sn km.profile $s ${l}_sector_misses)" \
			"$(misses km.why $s $l)"
	done
	same "$s: the stack adds up to the cycles" \
		"7 $(awk "BEGIN { print $(sn km.profile $s cycles) - $(sn km.profile $s launch_cycles) }")" \
		"$(stack km.why $s)"
done
same "the far end of the stack is what that alone costs" "$(sn km.why all cycles_lost_dram)" \
	"$(sn km.why all cycles_stack_dram)"
same "nothing else has changed" "$(grep -E '^(SN|RD|IM)' km.profile | sort)" \
	"$(grep -E '^(SN|RD|IM)' km.why | grep -vE '_(compulsory|capacity|associativity|latency|mshr)_misses|cycles_(lost|stack)_' | sort)"
mpki --explain -@ 2 km.profile | grep -v ^PG > b
same "with threads too" "$(grep -v ^PG km.why)" "$(cat b)"
mpki --explain --scale 1/8 km > t
same "from the trace as from its profile" "$(grep -E '^SN.*(cycles_|_misses)' km.why)" \
	"$(grep -E '^SN.*(cycles_|_misses)' t)"

# A working set that fits, one that does not, and one whose lines fall into few sets.
most() { # FILE LEVEL: the class with most misses
	for c in $classes; do echo "$(sn "$1" all "$2_${c}_misses") $c"; done | sort -g | tail -1 | cut -d' ' -f2
}
mpki -q --explain --scale 1/8 ws > fits
same "a working set that fits: first touches" "compulsory" "$(most fits l1)"
mpki -q --explain --scale 1/8 -p l1.size=4KiB ws > small
check "a small L1: capacity" test "$(sn small all l1_capacity_misses)" -gt \
	"$(($(sn fits all l1_capacity_misses) + 2000))"
mpki -q --explain --scale 1/8 -p l1.size=32KiB -p l1.ways=1 -p l1.dirty_percent=0 ws > direct
check "one way: sets" test "$(sn direct all l1_associativity_misses)" -gt 50
check "an L1 whose lines are all protected gives one up" \
	mpki -q --scale 1/8 -p l1.size=128KiB -p l1.ways=1 ws
mpki -q --explain --scale 1/8 -p l1.mshr_entries=4 ws > few
check "few MSHRs cost cycles" test "$(sn few all cycles_lost_mshr)" -gt 1000
mpki -q --explain --scale 1/8 -p dram.latency=5000 ws > slow
check "a slow DRAM costs more" test "$(sn slow all cycles_lost_dram)" -gt "$(($(sn fits all cycles_lost_dram) * 2))"
mpki --explain -p dram.latency=5000 fits > other
same "on another GPU than the profile's" "$(grep -E '^SN.*(cycles_stack|mshr)' slow)" \
	"$(grep -E '^SN.*(cycles_stack|mshr)' other)"
check "a table for people" grep -q "Where the cycles go" <(mpki -O table --explain km.profile)

refuses "standard input cannot be read again" 2 "standard input" \
	bash -c 'zstd -dcq km/kernel-1.traceg.zst | mpki --explain -'
refuses "--warmup" 2 "leave out --warmup" mpki --explain --warmup 10 km
mv km away
refuses "a trace that has moved" 2 "trace-root" mpki --explain km.profile
finish
