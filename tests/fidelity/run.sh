#!/bin/bash
# Prints our counts and cycles beside the reference simulator's. Further arguments go to
# the driver (-s SUBSTRING of trace/config).
build=$1
shift
root=${CT_ROOT:-$PWD}
reference=$root/../shared/reference
if [ ! -d "$reference" ]; then
	echo "fidelity: skipped: no $reference"
	exit 0
fi
exec "$build/tests/fidelity" "$@" "$reference" "$root/../shared"
