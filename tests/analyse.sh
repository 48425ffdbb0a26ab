#!/usr/bin/env bash
# Static analysis: analyse.sh [FILE...]  (default: all of lib, models and tools)
# Runs those of cppcheck, clang-tidy and gcc -fanalyzer that are installed; ends with 1 if one of them
# has something to say. What they are not to say is in .clang-tidy and tests/cppcheck.supp, and at
# the line itself, with the reason. TOOLS="cppcheck tidy analyzer" chooses.
set -u
cd "$(dirname "$0")/.."
tools=${TOOLS:-cppcheck tidy analyzer}
[ $# -gt 0 ] || set -- lib/*/*.c models/*/*.c tools/*.c tools/*/*.c tools/tracegen/capture/*.c
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -DCT_VERSION=\"0\" -DCT_DATADIR=\"data\"
 -DCT_LIBDIR=\"lib\" -Ilib -I. -Itools $(pkg-config --cflags libzstd libpcre2-8 gsl liblzma zlib)"
export flags
out=build/analyse rc=0
mkdir -p $out
say() { # NAME LOG: whether the log is empty
	if [ -s "$2" ]; then
		echo "$1 has something to say:"
		head -100 "$2"
		rc=1
	else
		echo "$1: nothing to say"
	fi
}
has() { [[ " $tools " == *" $1 "* ]] && { command -v "$2" >/dev/null 2>&1 || { echo "$2 is not installed" && false; }; }; }

if has cppcheck cppcheck; then
	# Headers of the system are not read: what they declare is known to it.
	cppcheck -q -j "$(nproc)" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		-D__GNUC__=12 -D_POSIX_C_SOURCE=200809L -Ilib -I. -Itools --suppressions-list=tests/cppcheck.supp "$@" \
		>$out/cppcheck.log 2>&1
	say cppcheck $out/cppcheck.log
fi
# One file a process: with several its analyzer mixes up their va_lists.
if has tidy clang-tidy; then
	printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} nice -n 5 sh -c 'clang-tidy --quiet {} -- $flags 2>/dev/null' >$out/tidy.log
	say clang-tidy $out/tidy.log
fi
if has analyzer gcc; then
	printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} sh -c \
		'gcc $flags -O1 -fanalyzer -Wno-analyzer-too-complex -S -o /dev/null {} 2>&1' >$out/analyzer.log
	say "gcc -fanalyzer" $out/analyzer.log
fi
exit $rc
