# annotate: sums against mpki, the costliest instruction of ten programs, arrays, profiles, callgrind's format.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
b=$CT_RELEASE

# Sums of PC and of AR records, with what SN and IM tell of the whole: a line for each that differs.
sums() {
	awk -F'\t' '
		$1 == "SN" && $2 == "all" { sn[$3] = $4 }
		$1 == "IM" && $2 == "all" && $3 == "mem_stall_warp_cycles" { sn[$3] = $4 }
		$1 == "PC" { rows++; for (i = 8; i <= 20; i++) pc[i] += $i; if ($5 ~ /^(LDL|STL)/) local += $8 }
		$1 == "AR" { for (i = 6; i <= 18; i++) ar[i + 2] += $i }
		function equal(what, a, b) { if (a + 0 != b + 0) printf "%s: %d %d\n", what, a, b }
		END {
			for (i = 8; i <= 20; i++) if (i != 18 && i != 19) equal("arrays, column " i, pc[i], ar[i])
			equal("requests", pc[8], sn["global_requests"] + local)
			equal("sectors", pc[9], sn["l1_sector_accesses"])
			equal("L1 misses", pc[12], sn["l1_sector_misses"])
			equal("causes", pc[13] + pc[14] + pc[15], pc[12])
			equal("pending", pc[16], sn["l1_pending_hits"])
			equal("LLC misses", pc[17], sn["llc_sector_misses"])
			equal("stall", pc[20], sn["mem_stall_warp_cycles"])
			if (!rows) print "no rows"
		}'
}

# Reading a kernel tells which load it waits for: the one that walks over its largest input. Arrays have names where
# the workload is a CUDA program, else sizes.
# workload, kernel, array, what that is
while read -r w kernel array what; do
	"$b/tracegen" "$w" --size small -o "$w" >/dev/null 2>&1
	"$b/reuse" --annotate --no-sms-views -o "$w.prof" "$w" 2>err || fail "$w is profiled" "$(cat err)"
	same "$w: instructions and arrays sum up to the whole" "" "$(sums <"$w.prof")"
	got=$("$b/annotate" -O csv -n 1 "$w.prof" | awk -F, 'NR == 2 { sub(/.*\+/, "", $5); print $1, substr($3, 1, 3), $5 }')
	if [[ $got =~ ^($kernel)\ LDG\ ($array)$ ]]; then pass "$w: the costliest instruction loads the $what"
	else fail "$w: the costliest instruction loads the $what" "$got, not $kernel LDG $array"; fi
done <<'TABLE'
bfs bfs_expand edges edges of the frontier's nodes
kmeans kmeans_swap points points, each thread another row
histo histo_final 4079616|bins|counts counts of all bins
spmv spmv_jds columns column numbers of the matrix
b+tree btree_find_key key.s.node nodes that queries have come to
nn nn_distance 342112|records|places records
streamcluster streamcluster_gain 524288|points|coordinates coordinates of the points
pathfinder pathfinder_rows wall costs of the grid
stencil stencil_7point grid cells around each cell
pagerank pagerank_push 131072|edges|columns edges of the graph
TABLE

"$b/reuse" --annotate --no-sms-views --timing quick -o quick.prof bfs
same "quick timing sums up, too" "" "$(sums <quick.prof)"
"$b/tracegen" libor --size small -o libor >/dev/null 2>&1
"$b/reuse" --annotate --no-sms-views -o libor.prof libor
same "so do local memory" "" "$(sums <libor.prof)"
same "which is an array of its own" 1 "$(grep -cP '^AR\tall\tlocal memory\t' libor.prof)"
"$b/reuse" --annotate -g fermi-15 --no-sms-views -o fermi.prof spmv
same "and L1s without sectors" "" "$(sums <fermi.prof)"
same "the output is the same for any number of threads" "$("$b/reuse" --annotate --no-provenance spmv | cksum)" \
	"$("$b/reuse" --annotate --no-provenance -@ 4 spmv | cksum)"
