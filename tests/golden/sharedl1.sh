# sharedl1-est on generated workloads: verdicts, pipes, records, networks, constants.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
est=$(unscaled sharedl1-est)
# What the sanitizers have seen once is asked again of the plain build.
plain() { "$CT_RELEASE/sharedl1-est" --scale 1 "$@"; }

made() { # NAME TRACEGEN-OPTION...
	local name=$1
	shift
	"$CT_RELEASE/tracegen" "$@" -o "$name" &&
		"$CT_RELEASE/reuse" -q -g sharedl1-28 "$name" >"$name.profile"
}
value() { # SYSTEM METRIC PROFILE
	awk -F'\t' -v s="$1" -v m="$2" '$1 == "ES" && $4 == s && $5 == m { print $6 }' "$3"
}
within() { awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN { exit !(v >= lo && v <= hi) }'; }

# A table that every SM reads, larger than an L1 and smaller than all of them; a stream.
check "tracegen and reuse: a table read by all" made table workingset --footprint 128KiB --ctas 56 --sharing 56 --passes 1
check "tracegen and reuse: streaming" made stream vecadd
for w in table stream; do
	check "estimate: $w" "$est" -o "$w.out" "$w.profile"
done
same "fifteen systems" 15 "$(awk -F'\t' '$1 == "ES" && $5 == "speedup"' table.out | wc -l)"
same "every value has a method" "" "$(awk -F'\t' '$1 == "ES" && $8 != "analytic"' table.out)"
same "Private is the baseline" 1 "$(value Private speedup table.out)"
same "on a mesh it is the GPU as configured" 1 "$(value Private speedup_configured table.out)"
same "no replicas when shared" 1 "$(value Shared replicas_mean table.out)"
check "nearly 27 of 28 accesses are remote" within "$(value Shared remote_fraction table.out)" 0.9641 0.9644
check "a table read by all is replicated" within "$(value Private replicas_mean table.out)" 5 28
check "and misses less when shared" within "$(value Shared l1_request_miss_rate table.out)" 0 \
	"$(value Private l1_request_miss_rate table.out)"
check "but walked in order by all it camps on one home after the other" within "$(value Shared+Chunk speedup table.out)" 0 0.99
check "a stream gains nothing from sharing" within "$(value Shared speedup stream.out)" 0 1.01
check "nor from 16 times the L1" within "$(value 16x-L1 speedup stream.out)" 0.999 1.001

same "a pipe gives what a file gives" "$(grep -v '^PG\|^EN' table.out)" \
	"$("$est" -O profile <table.profile | grep -v '^PG\|^EN')"
same "and what the trace gives" "$(grep '^ES' stream.out)" \
	"$("$CT_RELEASE/sharedl1-est" --scale 1 -q -g sharedl1-28 stream | grep '^ES')"
same "a profile with estimates gives them again" "$(grep '^ES' table.out)" \
	"$("$est" -O profile <table.out | grep '^ES')"
same "threads change nothing" "$("$est" -@ 1 -O profile table.profile)" "$("$est" -@ 8 -O profile table.profile)"
if command -v jq >/dev/null 2>&1; then
	check "JSON lines are JSON" sh -c "'$est' -O json table.profile | jq -e . >/dev/null"
else
	skip "JSON lines are JSON" "jq is not installed"
fi

"$est" --sweep l1.latency=8..64:8 -o swept table.profile
same "a sweep has every point" "8 16 24 32 40 48 56 64" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "DynEB" && $7 == "ipc" { print $6 }' swept | paste -sd' ')"
"$est" --sweep l1.size=16KiB..256KiB -o swept table.profile
same "sizes double" "16384 32768 65536 131072 262144" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "Private" && $7 == "ipc" { print $6 }' swept | paste -sd' ')"
same "16 times the L1 is the sweep's 256 KiB" "$(value 16x-L1 l1_request_miss_rate table.out)" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "Private" && $6 == 262144 && $7 == "l1_request_miss_rate" { print $8 }' swept)"
"$est" --sweep cores=7..28:7 -o swept table.profile
same "the sweep of cores ends at the estimate" "$(value Shared l1_request_miss_rate table.out)" \
	"$(awk -F'\t' '$1 == "SW" && $4 == "Shared" && $6 == 28 { print $8 }' swept)"

# What lives in an L1 of spmv-csr depends on which warp is ahead; Private-2x replayed misses in 43.9 %
# (cachetriage-shared-l1(7)).
check "tracegen and reuse: spmv" made spmv spmv-csr
check "estimate: spmv" "$est" -o spmv.out spmv.profile
range() { # SYSTEM FIELD PROFILE
	awk -F'\t' -v s="$1" -v f="$2" '$1 == "ES" && $4 == s && $5 == "l1_request_miss_rate" { print $f }' "$3"
}
check "a miss rate has a range" within "$(value Private-2x l1_request_miss_rate spmv.out)" \
	"$(range Private-2x 9 spmv.out)" "$(range Private-2x 10 spmv.out)"
check "that the replay is in" within 0.4389 "$(range Private-2x 9 spmv.out)" "$(range Private-2x 10 spmv.out)"
check "and its accesses are at the edge" within "$(value Private-2x edge_fraction spmv.out)" 0.03 1
same "what the replay counted has none" "$(range Private 9 spmv.out) $(range Private 10 spmv.out) 0" \
	"$(value Private l1_request_miss_rate spmv.out) $(value Private l1_request_miss_rate spmv.out) $(value Private edge_fraction spmv.out)"
replication() { awk -F'\t' -v f="$1" '$1 == "ES" && $4 == "Private-2x" && $5 == "replication_ratio" { print $f }' spmv.out; }
check "replication of larger L1s: as if lines came at once, or as late as Private's" \
	within "$(replication 6)" "$(replication 9)" "$(replication 10)"
same "and the two differ" 1 "$(awk -v a="$(replication 9)" -v b="$(replication 10)" 'BEGIN { print a < b }')"
check "the table says order-sensitive" sh -c "'$est' -O table spmv.out | grep -q '^note: order-sensitive, ask --method replay'"
same "a stream is not" 0 "$("$est" -O table stream.profile | grep -c order-sensitive)"
grep -v '_misses_low	\|_misses_high	\|_edge	' spmv.profile >old.profile
check "a profile without these counts is read" plain --no-verify -o old.out old.profile
same "to the same miss rates" "$(value DynEB l1_request_miss_rate spmv.out)" "$(value DynEB l1_request_miss_rate old.out)"

# The pass replays what order decides, and only that.
check "tracegen and reuse: scan" made scan scan
check "reuse --mechanisms shared-l1" sh -c "'$CT_RELEASE/reuse' -q -g sharedl1-28 --mechanisms shared-l1 scan >scan.measured"
same "replays what is order-sensitive" "$(plain -O profile scan.profile |
	awk -F'\t' '$1 == "ES" && $4 != "Best" && $5 == "edge_fraction" && $6 > 0.03 { print $4 }')" \
	"$(awk -F'\t' '$1 == "ES" && $3 == "shared-l1" && $5 == "speedup" && $8 == "replay" { print $4 }' scan.measured)"
