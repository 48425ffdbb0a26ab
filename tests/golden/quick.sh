#!/usr/bin/env bash
# Quick replay beside full on kernels of our own; `make quick-against-full` runs all of them.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
check "cycles are near" bash tests/fidelity/kernels.sh "${CT_RELEASE%/bin}" product columns-few syr2k scattered gather-hot five
finish
