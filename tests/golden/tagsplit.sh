# tsc-est: the paper's effect on generated kernels, pipes, storage, refusals.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
est=$(CT_BIN=$CT_RELEASE unscaled tsc-est) # replays of verdicts take minutes with sanitizers

value() { # SYSTEM METRIC PROFILE [METHOD]
	awk -F'\t' -v s="$1" -v m="$2" -v how="${4:-.}" \
		'$1 == "ES" && $3 == "tag-split" && $4 == s && $5 == m && $8 ~ how { print $6; exit }' "$3"
}
within() { awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }'; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 <= b + 0) }'; }

# kmeans, point-major: many features, every lane in a line of its own.
check "tracegen kmeans" "$CT_RELEASE/tracegen" kmeans --size small -o kmeans
check "reuse measures tag-split" sh -c \
	"'$CT_BIN/reuse' -q -g fermi-15 -k kmeans_swap --no-sms-views --mechanisms tag-split kmeans > kmeans.profile"
check "estimate: kmeans" "$est" -o kmeans.out kmeans.profile
check "nearly all loads miss with 128 B lines" within "$(value 128B mem_inst_miss_rate kmeans.out)" 0.95 1
check "few requests miss with 32 B lines" within "$(value 32B l1_load_request_miss_rate kmeans.out)" 0.03 0.25
check "as few miss in TSC, but for what sharing tags costs" within "$(value TSC l1_load_request_miss_rate kmeans.out)" \
	0.03 "$(awk -v v="$(value 32B l1_load_request_miss_rate kmeans.out)" 'BEGIN { print 1.02 * v }')"
check "TSC fetches a tenth of the data" within "$(value TSC l1_fetched_bytes kmeans.out)" 1 \
	"$(awk -v v="$(value 128B l1_fetched_bytes kmeans.out)" 'BEGIN { print v / 10 }')"
check "TSC is at least as fast as 32 B lines" \
	less "$(value 32B speedup kmeans.out)" "$(value TSC speedup kmeans.out)"
check "and much faster than 128 B lines" within "$(value TSC speedup kmeans.out)" 1.5 15
same "kmeans prefers smaller lines" -1 "$(value 128B line_class kmeans.out)"

# Coalesced accesses with reuse: 128 B lines win, TSC+ follows.
"$CT_RELEASE/tracegen" covariance --size small -o covariance >/dev/null
check "reuse measures covariance" sh -c \
	"'$CT_RELEASE/reuse' -q -g fermi-15 --no-sms-views --mechanisms tag-split covariance > covariance.profile"
"$est" -o covariance.out covariance.profile
same "covariance prefers 128 B" 1 "$(value 128B line_class covariance.out)"
check "TSC+ is nearer to 128 B than TSC" \
	less "$(value TSC+ l1_load_request_miss_rate covariance.out)" "$(value TSC l1_load_request_miss_rate covariance.out)"

# Contract: storage, systems, methods, accumulation.
same "storage by formula" "592 592 64 464 1360 1239" "$(for s in TSC TSC+ LAMAR DSC-2 DSC-4 MRPB; do
	value $s storage_bytes kmeans.out; done | paste -sd' ')"
same "5 private bits: 448" 448 "$("$est" --overheads -g fermi-15 -p tsc.private_bits=5 | awk '$1 == "TSC" { print $2 }')"
same "the systems of the paper" "128B 32B 64B 256B TSC TSC+ TSC-coarse LAMAR DSC-2 DSC-4 MRPB Perfect Ideal-L1 configured" \
	"$(awk -F'\t' '$1 == "ES" && $5 == "speedup" { print $4 }' kmeans.out | paste -sd' ')"
same "128B is the baseline" 1 "$(value 128B speedup kmeans.out)"
same "fermi-15 has that L1: both speed-ups agree" "$(value TSC speedup kmeans.out)" \
	"$(value TSC speedup_configured kmeans.out)"
same "a pipe gives what a file gives" "$(grep -v '^PG\|^EN' kmeans.out)" \
	"$("$est" -O profile <kmeans.profile | grep -v '^PG\|^EN')"