check "Private-2x of scan among it" grep -q '^ES	all	shared-l1	Private-2x	speedup	.*	replay' scan.measured
"$CT_RELEASE/sharedl1-est" --scale 1 -q --method replay -O profile scan.profile >scan.replayed
for s in Private-2x DynEB; do
	for m in l1_request_miss_rate speedup perf_per_watt replicas_mean; do
		same "as --method replay does: $s $m" "$(value $s $m scan.replayed)" "$(value $s $m scan.measured)"
	done
done
check "the table shows the replays" sh -c "'$est' -O table scan.measured | grep -q '^Private-2x .*, replayed$'"
same "and says nothing of order" 0 "$("$est" -O table scan.measured | grep -c order-sensitive)"
check "unless analytic ones are asked for" sh -c "'$est' --method analytic -O table scan.measured | grep -q order-sensitive"
same "replays of another GPU are dropped" "" \
	"$("$est" -p l1.size=32KiB -O profile scan.measured | grep 'shared-l1.*	replay	')"
same "or of other homes" "" "$("$est" --homes hash -O profile scan.measured | grep 'shared-l1.*	replay	')"
check "a stream needs none" sh -c "'$CT_RELEASE/reuse' -q -g sharedl1-28 --mechanisms shared-l1 stream >stream.measured"
same "and is what it was" "$(grep -v '^PG\|^EN' stream.profile)" "$(grep -v '^PG\|^EN' stream.measured)"
"$CT_RELEASE/tracecat" -q -o scan.ctz scan
"$CT_RELEASE/reuse" -g sharedl1-28 --mechanisms shared-l1 <scan.ctz >piped.measured 2>piped.err
same "a trace that cannot be read twice: profile all the same" 0 $?
check "with a warning" grep -q 'order-sensitive systems of shared-l1 were not replayed' piped.err
check "the verdict is of the replay" sh -c "! '$CT_BIN/triage' -q --mechanisms shared-l1 -O table scan.measured | grep -q order-sensitive"

