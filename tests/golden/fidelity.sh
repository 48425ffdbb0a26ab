#!/usr/bin/env bash
# The replay engine's figures have not moved: on generated traces, and on the short rows of
# the reference runs where they are there. `make fidelity` shows all rows and their errors;
# an intended change rewrites the tables (tests/fidelity/README).
. "$(dirname "$0")/lib.sh"
driver=${CT_RELEASE%/bin}/tests/fidelity
tables=$CT_ROOT/tests/fidelity

cd "$CT_ROOT" || exit 1
for w in vecadd gemm spmv bfs-queue; do
	"$CT_RELEASE/tracegen" "$w" --size small -o "$TMPDIR/$w" >/dev/null || fail "tracegen $w"
done
check "figures on generated traces" "$driver" check "$tables/bundled.tsv" none "$TMPDIR"
check "by quick replay" "$driver" check -t quick "$tables/bundled-quick.tsv" none "$TMPDIR"

if [ -d "$CT_SHARED/reference" ]; then
	for rows in real- fw sssp lu nw; do
		check "figures on reference rows $rows" "$driver" check -s "$rows" \
			"$tables/expected.tsv" "$CT_SHARED/reference/configs" "$CT_SHARED"
		check "by quick replay, $rows" "$driver" check -t quick -s "$rows" \
			"$tables/expected-quick.tsv" "$CT_SHARED/reference/configs" "$CT_SHARED"
	done
else
	skip "figures on reference rows" "no ../shared/reference"
fi
finish
