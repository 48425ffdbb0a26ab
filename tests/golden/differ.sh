# Ways to the same answer: one thread and four, SIMD and portable code, text and packed,
# compressed and plain, pipe and file, profile and trace, parts and the whole.
#
# Engines against their brute-force twins are units: test_stack, test_setlru, test_shards,
# test_rj, test_regs, test_lineutil, test_mrc (locality), test_replay_tags (caches),
# test_coalesce, test_address (GPU), test_malekeh_core, test_sharedl1_org,
# test_tag_split_l1, test_bdi, test_bloom, test_amva (models), test_accelsim's
# fast_equals_slow (reader).
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
b=$CT_RELEASE
# What may differ: who made it, from where, and the count and checksum of the lines.
rest() { grep -vE '^#?(PG|TR|EN)	' "$1" | cksum; }

# Each stage says of a profile what it says of its trace; they take turns.
tools=(replicate mpki lineutil morpheus-est)
n=0
# `make hostile` takes the long way everywhere.
[ "${CT_HOSTILE:-}" ] && views= || views=--no-sms-views

# ways NAME TRACE: TRACE is a folder, or one file.
ways() {
	local name=$1 trace=$2 bad= want tool
	local -a run=("$b/reuse" -q --scale 1/8 --no-provenance $views)
	"${run[@]}" "$trace" >whole.prof || { fail "$name: ways to the same profile"; return; }
	want=$(rest whole.prof)
	way() { [ "$want" = "$(rest got)" ] || bad+=" $1"; }
	"${run[@]}" -@ 4 "$trace" >got && way "-@4"
	CACHETRIAGE_ISA=portable "${run[@]}" "$trace" >got && way portable
	"$b/tracecat" -q "$trace" -o p.ctz && "${run[@]}" p.ctz >got && way ctz
	"${run[@]}" --max-memory 16KiB -@ 2 <p.ctz >got && way spilled-stdin
	"$b/tracecat" -q -O accelsim p.ctz | tee text | "${run[@]}" - >got && way text-stdin
	gzip -1 -c text >text.gz && "${run[@]}" text.gz >got && way gz
	for isa in popcnt avx2; do
		CACHETRIAGE_ISA=$isa "${run[@]}" -S 0.25 p.ctz >got.$isa
		rest got.$isa >sum.$isa
	done
	cmp -s sum.popcnt sum.avx2 || bad+=" sampled"
	tool=${tools[n % ${#tools[@]}]}
	n=$((n + 1))
	"$b/reuse" -q --scale 1/8 --no-provenance "$trace" >whole.prof
	"$b/$tool" -q --no-provenance whole.prof >from.profile
	"$b/$tool" -q --no-provenance --scale 1/8 "$trace" >from.trace
	[ "$(rest from.profile)" = "$(rest from.trace)" ] || bad+=" $tool"
	rm -f p.ctz text text.gz
	same "$name: every way to the same profile" "" "$bad"
}

mkdir bundled
for w in vecadd nn nw gemm-tensor scan gaussian lud pagerank particlefilter_float bfs-queue libor covariance; do
	"$b/tracegen" -q $w -o bundled/$w && ways $w bundled/$w
done

# Parts against the whole.
triage() { "$b/triage" -q -O profile --scale 1/8 --no-provenance "$@"; }
triage bundled/{vecadd,nn,lud} >whole.prof
for i in 1 2; do triage --shard $i/2 bundled/{vecadd,nn,lud} >shard$i.prof; done
"$b/triage" -q -O profile --join --no-provenance shard1.prof shard2.prof >joined.prof
same "two shards joined are the whole" "$(grep ^TV whole.prof | sort)" "$(grep ^TV joined.prof | sort)"
triage -@ 4 bundled/{vecadd,nn,lud} >four.prof
same "triage -@ 4 is -@ 1" "$(cksum <whole.prof)" "$(cksum <four.prof)"
rm -rf kept && triage --resume kept bundled/{vecadd,nn,lud} >first.prof && triage --resume kept bundled/{vecadd,nn,lud} >again.prof
same "triage --resume is the whole, and again" "$(cksum <whole.prof) $(cksum <whole.prof)" "$(cksum <first.prof) $(cksum <again.prof)"

# Histograms and counts of a merge are sums.
for w in vecadd nn; do "$b/reuse" -q --scale 1/8 bundled/$w >$w.prof; done
"$b/reuse" -q --merge vecadd.prof nn.prof >merged.prof
sums() { awk -F'\t' '$1=="RD" && $2=="all" { r[$3 FS $4] += $6; w[$3 FS $4] += $7 }
	$1=="SN" && $2=="all" && $3 ~ /^(warp_insts|thread_insts|l1_sector_(accesses|misses)|llc_sector_misses)$/ { r[$3] += $4 }
	END { for (k in r) print k, r[k], w[k] }' "$@" | sort | cksum; }
same "a merge has the sums of its parts" "$(sums vecadd.prof nn.prof)" "$(sums merged.prof)"

if needs_shared "shared captures"; then
	for t in traces/bfs-sm80-v3 traces/btree-sm90-v5 traces/vecadd-sm61-v4 \
		${CT_HOSTILE:+traces/nn-step-sm80-v5 traces-opencl/rodinia-nn traces-opencl/shoc-triad}; do
		[ -e "$CT_SHARED/$t" ] && ways "$t" "$CT_SHARED/$t"
	done
fi
finish
