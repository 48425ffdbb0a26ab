# A -p that would do nothing is an error, in every command, that names the nearest key or says who reads it.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
"$CT_RELEASE/tracegen" vecadd --size small -o vecadd >/dev/null
"$CT_RELEASE/reuse" -q --scale 1/8 --mechanisms all -o all vecadd

estimators=$("$CT_RELEASE/../lib/estimator" --commands)
for tool in mpki replicate lineutil reuse triage $estimators; do
	input=all
	[ $tool != reuse ] || input=vecadd
	refuses "$tool: a key that there is not" 2 "did you mean .l1\.size" "$CT_BIN/$tool" -p l1.siz=64KiB $input
	refuses "$tool: a model that there is not" 2 "unknown key .model\.x.: the nearest is " "$CT_BIN/$tool" -p model.x=1 $input
	refuses "$tool: a typo in a mechanism's key" 2 "unknown key morpheus\.typo: the nearest is morpheus\." "$CT_BIN/$tool" -p morpheus.typo=1 $input
	refuses "$tool: a name that is no prefix" 2 "tag-split\.chunk: did you mean tsc\.chunk" "$CT_BIN/$tool" -p tag-split.chunk=64 $input
	refuses "$tool: a value out of range" 2 "out of range" "$CT_BIN/$tool" -p tsc.private_bits=99 $input
done
for tool in mpki replicate lineutil reuse; do
	input=all
	[ $tool != reuse ] || input=vecadd
	refuses "$tool: a key that others read" 2 "$tool does not estimate .*: tsc-est and triage read it, and reuse --mechanisms tag-split" \
		"$CT_BIN/$tool" -p tsc.chunk=64 $input
done
for tool in $estimators; do
	for key in morpheus.ext_gbps=40 shared-l1.guard=0.2 tsc.hit_latency=2 malekeh.rthld=6; do
		prefix=${key%%.*}
		case $tool:$prefix in
		morpheus-est:morpheus | sharedl1-est:shared-l1 | tsc-est:tsc | malekeh-est:malekeh)
			check "$tool reads $key" "$CT_RELEASE/$tool" -q -o out -p $key all ;;
		*) refuses "$tool does not read $key" 2 "$prefix.*would do nothing here" "$CT_BIN/$tool" -p $key all ;;
		esac
	done
done
check "reuse reads the keys of what it measures" "$CT_RELEASE/reuse" -q --scale 1/8 --mechanisms tag-split -p tsc.chunk=64 -o out vecadd
refuses "but not of what it does not" 2 "would do nothing here" "$CT_BIN/reuse" --mechanisms malekeh -p tsc.chunk=64 vecadd
check "triage reads those of what it judges" "$CT_RELEASE/triage" -q -O profile -p tsc.hit_latency=2 -p shared-l1.guard=0.2 -o out all
refuses "but not of what it does not" 2 "would do nothing here" "$CT_BIN/triage" --mechanism malekeh -p tsc.hit_latency=2 all
refuses "a mechanism that needs no measuring" 2 "is estimated from the profile as it is" "$CT_BIN/reuse" --mechanisms morpheus vecadd
same "all of them is right, all the same" 0 "$("$CT_RELEASE/reuse" -q --scale 1/8 --mechanisms all vecadd | grep -c '^ES	all	morpheus')"
finish
