# The profile between the stages: what is read is passed on, damage is refused, every
# metric that a command prints stands in the manual page with its unit.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_BIN:$PATH"
cd "$TMPDIR" || exit 1

tracegen -q workingset --footprint 256KiB -o ws && reuse -q --per-kernel --scale 1/8 ws > ws.profile ||
	{ fail "a profile to begin with"; finish; }
body() { grep -vE '^(#|PG|EN)'; }

same "a stage passes on every record it does not replace" "" \
	"$(comm -23 <(body < ws.profile | sort) <(replicate ws.profile | body | sort))"
same "records stand in the order they came" "$(body < ws.profile | cut -f1 | uniq)" \
	"$(mpki ws.profile | body | cut -f1 | grep -vE '^MR' | uniq)"
mpki --no-provenance ws.profile > once
mpki --no-provenance once > twice
check "a stage that ran before changes nothing" cmp once twice

for z in xz gzip zstd; do
	"$z" -qc ws.profile > "ws.$z"
	same "a profile under $z is read" "$(md5sum < once)" "$(mpki --no-provenance "ws.$z" | md5sum)"
	same "a profile under $z is read from standard input" "$(md5sum < once)" \
		"$(mpki --no-provenance - < "ws.$z" | md5sum)"
	head -c 2000 "ws.$z" > cut
	refuses "a profile cut under $z is refused" 2 "^mpki: cut" mpki cut
done

sed 's/^EN.*//;/^$/d;/^#EN/d' ws.profile > open.profile
printf 'ZZ\tof a later version\nSN\tall\tlater_metric\t1\tu\tm\textra\n' >> open.profile
refuses "an edited profile is refused" 2 "open.profile:[0-9]+: no EN record.*--no-verify" mpki open.profile
same "with --no-verify it is read, and what is unknown passes" "2" \
	"$(mpki --no-verify open.profile | grep -cE '^(ZZ	of a later version|SN	all	later_metric	1	u	m	extra)$')"
sed 's/replay/REPLAY/' ws.profile > changed.profile
refuses "a changed profile is refused" 2 "changed.profile:[0-9]+: check sum differs" mpki changed.profile
sed 's/$/\r/' ws.profile > dos.profile
refuses "CR LF is refused by name" 2 "dos.profile:1: line ends in CR LF" mpki --no-verify dos.profile
cat ws.profile ws.profile > two.profile
refuses "two profiles in one file are refused" 2 "behind the EN record.*--merge" mpki two.profile
head -c -1 ws.profile > cut.profile
refuses "a profile without its last byte is refused" 2 "cut.profile:[0-9]+: .*cut" mpki cut.profile
refuses "two inputs are refused" 2 "reuse --merge" mpki ws.profile once

# Launches, names and the whole agree: histograms and counts are sums.
sums() { # SCOPE PREFIX of the parts
	awk -F'\t' -v whole=all -v part="$1" '
		$1=="RD" && $3!~/@/ { for (i = 6; i <= 7; i++) if ($2==whole) w[$3" "$4" "i]+=$i; else if (index($2,part)==1) p[$3" "$4" "i]+=$i }
		$1=="SN" && $3~/_(accesses|misses|insts|fills|copies)$/ { if ($2==whole) w[$3]+=$4; else if (index($2,part)==1) p[$3]+=$4 }
		END { n=0; for (k in w) { n++; if (w[k]!=p[k]) print k, w[k], p[k] }; if (n < 100) print "only", n }' ws.profile
}
same "the launches sum up to the whole" "" "$(sums kernel:)"
same "the kernel names sum up to the whole" "" "$(sums name:)"

# Merging.
reuse --merge ws.profile ws.profile > merged.profile 2> twice || fail "two profiles merge"
same "launches that are counted twice are told" 1 "$(grep -c 'ws.profile counts launches of a trace that ws.profile has counted, such as number 1' twice)"
value() { awk -F'\t' -v s="$2" -v m="$3" '$1=="SN" && $2==s && $3==m { print $4 }' "$1"; }
same "counts of merged profiles add up" "$(($(value ws.profile all warp_insts) * 2))" \
	"$(value merged.profile all warp_insts)"
for m in l1_miss_rate llc_mpki ipc replication_ratio replicas_mean sm_fill; do
	same "$m of a profile merged with itself stays" "$(value ws.profile all $m)" "$(value merged.profile all $m)"
done
same "distinct counts do not merge" "NA" "$(value merged.profile all distinct_lines)"
n=$(grep -c ^KN ws.profile)
[ "$n" -gt 1 ] && pass "there are several launches" || fail "there are several launches"
same "the launches of the second profile follow those of the first" "$(seq 1 $((2 * n)))" \
	"$(awk -F'\t' '$1=="KN" { print $2 }' merged.profile)"
same "and their scopes go with them" "$(value ws.profile kernel:1 cycles)" \
	"$(value merged.profile kernel:$((n + 1)) cycles)"
check "a merged profile goes through the stages" bash -o pipefail -c \
	'replicate merged.profile | mpki -O table | grep -q "^all"'
reuse -q --scale 1/8 -p l1.size=64KiB ws > other.profile
refuses "profiles of different GPUs do not merge" 2 "different GPUs.*l1\." reuse --merge ws.profile other.profile

# The page names every metric of every command, with its unit.
units() {
	awk -F'\t' '$1=="SN" { print "SN", $3, $5 } $1=="IM" { print "IM", $3, $5 } $1=="ES" { print "ES", $5, $7 }' | sort -u
}
{ traceinfo -O profile ws; replicate once | morpheus-est | lineutil; } | units > printed
awk '/^\.Sh SN METRICS/ { t="SN" } /^\.Sh IM ITEMS/ { t="IM" } /^\.Sh ES METRICS/ { t="ES" } /^\.Sh MERGING/ { t="" }
	t && /^\.It Cm / { u=$5; for (i = 6; i <= NF; i++) u = u " " $i; gsub(/[()]/, "", u); print t, $3, u }' \
	"$CT_ROOT/man/cachetriage-profile.5" | sort -u > documented
[ "$(wc -l < printed)" -gt 60 ] && pass "the commands print metrics" || fail "the commands print metrics"
same "every metric printed is documented with its unit" "" "$(comm -23 printed documented)"
finish