same "and what the trace gives" "$(grep '^ES' covariance.out)" \
	"$("$CT_RELEASE/tsc-est" --scale 1 -q -g fermi-15 -O profile covariance | grep '^ES')"
grep -v '	tag-split	' covariance.profile >bare.profile
same "a profile without tag-split is completed from its trace" "$(grep '^ES' covariance.out)" \
	"$("$CT_RELEASE/tsc-est" --scale 1 --no-verify -q -O profile bare.profile | grep '^ES')"
same "again from its own output" "$(grep '^ES' kmeans.out)" "$("$est" -O profile kmeans.out | grep '^ES')"
same "another measurement for other parameters" 448 \
	"$("$CT_RELEASE/tsc-est" --scale 1 -q -p tsc.private_bits=5 -O profile covariance.profile >bits.out && value TSC storage_bytes bits.out)"
check "JSON lines are JSON" sh -c "'$est' -O json kmeans.profile | jq -e . >/dev/null"

# With LRU, no private bits are the sector cache and whole chunks the baseline: on a generated
# and on a captured trace.
twins() { # NAME OPTION SYSTEM TRACE: TSC counts what SYSTEM counts
	"$CT_RELEASE/reuse" -q -g fermi-15 --scale 1/8 --no-sms-views -p tsc.lru=1 -p "$2" --mechanisms tag-split "$4" >lru.profile
	local m want= got=
	for m in mem_inst_miss_rate l1_request_misses l1_partial_misses l1_fetched_bytes l1_miss_rate; do
		want="$want $(value "$3" $m lru.profile)" got="$got $(value TSC $m lru.profile)"
	done
	same "$1" "$want" "$got"
}
twins "no private bits: the sector cache" tsc.private_bits=0 LAMAR covariance
twins "chunks of 128 B: the baseline" tsc.chunk=128 128B covariance
if needs_shared "the same on a captured trace"; then
	twins "no private bits on bfs: the sector cache" tsc.private_bits=0 LAMAR "$CT_SHARED/traces/bfs-sm80-v3"
	twins "chunks of 128 B on bfs: the baseline" tsc.chunk=128 128B "$CT_SHARED/traces/bfs-sm80-v3"
fi

# Replay: each system in the engine.
"$CT_RELEASE/tsc-est" --scale 1 -q -g fermi-15 -k kmeans_swap --check -@ 2 -o replayed.out kmeans
check "128B replayed is the engine's own L1" within "$(value 128B speedup_configured replayed.out replay)" 0.98 1.02
same "plain lines: each miss opens an MSHR entry" "$(value 128B l1_sent_mpki replayed.out replay)" \
	"$(value 128B l1_entry_mpki replayed.out replay)"
check "chunks of a line on its way open none" less "$(value TSC l1_entry_mpki replayed.out replay)" \
	"$(value TSC l1_sent_mpki replayed.out replay)"
same "Figure 11 has what the replay counted" \
	"$(awk -v a="$(value TSC l1_sent_mpki replayed.out replay)" -v b="$(value 128B l1_sent_mpki replayed.out replay)" 'BEGIN { printf "%.4f\n", a / b }')" \
	"$("$CT_RELEASE/report" -q --figure tag-split:11 replayed.out | awk -F'\t' '$4 == "TSC" { printf "%.4f\n", $5 }')"
check "a replay counts its own misses and traffic" awk \
	-v rate="$(value 128B l1_sent_inst_rate replayed.out replay)" -v fine="$(value TSC l1_received_bytes replayed.out replay)" \
	-v coarse="$(value 128B l1_received_bytes replayed.out replay)" -v up="$(value 128B l1_sent_bytes replayed.out replay)" \
	'BEGIN { exit !(rate > 0.9 && rate <= 1 && fine > 0 && fine < coarse / 2 && up * 4 >= coarse) }'
