# The validation page holds what its generator makes of the results in the tree.
. "$CT_ROOT/tests/golden/lib.sh"
V=$CT_ROOT/tests/validation
cd "$TMPDIR" || exit 1

check "the generator renders the page" eval 'bash "$V/render.sh" >page'
same "man/cachetriage-validation.7 is what it renders" "$(sha256sum <page)" \
	"$(sha256sum <"$CT_ROOT/man/cachetriage-validation.7")"
same "the totals have each paper's gates and the mean of its judged system" "morpheus 1 1,shared-l1 1 1,tag-split 1 1,malekeh 1 1" \
	"$(awk '/^\.Ss Totals/ { on = 1 } /^\.Ss What/ { on = 0 }
		on && /^[a-z0-9-]+$/ { p[++n] = $0 }
		on && /gates measured are passed$/ { gates[n]++ }
		on && /^  mean .*(Morpheus-ALL\/BL|DynEB\/Private|TSC\+\/128B|Malekeh\/OCU) speedup / { means[n]++ }
		END { for (i = 1; i <= n; i++) printf "%s%s %d %d", (i > 1 ? "," : ""), p[i], gates[i], means[i] }' page)"
same "every workload named is built in" "" "$(awk -F'\t' '$1 == "app" { print $4 }' "$V/published.tsv" | sort -u |
	grep -vxF -f <("$CT_BIN/tracegen" --list | awk '{ print $1 }'))"
same "every application with items is known" "" "$(awk -F'\t' '
	$1 == "app" { app[$2, $3] = 1; group[$2, $5] = 1 }
	$1 == "item" && !(($2, $3) in app) && $3 !~ /^@\*/ && !(($2, substr($3, 2)) in group) { print $2, $3 }' "$V/published.tsv")"
same "no estimate is there before its gate" "" "$(for p in "$V"/results/*.tsv; do
	[ ! -e "$p" ] || awk -F'\t' -v p="$(basename "$p" .tsv)" '
		FNR == NR { if ($1 == p) gated[$2] = 1; next }
		!/^#/ && $2 == "size" && $4 == "paper" && !($1 in gated) { print p, $1 }' "$V/gates.tsv" "$p" | sort -u; done)"
same "gates are of programs that the papers name" "" "$(awk -F'\t' '
	FNR == NR { if ($1 == "app") named[$2, $4] = 1; next }
	!/^#/ && (!(($1, $2) in named) || $7 !~ /^(yes|no)$/ || $8 !~ /^paper:/) { print $1, $2 }' "$V/published.tsv" "$V/gates.tsv")"

refuses "originals need a checkout" 2 'set one of .*RODINIA' env -u RODINIA bash "$V/originals.sh" build
same "originals are of our workloads" "" "$(awk -F'\t' '!/^#/ { print $1; if (NF != 7) print "fields:", NF }' "$V/originals.tsv" | sort -u |
	grep -vxF -f <("$CT_BIN/tracegen" --list | awk '{ print $1 }'))"
same "and of papers that name them" "" "$(awk -F'\t' '
	FNR == NR { if ($1 == "app") { named[$2, $4] = 1; any[$4] = 1 } next }
	!/^#/ { n = split($2, p, ","); for (i = 1; i <= n; i++) if (p[i] == "-" ? !($1 in any) : !((p[i], $1) in named)) print $1, p[i] }' \
	"$V/published.tsv" "$V/originals.tsv")"
same "every input is of an original" "" "$(sed -n 's/^inputs_\([a-z0-9_]*\)() .*/\1/p' "$V/inputs.sh" | sort -u |
	grep -vxF -f <(awk -F'\t' '!/^#/ { gsub(/[^a-z0-9]/, "_", $1); print $1 }' "$V/originals.tsv"))"

# Where a paper's row has an input of its own, the trace is another one; other rows and sizes keep theirs.
. "$V/papers.sh"
inputs() { (cd "$CT_ROOT" && SIZE=$1 && for p in morpheus tag-split; do echo "$p $(input "$p" cfd)"; done | paste -sd,); }
same "a row's input is its paper's, at size paper" "morpheus --elements 193474,tag-split " "$(inputs paper)"
same "and of no other size" "morpheus ,tag-split " "$(inputs small)"
gpus() { (cd "$CT_ROOT" && for w in spmv-csr squeezenet ""; do paper_gpu shared-l1 "$w" && echo "$gpu"; done | paste -sd,); }
same "and its GPU, where that is not the paper's" "sharedl1-28,sharedl1-76,sharedl1-28" "$(gpus)"
same "every GPU named is there" "" "$(awk -F'\t' '$1 == "app" && $7 != "" { print $7 }' "$V/published.tsv" | sort -u |
	while read -r gpu; do [ -e "$CT_ROOT/data/gpus/$gpu.conf" ] || echo "$gpu"; done)"

