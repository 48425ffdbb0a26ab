# tracegen ptx: one launch of a kernel of PTX, to a folder, a packed file, or a pipe.
. "$CT_ROOT/tests/golden/lib.sh"
T=$CT_BIN/tracegen
P=$CT_ROOT/tests/fuzz/corpus/ptx/gemm.ptx
cd "$TMPDIR" || exit 1
digest() { (cd "$1" && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum); }
buffers='--arg buf:64KiB:random --arg buf:64KiB:random --arg buf:64KiB'
gemm() { # OPTION...
	"$T" ptx "$P" --grid 4,16 --block 32,8 $buffers --arg u32:128 --arg f32:1.5 --arg f32:-0.5 "$@"
}

check "a folder" gemm -o folder --compress none
same "the list has a copy for each buffer, then the kernel" "3 MemcpyHtoD 1 kernel-1.traceg" \
	"$(grep -c '^MemcpyHtoD,0x[0-9a-f]*,65536$' folder/kernelslist.g) MemcpyHtoD $(grep -c '^kernel-1.traceg$' folder/kernelslist.g) $(tail -n 1 folder/kernelslist.g)"
same "arrays.tsv names the buffers" "first bytes name launch 65536 65536 65536" \
	"$(awk 'NR == 1 { printf "%s %s %s %s", $1, $2, $3, $4 } NR > 1 { printf " %s", $2 }' folder/arrays.tsv)"
same "tracegen.txt tells the command" "written by tracegen workload ptx" "$(head -n 2 folder/tracegen.txt | xargs)"
# Each of 512 warps reads c once and 128 elements of both factors, and writes c.
value() { awk -F'\t' -v m="$2" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }' "$1"; }
"$CT_RELEASE/traceinfo" folder >info.tsv
same "loads and stores are the algorithm's" "$((512 * 257)) 512" \
	"$(value info.tsv global_load_requests) $(value info.tsv global_store_requests)"
same "every line of C is touched" "$((3 * 65536 / 128))" "$(value info.tsv distinct_lines)"
gemm -o again --compress none
same "the same bytes each time" "$(cat folder/kernel-1.traceg | sha256sum)" "$(cat again/kernel-1.traceg | sha256sum)"

check "a folder with the contents of memory" gemm -o values --values --compress none
same "every line of the three matrices once, with its contents" "$((3 * 65536 / 128)) $((3 * 65536 / 128 * 136))" \
	"$("$CT_RELEASE/bdi" -O profile values/kernel-1.blocks 2>/dev/null | awk -F'\t' '$3 == "compression_blocks" { print $4; exit }') $(wc -c <values/kernel-1.blocks)"

check "a packed file" gemm -o packed.ctz
gemm >stream.ctz
numbers() { "$CT_RELEASE/traceinfo" "$1" | awk -F'\t' '$1 == "SN" && $3 != "text_bytes"'; }
same "the packed file is the folder's trace" "$(numbers folder)" "$(numbers packed.ctz)"
same "the stream too" "$(numbers folder)" "$(numbers stream.ctz)"
check "triage reads the stream" eval 'gemm | "$CT_RELEASE/triage" - >triage.out'
check "PTX on standard input" eval '"$T" ptx - --grid 4,16 --block 32,8 $buffers --arg u32:128 --arg f32:1.5 --arg f32:-0.5 <"$P" | cmp -s - stream.ctz'
check "--force replaces a packed file" gemm -o packed.ctz --force
check "--force replaces a folder" gemm -o again --force

# An asynchronous copy is one instruction, with the addresses that it reads: lanes 16 to 31 copy nothing. The groups and
# the wait for them are instructions of their own.
cat >copies.ptx <<'END'
.version 7.0
.target sm_80
.address_size 64
.visible .entry copies(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	.shared .align 16 .b8 room[512];
	ld.param.u64 %rd1, [p];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 16;
	add.s64 %rd3, %rd1, %rd2;
	mov.u32 %r2, room;
	shl.b32 %r3, %r1, 4;
	add.s32 %r2, %r2, %r3;
	setp.lt.u32 %p1, %r1, 16;
	selp.b32 %r4, 16, 0, %p1;
	cp.async.cg.shared.global [%r2], [%rd3], 16, %r4;
	cp.async.commit_group;
	cp.async.cg.shared.global [%r2], [%rd3], 16, 0;
	cp.async.commit_group;
	cp.async.wait_group 1;
	cp.async.wait_all;
	ld.shared.u32 %r5, [%r2];
	st.global.u32 [%rd3], %r5;
	ret;
}
END
copies() { "$T" ptx copies.ptx --grid 1 --block 32 --arg buf:4KiB:random "$@"; }
check "asynchronous copies" copies -o copies --compress none
same "one LDGSTS for each, and the waits" \
	"0000ffff LDGSTS.E, ffffffff LDGDEPBAR, 00000000 LDGSTS.E, ffffffff LDGDEPBAR, ffffffff DEPBAR.LE 1, ffffffff LDGDEPBAR, ffffffff DEPBAR.LE 0, " \
	"$(awk '/LDGSTS|DEPBAR/ { for (i = 3; !($i ~ /LDG|DEP/); i++); printf "%s %s%s, ", $2, $i, $i ~ /^DEP/ ? " " $NF : "" }' copies/kernel-1.traceg)"
check "packed copies" copies -o copies.ctz
same "packed copies are the folder's" "$(numbers copies)" "$(numbers copies.ctz)"

refuses "a file that is there" 2 '--force replaces' gemm -o packed.ctz
refuses "a folder that is there" 2 '--force replaces' gemm -o folder
refuses "no file" 2 'give one file of PTX' "$T" ptx -o x
refuses "a file that is not there" 2 'cannot open' "$T" ptx none.ptx -o x
refuses "a kernel that is not there" 2 'no kernel none' gemm -k none -o x
refuses "too few arguments" 2 '6 parameters, 1 --arg' "$T" ptx "$P" --arg u32:1 -o x
refuses "an argument of another width" 2 '8 bytes, not 4' "$T" ptx "$P" -o x --arg u32:1 --arg u32:1 --arg u32:1 --arg u32:1 --arg u32:1 --arg u32:1
refuses "an argument without a type" 2 'use buf:SIZE' "$T" ptx "$P" -o x --arg 1 --arg u32:1 --arg u32:1 --arg u32:1 --arg u32:1 --arg u32:1
refuses "a grid that is none" 2 'X,Y,Z' gemm --grid 1,2,3,4 -o x
refuses "an sm that is not known" 2 'sm_90' gemm --sm 90 -o x
refuses "an access out of range" 2 'gemm.ptx:[0-9]+: kernel gemm, block .*out of range' "$T" ptx "$P" --grid 4,16 --block 32,8 -o x \
	--arg buf:1KiB --arg buf:64KiB --arg buf:64KiB --arg u32:128 --arg f32:1 --arg f32:1
refuses "too many steps" 2 'more than 1000 warp instructions' gemm --max-steps 1000 -o x
refuses "options of ptx for a workload" 2 'takes no options of ptx' "$T" vecadd --grid 1 -o x
same "nothing is left of what was refused" "" "$(ls -A | grep -E '^(x|\.)' | head)"
finish
