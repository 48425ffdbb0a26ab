# Programs that compile their kernels while they run: linked as CUDA's are, whatever finds the compiler, and captured.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
T=$CT_BIN/tracegen
want=$'saxpy<float> _Z5saxpyIfEvPT_S0_i: 0 wrong\nsaxpy<unsigned short> _Z5saxpyItEvPT_S0_i: 0 wrong'
found=
for clang in clang-19 clang-14; do
	command -v $clang >/dev/null 2>&1 || { skip "$clang compiles" "$clang is not installed"; continue; }
	found=$clang
	export CTCC_CLANG=$clang
	# Of the plain build: a run-time library with sanitizers needs them in the program, too.
	check "$clang: a program of NVRTC" "$CT_RELEASE/ctcc" -O2 -o saxpy "$CT_ROOT/tests/cuda/nvrtc.cpp" -lnvrtc -lcuda
	mkdir -p own
	same "$clang: its kernels compute what the host does" "$want" "$(TMPDIR=$PWD/own ./saxpy)"
	same "$clang: nothing is left behind" "" "$(ls own)"
done
[ -n "$found" ] || finish
check "its kernels are captured" "$T" capture -o s.ctz -- ./saxpy
same "by their names" "_Z5saxpyIfEvPT_S0_i _Z5saxpyItEvPT_S0_i" \
	"$("$CT_BIN/traceinfo" -q -O profile s.ctz | awk -F'\t' '$1 == "KN" {printf "%s%s", n++ ? " " : "", $3}')"
printf '#!/bin/sh\necho ours >>%s/asked\nexec %s "$@"\n' "$PWD" "$CT_RELEASE/ctcc" >my-ctcc
chmod +x my-ctcc
same "the compiler may be named" "$want" "$(CACHETRIAGE_CTCC=$PWD/my-ctcc ./saxpy)"
same "and is asked for each program" 2 "$(wc -l <asked)"
same "a program that does not care for its children" "$want" "$(trap '' CHLD; exec ./saxpy)"
finish