# Five applications, one item: ranks 1..5 published, two neighbours swapped in ours.
for i in 1 2 3 4 5; do
	printf 'app\tx\ta%d\tw%d\tg\n' $i $i
	printf 'item\tx\ta%d\tS\tB\tspeedup\t%d\tF\n' $i $i
	printf 'item\tx\ta%d\tS\tB\tcycles\t+\tF\n' $i
done >pub.tsv
printf 'item\tx\t@g\tS\tB\tspeedup\t2\tF\n' >>pub.tsv
for i in 1 2 3 4 5; do
	printf 'w%d\tspeedup\tS\t%d\nw%d\tspeedup\tB\t1\n' $i "$(echo "2 1 3 4 5" | cut -d' ' -f$i)" $i
	printf 'w%d\tcycles\tS\t%d\nw%d\tcycles\tB\t3\nw%d\tsms\t-\t8\n' $i $i $i $i
done >res.tsv
for i in 1 2 3; do printf 'x\tw%d\t1\t1\t1\t-\t%s\tk\n' $i "$([ $i = 3 ] && echo no || echo yes)"; done >gates.tsv
awk -v paper=x -f "$V/compare.awk" pub.tsv res.tsv gates.tsv >out
check "rank correlation of one swap among five is 0.9" grep -q '^(1) S/B speedup: rank correlation +0.90 over 5$' out
check "agreement counts, over those that pass their gate and over all" grep -q '^(2) S/B cycles: 0 of 2 that pass the gate agree, 2 of 5 agree, rank correlation - over 5$' out
awk -F'\t' -v OFS='\t' '$1 == "item" && $6 == "cycles" && $3 ~ /^a[34]$/ { $7 = 0 } { print }' pub.tsv >zero.tsv
sed 's/^w3\tcycles\tS\t3$/w3\tcycles\tS\t3.05/' res.tsv >near.tsv
check "an application that the paper calls unaffected needs no gate" eval 'awk -v paper=x -f "$V/compare.awk" zero.tsv near.tsv gates.tsv |
	grep -q "^(2) S/B cycles: 0 of 2 that pass the gate agree, 1 of 2 that need none agree, 2 of 5 agree"'
check "a ratio is of replays where both systems were replayed" eval '{ cat res.tsv; printf "w1\tspeedup@replay\tS\t3\nw1\tspeedup@replay\tB\t2\n"; } >two.tsv &&
	awk -v paper=x -f "$V/compare.awk" pub.tsv two.tsv gates.tsv | grep -q "^a1  *8 yes  *1  *1.500  r"'
check "the mean is geometric, of the programs that pass and of all" grep -qE '^mean g +S/B speedup +2 +1\.414 +2\.605 .* 2 of 5 programs$' out
{ cat gates.tsv; printf 'x\tw4\t1\t1\t1\t-\tyes\tk\nx\tw5\t1\t1\t1\t-\tyes\tk\n'; } >four-gates.tsv
check "a rank correlation is of those that pass, too" eval 'awk -v paper=x -f "$V/compare.awk" pub.tsv res.tsv four-gates.tsv |
	grep -qxF "(1) S/B speedup: rank correlation +0.80 over 4 that pass the gate or need none, +0.90 over 5"'

# A small program of each paper through the whole campaign: a thousandth of make validation.
export SIZE=small SCALE=auto RESULTS=$TMPDIR/results GATES=$TMPDIR/rows OUT=$TMPDIR/kept
check "programs' gates, estimates and replays are measured" bash "$V/run.sh" "$(dirname "$CT_RELEASE")" tag-split:gaussian malekeh:nn morpheus:pagerank shared-l1:covariance 2>/dev/null
same "each has a gate" "malekeh nn,morpheus pagerank,shared-l1 covariance,tag-split gaussian" "$(awk -F'\t' '!/^#/ { print $1, $2 }' rows | paste -sd,)"
same "and replays of the systems that the paper names" "128B 32B DSC-2 DSC-4 LAMAR MRPB TSC TSC+" \
	"$(awk -F'\t' '$2 == "speedup@replay" { print $3 }' results/tag-split.tsv | sort | paste -sd' ')"
same "each paper has estimates and replays" "malekeh yes,morpheus yes,shared-l1 yes,tag-split yes" "$(for p in results/*.tsv; do
	echo "$(basename $p .tsv) $(grep -q '	speedup	' $p && grep -q '	speedup@replay	' $p && echo yes)"; done | paste -sd,)"
cp -r results before && cp rows rows.before
rm -f "$TMPDIR"/kept/traces/*
B=$(dirname "$CT_RELEASE")
check "a second run makes the same of what is kept" eval 'bash "$V/run.sh" "$B" tag-split:gaussian 2>/dev/null && diff -r results before && cmp rows rows.before'
unset SIZE SCALE RESULTS GATES OUT
finish
