# A few random CUDA programs print what the host's compiler says; make random-programs runs two hundred.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
echo 'int main() { return 0; }' >empty.cu
if ! "$CT_RELEASE/ctcc" -o empty empty.cu 2>ctcc.txt || [ ! -x "$CT_RELEASE/../tests/random" ]; then
	skip "random programs" "ctcc, clang or build/tests/random is not here: $(head -n 1 ctcc.txt)"
	finish
fi
same "random programs, two of them by other ways" "4 programs, 0 differ" "$(bash "$CT_ROOT/tests/random/run.sh" "$CT_RELEASE/.." 4 2>&1)"
same "the same number gives the same program" "$("$CT_RELEASE/../tests/random" 7 | cksum)" "$("$CT_RELEASE/../tests/random" 7 | cksum)"
printf '#!/bin/sh\necho other\n' >wrong
chmod +x wrong
mkdir -p b/bin b/tests
cp "$CT_RELEASE/../tests/random" b/tests/
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp %s/wrong "$2"\n' "$PWD" >b/bin/ctcc
chmod +x b/bin/ctcc
same "a program that prints something else is told" "1 programs, 1 differ" "$(bash "$CT_ROOT/tests/random/run.sh" b 1 2 2>&1 | tail -n 1)"
same "with its number, and kept" "p.c" "$(basename "$(ls b/random/2/p.c)")"
finish
