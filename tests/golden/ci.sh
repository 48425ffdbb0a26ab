# doc/ci.md: its files and commands, from a CUDA source to a JUnit file without a GPU, as they stand there.
. "$(dirname "$0")/lib.sh"
page=$CT_ROOT/doc/ci.md
cd "$TMPDIR" || exit 1

# Blocks that name a file become that file, those of sh the commands.
awk '/^```/ { if (out) close(out); out = out ? "" : NF == 2 ? $2 : $1 == "```sh" ? "commands" : "" ; next } out { print >> out }' "$page"
same "the page has its files" "commands thresholds.txt transpose.cu" "$(ls | tr '\n' ' ' | sed 's/ $//')"
if ! "$CT_RELEASE/ctcc" -o probe transpose.cu 2>ctcc.txt; then
	skip "the commands of the page" "ctcc or clang is not here: $(head -n 1 ctcc.txt)"
	finish
fi
PATH=$CT_RELEASE:$PATH
same "the commands of the page" "0 wrong" "$(bash -e commands 2>&1)"
same "JUnit has a case a threshold, all of them hold" "3 0" \
	"$(grep -c '<testcase' thresholds.xml) $(grep -c '<failure' thresholds.xml)"
check "and a page" grep -q transpose page.html
same "compared with the run before" "1 0" "$(grep -c '<testcase' change.xml) $(grep -c '<failure' change.xml)"

# What must fail does.
sed -i 's/l1_miss_rate <= .*/l1_miss_rate <= 1%/' thresholds.txt
bash -e commands >out.txt 2>&1
same "a threshold that does not hold fails the job" "1 1" "$? $(grep -c '<failure' thresholds.xml)"
sed -i 's/to\[x \* n + y\]/to[y * n + x]/' transpose.cu
bash -e commands >out.txt 2>&1
same "a program that computes something else does, too" "1 yes" "$? $(grep -q '[1-9][0-9]* wrong' out.txt && echo yes)"
finish
