#!/bin/bash
# run.sh BUILD [compare|pairs|ours|check] [-s SUBSTRING]: our counts and cycles beside the
# reference simulator's; without a verb, rows and pairs. Skips where the shared reference
# is absent.
build=$1
verb=${2:-all}
shift
[ $# -gt 0 ] && shift
root=${CT_ROOT:-$PWD}
shared=$root/../shared
reference=$shared/reference
if [ ! -d "$reference" ]; then
	echo "fidelity: skipped: no $reference"
	exit 0
fi
run() { "$build/tests/fidelity" "$@" "$reference/configs" "$shared"; }
case $verb in
all) run compare "$@" "$reference/accelsim.tsv" && echo && run pairs "$@" "$reference/pairs.tsv" ;;
pairs) run pairs "$@" "$reference/pairs.tsv" ;;
check) run check "$@" "$root/tests/fidelity/expected.tsv" ;;
*) run "$verb" "$@" "$reference/accelsim.tsv" ;;
esac