for k in shared-l1.guard=0.1..0.3:0.2 llc.latency=100..200:100; do
	key=${k%%=*}
	"$est" -q --sweep "$k" -o swept table.profile
	for x in $(awk -F'\t' -v k="$key" '$1 == "SW" && $5 == k { print $6 }' swept | sort -nu); do
		same "$key=$x in a sweep is -p $key=$x" "$("$est" -q -O profile -p "$key=$x" table.profile |
			awk -F'\t' '$1 == "ES" && $5 ~ /^(speedup|replicas_mean|cycles)$/ { print $4, $5, $6, $9, $10 }')" \
			"$(awk -F'\t' -v k="$key" -v x="$x" '$1 == "SW" && $5 == k && $6 == x && $7 ~ /^(speedup|replicas_mean|cycles)$/ { print $4, $7, $8, $11, $12 }' swept)"
	done
done
verdict() { awk -F'\t' '$1 == "TV" { print $4 }'; }
for w in table stream spmv; do
	same "the verdict below the table is triage's: $w" "$("$CT_RELEASE/triage" -q --scale 1 --mechanism shared-l1 -O profile $w.profile | verdict)" \
		"$("$est" -O table $w.out | sed -n 's/^verdict: \([a-z]*\).*/\1/p')"
done
check "with the reason" sh -c "'$CT_RELEASE/sharedl1-est' -O table stream.profile | tr '\n' ' ' | grep -qE 'verdict: .*are first  *touches: '"
check "the table has published numbers" sh -c "'$est' -O table --published table.profile | grep -q '^Shared++  *speedup  *Private  *1.26'"
for n in mesh forwarded butterfly; do
	check "network $n" sh -c "'$est' -O table --network $n table.profile | grep -q '^network: $n'"
done
check "another placement" sh -c "'$est' -O table --placement '$CT_ROOT/data/shared_l1/rows-28-8.txt' table.profile | grep -q '33 % of the accesses'"
check "folded homes are uneven" sh -c "'$est' -O table --homes fold table.profile | grep -q '1.75 times the mean'"
check "the overheads" sh -c "'$est' --overheads -g sharedl1-28 | grep -q 'mm2 *2.52'"
printf 'C M\n- C\n' >small.txt
refuses "a placement of another GPU" 2 'places 2 cores and 1 partitions' "$est" --placement small.txt table.profile
n=0
for c in local served own; do
	same "shared-l1.count=$n is --count $c" "$("$est" --count $c -O profile table.profile | grep '^ES')" \
		"$("$est" -p shared-l1.count=$n -O profile table.profile | grep '^ES')"
	n=$((n + 1))
done
same "what ends a phase matters" 2 "$(for n in 0 2; do "$est" -p shared-l1.count=$n -O profile table.profile | grep -P '^ES\tall\t.*\tDynEB\tcycles\t'; done | sort -u | wc -l)"
refuses "a count that there is not" 2 'local, served or own' "$est" --count all table.profile
refuses "a network that there is not" 2 'mesh, forwarded' "$est" --network ring table.profile
refuses "homes that there are not" 2 'mod, fold or hash' "$est" --homes xor table.profile
refuses "an unknown constant is named" 2 'shared-l1\.gard: did you mean shared-l1\.guard' \
	"$est" -p shared-l1.gard=0.3 table.profile
refuses "a sweep of something else" 2 'write l1\.latency=8\.\.64:8, l1\.size=.*cores=.*or a key of -p' "$est" --sweep warps=1..10 table.profile
refuses "a sweep that is no range" 2 'KEY=A\.\.B' "$est" --sweep l1.latency=8 table.profile
refuses "another SM count needs the trace" 2 'trace' "$est" -p sm.count=8 table.profile
grep -v '	merged	' table.profile >bare.profile
refuses "a profile without RD merged" 2 'lacks RD all merged' "$est" --no-verify bare.profile

