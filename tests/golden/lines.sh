# Source lines: a program compiled with -lineinfo has them in its trace, and annotate names file and line of the guilty
# load; everything else of the trace is as without.
. "$(dirname "$0")/lib.sh"
T=$CT_BIN/tracegen
cd "$TMPDIR" || exit 1
unset CACHETRIAGE_GPU
cp "$CT_ROOT"/tests/cuda/strided.cu "$CT_ROOT"/tests/cuda/strided.cuh .
if ! "$CT_RELEASE/ctcc" -lineinfo -o with strided.cu 2>ctcc.txt; then
	skip "programs with source lines" "ctcc or clang is not here: $(head -n 1 ctcc.txt)"
	finish
fi
rm -f ctcc.txt
"$CT_RELEASE/ctcc" -g -o debug strided.cu
"$CT_RELEASE/ctcc" -o without strided.cu
guilty=$(grep -n '33 % n' strided.cu | cut -d: -f1)
other=$(grep -n '__ldg' strided.cuh | cut -d: -f1)

for p in with debug without; do
	"$T" capture -o $p.ctz -- ./$p && "$T" capture -o $p.folder --compress none -- ./$p
done
check "-g and -lineinfo give the same trace" cmp with.ctz debug.ctz
k=kernel-1.traceg
same "the text says so" "-enable lineinfo = 1 -enable lineinfo = 0" "$(echo $(grep -h ^-enable with.folder/$k without.folder/$k))"
same "and names both files" "$PWD/strided.cu $PWD/strided.cuh" "$(sed -n 's/^-source files = //p' with.folder/$k | tr '\t' '\n' | sed 's/^[0-9a-f,-]* //' | sort | xargs)"
same "no line is in the headers of ctcc" "" "$(grep -o "$CT_ROOT/data[^ ]*" with.folder/$k)"
same "nothing of that without" "0" "$(grep -c '^-source' without.folder/$k)"
plain() { sed -E '/^-enable|^-source/d; s/^[0-9]+ ([0-9a-f]{4} [0-9a-f]{8} )/\1/' "$1"; }
plain with.folder/$k >with.txt
plain without.folder/$k >without.txt
check "with and without: the same machine instructions" bash -c 'sed -E "/^-enable/d" without.folder/kernel-1.traceg | cmp - with.txt'
same "of which there are some" "1" "$(grep -c '^thread block = 15,0,0' with.txt)"

A="$CT_RELEASE/annotate -q -g gv100"
same "the table names file and line of the guilty load" "strided.cu:$guilty" "$($A -O table -n 1 with.ctz | sed -n 2p | grep -o 'strided.cu:[0-9]*')"
same "and no line without" "" "$($A -O table without.ctz | grep -o 'line\|strided.cu')"
$A -O csv with.ctz | tr -d '\r' >with.csv
same "CSV has line and file" "$guilty,$PWD/strided.cu" "$(sed -n 2p with.csv | awk -F, '{print $4 "," $NF}')"
same "a load of an inlined function has its own file" "$other,$PWD/strided.cuh" "$(grep cuh with.csv | awk -F, '{print $4 "," $NF}' | sort -u)"
same "without there is no such column" "stall_cycles 0" "$($A -O csv without.ctz | tr -d '\r' | awk -F, 'NR == 1 {h = $NF} NR > 1 {l += $4} END {print h, l}')"
same "nothing else differs" "" "$($A -O csv without.ctz | tr -d '\r' | cut -d, -f1-3,5- | diff - <(cut -d, -f1-3,5-18 with.csv))"
$A --callgrind cg with.ctz >/dev/null
same "callgrind's file names both" "fl=(1) $PWD/strided.cu fi=(2) $PWD/strided.cuh fe=(1)" "$(grep '^f[eil]=' cg | xargs)"
if command -v callgrind_annotate >/dev/null; then
	check "callgrind_annotate shows the line of source" eval 'callgrind_annotate --show=Wait cg "$PWD/strided.cu" | grep -q "%).*33 % n"'
else
	skip "callgrind_annotate shows the line of source" "valgrind is not installed"
fi

# The files go wherever the trace goes.
same "a folder says the same" "$(cat with.csv)" "$($A -O csv with.folder | tr -d '\r')"
"$CT_RELEASE/tracecat" -q -o packed.ctz with.folder && "$CT_RELEASE/tracecat" -q -O accelsim -o text packed.ctz
same "packed by tracecat, too" "$(cat with.csv)" "$($A -O csv packed.ctz | tr -d '\r')"
same "and unpacked" "$(cat with.csv)" "$($A -O csv text | tr -d '\r')"
"$CT_RELEASE/reuse" -q -g gv100 --annotate -o p with.ctz
same "and through a profile" "$(cat with.csv)" "$($A -O csv p | tr -d '\r')"
"$CT_RELEASE/reuse" -q -g gv100 --annotate -o q without.ctz
same "whose column line has a file only then" "file stall_cycles" "$(awk -F'\t' '/^#PC/ {print $NF}' p q | xargs)"
check "the page of report names it" eval '"$CT_RELEASE/report" -q --html page.html p >/dev/null && grep -q "strided.cu:$guilty" page.html'
finish
