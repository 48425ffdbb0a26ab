# report --figure: every data figure of the four papers has rows, its values follow from the
# records, the paper's stand beside them, and the drawing is a picture.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
report() { "$CT_BIN/report" --no-verify "$@"; }

# Two workloads by hand with every record that a figure reads; S scales the values.
made() { # NAME SCALE
	printf '#cachetriage-profile\t1\nTR\ttraces/%s/kernelslist.g\taccelsim-list\t9\tcrc64:1\n' "$1"
	"$CT_RELEASE/reuse" -q --no-provenance vecadd | grep -E '^(GP|RD.all.reg_insts)'
	for m in replication_ratio:0.5 l1_miss_rate:0.6 useful_bytes_32:0.7 useful_bytes_64:0.1 useful_bytes_96:0.1 \
		useful_bytes_128:0.1 line_util_0:0.5 line_util_25:0.2 line_util_50:0.1 line_util_75:0.1 line_util_100:0.1; do
		printf 'SN\tall\t%s\t%s\tratio\treplay\n' "${m%%:*}" "${m#*:}"
	done
	while read -r mechanism metrics systems; do
		for system in $systems; do
			k=0
			for metric in ${metrics//,/ }; do
				k=$((k + 1))
				awk -v m="$mechanism" -v s="$system" -v q="$metric" -v x="$2" -v k=$k 'BEGIN {
					printf "ES\tall\t%s\t%s\t%s\t%g\t\treplay\tNA\tNA\n", m, s, q, (1 + (length(s) % 7) / 10 + k / 100) * x }'
			done
		done
	done <<-END
		morpheus speedup,perf_per_watt,cycles,ipc,compute_sms,llc_throughput_ratio,noc_load_ratio,network_latency,dram_utilisation,llc_mpki BL IBL IBL-2x-LLC IBL-4x-LLC larger-LLC Frequency-Boost Unified-SM-Mem Morpheus-Basic Morpheus-Compression Morpheus-Indirect-MOV Morpheus-ALL Morpheus-Basic/No-Prediction Morpheus-Basic/Perfect-Prediction
		shared-l1 speedup,l1_miss_rate,reply_latency_ratio,replicas_mean Private 16x-L1 Hypothetical Shared Shared+Chunk Shared++ DynAMAT DynAMAT+L1MRpr DynEB-noguard DynEB Best
		malekeh speedup,rf_hit_ratio,rf_energy_ratio,rf_cache_writes_ratio,issue_fraction,pending_ready_fraction,no_ready_fraction,sthld_mean Malekeh Malekeh_PR BOW RFC SW-RFC RFC-mono SW-RFC-mono GTO+LRU
		tag-split speedup,mem_inst_miss_rate,traffic_l1_to_l2_bytes,traffic_l2_to_l1_bytes,l1_request_mpki,storage_bytes 32B 64B 128B 256B LAMAR DSC-2 DSC-4 MRPB TSC TSC+
	END
	for x in 10 20 68; do printf 'SW\tall\tmorpheus\tBL\tsms\t%s\tipc\t%s\t\tanalytic\n' $x $((x * $2)); done
	for x in 8 28; do printf 'SW\tall\tshared-l1\tDynEB\tl1.latency\t%s\tspeedup\t1.%s\t\tanalytic\n' $x $x; done
	for x in 0 500 900; do printf 'SW\tall\tshared-l1\tDynEB\tcore:0\t%s\tmode\t%s\t\treplay\n' $x $((x % 3)); done
	for x in 0 4 8; do printf 'SW\tall\tmalekeh\tMalekeh\tsthld\t%s\tspeedup\t1.0%s\t\treplay\nSW\tall\tmalekeh\tMalekeh\tsthld\t%s\trf_hit_ratio\t0.%s\t\treplay\n' $x $x $x $x; done
}
"$CT_RELEASE/tracegen" vecadd --size small -o vecadd >/dev/null || fail "tracegen vecadd"
made kmeans 1 >a.profile
made hotspot 2 >b.profile
es() { awk -F'\t' -v m="$1" -v s="$2" -v q="$3" '$1 == "ES" && $3 == m && $4 == s && $5 == q { print $6; exit }' "$4"; }
cell() { # FIGURE PANEL X SERIES
	report --figure "$1" a.profile b.profile | awk -F'\t' -v p="$2" -v x="$3" -v s="$4" \
		'$2 == p && $3 == x && $4 == s && $8 == "here" { print $5 }'
}

