#!/usr/bin/env bash
# Golden runs under valgrind: valgrind.sh BUILD [GOLDEN...]; a GOLDEN may have arguments ('man reuse.1').
# The commands of BUILD (plain, with debug symbols) are replaced by ones that valgrind runs; an
# error or a lost block ends a command with 99, which no test expects, and is printed here.
set -u
cd "$(dirname "$0")/.."
build=$PWD/$1
shift
# Nothing was said of the examples of any page of section 1 or 5, or of cachetriage.7 ('man reuse.1'); those of
# triage.1 and mpki.1 take some ten minutes each.
# What covers every command and format in minutes; the rest takes hours under valgrind. faults: the commands of
# make faults on its small inputs, each once: every estimator by replay, --explain, --mechanisms, spilling,
# sampling, all outputs of report, triage with its workers.
[ $# -gt 0 ] || set -- bdi nvbit pattern tracecat traceinfo profile report slurm sample_kernels faults
export CT_FAULT_ONCE=1
command -v valgrind >/dev/null 2>&1 || { echo "valgrind is not installed"; exit 2; }
TMPDIR=$(mktemp -d) && export TMPDIR || exit 1
trap 'rm -rf "$TMPDIR"' EXIT
mkdir -p "$TMPDIR/w/bin" "$TMPDIR/log"
for f in "$build"/bin/*; do
	cat >"$TMPDIR/w/bin/${f##*/}" <<-W
	#!/bin/sh
	exec valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --log-file=$TMPDIR/log/%p \\
		$f "\$@"
	W
	chmod +x "$TMPDIR/w/bin/${f##*/}"
done
export CACHETRIAGE_DATA=$PWD/data LC_ALL=C CT_ROOT=$PWD CT_BIN=$TMPDIR/w/bin CT_RELEASE=$build/bin
export CT_VALGRIND=$CT_BIN # for goldens that run the plain commands, since the sanitizers take too long
rc=0
for run; do
	read -r g arguments <<<"$run"
	mkdir -p "$TMPDIR/t"
	[ -f "tests/golden/$g.sh" ] || { rc=1; echo "not ok - $g: there is none"; continue; }
	# Out of memory and time limits are the business of other tests.
	TMPDIR=$TMPDIR/t bash "tests/golden/$g.sh" $arguments >"$TMPDIR/$g.log" 2>&1 </dev/null
	bad=$(find "$TMPDIR/log" -type f -size +0)
	if [ -n "$bad" ]; then
		rc=1
		echo "not ok - $run: valgrind has something to say"
		echo "$bad" | head -3 | xargs head -40
	elif runs=$(find "$TMPDIR/log" -type f | wc -l) && [ "$runs" -eq 0 ]; then
		rc=1
		echo "not ok - $run: nothing ran under valgrind"
	else
		echo "ok - $run: $runs runs"
	fi
	grep '^not ok' "$TMPDIR/$g.log" && rc=1
	rm -rf "$TMPDIR/t" "$TMPDIR"/log/*
done
exit $rc
