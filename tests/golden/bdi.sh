# The bdi command: inputs, pipes, errors.
. "$CT_ROOT/tests/golden/lib.sh"
bdi=$CT_BIN/bdi
value() { awk -F'\t' -v m="$1" '$1 == "SN" && $3 == m { print $4 }'; }

# One block per level: a quarter, a half, none.
level() { # STEP: 32 little-endian words that rise by STEP
	i=0
	while [ $i -lt 32 ]; do
		v=$((i * $1))
		printf "\\$(printf %o $((v & 255)))\\$(printf %o $((v >> 8 & 255)))\\$(printf %o $((v >> 16 & 255)))\\$(printf %o $((v >> 24 & 255)))"
		i=$((i + 1))
	done
}
{ level 4; level 5; level 1000; level 70000; } >"$TMPDIR/four"
out=$("$bdi" "$TMPDIR/four")
same "four blocks" 4 "$(printf '%s\n' "$out" | value compression_blocks)"
same "a quarter" 0.25 "$(printf '%s\n' "$out" | value compression_high)"
same "a half" 0.5 "$(printf '%s\n' "$out" | value compression_low)"
same "none" 0.25 "$(printf '%s\n' "$out" | value compression_none)"

for z in "zstd -q" "xz" "gzip"; do
	$z -c "$TMPDIR/four" >"$TMPDIR/packed"
	same "packed by $z" "$(printf '%s\n' "$out" | grep '^SN')" "$("$bdi" "$TMPDIR/packed" | grep '^SN')"
done
same "standard input" "$(printf '%s\n' "$out" | grep '^SN')" "$("$bdi" <"$TMPDIR/four" | grep '^SN')"
same "several inputs add up" 8 "$("$bdi" "$TMPDIR/four" - <"$TMPDIR/four" | value compression_blocks)"
same "smaller blocks" 16 "$("$bdi" --block 32 "$TMPDIR/four" | value compression_blocks)"
check "valid JSON" sh -c "'$bdi' -O json '$TMPDIR/four' | jq -e . >/dev/null"

# A profile goes through and keeps its records; a second measurement replaces the first.
"$bdi" "$TMPDIR/four" >"$TMPDIR/p"
head -c 1280 /dev/zero >"$TMPDIR/zeros"
out=$("$bdi" - "$TMPDIR/zeros" <"$TMPDIR/p")
same "a profile passes" 2 "$(printf '%s\n' "$out" | grep -c '^PG')"
same "the last measurement stands" 1 "$(printf '%s\n' "$out" | value compression_high)"
same "once" 1 "$(printf '%s\n' "$out" | grep -c compression_high)"
same "zeros" 10 "$(printf '%s\n' "$out" | value bdi_zeros)"

refuses "no file" 2 "nosuch" "$bdi" "$TMPDIR/nosuch"
refuses "empty input" 2 "empty" "$bdi" /dev/null
refuses "less than a block" 2 "not one whole block" sh -c "head -c 100 '$TMPDIR/zeros' | '$bdi'"
refuses "a profile alone" 2 "no memory blocks" "$bdi" "$TMPDIR/p"
refuses "two profiles" 2 "second profile" "$bdi" "$TMPDIR/p" "$TMPDIR/p" "$TMPDIR/four"
refuses "odd block" 2 "power of two" "$bdi" --block 100 "$TMPDIR/four"
refuses "unknown format" 2 "raw, npy or dump" "$bdi" --format tar "$TMPDIR/four"
refuses "not an npy" 2 "not an .npy" "$bdi" --format npy "$TMPDIR/four"
refuses "not a dump" 2 "record 2" "$bdi" --format dump "$TMPDIR/packed"
refuses "folder without dumps" 2 "without block dumps" "$bdi" "$CT_ROOT/tests"
printf -- '-kernel name = k\n-kernel id = 1\n' >"$TMPDIR/k.traceg"
refuses "a trace" 2 "trace holds addresses" "$bdi" "$TMPDIR/k.traceg"
refuses "full disk" 2 "No space" "$bdi" -o /dev/full "$TMPDIR/four"

if needs_shared "block dumps of real programs"; then
	dir=$CT_SHARED/traces-opencl/parboil-bfs
	want=$(($(zstd -dcq "$dir"/kernel-8.blocks.zst | wc -c) / 136))
	same "block dumps of real programs" "$want" "$("$bdi" "$dir" | value compression_blocks)"
	if zstd -dcq "$dir"/kernel-8.blocks.zst | head -c 1000000 >"$TMPDIR/cut"; then :; fi
	refuses "a cut dump" 2 "record 7353: cut" "$bdi" "$TMPDIR/cut"
fi
# Raw data are anything: what is named .npy or .blocks has to be that, or its first bytes are damaged.
{ printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }"; head -c 256 /dev/zero; } >"$TMPDIR/w.npy"
check "an .npy" "$CT_BIN/bdi" -q "$TMPDIR/w.npy"
{ printf '\222'; tail -c +2 "$TMPDIR/w.npy"; } >"$TMPDIR/h.npy"
gzip -c "$TMPDIR/h.npy" >"$TMPDIR/h.npy.gz"
refuses "an .npy whose first byte is damaged" 2 'h.npy: not an .npy' "$CT_BIN/bdi" -q "$TMPDIR/h.npy"
refuses "also packed" 2 'h.npy.gz: not an .npy' "$CT_BIN/bdi" -q "$TMPDIR/h.npy.gz"
cp "$TMPDIR/h.npy" "$TMPDIR/h"
refuses "and under a name that promises nothing" 2 'h: not an .npy' "$CT_BIN/bdi" -q "$TMPDIR/h"
check "--format raw takes it as it is" "$CT_BIN/bdi" -q --format raw "$TMPDIR/h.npy"
head -c 1000 /dev/zero | tr '\0' a >"$TMPDIR/h.blocks"
refuses "a block dump that is none" 2 'h.blocks: ' "$CT_BIN/bdi" -q "$TMPDIR/h.blocks"

finish