same "Figures 4 and 5 have them" \
	"$(value 32B l1_sent_inst_rate replayed.out replay | awk '{ printf "%.4f", $1 }') $(awk -v a="$(value 32B l1_sent_bytes replayed.out replay)" -v b="$(value 128B l1_sent_bytes replayed.out replay)" 'BEGIN { printf "%.4f", a / b }')" \
	"$("$CT_RELEASE/report" -q --figure tag-split:4 replayed.out | awk -F'\t' '$4 == "32 B" { printf "%.4f", $5; exit }') $("$CT_RELEASE/report" -q --figure tag-split:5 replayed.out | awk -F'\t' '$4 == "32 B" { printf "%.4f", $5; exit }')"
same "Figure 12, too, over what 128B received" \
	"$(awk -v a="$(value TSC l1_received_bytes replayed.out replay)" -v b="$(value 128B l1_received_bytes replayed.out replay)" 'BEGIN { printf "%.4f", a / b }')" \
	"$("$CT_RELEASE/report" -q --figure tag-split:12 replayed.out | grep 'L2 to L1' | awk -F'\t' '/TSC/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) v = $i; printf "%.4f", v; exit }')"
check "TSC gains in the replay too" within "$(value TSC speedup replayed.out replay)" 1.5 10
check "as much as 32 B lines" less "$(value 32B speedup replayed.out replay)" "$(value TSC speedup replayed.out replay)"
check "the replay is near the estimate" within "$(value TSC speedup replayed.out replay)" \
	"$(awk -v v="$(value TSC speedup replayed.out analytic)" 'BEGIN { print v / 1.4 }')" \
	"$(awk -v v="$(value TSC speedup replayed.out analytic)" 'BEGIN { print v * 1.4 }')"
"$CT_RELEASE/tracegen" vecadd --size small -o vecadd >/dev/null
same "threads change nothing" "$("$est" -q -g fermi-15 --method replay -@ 1 -O profile vecadd | grep '^ES')" \
	"$("$CT_RELEASE/tsc-est" --scale 1 -q -g fermi-15 --method replay -@ 3 -O profile vecadd | grep '^ES')"
check "--check shows both methods" sh -c \
	"'$CT_RELEASE/tsc-est' --scale 1 -q -g fermi-15 --check -O table vecadd | grep -q '^system  *analytic  *replay  *difference'"
check "and both readings of a partial miss" sh -c \
	"'$CT_RELEASE/tsc-est' --scale 1 -q -g fermi-15 --method replay -O table vecadd | grep -q '^system  *request MPKI  *over 128B  *MSHR entry MPKI  *over 128B'"

# Sampled sets: rates with a range that holds the exact one.
"$CT_RELEASE/reuse" -q -g fermi-15 --no-sms-views --mechanisms tag-split -S 0.5 covariance >half.profile
exact=$(value TSC l1_load_request_miss_rate covariance.profile)
range=$(awk -F'\t' '$1 == "ES" && $4 == "TSC" && $5 == "l1_load_request_miss_rate" { print $9, $10 }' half.profile)
check "half of the sets, within the range" within "$exact" $range

# Sweeps.
"$CT_RELEASE/tsc-est" --scale 1 -q --sweep private_bits=0..20:4 -o swept covariance.profile
same "a sweep has every point" "0 4 8 12 16 20" \
	"$(awk -F'\t' '$1 == "SW" && $5 == "private_bits" && $7 == "speedup" { print $6 }' swept | paste -sd' ')"
same "storage rises by 48 bytes a bit" "208 400 592 784 976 1168" \
	"$(awk -F'\t' '$1 == "SW" && $7 == "storage_bytes" { print $8 }' swept | paste -sd' ')"