# Replayed: a table of 1000 lines in as many pages, read by all.
replayed() { awk -F'\t' -v s="$1" -v m="$2" '$1 == "ES" && $4 == s && $5 == m && $8 == "replay" { print $6 }' "$3"; }
check "tracegen and reuse: a gathered table" made gather workingset --footprint 4224KiB --stride 4224 --ctas 56 --sharing 56 --passes 1
check "tracegen and reuse: own working sets" made own workingset --footprint 112KiB --ctas 28 --sharing 1 --passes 1
check "tracegen and reuse: a ray tracer" made ray ray
for w in gather stream own ray; do
	check "replay: $w" "$CT_RELEASE/sharedl1-est" --scale 1 --method replay --check -o "$w.out" "$w.profile"
done
same "fourteen systems are replayed, Best follows" 15 "$(awk -F'\t' '$1 == "ES" && $5 == "speedup" && $8 == "replay"' gather.out | wc -l)"
check "a table that all read gains, replayed" within "$(replayed Shared+Chunk speedup gather.out)" 1.2 20
check "and by the histograms" within "$(value Shared+Chunk speedup gather.out | head -1)" 1.05 20
check "DynEB gains, too" within "$(replayed DynEB speedup gather.out)" 1.05 20
# Where stores that miss read their lines, the order of reads and writes in DRAM is worth 5 % to so short a run (0.6 % to one of
# size medium): here they read none.
check "replay: a stream whose stores read nothing" sh -c "'$CT_RELEASE/reuse' -q -g sharedl1-28 -p llc.write=back_validate stream >validated.profile &&
	'$CT_RELEASE/sharedl1-est' --scale 1 --method replay -p llc.write=back_validate -o validated.out validated.profile"
check "a stream gains nothing, replayed" within "$(replayed DynEB speedup validated.out)" 0 1.01
check "own working sets gain nothing, replayed" within "$(replayed DynEB speedup own.out)" 0 1.01
check "own working sets gain nothing, by the profile" within "$(value Shared+Chunk speedup own.out | head -1)" 0 1.01
check "nor under DynEB" within "$(value DynEB speedup own.out | head -1)" 0 1.01
check "nor does a stream" within "$(value DynEB speedup stream.out | head -1)" 0 1.01
check "DynEB gains by the profile, too" within "$(value DynEB speedup gather.out | head -1)" 1.02 20
check "low miss rates lose when shared, replayed" within "$(replayed Shared speedup ray.out)" 0 0.99
check "and by the histograms" within "$(value Shared speedup ray.out | head -1)" 0 0.99
for w in gather stream own ray; do
	same "$w: shared L1s hold one copy" 1 "$(replayed Shared replicas_mean $w.out)"
	for m in cycles l1_request_miss_rate replication_ratio replicas_mean; do
		same "$w: $m of Private is the replay's" "$(replayed Private $m $w.out)" \
			"$(value Private $m $w.out | head -1)"
	done
	check "$w: DynEB replicates as estimated, within 3 points" within "$(replayed DynEB replication_ratio $w.out)" \
		"$(value DynEB replication_ratio $w.out | awk 'NR == 1 { print $1 - 0.03 }')" \
		"$(value DynEB replication_ratio $w.out | awk 'NR == 1 { print $1 + 0.03 }')"
	for s in Private 16x-L1 Private-2x Shared Shared+Chunk Shared++ DynAMAT DynEB; do
		check "$w: $s misses as estimated, within 3 points" within "$(replayed $s l1_request_miss_rate $w.out)" \
			"$(value $s l1_request_miss_rate $w.out | awk 'NR == 1 { print $1 - 0.03 }')" \
			"$(value $s l1_request_miss_rate $w.out | awk 'NR == 1 { print $1 + 0.03 }')"
	done
