#!/bin/sh
# generate.sh BINDIR OUT [PREFIX]: completions for bash, zsh and fish of every command in BINDIR, from
# what --help prints of its option table; so they cannot drift from it.
#   OUT/bash/TOOL  OUT/zsh/_TOOL  OUT/fish/TOOL.fish
# PREFIX stands before the names of the installed commands.
set -eu
bin=$1 out=$2 prefix=${3:-}
data=$(cd "$(dirname "$0")/../data/gpus" && ls | sed -n 's/\.conf$//p' | paste -sd' ')
# the command names them where it is asked for one that there is not
mechanisms=$("$bin/reuse" --mechanisms '?' 2>&1 | sed -n 's/.*some of //p' | tr -d ,)
mkdir -p "$out/bash" "$out/zsh" "$out/fish"

# short<TAB>long<TAB>argument<TAB>first line of help; - stands for none
options() {
	"$1" --help | awk '
		function flush() { if (long != "") printf "%s\t%s\t%s\t%s\n", dash(short), long, dash(arg), dash(help); long = "" }
		function dash(s) { return s == "" ? "-" : s }
		/^ +(-., )?--/ {
			flush(); line = $0; sub(/^ +/, "", line); short = ""; arg = ""; help = ""
			if (line ~ /^-., /) { short = substr(line, 2, 1); line = substr(line, 5) }
			line = substr(line, 3); long = line; sub(/[ =].*/, "", long); rest = substr(line, length(long) + 1)
			if (rest ~ /^ [^ ]/) { arg = substr(rest, 2); sub(/  .*| *$/, "", arg) }
			p = match(rest, /  +[^ ]/); if (p) { help = substr(rest, p); sub(/^ +/, "", help) }
			next
		}
		long != "" && help == "" { help = $0; sub(/^ +/, "", help) }
		END { flush() }' | tr -d "'\"\`\$\\\\[]"
}
# words that an option may be followed by, or empty for any; "files" for a file
words() { # OPTION ARGUMENT
	case $1 in
	gpu) echo "$data" ;;
	output) echo "table profile json" ;;
	by) echo "pc array kernel" ;;
	method) echo "auto analytic replay" ;;
	clock-control) echo "none base boost" ;;
	cache-control) echo "all none" ;;
	mechanism | mechanisms) echo "all $mechanisms" ;;
	only) echo "benefits neutral hurts unknown" ;;
	sort) case $2 in
		COLUMN) echo "stall_cycles l1_misses llc_misses sectors requests bytes_moved" ;;
		*) echo "workload speedup verdict mechanism" ;;
		esac ;;
	*) case $2 in *FILE* | *DIR* | *OLD*) echo files ;; esac ;;
	esac
}
bash_completion() { # TOOL
	f=$(echo "$1" | tr -c 'a-zA-Z0-9\n' _)
	echo "# bash completion of $1"
	echo "_cachetriage_$f() {"
	echo '	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}'
	echo '	COMPREPLY=()'
	echo '	case $prev in'
	options "$2" | while IFS='	' read -r short long arg help; do
		[ "$short" != - ] || short=
		[ "$arg" != - ] || arg=
		[ -n "$arg" ] || continue
		w=$(words "$long" "$arg")
		pattern="--$long${short:+|-$short}"
		case $w in
		files) echo "	$pattern) COMPREPLY=(\$(compgen -f -- \"\$cur\")); return ;;" ;;
		'') echo "	$pattern) return ;;" ;;
		*) echo "	$pattern) COMPREPLY=(\$(compgen -W '$w' -- \"\$cur\")); return ;;" ;;
		esac
	done
	echo '	esac'
	echo "	if [[ \$cur == -* ]]; then COMPREPLY=(\$(compgen -W '$(options "$2" | awk -F'\t' '{ printf "%s--%s", (NR > 1 ? " " : ""), $2; if ($1 != "-") printf " -%s", $1 }')' -- \"\$cur\"))"
	echo '	else COMPREPLY=($(compgen -f -- "$cur")); fi'
	echo '}'
	echo "complete -o filenames -F _cachetriage_$f $1"
}
zsh_completion() {
	echo "#compdef $1"
	echo '_arguments -s \'
	options "$2" | while IFS='	' read -r short long arg help; do
		[ "$short" != - ] || short=
		[ "$arg" != - ] || arg=
		help=$(printf %s "$help" | tr ':' ',')
		action=
		if [ -n "$arg" ]; then
			w=$(words "$long" "$arg")
			case $w in files) action=":file:_files" ;; '') action=":value: " ;; *) action=":value:($w)" ;; esac
		fi
		echo "  '--$long${arg:+=}[$help]$action' \\"
		[ -z "$short" ] || echo "  '-$short${arg:++}[$help]$action' \\"
	done
	echo "  '*:file:_files'"
}
fish_completion() {
	echo "# fish completion of $1"
	options "$2" | while IFS='	' read -r short long arg help; do
		[ "$short" != - ] || short=
		[ "$arg" != - ] || arg=
		w=
		[ -z "$arg" ] || w=$(words "$long" "$arg")
		case $w in files) more=" -r -F" ;; '') more=${arg:+ -x} ;; *) more=" -x -a '$w'" ;; esac
		echo "complete -c $1 -l $long${short:+ -s '$short'}$more -d '$help'"
	done
}
for tool in "$bin"/*; do
	name=$(basename "$tool")
	bash_completion "$prefix$name" "$tool" >"$out/bash/$name"
	zsh_completion "$prefix$name" "$tool" >"$out/zsh/_$name"
	fish_completion "$prefix$name" "$tool" >"$out/fish/$name.fish"
done
