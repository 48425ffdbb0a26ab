#!/usr/bin/env bash
# Static analysis: analyse.sh [FILE...]  (default: all of lib, models and tools)
# Runs those of cppcheck, clang-tidy and gcc -fanalyzer that are installed; ends with 1 if one of them
# has something to say. What they are not to say is in .clang-tidy, tests/cppcheck.supp and
# tests/analyzer.supp, and at the line itself, with the reason. TOOLS="cppcheck tidy analyzer clang" chooses;
# clang, its analyzer, takes hours over the tree and has not been read through yet.
# Goes on where it stopped: a file of which a tool had nothing to say has a stamp in build/analyse, the
# checksum of all that it was made from, and is not looked at again until that changes.
set -u
cd "$(dirname "$0")/.."
tools=${TOOLS:-cppcheck tidy analyzer}
[ $# -gt 0 ] || set -- lib/*/*.c models/*/*.c tools/*.c tools/*/*.c tools/*/*/*.c
flags="-std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -DCT_VERSION=\"0\" -DCT_DATADIR=\"data\"
 -DCT_LIBDIR=\"lib\" -Ilib -I. -Itools $(pkg-config --cflags libzstd libpcre2-8 gsl liblzma zlib)"
out=build/analyse rc=0
export flags out
mkdir -p $out/cppcheck

# clang's analyzer takes fifty times as long as the rest of clang-tidy, so it is a tool of its own.
run_tidy() { clang-tidy --quiet --checks='-clang-analyzer-*' "$1" -- $flags 2>/dev/null; }
run_clang() {
	local checks
	checks=$(sed -n '/^Checks/,/^[A-Z]/p' .clang-tidy | grep -o -- '-*clang-analyzer-[A-Za-z.*]*' | tr '\n' ,)
	clang-tidy --quiet --checks="-*,$checks" "$1" -- $flags 2>/dev/null
}
run_analyzer() {
	# Where a warning was inlined from stands in front of it, and is left out.
	gcc $flags -O1 -fanalyzer -Wno-analyzer-too-complex -S -o /dev/null "$1" 2>&1 | awk -F'\t' '
		BEGIN { said = 1 }
		FNR == NR { if ($0 !~ /^#/) known[++n] = $0; next }
		/error: / { said = 0 }
		/^In file included|^In function|^    inlined from|: In function / { said = 1 }
		/warning: .*\[-Wanalyzer-/ {
			split($0, at, ":")
			id = $0; sub(/.*\[-Wanalyzer-/, "", id); sub(/\]$/, "", id)
			text = $0
			if (at[2] + 0 > 0) for (i = 0; i < at[2] && (getline text <at[1]) > 0;) i++
			close(at[1])
			said = 0
			for (i = 1; i <= n; i++) {
				split(known[i], s, "\t")
				said = said || (s[1] == at[1] && s[2] == id && index(text, s[3]))
			}
		}
		!said' tests/analyzer.supp -
}

conf() { if [ "$1" != analyzer ]; then echo .clang-tidy; fi; }

# one TOOL FILE: says what the tool says, or leaves a stamp.
one() {
	local stamp=$out/$1/$2 key
	# shellcheck disable=SC2046,SC2086
	key=$({ echo "$flags" && cat $(conf "$1") $(gcc $flags -MM "$2" | sed 's/^[^:]*://; s/\\$//'); } | cksum)
	if [ -e "$stamp.ok" ] && [ "$(cat "$stamp.ok")" = "$key" ]; then return; fi
	mkdir -p "$(dirname "$stamp")"
	rm -f "$stamp.ok"
	if "run_$1" "$2" >"$stamp.log" && [ ! -s "$stamp.log" ]; then
		echo "$key" >"$stamp.ok"
		rm -f "$stamp.log"
	elif [ ! -s "$stamp.log" ]; then
		echo "$2: $1 failed" >"$stamp.log"
	fi
}
export -f one conf run_tidy run_clang run_analyzer

say() { # NAME LOG: whether the log is empty
	if [ -s "$2" ]; then
		echo "$1 has something to say:"
		head -100 "$2"
		rc=1
	else
		echo "$1: nothing to say"
	fi
}
each() { # NAME TOOL FILE...: one file a process (with several, clang-tidy mixes up their va_lists)
	local name=$1 tool=$2
	shift 2
	printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'one "$1" "$2"' _ "$tool" {}
	for f; do cat "$out/$tool/$f.log" 2>/dev/null; done >"$out/$tool.log"
	say "$name" "$out/$tool.log"
}
has() { [[ " $tools " == *" $1 "* ]] && { command -v "$2" >/dev/null 2>&1 || { echo "$2 is not installed" && false; }; }; }

# Suppressions of lines that are gone.
while IFS=$'\t' read -r f _ text; do
	[[ $f == '#'* || $f == cc1 ]] || grep -qF -- "$text" "$f" || { echo "tests/analyzer.supp: $f has no line: $text"; rc=1; }
done <tests/analyzer.supp

if has cppcheck cppcheck; then
	# Headers of the system are not read: what they declare is known to it.
	cppcheck -q -j "${JOBS:-$(nproc)}" --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--cppcheck-build-dir=$out/cppcheck -D__GNUC__=12 -D_POSIX_C_SOURCE=200809L -Ilib -I. -Itools \
		--suppressions-list=tests/cppcheck.supp "$@" >$out/cppcheck.log 2>&1
	say cppcheck $out/cppcheck.log
fi
if has tidy clang-tidy; then each clang-tidy tidy "$@"; fi
if has clang clang-tidy; then each "clang's analyzer" clang "$@"; fi
if has analyzer gcc; then each "gcc -fanalyzer" analyzer "$@"; fi
exit $rc
