# Every table of every command: at most 80 columns wide, and whole as comma-separated values.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
b=$CT_RELEASE
export TERM=dumb
"$b/tracegen" -q bfs --size small -o bfs || fail tracegen
"$b/tracecat" -q -k 1-4 -o few.ctz bfs || fail tracecat
"$b/reuse" -q --annotate --per-kernel -k 1-4 -o base.prof bfs || fail reuse
# names as C++ makes them
sed 's/bfs_expand/_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEENS_6detail5ArrayIPcLi1EEEEEviT0_T1_/' base.prof >p
head -c 65536 "$b/reuse" >raw
printf 'ID,Kernel Name,gpc__cycles_elapsed.max\n0,bfs_expand,21000\n1,bfs_settle,11000\n' >c.csv
profile="--no-verify --scale 1 p"
# command, its arguments
cat >list <<END
reuse -k 1-4 bfs
replicate $profile
replicate --sizes 8KiB,128KiB $profile
lineutil $profile
mpki $profile
mpki --check $profile
mpki --explain few.ctz
mpki --every 4000 few.ctz
annotate -n 0 --no-verify p
annotate --by array --no-verify p
annotate --by kernel --no-verify p
correlate base.prof c.csv
bdi raw
traceinfo bfs
triage $profile
triage few.ctz bfs
sweep l1.size=64KiB,128KiB -- --no-verify p
END
# The estimators, whatever they are called: what --help says they take.
for e in "$b"/*-est; do
	e=$(basename "$e")
	printf '%s %s\n' "$e" "$profile" "$e --check" few.ctz "$e" --constants "$e" --overheads "$e" --published
done >>list
for e in "$b"/*; do
	"$e" --help | grep -q -- '-O, --output .*FORMAT' || continue
	case $(basename "$e") in tracecat) continue ;; esac # it prints traces
	check "$(basename "$e") has -O csv" grep -qE 'json or csv' <("$e" --help | tr -s ' \n' ' ')
	check "$(basename "$e") is tried" grep -q "^$(basename "$e") " list
done
while read -r command; do
	name=${command%% *} arguments=${command#* }
	# shellcheck disable=SC2086
	if ! COLUMNS=80 "$b/$name" -O table $arguments >table 2>err; then
		[ -s table ] || { skip "$command" "$(head -1 err)"; continue; }
	fi
	same "$command: 80 columns" "" "$(awk 'length > 80' table)"
	same "$command: no blanks at the end" "" "$(grep ' $' table)"
	# shellcheck disable=SC2086
	"$b/$name" -O csv $arguments >csv 2>err
	# Fields of each row as of the first of its table: commas within quotes are not between fields.
	same "$command: CSV" "" "$(tr -d '\r' <csv | awk '
		{ row = $0; gsub(/""/, "", row); gsub(/"[^"]*"/, "q", row); n = $0 == "" ? 0 : gsub(/,/, ",", row) + 1 }
		!n { fields = 0; next }
		!fields { fields = n; if (n < 2) print "a table of one column"; if (row ~ /(^|,)(,|$)/) print "a column without a head"; next }
		n != fields { print n " fields, not " fields ": " $0 }
		END { if (!NR) print "nothing" }')"
	check "$command: with rows" test "$(wc -l <csv)" -gt 1
done <list
COLUMNS=40 "$b/triage" -q --no-verify --scale 1 -O table p >narrow
check "forty columns still have the verdict" grep -qE '(neutral|benefits|hurts|unknown)' narrow
same "what is left out is named" 1 "$(grep -c '^left out for want of room: ' narrow)"
# What decides a verdict stays: not even a long name costs the range.
long=the-name-of-a-workload-that-is-long
cp p $long
for only in "" "--mechanism shared-l1"; do
	COLUMNS=80 "$b/triage" -q --no-verify --scale 1 $only -O table $long >narrow
	check "the range has room beside a long name${only:+, of one mechanism}" grep -qE ' [0-9.]+\.\.[0-9]|-  [^ ]' narrow
	same "and is not left out${only:+, of one mechanism}" 0 "$(grep -c '^left out.*range' narrow)"
	same "in 80 columns${only:+, of one mechanism}" "" "$(awk 'length > 80' narrow)"
done
unset COLUMNS
"$b/triage" -q --no-verify --scale 1 -O table p >unset
same "no screen has 80 columns" "$(COLUMNS=80 "$b/triage" -q --no-verify --scale 1 -O table p)" "$(cat unset)"
finish
