#!/usr/bin/env bash
# The threaded parts under ThreadSanitizer: tsan.sh BUILD [quick|few]
# Unit tests that start threads, then commands with -@ 4 on generated and packed traces: the reader's
# decompression thread, SMs side by side, streams side by side, replays side by side, triage's pool of inputs.
set -u
cd "$(dirname "$0")/.."
build=$PWD/$1 quick=${2:-}
export TSAN_OPTIONS=halt_on_error=1:exitcode=66:second_deadlock_stack=1 LC_ALL=C CT_ROOT=$PWD
TMPDIR=$(mktemp -d) && export TMPDIR || exit 1
trap 'rm -rf "$TMPDIR"' EXIT
failed=0 n=0

run() { # NAME COMMAND...
	local name=$1 rc
	shift
	n=$((n + 1))
	"$@" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null
	rc=$?
	# 1 is an answer (a verdict, a damaged trace); anything else is not.
	if [ $rc -le 1 ] && ! grep -q 'WARNING: ThreadSanitizer' "$TMPDIR/err"; then
		echo "ok $n - $name"
	else
		failed=1
		echo "not ok $n - $name (exit $rc)"
		head -60 "$TMPDIR/err"
	fi
}

bin=$build/bin t=$TMPDIR/t
if [ "$quick" = few ]; then # CI: every kind of thread once, of a build of two commands
	packed=tests/fuzz/corpus/ctzfile/vecadd
	for u in test_base test_source; do run "$u" "$build/tests/$u"; done
	run "tracecat unpacks" "$bin/tracecat" "$packed" -O accelsim -o "$t"
	for in in "$t" "$packed"; do
		run "mpki -@ 4 of ${in##*/}" "$bin/mpki" -@ 4 -g rtx3070 --scale 1/8 "$in" -O profile -o "$TMPDIR/p"
	done
	run "mpki -@ 3 shares SMs" "$bin/mpki" -@ 3 -g rtx3070 "$packed" -O profile -o "$TMPDIR/p"
	run "mpki --explain -@ 4" "$bin/mpki" --explain -@ 4 -g rtx3070 --scale 1/8 "$t" -O profile -o "$TMPDIR/p"
	exit $failed
fi
for u in test_base test_source test_stack test_observer test_cta test_lanes test_replay_team test_ptx_team; do
	[ -x "$build/tests/$u" ] && run "$u" "$build/tests/$u"
done
run "tracegen" "$bin/tracegen" vecadd --size small -o "$t"
run "tracecat packs" "$bin/tracecat" "$t" -o "$t.ctz"
for in in "$t" "$t.ctz"; do
	run "reuse -@ 4 of ${in##*/}" "$bin/reuse" -@ 4 -g rtx3070 --scale 1/8 "$in" -O profile -o "$TMPDIR/p"
done
run "traceinfo -@ 4" "$bin/traceinfo" -@ 4 "$t"
run "triage -@ 4 of traces" "$bin/triage" -@ 4 -g rtx3070 --scale 1/8 "$t" "$t.ctz" "$TMPDIR/p"
[ -z "$quick" ] || exit $failed
for m in morpheus-est sharedl1-est tsc-est malekeh-est; do
	run "$m -@ 4 --method replay" "$bin/$m" -@ 4 -g rtx3070 --scale 1/8 --method replay "$t"
done
run "mpki --explain -@ 4" "$bin/mpki" --explain -@ 4 -g rtx3070 --scale 1/8 "$t"
run "reuse --mechanisms all -@ 4" "$bin/reuse" --mechanisms all -@ 4 -g rtx3070 --scale 1/8 "$t" -O profile -o "$TMPDIR/p4"
run "reuse --sample -@ 4" "$bin/reuse" --sample 0.1 -@ 4 -g rtx3070 --scale 1/8 "$t" -O profile -o "$TMPDIR/p5"
exit $failed
