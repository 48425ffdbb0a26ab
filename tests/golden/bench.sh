# tests/bench/run.sh, on benches that are small scripts: which rows bench.tsv keeps, filters, folders, failures.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
run=$CT_ROOT/tests/bench/run.sh
mkdir -p b/tests
for f in "$CT_ROOT"/tests/bench/bench_*.c; do
	n=$(basename "$f" .c)
	printf '#!/bin/sh\n[ -z "$(ls "$TMPDIR")" ] || exit 1\ntouch "$TMPDIR/left"\n' >"b/tests/$n"
	printf 'printf "%s\\tx\\tspeed\\t%%s\\tM/s\\n" "${SPEED:-1}"\n' "${n#bench_}" >>"b/tests/$n"
	chmod +x "b/tests/$n"
done
value() { awk -F'\t' -v b="$1" '$1 == b { print $4 }' b/bench.tsv; }
check "all benches run, each in an empty folder of its own" bash "$run" "$PWD/b"
same "each has its row" "$(ls b/tests | wc -l)" "$(($(wc -l <b/bench.tsv) - 1))"
SPEED=2 bash "$run" "$PWD/b" replay >table
same "a filtered run replaces its own row" "2" "$(value replay)"
same "and leaves the others" "1 1" "$(value pass) $(value stack)"
same "its table has no other row" "2" "$(wc -l <table)"
same "nothing is there twice" "" "$(sort b/bench.tsv | uniq -d)"
ONLY=ctz SPEED=3 bash "$run" "$PWD/b" >table
same "ONLY chooses like a word" "3 2 1" "$(value ctz) $(value replay) $(value pass)"
cp b/bench.tsv before
refuses "a word that no bench has" 2 'no bench has nosuch in its name' bash "$run" "$PWD/b" replay nosuch
refuses "a build that is not there" 2 'no folder' bash "$run" "$PWD/c"
same "a refused run changes nothing" "$(cat before)" "$(cat b/bench.tsv)"
printf '#!/bin/sh\nexit 1\n' >b/tests/bench_ctz
bash "$run" "$PWD/b" ctz >table 2>err
same "a bench that fails ends the run with 1" 1 $?
same "and is named" "bench: bench_ctz failed" "$(cat err)"
same "its old rows stay" "3" "$(value ctz)"
finish
