# Outputs that README and manual pages quote are what the commands print now.
#
# A quoted output has a line in front of it, which no reader sees, with the command that prints it:
#
#     .\" output of: COLUMNS=140 triage -O table bfs
#     <!-- output of: annotate -O table bfs.profile -->
#
# Numbers that a text quotes have such a line near them: .\" printed by: COMMAND: NUMBER; NUMBER
# Three dots stand for what the text leaves out. Lines may be wrapped elsewhere than the command wraps them.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
PATH=$CT_RELEASE:$PATH
tracegen vecadd --size small -o vecadd >/dev/null 2>&1
tracegen bfs --size small -o bfs >/dev/null 2>&1
tracegen workingset --footprint 896KiB --passes 4 --ctas 108 -o ws >/dev/null 2>&1
tracecat ws -o ws.ctz
reuse -q --annotate -o bfs.profile bfs
reuse -q --scale 1/8 --mechanisms all --annotate -o ws.profile ws.ctz
cat >samples.py <<'P'
import glob, os, re, subprocess, sys
root = sys.argv[1]
ran = {}
def flat(text):
    return " ".join(text.split())
def output(command):
    if command not in ran:
        env = dict(os.environ, COLUMNS="80", LC_ALL="C.UTF-8")
        ran[command] = flat(subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=env).stdout)
    return ran[command]
def missing(quoted, printed):
    at = 0
    for part in re.split(r"\.\.\.", quoted):
        part = flat(part)
        found = printed.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None
quoted = told = 0
for path in sorted(glob.glob(root + "/man/*.[1-9]")) + [root + "/README.md"]:
    name, text = path[len(root) + 1:], open(path).read()
    marks = re.finditer(r'(?:\.\\"|<!--) output of: (.*?)(?: -->)?\n(?:\.Bd[^\n]*|```\w*)\n(.*?)(?:\.Ed|```)', text, re.S)
    for m in marks:
        block = m[2].replace("\\&", "").replace("\\e", "\\").replace("\\-", "-")
        lacks = missing(block, output(m[1]))
        quoted += 1
        if lacks is not None:
            print("%s: %s does not print: %s" % (name, m[1], lacks))
    for m in re.finditer(r'\.\\" printed by: (.*): ([^:\n]*)\n', text):
        for number in m[2].split("; "):
            told += 1
            if number not in output(m[1]):
                print("%s: %s does not print %s" % (name, m[1], number))
            if number.rstrip(" %") not in flat(text.replace(m[0], "")):
                print("%s: the text does not say %s" % (name, number))
    # an output right behind its command
    for m in re.finditer(r"\n\$ [^\n]*\n(?:\.Ed)\n\.Bd[^\n]*\n(?!\$)", text):
        print("%s:%d: an output that is not checked" % (name, text[:m.end()].count("\n")))
print(quoted, "outputs,", told, "numbers", file=sys.stderr)
P
same "every output and number that a page quotes is printed" "" "$(python3 samples.py "$CT_ROOT" 2>count)"
check "there are some" grep -qE '^([5-9]|[1-9][0-9]+) outputs, [1-9]' count
finish
