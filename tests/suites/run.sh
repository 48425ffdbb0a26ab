# Compiles the programs of programs.tsv with ctcc, as they are in checkouts of their suites, runs each, and prints a row a program
# (make suites). Columns: whether it compiles; its status; whether its own check passes (- where it has none); CPU seconds
# of the run; and the last line of what went wrong.
#     POLYBENCH=DIR RODINIA=DIR HECBENCH=DIR [ONLY=NAME] [LIMIT=SECONDS] bash tests/suites/run.sh BUILD
# Of HeCBench (HECBENCH) each is made by its own makefile, with ctcc as its compiler, and run as hecbench_runs.tsv has it.
# The suites are not part of this repository. Programs run in a copy of the checkout, in which inputs.sh makes Rodinia's data.
set -u
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$(cd "$1" && pwd)/bin:$PATH
[ -n "${POLYBENCH:-}${RODINIA:-}${HECBENCH:-}" ] || { echo "suites: set POLYBENCH, RODINIA or HECBENCH to checkouts" >&2; exit 2; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$here/inputs.sh"
. "$here/hecbench_inputs.sh"

why() { # LOG: its first error, or else its last line
	{ grep -m 1 -iE '^ctcc: |error|undefined|not found' "$1" || grep . "$1" | tail -n 1; } | tr '\t' ' ' | cut -c 1-160
}

# Of a program that compiles: how it ended, whether its check passes, CPU seconds, and what was wrong.
end_row() { # STATUS PASSES
	printf '\t%s\t%s\t%.0f\t%s\n' "$1" "$2" "$(tail -n 1 "$work/time")" "$([ "$1" = 0 ] && [ "$2" != no ] || why "$work/out")"
}

run() { # SUITE NAME FOLDER COMPILE ARGUMENTS CHECK
	local status passes=- TIMEFORMAT='%U'
	cd "$work/$1/$3" || return
	# shellcheck disable=SC2086
	if ! ctcc -O3 -w -o "$work/program" $4 >"$work/log" 2>&1; then
		printf '%s\t%s\tno\t-\t-\t-\t%s\n' "$1" "$2" "$(why "$work/log")"
		return
	fi
	[ "$5" != - ] || set -- "$1" "$2" "$3" "$4" "" "$6"
	# shellcheck disable=SC2086
	{ time timeout "${LIMIT:-1800}" "$work/program" $5 </dev/null >"$work/out" 2>&1; echo $? >"$work/status"; } 2>"$work/time"
	status=$(cat "$work/status")
	if [ "$6" != - ]; then # what it says, and behind ' !' what it must not say
		grep -qaE -e "${6%% !*}" "$work/out" && passes=yes || passes=no
		[[ $6 != *" !"* ]] || ! grep -qaE -e "${6#* !}" "$work/out" || passes=no
	fi
	printf '%s\t%s\tyes' "$1" "$2"
	end_row "$status" $passes
}

# Runs a program of HeCBench where it was made, as its line of hecbench_runs.tsv has it, and ends its row.
run_made() { # COMMANDS CHECK
	local status=0 passes=- TIMEFORMAT='%U' good=$2 bad='^$^'
	[ "$2" != + ] || good='PASS|[Pp]assed|^Pass|[Ss]uccess|SUCCESS|results match|returned OK|^OK$' bad='FAIL|[Tt]est failed|Mismatch of'
	{ time timeout "${LIMIT:-600}" bash -c "set -e; $1" </dev/null >"$work/out" 2>&1 || status=$?; } 2>"$work/time"
	[ "$2" = - ] || { grep -qaE -e "$good" "$work/out" && ! grep -qaE -e "$bad" "$work/out" && passes=yes || passes=no; }
	end_row "$status" $passes
}

# A program of HeCBench in a copy of its folder, beside those that its makefile names.
make_one() { # FOLDER
	local name=${1##*/} edits commands check edit arch=sm_70
	cd "$1" || return
	IFS=$'\t' read -r _ edits commands check < <(grep -P "^${name%-cuda}\t" "$here/hecbench_runs.tsv")
	[ "${edits:--}" != - ] || edits=
	while [ -n "$edits" ]; do # FILE:SCRIPT, or ARCH=..., with ' && ' between them
		edit=${edits%% && *}
		[[ $edits == *' && '* ]] && edits=${edits#* && } || edits=
		case $edit in
		ARCH=*) arch=${edit#ARCH=} ;;
		*) sed -E -i "${edit#*:}" "${edit%%:*}" ;;
		esac
	done
	make -s clean >/dev/null 2>&1
	if ! timeout "${LIMIT:-600}" make -s CC=ctcc ARCH=$arch EXTRA_CFLAGS=-w >"$work/log" 2>&1 </dev/null; then
		printf 'H\t%s\tno\t-\t-\t-\t%s\n' "$name" "$(why "$work/log")"
	elif [ "${commands:--}" = - ]; then
		printf 'H\t%s\tyes\t-\t-\t-\t\n' "$name"
	else
		printf 'H\t%s\tyes' "$name"
		run_made "$commands" "$check"
	fi
}

for suite in P R; do
	[ $suite = P ] && from=${POLYBENCH:-} || from=${RODINIA:-}
	[ -z "$from" ] || { cp -r "$from/." "$work/$suite" && chmod -R u+w "$work/$suite"; } || exit 1
	[ $suite = P ] || [ -z "$from" ] || make_rodinia_inputs "$work/R"
done
printf 'suite\tprogram\tcompiles\tstatus\tcheck\tcpu_s\twhy\n'
[ -z "${HECBENCH:-}" ] || { cp -r "$HECBENCH/src" "$work/H" && chmod -R u+w "$work/H" && make_hecbench_inputs "$work/H"; } || exit 1
for folder in "$work"/H/*-cuda; do
	[ -d "$folder" ] && [[ -z "${ONLY:-}" || ${folder##*/} == "$ONLY" ]] || continue
	(make_one "$folder")
done
grep -v '^#' "$here/programs.tsv" | while IFS=$'\t' read -r suite name folder compile arguments check; do
	[ -d "$work/$suite" ] && [[ -z "${ONLY:-}" || $name == "$ONLY" ]] || continue
	(run "$suite" "$name" "$folder" "$compile" "$arguments" "$check")
done