done
# A fence empties the L1 of its SM: the line is fetched again, but for a home elsewhere.
{
	printf -- '-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#traces format\n#BEGIN_TB\nthread block = 0,0,0\n'
	printf 'warp = 0\ninsts = 6\n'
	printf '%s\n' '0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x10000000 4' '0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x10000000 4' \
		'0020 ffffffff 0 MEMBAR.SC.GPU 0 0' '0030 ffffffff 1 R1 LDG.E 1 R2 4 1 0x10000000 4' \
		'0040 ffffffff 1 R3 FADD 1 R1 0' '0050 ffffffff 0 EXIT 0 0' '#END_TB'
} >fence
"$CT_RELEASE/reuse" -q -g sharedl1-28 fence >fence.profile
same "a fence empties watched L1s: reads and misses" "3 2 2 1" "$(for i in private_reads private_read_misses private_16x_read_misses shared_read_misses; do
	awk -F'\t' -v i=$i '$1 == "IM" && $3 == i { print $4 }' fence.profile; done | paste -sd' ')"
# An adaptive L1 with sectors, behind a crossbar that forwards.
"$CT_RELEASE/tracegen" ray -o sectors.trace && "$CT_RELEASE/reuse" -q --scale 1/8 sectors.trace >sectors.profile
check "replay: sectors" "$CT_RELEASE/sharedl1-est" --scale 1 --check -o sectors.out sectors.profile
for s in Private Shared; do
	check "sectors: $s misses as estimated, within 3 points" within "$(replayed $s l1_request_miss_rate sectors.out)" \
		"$(value $s l1_request_miss_rate sectors.out | awk 'NR == 1 { print $1 - 0.03 }')" \
		"$(value $s l1_request_miss_rate sectors.out | awk 'NR == 1 { print $1 + 0.03 }')"
done
# Every pair of cores and partitions of the paper.
for pair in 28:8:6 56:8:8 48:16:8 84:16:10 68:32:10 76:24:10; do
	IFS=: read -r cores parts side <<<"$pair"
	check "$cores cores and $parts partitions: $side x $side" sh -c "'$CT_RELEASE/sharedl1-est' --scale 1 -q -g sharedl1-28 -p sm.count=$cores \
		-p llc.slices=$parts -p llc.partitions=$parts -p dram.channels=$parts -p llc.size=$((parts * 128))KiB \
		-p dram.mapping= -O table ray | grep -q '^network: mesh $side x $side'"
done
for pair in 48:16 56:8; do # reading butterfly-network
	IFS=: read -r cores parts <<<"$pair"
	check "$cores cores and $parts partitions on crossbars: 4-ary 3-fly" sh -c "'$CT_RELEASE/sharedl1-est' --scale 1 -q -g sharedl1-28 -p sm.count=$cores \
		-p llc.slices=$parts -p llc.partitions=$parts -p dram.channels=$parts -p llc.size=$((parts * 128))KiB \
		-p dram.mapping= -O table --network butterfly ray | grep -q '^network: butterfly, 4-ary 3-fly'"
done
check "28 and 8: 6-ary 2-fly" sh -c "'$est' -O table --network butterfly table.profile | grep -q '^network: butterfly, 6-ary 2-fly'"
for n in forwarded butterfly; do
	check "replay on another network: $n" "$CT_RELEASE/sharedl1-est" --scale 1 --method replay --network $n -o $n.out stream.profile
	same "$n: Shared++ is Shared+Chunk" "$(replayed Shared+Chunk speedup $n.out)" "$(replayed Shared++ speedup $n.out)"
done
same "a replay is the same on any number of threads" "$(plain --method replay -@ 1 -O profile stream.profile | grep '^ES')" \
	"$("$est" --method replay -@ 3 -O profile stream.profile | grep '^ES')"
"$CT_RELEASE/sharedl1-est" --scale 1 --timeline -p shared-l1.sampling=8 -p shared-l1.execution=8 -o timeline gather.profile
same "every core starts sampling at 0" "" \
	"$(awk -F'\t' '$1 == "SW" && $7 == "mode" && !seen[$5]++ && ($6 != 0 || $8 != 0)' timeline)"
check "modes alternate" sh -c "awk -F'\t' '\$1 == \"SW\" && \$7 == \"mode\" && \$6 > 0 { if ((\$8 == 0) == (last[\$5] == 0)) exit 1; last[\$5] = \$8; n++ } END { exit !(n > 28) }' timeline"
refuses "no trace to replay" 2 'digest|not there' "$est" --method replay --trace-root / gather.profile

missing=
for c in $("$est" --constants | awk 'NR > 1 { print $1 }'); do
	grep -q -- "$c" "$CT_ROOT/man/cachetriage-shared-l1.7" || missing="$missing $c"
done
same "the man page has every constant" "" "$missing"
finish
