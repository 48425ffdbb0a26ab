# triage --budget: a thousandth of the trace of make long. The sample is chosen by counts and printed as options, which
# repeat the bytes.
. "$(dirname "$0")/lib.sh"
export PATH="${CT_VALGRIND:-$CT_RELEASE}:$PATH" # the sanitizers would take minutes
cd "$TMPDIR" || exit 1

"$CT_RELEASE/../tests/packed" -n 1e6 > t.ctz 2> told
check "the generator says how long the trace is" grep -q "^packed: [0-9]* warp instructions" told
"$CT_RELEASE/../tests/packed" -n 1e6 > again.ctz 2> /dev/null
check "and repeats it" cmp t.ctz again.ctz
check "and it is whole" traceinfo -q t.ctz

g="-g rtx3070 --scale 1/32 -O csv --no-provenance"
# shellcheck disable=SC2086
triage $g --budget 1s t.ctz > a 2> said
same "it says what it has chosen" 1 "$(grep -c -- "--sample-kernels [0-9.]* --seed 1 --method analytic --timing quick replays .* of .* million warp instructions: .* s by the rates" said)"
options=$(grep -o -- "--sample-kernels [0-9.]* --seed 1 --method analytic --timing quick" said)
# shellcheck disable=SC2086
triage -q $g $options t.ctz > b
same "the options repeat the output" "$(cat a)" "$(cat b)"
check "what is not measured so says it" grep -q "unknown.*not measured with --method analytic" a
# shellcheck disable=SC2086
same "on two threads too" "$(cat a)" "$(triage -q -@ 2 $g --budget 1s t.ctz 2> /dev/null)"
# shellcheck disable=SC2086
triage $g --method analytic --budget 1h t.ctz > a 2> said
check "much time is enough for all" grep -q -- "--sample-kernels 1 .*, the whole trace fits: .* triage(1)" said
# shellcheck disable=SC2086
same "which is as without a budget" "$(triage -q $g --method analytic t.ctz)" "$(cat a)"

tracecat -q -O accelsim t.ctz -o text
triage -O csv --budget 60s text > a 2> said
same "text has no index" "2 1" "$? $(grep -c "has no index .* tracecat" said)"
check "and an input without a row has no head" test ! -s a
refuses "no time" 2 "give a time, as in 60s" triage --budget soon t.ctz
refuses "none" 2 "give a time" triage --budget 0s t.ctz
refuses "two choices" 2 "leave out --sample-kernels" triage --budget 1s --sample-kernels 0.5 t.ctz
refuses "replays" 2 "leave out --method replay" triage --budget 1s --method replay t.ctz
finish
