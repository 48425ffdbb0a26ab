#!/usr/bin/env bash
# Runs every fuzz target under libFuzzer: run.sh SECONDS [TARGET...]
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
out=build/fuzz
mkdir -p $out
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -I. -Itools -g -O1
 -DCT_VERSION=\"fuzz\" -DCT_DATADIR=\"data\" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -pthread"
pk="$(pkg-config --cflags --libs libzstd libpcre2-8 gsl liblzma zlib) -lm"
for f in tests/fuzz/fuzz_*.c; do
	n=$(basename "$f" .c)
	if [ $# -gt 0 ] && [[ " $* " != *" $n "* ]]; then continue; fi
	# shellcheck disable=SC2086
	clang $flags -o "$out/$n" "$f" lib/*/*.c models/*/*.c $pk
	mkdir -p "$out/corpus-$n" "tests/fuzz/corpus/${n#fuzz_}"
	echo "== $n"
	(cd $out && "./$n" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 \
		"corpus-$n" "../../tests/fuzz/corpus/${n#fuzz_}" 2>&1 | grep -E 'stat::number|ERROR|SUMMARY|Test unit' )
done