report --list-figures >list
same "43 figures" 43 "$(wc -l <list)"
same "of the four papers" "malekeh 10 morpheus 8 shared-l1 15 tag-split 10" \
	"$(cut -d: -f1 list | sort | uniq -c | awk '{ print $2, $1 }' | paste -sd' ')"
for id in $(awk '{ print $1 }' list); do
	if ! report --figure "$id" --svg "$id.svg" a.profile b.profile >"$id.tsv" 2>err; then
		fail "$id" "$(cat err)"
		continue
	fi
	bad=$(awk -F'\t' -v id="$id" 'NR == 1 { if ($0 != "figure\tpanel\tx\tseries\tvalue\tlow\thigh\tsource") print "head"; next }
		NF != 8 || $1 != id || $5 !~ /^-?[0-9.e+-]+$/ || ($8 != "here" && $8 != "paper") { print; exit } $8 == "here" { n++ } END { if (!n) print "no row of ours" }' "$id.tsv")
	same "$id prints data" "" "$bad"
	if command -v xmllint >/dev/null 2>&1; then
		check "$id draws a picture" xmllint --noout "$id.svg"
	fi
	same "$id: the picture has marks" "" "$(grep -qE '<rect class="s|class="s[0-9] line' "$id.svg" || echo none)"
	same "$id: titles and descriptions" "$(grep -o '<svg' "$id.svg" | wc -l)" "$(grep -o '<desc' "$id.svg" | wc -l)"
done

near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a - b < 1e-4 * b && b - a < 1e-4 * b) }'; }
check "execution time is one over the speed-up" near "$(cell morpheus:12 'execution time' kmeans Morpheus-ALL)" \
	"$(awk -v v="$(es morpheus Morpheus-ALL speedup a.profile)" 'BEGIN { print 1 / v }')"
check "a rate over another system's" near "$(cell shared-l1:13 '' hotspot DynEB)" \
	"$(awk -v v="$(es shared-l1 DynEB l1_miss_rate b.profile)" -v o="$(es shared-l1 Private l1_miss_rate b.profile)" 'BEGIN { print v / o }')"
check "a geometric mean" near "$(cell malekeh:12 '' mean BOW)" \
	"$(awk -v v="$(es malekeh BOW speedup a.profile)" -v o="$(es malekeh BOW speedup b.profile)" 'BEGIN { print sqrt(v * o) }')"
same "a sweep starts at 1" 1 "$(cell morpheus:1 '' 10 kmeans)"
same "register distances sum to 1" 1 "$(report --figure malekeh:1 a.profile | awk -F'\t' '$8 == "here" { s += $5 } END { printf "%.4g", s }')"
same "storage of an 8-bit private tag" 592 "$(cell tag-split:9 'storage, bytes' 8 TSC)"
same "the paper's value beside ours" 1.57 "$(report --figure morpheus:2 a.profile | awk -F'\t' '$8 == "paper" && $3 == "mean" { print $5 }')"
check "Figure 5's misses are the paper's" near "$(report --figure morpheus:5 a.profile | awk -F'\t' '$8 == "here" && $2 == "total" && $3 == "extended miss" { printf "%.0f", $5 }')" 773
same "every published line names a figure there is" "" \
	"$(cat "$CT_ROOT"/data/*/figures.tsv | grep -v '^#' | cut -f1 | sort -u | while read -r id; do grep -q "^$id " list || echo "$id"; done)"
refuses "a figure that there is not" 2 'did you mean morpheus:1' "$CT_BIN/report" --figure morpheus:10 --no-verify a.profile
grep -v '^SW' a.profile >bare.profile
refuses "a figure whose data is missing says how to get it" 2 'sharedl1-est --timeline' "$CT_BIN/report" --no-verify --figure shared-l1:14 bare.profile
refuses "a picture of nothing" 2 '\-\-figure' "$CT_BIN/report" --no-verify --svg x.svg a.profile
finish
