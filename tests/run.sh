#!/usr/bin/env bash
# Runs every test and counts. Each test program prints TAP lines ("ok N - name",
# "not ok N - name", "ok N - name # SKIP why").
#   run.sh RELEASE_BUILD SANITIZED_BUILD [NAME...]
# Unit tests and fuzz corpora run from the sanitized build; golden tests get both
# (CT_BIN = sanitized commands, CT_RELEASE = plain ones).
set -u
cd "$(dirname "$0")/.."
release=$PWD/$1
san=$PWD/$2
shift 2
export CMOCKA_MESSAGE_OUTPUT=TAP LC_ALL=C CT_ROOT=$PWD CT_BIN=$san/bin CT_RELEASE=$release/bin
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
logs=$san/test-logs
rm -rf "$logs"
mkdir -p "$logs"

wanted() { # NAME PATTERN... : no pattern wants everything
	local name=$1 p
	shift
	[ $# -eq 0 ] && return 0
	for p; do [[ $name == *"$p"* ]] && return 0; done
	return 1
}

jobs=()
# The long ones first: at the end there are short ones for every core.
for f in tests/golden/*.sh; do
	n=$(basename "$f" .sh)
	[ -e "$f" ] && [ "$n" != lib ] && wanted "$n" "$@" && jobs+=("golden_$n|bash $f")
done
for f in tests/unit/*.c; do
	n=$(basename "$f" .c)
	[ -e "$f" ] && wanted "$n" "$@" && jobs+=("$n|$san/tests/$n")
done
for f in tests/fuzz/fuzz_*.c; do
	n=$(basename "$f" .c)
	# A run of the engine takes a hundred times as long as that of a parser.
	some=$([ "$n" = fuzz_replay ] && echo "-m 12")
	[ -e "$f" ] && wanted "$n" "$@" && jobs+=("$n|$san/tests/$n $some tests/fuzz/corpus/${n#fuzz_}")
done

run_one() {
	local name=${1%%|*} cmd=${1#*|} rc
	TMPDIR=$(mktemp -d) || exit 1
	export TMPDIR
	timeout "${CT_TIMEOUT:-600}" $cmd >"$logs/$name.log" 2>&1 </dev/null
	rc=$?
	rm -rf "$TMPDIR"
	echo "$rc" >"$logs/$name.rc"
}
export -f run_one
export logs
[ ${#jobs[@]} -gt 0 ] && printf '%s\n' "${jobs[@]}" | xargs -d '\n' -P "$(nproc)" -I{} bash -c 'run_one "$1"' _ {}

passed=0 failed=0 skipped=0
for j in "${jobs[@]}"; do
	name=${j%%|*}
	log=$logs/$name.log
	# cmocka 1.1.5 says "not ok N # SKIP name" of a test that skips.
	s=$(grep -cE '^(not )?ok .*# SKIP' "$log")
	p=$(grep -E '^ok ' "$log" | grep -vc '# SKIP')
	f=$(grep -E '^not ok ' "$log" | grep -vc '# SKIP')
	rc=$(cat "$logs/$name.rc" 2>/dev/null || echo 255)
	# A program that dies without saying "not ok" has failed all the same.
	if [ "$rc" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
	if [ $((p + f + s)) -eq 0 ]; then
		f=1
		echo "$name: no test ran" >>"$log"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ "$f" -ne 0 ]; then
		echo "== $name: $f failed (exit $rc)"
		grep -vE '^ok ' "$log" | tail -40
	elif [ "$s" -ne 0 ]; then
		grep -E '^(not )?ok .*# SKIP' "$log" | sed -E "s/^(not )?ok [0-9]* *-* */$name: skipped: /"
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
