# The validation page holds what its generator makes of the results in the tree.
. "$CT_ROOT/tests/golden/lib.sh"
V=$CT_ROOT/tests/validation
cd "$TMPDIR" || exit 1

check "the generator renders the page" eval 'bash "$V/render.sh" >page'
same "man/cachetriage-validation.7 is what it renders" "$(sha256sum <page)" \
	"$(sha256sum <"$CT_ROOT/man/cachetriage-validation.7")"
same "every workload named is built in" "" "$(awk -F'\t' '$1 == "app" { print $4 }' "$V/published.tsv" | sort -u |
	grep -vxF -f <("$CT_BIN/tracegen" --list | awk '{ print $1 }'))"
same "every application with items is known" "" "$(awk -F'\t' '
	$1 == "app" { app[$2, $3] = 1; group[$2, $5] = 1 }
	$1 == "item" && !(($2, $3) in app) && $3 !~ /^@\*/ && !(($2, substr($3, 2)) in group) { print $2, $3 }' "$V/published.tsv")"
for p in "$V"/results/*.tsv; do
	n=$(basename "$p" .tsv)
	same "$n: every workload of the paper was run" "" "$(awk -F'\t' -v p="$n" '
		FNR == NR { if ($2 == "sms") have[$1] = 1; next }
		$1 == "app" && $2 == p && !($4 in have) { print $4 }' "$p" "$V/published.tsv")"
done

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
awk -v paper=x -f "$V/compare.awk" pub.tsv res.tsv >out
check "rank correlation of one swap among five is 0.9" grep -q '^(1) S/B speedup: rank correlation +0.90 over 5$' out
check "agreement counts" grep -q '^(2) S/B cycles: 2 of 5 agree, rank correlation - over 5$' out
check "the mean is geometric" grep -qE '^mean g +S/B speedup +2 +2.605' out
finish
