# Memory follows the lines touched and the CTAs on the GPU, not the length of the trace.
. "$(dirname "$0")/lib.sh"
export PATH="$CT_RELEASE:$PATH"
cd "$TMPDIR" || exit 1

# 64 MiB of address space, code and libraries included, for 1.5 million warp instructions.
tracegen -q workingset --footprint 256KiB --passes 24 -o long
insts=$(traceinfo -O profile long | awk -F'\t' '$1=="SN" && $2=="all" && $3=="warp_insts" { print $4 }')
check "a long trace of few lines" test "$insts" -ge 1000000
check "is replayed in 64 MiB" bash -c 'ulimit -v 65536 && reuse -q --no-sms-views --scale 1/8 long -o p'
same "to its end" "$insts" "$(awk -F'\t' '$1=="SN" && $2=="all" && $3=="warp_insts" { print $4 }' p)"
finish
