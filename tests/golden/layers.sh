# Which layers of a pass each command runs (doc/layers.md): -v tells how many events each has handled.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

tracegen -q reduction --size small -o red
layers() { "$@" -v --scale 1 ${form:+-O $form} -o p red 2>&1 | sed -n 's/.*: measured: //p' | tr ' ' '\n' | grep '^[a-z]' | paste -sd' '; }
everything='l1 sharing merged llc llc@sms registers line-use replication'
same "reuse" "$everything" "$(layers reuse)"
same "reuse --no-sms-views" "l1 sharing merged llc registers line-use replication" "$(layers reuse --no-sms-views)"
for form in profile json; do
	for c in mpki replicate "sharedl1-est --method analytic"; do
		same "$c prints all records as $form" "$everything" "$(layers $c)"
	done
done
form=csv
same "mpki of CSV" "l1 llc" "$(layers mpki)"
form=table
same "mpki" "l1 llc" "$(layers mpki)"
same "replicate" "l1 sharing merged replication" "$(layers replicate)"
same "lineutil" "line-use" "$(layers lineutil)"
same "sharedl1-est" "l1 sharing merged llc line-use replication" "$(layers sharedl1-est --method analytic)"
same "tsc-est" "l1 llc line-use" "$(layers tsc-est --method analytic)"
same "morpheus-est" "l1 llc llc@sms" "$(layers morpheus-est --method analytic)"
form=
same "triage" "$everything" "$(layers triage --method analytic)"
for f in table profile json csv; do
	same "triage -O $f of one mechanism" "l1 llc line-use" \
		"$(layers triage --method analytic --mechanism tag-split -O $f)"
done
same "triage of registers" "llc registers" "$(layers triage --method analytic --mechanism malekeh)"

# What is printed is what a whole pass gives.
reuse -q --scale 1 red >whole
for c in mpki replicate lineutil; do
	same "$c prints what it prints of a profile" "$($c -q -O table whole)" "$($c -q --scale 1 -O table red)"
	same "$c writes the records of a whole pass" "$($c -q whole | grep -vE '^#?(PG|EN)')" \
		"$($c -q --scale 1 red | grep -vE '^#?(PG|EN)')"
done
# Views of many lines follow a sample, say so, and come near the views of all lines; -S 1 follows all.
tracegen -q spmv --size small -o many
reuse -q -g rtx3070 many >some
reuse -q -g rtx3070 -S 1 many >all
same "a view of many lines is sampled" 3 "$(grep -cP '^RE\tall\tllc@sms=\d+\t0.125\t' some)"
same "only views of fewer SMs" "" "$(grep -P '^RE\t' some | grep -v '@sms')"
same "-S 1 samples nothing" 0 "$(grep -cP '^(RE|ME)\t' all)"
same "the replay is the same" "$(grep -P '^SN\t' all | grep -v reg_)" "$(grep -P '^SN\t' some | grep -v reg_)"
accesses() { awk -F'\t' -v v="$2" '$1 == "RD" && $2 == "all" && $3 == v { n += $6 + $7 } END { print n }' "$1"; }
near() { awk "BEGIN { d = $1 / $2 - 1; print (d < 0 ? -d : d) < $3 }"; }
for n in 12 23 35; do
	same "accesses of $n SMs" 1 "$(near "$(accesses some llc@sms=$n)" "$(accesses all llc@sms=$n)" 0.05)"
done
# Miss ratios of all lines, at the capacities that the sample gives intervals for.
same "intervals cover" 1 "$(awk -F'\t' '
FILENAME == ARGV[1] && $1 == "RD" && $2 == "all" {
	sum[$3] += $6 + $7
	if ($4 != "inf") { k = ++bins[$3]; lo[$3, k] = $4; hi[$3, k] = $5; n[$3, k] = $6 + $7 }
}
FILENAME == ARGV[2] && $1 == "ME" {
	v = substr($3, 1, length($3) - 4); c = $4 / 128; hit = 0
	for (k = 1; k <= bins[v]; k++)
		hit += hi[v, k] <= c ? n[v, k] : lo[v, k] < c ? n[v, k] * (c - lo[v, k]) / (hi[v, k] - lo[v, k]) : 0
	miss = 1 - hit / sum[v]; points++
	covered += (miss >= $5 - 1e-5 && miss <= $6 + 1e-5)
}
END { print (points >= 6 && covered >= 0.9 * points) }' all some)"
same "any number of threads gives the same" "$(grep -v ^PG some | cksum)" "$(reuse -q -g rtx3070 -@ 3 many | grep -v ^PG | cksum)"
# A profile that is replayed again keeps what it had.
kinds() { cut -f1-3 | grep '^R[DJT]' | sort -u | sed 's/=.*//'; }
same "another pass over a profile's trace measures what that had" "$(kinds <whole)" \
	"$(mpki -q --method replay -p llc.latency=300 whole | kinds)"
finish