same "and of a trace and its profile" "$("$b/annotate" -O csv bfs | cksum)" "$("$b/reuse" --annotate bfs | "$b/annotate" -O csv | cksum)"
"$b/reuse" --no-sms-views -o plain.prof bfs
same "a profile without the records has its trace replayed" "$("$b/annotate" -O csv bfs.prof | cksum)" "$("$b/annotate" -O csv plain.prof | cksum)"
sed 's/^TR\tbfs/TR\tgone/' plain.prof >gone.prof
refuses "which is an error where it is gone" 2 "annotate.*gone" "$b/annotate" --no-verify gone.prof
same "-k chooses rows of a profile" "bfs_settle" "$("$b/annotate" -O csv -k settle bfs.prof | awk -F, 'NR > 1 { print $1 }' | sort -u)"
same "--by kernel adds up launches" "kernel bfs_expand bfs_settle" "$("$b/annotate" -O csv --by kernel bfs.prof | cut -d, -f1 | paste -sd' ')"
"$b/reuse" --annotate --per-kernel --no-sms-views -o each.prof bfs
same "launches sum up to the whole" "" "$(awk -F'\t' '$1 == "PC" || $1 == "AR" { for (i = NF - 12; i <= NF; i++) if (i != NF - 1 && i != NF - 2) sum[$1 i] += $2 == "all" ? $i : -$i }
	END { for (x in sum) if (sum[x]) print x, sum[x] }' each.prof)"
same "--per-kernel shows them" "$(grep -c . <<<"$("$b/annotate" -O csv --per-kernel bfs)")" "$(($(grep -c '^PC.kernel:' each.prof) + 1))"
same "in the order of their cost, with their numbers" "$(grep '^PC.kernel:' each.prof | sort -t$'\t' -k20,20nr | head -1 | cut -d: -f2 | cut -f1)" \
	"$("$b/annotate" -O csv --per-kernel each.prof | sed -n '2s/,.*//p')"
same "a profile without them has its trace replayed" "$("$b/annotate" -O csv --per-kernel each.prof | cksum)" "$("$b/annotate" -O csv --per-kernel bfs.prof | cksum)"
same "--sort takes a column" "$(grep -P '^PC' bfs.prof | cut -f12 | sort -rn | paste -sd' ')" \
	"$("$b/annotate" -O csv --sort l1_misses bfs.prof | awk -F, 'NR > 1 { print $10 }' | paste -sd' ')"
same "tables have at most 80 columns" "" "$(for by in pc array kernel; do COLUMNS=80 "$b/annotate" -O table -n 0 --by $by bfs.prof; done | sed '/^[0-9]* of/d' | awk 'length > 80')"
first=$(awk -F, '/^MemcpyHtoD/ { print $2; exit }' bfs/kernelslist.g)
printf 'first\tbytes\tname\n%s\t131072\tnodes\n' "$first" >names.tsv
same "--symbols names an array" nodes "$("$b/annotate" -O csv --by array --symbols names.tsv bfs | grep -o '^nodes')"
printf 'nodes\n' >bad.tsv
refuses "whose lines are checked" 2 "bad.tsv:1: .*first address" "$b/annotate" --symbols bad.tsv bfs
printf 'first\tbytes\tname\tlaunch\n%s\t131072\tnodes\t1\n' "$first" >bfs/arrays.tsv
same "arrays.tsv beside the trace does as well" nodes "$("$b/annotate" -O csv --by array bfs/kernelslist.g | grep -o '^nodes')"
rm bfs/arrays.tsv
for o in "--sample 0.1" "--warmup 100" "--sample-kernels 0.5"; do
	refuses "not with $o" 2 "all accesses: leave ${o%% *}" "$b/reuse" --annotate $o bfs
done
refuses "--by is checked" 2 "pc, array or kernel" "$b/annotate" --by line bfs
refuses "--sort is checked" 2 "a count of PC records" "$b/annotate" --sort pc bfs
"$b/annotate" --callgrind cg.out -O csv bfs.prof >/dev/null
# names of C++ kernels
sed 's/bfs_expand/_ZN2ns6reduceILi256EfEEvPT0_i/' bfs.prof >cxx.prof
"$b/annotate" --no-verify --callgrind cxx.out -O table -o cxx.table cxx.prof
if grep -q 'reduce<256, f' cxx.table; then
	same "KCachegrind gets names in full" 1 "$(grep -c '^fn=([0-9]*) void ns::reduce<256, float>(float\*, int)$' cxx.out)"
	same "tables without namespaces and parameters" 'reduce<256, float>' "$("$b/mpki" --no-verify -O table cxx.prof | grep -o '^reduce<256, float>')"
	"$b/report" --no-verify --html cxx.html cxx.prof
	same "and the page has both" 1 "$(grep -c '<span title="void ns::reduce&lt;256, float&gt;(float\*, int)">reduce&lt;256, float&gt;</span></th>' cxx.html)"
