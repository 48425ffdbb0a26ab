# Which layers of a pass each command runs (doc/layers.md): -v tells how many events each has handled.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

tracegen -q reduction --size small -o red
layers() { "$@" -v --scale 1 ${form:+-O $form} -o p red 2>&1 | sed -n 's/.*: measured: //p' | tr ' ' '\n' | grep '^[a-z]' | paste -sd' '; }
everything='l1 sharing merged llc llc@sms registers line-use replication times'
same "reuse" "$everything" "$(layers reuse)"
same "reuse --no-sms-views" "l1 sharing merged llc registers line-use replication times" "$(layers reuse --no-sms-views)"
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
for f in table csv profile json; do
	case $f in table | csv) printed= ;; *) printed=" times" ;; esac
	same "triage -O $f of one mechanism" "l1 llc line-use$printed" \
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
# A profile that is replayed again keeps what it had.
kinds() { cut -f1-3 | grep '^R[DJT]' | sort -u | sed 's/=.*//'; }
same "another pass over a profile's trace measures what that had" "$(kinds <whole)" \
	"$(mpki -q --method replay -p llc.latency=300 whole | kinds)"
finish
