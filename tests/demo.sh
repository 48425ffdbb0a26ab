#!/bin/sh
# Runs the main pipe on a generated trace and says what each step is for.
#   demo.sh BUILD
set -eu
bin=$(cd "$1/bin" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cachetriage-demo.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
PATH=$bin:$PATH

say() { printf '\n== %s\n' "$1"; }
show() { printf '   $ %s\n' "$1"; }

say "tracegen runs a GPU program that reads 9 MiB three times and writes its trace"
show "tracegen workingset --size medium --footprint 9MiB --stride 32 --passes 3 -o trace"
tracegen workingset --size medium --footprint 9MiB --stride 32 --passes 3 -o "$tmp/trace"

say "reuse measures reuse distances in one pass over the trace; replicate adds how often the
   L1 caches hold copies; morpheus-est asks whether idle SMs, used as more last-level cache
   (5 MiB in this GPU), would make the program faster"
show "reuse trace/kernelslist.g | replicate | morpheus-est -O table"
reuse "$tmp/trace/kernelslist.g" | replicate | morpheus-est -O table
