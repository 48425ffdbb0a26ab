#!/bin/bash
# quick.sh BUILD OUT [WORKLOAD...]: speed-ups by replays in quick timing beside those by full timing, to OUT/quick.tsv: of an L1
# and an LLC that never miss, and of the simpler systems that need no parts, each against the GPU as configured.
#
# Workloads: all bundled ones in size small, and the kernels of tests/fidelity (kernels.txt); or those that are named. GPUS: default
# rtx3080. What was measured stays in OUT and is not measured again; LIMIT: CPU seconds for a workload, 60. A copy of
# the table for 13 of them, two bundled ones and eleven kernels, is tests/verdicts/quick.tsv:
#     awk -f tests/verdicts/paired.awk tests/verdicts/quick.tsv
set -u
build=$1 out=$2
shift 2
here=$(dirname "$0")
export LC_ALL=C
mkdir -p "$out" || exit 2
wanted() { # NAME
	local w
	[ -z "$names" ] && return
	for w in $names; do [ "$w" = "$1" ] && return; done
	return 1
}
names=$*
for w in $("$build/bin/tracegen" --list | awk '{ print $1 }'); do
	wanted "$w" || continue
	[ -e "$out/$w.ctz" ] || "$build/bin/tracegen" "$w" --size small -q -o "$out/$w.ctz" || exit
done
while read -r name kernel grid block arguments; do
	[[ $name == \#* ]] && continue
	wanted "$name" || continue
	args=()
	for a in $arguments; do args+=(--arg "$a"); done
	[ -e "$out/$name.ctz" ] || "$build/bin/tracegen" ptx "$here/../fidelity/kernels.ptx" -k "$kernel" --grid "$grid" \
		--block "$block" "${args[@]}" -q -o "$out/$name.ctz" || exit
done <"$here/../fidelity/kernels.txt"
for gpu in ${GPUS:-rtx3080}; do
	for f in $(ls -Sr "$out"/*.ctz); do
		w=$(basename "$f" .ctz)
		wanted "$w" || continue
		[ -e "$out/$w@$gpu" ] ||
			(ulimit -t "${LIMIT:-60}"; "$build/tests/truth" -i "$gpu" data "$f" "$out/$w@$gpu.new" && mv "$out/$w@$gpu.new" "$out/$w@$gpu")
	done
done
{
	printf '#workload\tgpu\tsystem\tquick\tfull\n'
	for f in "$out"/*@*; do
		[[ $f == *.new ]] && continue
		n=$(basename "$f")
		awk -F'\t' -v OFS='\t' -v w="${n%@*}" -v gpu="${n#*@}" '
			NF < 6 { next }
			$1 == "-" && $3 == "-" { base[$5] = $6; next }
			{ key = ($1 == "-" ? "" : $1 ":") $3; if (!(key in at)) { at[key] = ++n; name[n] = key } }
			$5 == "quick" { set[key] = $4 }
			{ cycles[key, $4, $5] = $6 }
			END {
				for (i = 1; i <= n; i++) {
					k = name[i]
					q = cycles[k, set[k], "quick"]; f = cycles[k, set[k], "full"]
					if (q > 0 && f > 0 && q != "inf")
						printf "%s\t%s\t%s\t%.5g\t%.5g\n", w, gpu, k, base["quick"] / q, base["full"] / f
				}
			}' "$f"
	done
} >"$out/quick.tsv"
awk -f "$here/paired.awk" "$out/quick.tsv"
