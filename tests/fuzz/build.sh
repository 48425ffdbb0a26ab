#!/usr/bin/env bash
# Builds fuzz targets for an engine: build.sh libfuzzer|afl FOLDER [TARGET...]
# The same sources serve both: afl-clang-fast takes libFuzzer's entry point (persistent mode).
# CC_PREFIX=ccache goes in front of the compiler.
set -eu
cd "$(dirname "$0")/../.."
engine=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed 's/\.c$//')
checks="address,undefined,float-cast-overflow"
case $engine in
libfuzzer) cc="${CC_PREFIX:-} clang" cover="-fsanitize=fuzzer-no-link,$checks" ;;
afl) cc=afl-clang-fast cover="-fsanitize=$checks" ;;
*) echo "build.sh: $engine: neither libfuzzer nor afl" >&2 && exit 2 ;;
esac
make --no-print-directory -s -j"${JOBS:-1}" BUILD="$out" CC="$cc" CAPTURE= CFLAGS="-g -O1" \
	SANFLAGS="$cover -fno-sanitize-recover=all -fno-omit-frame-pointer" "${@/#/$out/engine/}"
# The mutator that fuzz_ctzfile has under libFuzzer, for AFL++ (campaign.sh loads it).
if [ "$engine" = afl ]; then
	clang -shared -fPIC -O1 -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -I. \
		-o "$out/engine/fuzz_ctzfile.so" tests/fuzz/driver/afl_ctz.c tests/support/ctz_mutate.c lib/base/*.c lib/trace/*.c \
		$(pkg-config --cflags --libs libzstd libpcre2-8 liblzma zlib) -pthread -lm
fi
