#!/bin/bash
# kernels.sh BUILD [NAME...]: quick replay beside full on kernels of our own (kernels.txt, all or those named), on five
# GPUs. Fails when quick's cycles are off by more than 15 %, in rows of kernels-apart.tsv by more than is said there.
build=$1
shift
here=$(dirname "$0")
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
printf 'trace\tfolder\tconfig\tmost\n' >"$tmp/rows.tsv"
while read -r name kernel grid block arguments; do
	[[ $name == \#* ]] && continue
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	args=()
	for a in $arguments; do args+=(--arg "$a"); done
	"$build/bin/tracegen" ptx "$here/kernels.ptx" -k "$kernel" --grid "$grid" --block "$block" "${args[@]}" \
		-q -o "$tmp/$name.ctz" || exit 2
	for gpu in rtx2060 rtx3080 fermi-15 rtx2060-third v100; do
		printf '%s\t%s.ctz\t%s\t%s\n' "$name" "$name" "$gpu" \
			"$(awk -v n="$name" -v g="$gpu" '$1 == n && $2 == g { print $3 }' "$here/kernels-apart.tsv")"
	done >>"$tmp/rows.tsv"
done <"$here/kernels.txt"
"$build/tests/fidelity" timings "$tmp/rows.tsv" none "$tmp"
