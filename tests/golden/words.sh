# Every metric and every system that a command prints is defined in a page.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
export PATH="$CT_RELEASE:$PATH"

tracegen -q vecadd -o v
reuse -q --scale 1/8 --mechanisms all --annotate --per-kernel -o p v
traceinfo -q -O profile -o p.traceinfo v
replicate -q -o p.replicate p
for e in $("$CT_RELEASE/../lib/estimator" --commands); do "$e" -q -o "p.$e" p; done
check "there is something to look at" test "$(cat p p.* | grep -c '^ES')" -gt 500

# Words that head an entry of a list (.It) or stand as a literal (.Cm).
grep -hE '^\.(It|Cm|Cd)' "$CT_ROOT"/man/*.[157] | tr ' ' '\n' | sed 's/^\\&//' | sort -u >defined
undefined() { sort -u | comm -23 - defined; }
same "every system is defined in a page" "" "$(cat p p.* | awk -F'\t' '$1 == "ES" { print $4 }' | undefined)"
same "every metric is defined in a page" "" "$(cat p p.* | awk -F'\t' '$1 == "ES" { print $5 } $1 == "SN" { print $3 }' | undefined)"
same "every type of record is defined in a page" "" "$(cat p p.* | awk -F'\t' '!/^#/ { print $1 }' | undefined)"
# What limits a run: the resources that mpki has a column for and those that estimators name.
{
	mpki -q -O csv p | tr -d '\r' | awk -F, '/limited by$/ && !n++ { for (i = 2; i < NF; i++) print $i }'
	for e in $("$CT_RELEASE/../lib/estimator" --commands); do "$e" -q -O csv p; done | grep -oE 'limited by [A-Za-z1 -]+' | sed 's/limited by //; s/ *$//'
} | sort -u >limits
check "mpki and the estimators say what limits" test "$(wc -l <limits)" -ge 7
grep -E '^\.It Sy' "$CT_ROOT"/man/cachetriage-glossary.7 | sed 's/^.It Sy //; s/ , /\n/g' | sort -u >explained
same "every resource that limits is in the glossary" "" "$(comm -23 limits explained)"
for word in benefits hurts neutral unknown bound estimate quick full; do
	check "the word $word is explained" grep -qE "^\.It .*\b$word\b" "$CT_ROOT"/man/cachetriage-glossary.7
done
finish
