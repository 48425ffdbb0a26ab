# Completions for bash, zsh and fish: of every command, with every option of --help.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
check "they are generated" sh "$CT_ROOT/completions/generate.sh" "$CT_RELEASE" out
tools=$(cd "$CT_RELEASE" && ls | paste -sd' ')
same "for every command, in bash" "$tools" "$(cd out/bash && ls | paste -sd' ')"
same "in zsh" "$tools" "$(cd out/zsh && ls | sed 's/^_//' | paste -sd' ')"
same "in fish" "$tools" "$(cd out/fish && ls | sed 's/\.fish$//' | paste -sd' ')"
for tool in $tools; do
	want=$("$CT_RELEASE/$tool" --help | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE '\-\-[a-z0-9-]+' | sort -u | paste -sd' ')
	same "$tool: bash offers the options of --help" "$want" "$(bash -c '
		. "$1"; COMP_WORDS=("$2" --) COMP_CWORD=1; "_cachetriage_${2//[^a-zA-Z0-9]/_}"; printf "%s\n" "${COMPREPLY[@]}"' _ "out/bash/$tool" "$tool" |
		grep '^--' | sort -u | paste -sd' ')"
	same "$tool: fish too" "$want" "$(grep -oE ' -l [a-z0-9-]+' "out/fish/$tool.fish" | sed 's/ -l /--/' | sort -u | paste -sd' ')"
	same "$tool: zsh too" "$want" "$(grep -oE "^  '--[a-z0-9-]+" "out/zsh/_$tool" | sed "s/^  '//" | sort -u | paste -sd' ')"
done
same "bash offers the GPUs" "rtx3070 rtx3080" "$(bash -c '. out/bash/reuse; COMP_WORDS=(reuse -g rtx30) COMP_CWORD=2; _cachetriage_reuse; echo "${COMPREPLY[*]}"')"
for shell in zsh fish; do
	if command -v $shell >/dev/null 2>&1; then
		bad=
		for f in out/$shell/*; do $shell -n "$f" 2>>err || bad="$bad $f"; done
		same "$shell reads them" "" "$bad"
	else
		skip "$shell reads them" "$shell is not installed"
	fi
done
finish