else
	same "without libiberty template arguments are lost" 1 "$(grep -c ' reduce ' cxx.table | head -1)"
fi
# the page
"$b/mpki" --every 8000 -O profile bfs | grep -P '^PH' >ph
{ grep -v '^EN' bfs.prof; cat ph; } >page.prof
"$b/report" --no-verify --html page.html page.prof
page=$(sed 's/<[^>]*>//g' page.html)
same "the page leads with the costliest load" 1 "$(grep -c '% of the waiting for memory is for one load, LDG.E at .* of bfs_expand, from edges: ' <<<"$page")"
same "before the verdicts" 1 "$(awk '/class="findings"/ { f = NR } /class="tally"/ { t = NR } END { print (f && f < t) }' page.html)"
same "it has kernels, instructions, arrays, phases and words" 5 "$(grep -cE '<h4>(Kernels|Instructions that cost most|Arrays that cost most)</h4>|<figcaption>Misses over the run|<summary>Words</summary>' page.html)"
same "with the number of the first launch, since cut names may look the same" "1 2" "$("$b/mpki" -O table bfs.prof | awk '/^Kernels by/ { on = 1; next } on && /^bfs/ { print $2 } /^$/ { on = 0 }' | paste -sd' ')"
same "kernels are ranked in mpki, too" "bfs_expand bfs_settle" "$("$b/mpki" -O table bfs.prof | awk '/^Kernels by/ { on = 1; next } on && /^bfs/ { print $1 } /^$/ { on = 0 }' | paste -sd' ')"
same "a word is a click away, systems among them" "1 1" "$(grep -c '<a href="#words">' page.html) $(grep -c '<dl id="words"' page.html)"
check "and the systems of the mechanisms are among them" test "$(grep -c '</dt><dd>of ' page.html)" -gt 20
same "the axis says what intervals are counted in" 2 "$(grep -o 'warp instructions so far' page.html | wc -l)"
# a mechanism that works on a cache, by its place in the registry
some=$("$b/triage" --mechanism '?' 2>&1 | sed -n 's/.*some of //p' | tr -d , | awk '{ print $3 }')
saved=$("$b/annotate" -O csv --mechanism "$some" bfs)
same "--mechanism adds a column" "${some}_hits" "$(head -1 <<<"$saved" | tr -d '\r' | awk -F, '{ print $NF }')"
same "no instruction has more hits for it than it had misses" "" "$(tr -d '\r' <<<"$saved" | awk -F, 'NR > 1 && $19 > $10 + $15')"
same "kernels have the sums" "$(tr -d '\r' <<<"$saved" | awk -F, 'NR > 1 { s += $19 } END { printf "%.0f", s }')" \
	"$("$b/annotate" -O csv --by kernel --mechanism "$some" bfs.prof | tr -d '\r' | awk -F, 'NR > 1 { s += $15 } END { printf "%.0f", s }')"
refuses "not by array" 2 "by instruction" "$b/annotate" --mechanism "$some" --by array bfs.prof
mkdir tmp
TMPDIR=$PWD/tmp "$b/triage" -q --html t.html -O profile -o t.tv nn 2>err || fail "triage writes the page" "$(cat err)"
same "the page of triage has the instructions" 1 "$(grep -c '<h4>Instructions that cost most</h4>' t.html)"
same "and nothing of it is left" "" "$(ls tmp)"
refuses "it is of all inputs" 2 "leave out --shard" "$b/triage" --html t.html --shard 1/2 nn bfs
if command -v callgrind_annotate >/dev/null; then
	same "callgrind_annotate reads the sums" "$(grep -P '^PC' bfs.prof | awk -F'\t' '{ s += $20; m += $12; l += $17 } END { print s, m, l }')" \
		"$(callgrind_annotate --threshold=100 cg.out 2>err | awk '/PROGRAM TOTALS/ { gsub(/,|\([^)]*\)/, ""); print $1, $2, $3; exit }')"
	same "without a warning" "" "$(cat err)"
	same "and the kernels" "bfs_expand bfs_settle" "$(callgrind_annotate --threshold=100 cg.out | grep -o '???:bfs_[a-z]*' | cut -d: -f2 | sort | paste -sd' ')"
else
	skip "callgrind_annotate reads the sums" "valgrind is not installed"
fi
finish
