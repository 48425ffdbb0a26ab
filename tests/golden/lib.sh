# Sourced by the golden tests: small TAP helpers around whole commands.
# CT_BIN: commands under test; CT_RELEASE: the plain build; CT_ROOT: the project.
set -u
CT_SHARED=$(cd "$CT_ROOT/../shared" 2>/dev/null && pwd)
ct_n=0
# Tests read tables: all columns, whatever the screen. tables.sh and terminal.sh ask about narrow ones.
shopt -u checkwinsize
export COLUMNS=1000

pass() { ct_n=$((ct_n + 1)); echo "ok $ct_n - $1"; }
fail() {
	ct_n=$((ct_n + 1))
	echo "not ok $ct_n - $1"
	shift
	for line in "$@"; do printf '# %s\n' "$line"; done
}
skip() { ct_n=$((ct_n + 1)); echo "ok $ct_n - $1 # SKIP $2"; }

# check NAME COMMAND...: passes when the command exits 0 (its output shown if not).
check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then pass "$name"; else fail "$name" "$*" "$out"; fi
}

# same NAME WANT GOT: passes when the two texts are equal.
same() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "wanted: $(printf %s "$2" | head -c 400)" "got:    $(printf %s "$3" | head -c 400)"
	fi
}

# refuses NAME STATUS PATTERN COMMAND...: the command exits with STATUS (or one of
# "1|2"), prints nothing on standard output and exactly one line on standard error
# that matches the extended regular expression PATTERN.
refuses() {
	local name=$1 want=$2 pattern=$3 out err rc
	shift 3
	err=$("$@" 2>&1 >"$TMPDIR/refuses.out" </dev/null)
	rc=$?
	out=$(head -c 200 "$TMPDIR/refuses.out")
	if ! [[ $rc =~ ^($want)$ ]]; then fail "$name" "exit $rc, wanted $want: $*" "$err"
	elif [ -n "$out" ]; then fail "$name" "standard output: $out"
	elif [ "$(printf '%s\n' "$err" | wc -l)" -ne 1 ]; then fail "$name" "not one line: $err"
	elif ! printf '%s\n' "$err" | grep -qE -- "$pattern"; then fail "$name" "no match for $pattern: $err"
	else pass "$name"; fi
}

# needs_shared NAME: true where ../shared is there; else skips NAME with a message.
needs_shared() {
	[ -n "$CT_SHARED" ] && return 0
	skip "$1" "../shared is not here"
	return 1
}

finish() { echo "1..$ct_n"; exit 0; }

# The path of a command that leaves the GPU whole, for what a test asks about the GPU as it is: unscaled NAME.
unscaled() {
	mkdir -p "$TMPDIR/unscaled" && printf '#!/bin/sh\nexec "%s" --scale 1 "$@"\n' "$CT_BIN/$1" >"$TMPDIR/unscaled/$1" &&
		chmod +x "$TMPDIR/unscaled/$1" && echo "$TMPDIR/unscaled/$1"
}

# The kernels of a library that this project has itself, in a folder of data: each file has its PTX, and clang 19 makes it of the source.
kernels_compiled() {
	local f folder=$CT_ROOT/data/$1 stale=
	same "every file of kernels has its PTX, and no other is there" "$(ls "$folder"/*.cu | sed 's/\.cu$//')" "$(ls "$folder"/*.ptx | sed 's/\.ptx$//')"
	command -v clang-19 >/dev/null 2>&1 || { skip "the PTX is what clang 19 makes" "no clang-19"; return; }
	# The smallest file stands for all, which take 23 CPU seconds for the three libraries; CT_ALL_KERNELS=1 compiles all.
	for f in $(ls -Sr "$folder"/*.cu | if [ -n "${CT_ALL_KERNELS:-}" ]; then cat; else head -n 1; fi); do
		CTCC_CLANG=clang-19 "$CT_RELEASE/ctcc" -std=c++17 -ptx -arch=sm_70 -o "$TMPDIR/new.ptx" "$f" && cmp -s "$TMPDIR/new.ptx" "${f%.cu}.ptx" ||
			stale="$stale $(basename "$f")"
	done
	same "the PTX is what clang 19 makes (make workloads)" "" "$stale"
}