# Every other key: asked anew at each value, on the trace where the profile cannot follow.
swept() { # KEY X METRIC FILE
	awk -F'\t' -v k="$1" -v x="$2" -v m="$3" '$1 == "SW" && $4 == "TSC+" && $5 == k && $6 == x && $7 == m { print $8, $10, $11, $12 }' "$4"
}
asked() { # METRIC OPTION...: each question is asked once for all its metrics
	local metric=$1 answer
	shift
	answer=asked-$(printf %s "$*" | cksum | cut -d' ' -f1)
	[ -e "$answer" ] || "$CT_RELEASE/tsc-est" --scale 1 -q -O profile -o "$answer" "$@"
	awk -F'\t' -v m="$metric" '$1 == "ES" && $4 == "TSC+" && $5 == m && $8 !~ /quick|full/ { print $6, $8, $9, $10 }' "$answer"
}
for k in tsc.threshold=512..1024:x2 tsc.mshr=8..64:56 llc.latency=100..200:100; do
	key=${k%%=*}
	"$CT_RELEASE/tsc-est" --scale 1 -q --sweep "$k" -o swept covariance.profile
	for x in $(awk -F'\t' -v k="$key" '$1 == "SW" && $5 == k { print $6 }' swept | sort -nu); do
		for m in speedup_configured cycles l1_request_mpki; do
			same "$key=$x in a sweep is -p $key=$x: $m" "$(asked $m -p "$key=$x" covariance.profile)" "$(swept "$key" "$x" $m swept)"
		done
	done
done
"$CT_RELEASE/tsc-est" --scale 1 -q --sweep l1.size=16KiB..32KiB -o swept covariance.profile
same "an L1 of another size is measured" "$(asked l1_request_mpki -g fermi-15 -p l1.size=32KiB covariance)" "$(swept l1.size 32768 l1_request_mpki swept)"

# The launches of a profile are those that are replayed for it.
"$CT_RELEASE/tracegen" scan --size small -o scan >/dev/null
for k in 1 2-3 add; do
	"$CT_RELEASE/reuse" -q -g fermi-15 --no-sms-views --mechanisms tag-split -k $k scan >some.profile
	same "a profile of -k $k is replayed as that" "$("$CT_RELEASE/tsc-est" --scale 1 -q -g fermi-15 -k $k --method replay -O profile scan | grep '^ES')" \
		"$("$CT_RELEASE/tsc-est" --scale 1 -q --method replay -O profile some.profile | grep '^ES')"
done
refuses "but not as other launches" 2 'other kernels than the profile' "$est" -k 1 --method replay -p l1.size=32KiB some.profile

verdict() { awk -F'\t' '$1 == "TV" { print $4 }'; }
same "the verdict below the table is triage's" "$("$CT_RELEASE/triage" -q --scale 1 --mechanism tag-split -O profile kmeans.profile | verdict)" \
	"$("$est" -O table kmeans.profile | sed -n 's/^verdict: \([a-z]*\).*/\1/p')"
check "the table names the class" sh -c "'$est' -O table kmeans.profile | grep -q '^line size: CLN: with '"
check "published numbers stand beside ours" sh -c \
	"'$est' -O table --published kmeans.profile | grep -q '^32B  *mem_inst_miss_rate  *-  *0.205'"

refuses "an unknown constant is named" 2 'tsc\.private_bit: did you mean tsc\.private_bits' \
	"$est" -p tsc.private_bit=3 kmeans.profile
refuses "chunks that are no power of two" 2 'power of two' "$est" -p tsc.chunk=24 kmeans.profile
refuses "a sweep of something else" 2 'private_bits=0\.\.20.*or a key of -p' "$est" --sweep warps=1..10 kmeans.profile
refuses "another L1 needs the trace" 2 'trace' "$est" -p l1.size=32KiB kmeans.profile
refuses "no trace, no measurement" 2 'make the profile with reuse --mechanisms' \
	"$est" --no-verify --method analytic bare.profile
refuses "a mechanism there is not" 2 'some of .*tag-split' "$CT_BIN/reuse" --mechanisms teleport kmeans

missing=
for c in $("$est" --constants | awk 'NR > 1 { print $1 }'); do
	grep -q -- "$c" "$CT_ROOT/man/cachetriage-tag-split.7" || missing="$missing $c"
done
same "the man page has every constant" "" "$missing"
finish
