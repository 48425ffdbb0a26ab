#!/usr/bin/env bash
# tracecat: text -> packed -> text says the same to every command; filters,
# concatenation, damage.
. "$CT_ROOT/tests/golden/lib.sh"
cat=$CT_BIN/tracecat
info=$CT_BIN/traceinfo

# What a trace says, without what tells the files apart.
say() { "$info" -q -O profile --no-provenance "$@" | grep -Ev '^(TR|EN)|text_bytes'; }
sn() { awk -F'\t' -v m="$2" '$1=="SN" && $2=="all" && $3==m {print $4}' <<<"$1"; }

round() { # NAME TRACE
	local want
	want=$(say "$2")
	rm -rf "$TMPDIR/r.ctz" "$TMPDIR/r.text"
	if ! "$cat" -q "$2" --level 5 -o "$TMPDIR/r.ctz"; then fail "$1: packs"; return; fi
	same "$1: packed says the same" "$want" "$(say "$TMPDIR/r.ctz")"
	"$cat" -q -O accelsim -o "$TMPDIR/r.text" "$TMPDIR/r.ctz"
	same "$1: and text from it" "$want" "$(say "$TMPDIR/r.text")"
}

t=$TMPDIR/bfs
"$CT_RELEASE/tracegen" bfs --size small -o "$t" 2>/dev/null
round "bfs" "$t"
a=$("$cat" "$t" | "$info" -q -O profile --no-provenance - | grep -Ev '^(TR|EN)|text_bytes')
same "through a pipe" "$(say "$t")" "$a"
cp "$TMPDIR/r.ctz" "$TMPDIR/b.ctz"
"$cat" -q "$TMPDIR/b.ctz" --level 5 -o "$TMPDIR/again.ctz"
check "packed again, the same bytes" cmp "$TMPDIR/b.ctz" "$TMPDIR/again.ctz"
a=$("$CT_BIN/reuse" -q --no-provenance "$t" | grep -Ev '^(TR|EN)|text_bytes')
b=$("$CT_BIN/reuse" -q --no-provenance "$TMPDIR/b.ctz" | grep -Ev '^(TR|EN)|text_bytes')
same "reuse of both is one profile" "$a" "$b"

k=$(sn "$(say "$TMPDIR/b.ctz")" kernels)
a=$("$cat" "$t" "$TMPDIR/b.ctz" --level 1 | "$info" -q -O profile - | awk -F'\t' '$1=="KN" {print $2}' | tail -1)
same "two traces, numbered on" "$((2 * k))" "$a"
a=$("$cat" -k 2 "$TMPDIR/b.ctz" | "$info" -q -O profile - | awk -F'\t' '$1=="KN" {print $2}')
same "-k keeps the launch's number" 2 "$a"
same "-k of a packed trace" "$(say -k 2 "$t" | grep ^KN)" "$(say -k 2 "$TMPDIR/b.ctz" | grep ^KN)"
a=$(say <("$cat" -q -k 1 --ctas 0-0 "$t"))
same "--ctas" 1 "$(sn "$a" ctas)"
a=$(say <("$cat" -q --space global "$t"))
b=$(say "$t")
same "--space keeps the global requests" "$(sn "$b" global_requests) $(sn "$b" distinct_lines)" \
	"$(sn "$a" global_requests) $(sn "$a" distinct_lines)"
check "--space leaves the others out" [ "$(sn "$a" warp_insts)" -lt "$(sn "$b" warp_insts)" ]
a=$("$cat" -q -O accelsim "$TMPDIR/b.ctz" | say - | grep ^KN)
same "text on standard output" "$(grep ^KN <<<"$b")" "$a"

refuses "a space that there is not" 2 'use none, global' "$cat" --space gobal "$t" -o "$TMPDIR/no"
refuses "no space at all" 2 'use none, global' "$cat" --space '' "$t" -o "$TMPDIR/no"
refuses "a form that it does not write" 2 'use accelsim or tracez, or leave -O out' "$cat" -O json "$t" -o "$TMPDIR/no"
refuses "a range that is none" 2 'give a number or a range' "$cat" --ctas 3-1 "$t" -o "$TMPDIR/no"
refuses "blocks that there are not" 2 'matches no thread block' "$cat" --ctas 999999 "$t" -o "$TMPDIR/no"
refuses "a folder that exists" 2 'exists: name a new folder' "$cat" -O accelsim -o "$t" "$TMPDIR/b.ctz"
check "nothing is left behind" [ ! -e "$TMPDIR/no" ]

n=$(stat -c %s "$TMPDIR/b.ctz")
head -c $((n - 1)) "$TMPDIR/b.ctz" >"$TMPDIR/cut.ctz"
refuses "a cut packed trace" 1 'it is cut' "$info" "$TMPDIR/cut.ctz"
command cat "$TMPDIR/b.ctz" <(echo) >"$TMPDIR/long.ctz"
refuses "bytes behind the end" 1 'bytes follow the end record' "$info" "$TMPDIR/long.ctz"
{ head -c $((n / 2)) "$TMPDIR/b.ctz"; printf '\377\0'; tail -c +$((n / 2 + 3)) "$TMPDIR/b.ctz"; } >"$TMPDIR/bad.ctz"
refuses "a damaged packed trace" 1 'damaged' "$info" "$TMPDIR/bad.ctz"

# A header that is damaged loses its kernel and all behind it: what --salvage writes is a part, and known as one.
"$cat" -q -O accelsim "$t" -o "$TMPDIR/hurt"
zstd -dq --rm "$TMPDIR/hurt/kernel-2.traceg.zst" && sed -i 's/^-nregs = .*/-nregs = x/' "$TMPDIR/hurt/kernel-2.traceg"
"$cat" --salvage "$TMPDIR/hurt" -o "$TMPDIR/part.ctz" 2>/dev/null
same "--salvage exits with 1" 1 $?
same "and the packed trace lacks a kernel" "1 1" "$(sn "$(say "$TMPDIR/part.ctz")" kernels) $(sn "$(say "$TMPDIR/part.ctz")" missing_kernels)"
check "which every command that reads it says" grep -q 'part.ctz: it lacks 1 kernel' <("$CT_RELEASE/mpki" -O table "$TMPDIR/part.ctz" 2>&1 >"$TMPDIR/no")
"$cat" --salvage -O accelsim "$TMPDIR/hurt" -o "$TMPDIR/part" 2>/dev/null
same "as does the folder" "1 1" "$(sn "$(say "$TMPDIR/part")" kernels) $(sn "$(say "$TMPDIR/part")" missing_kernels)"
"$cat" --salvage -O accelsim "$TMPDIR/hurt" "$t" -o "$TMPDIR/part+" 2>/dev/null
same "what follows is numbered behind it" "1 3" "$(say "$TMPDIR/part+" 2>/dev/null | awk -F'\t' '$1=="KN" { print $2 }' | head -2 | paste -sd' ')"

if needs_shared "shared traces"; then
	for d in bfs-sm80-v3 vecadd-sm61-v4 vecadd-sm75-v1.2 edge-cases/atax-sm90-v6; do
		round "$d" "$CT_SHARED/traces/$d"
	done
fi
finish
