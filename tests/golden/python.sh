# The Python module and its example, from an installation.
. "$(dirname "$0")/lib.sh"
cd "$CT_ROOT" || exit 1
python=
for p in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$p" -c 'import pandas' 2>/dev/null || python=$p
done
[ -n "$python" ] || { skip "the Python module" "python3-pandas is not installed"; finish; }
[ -e "$(dirname "$CT_RELEASE")/lib/libcachetriage.so.$(cat VERSION)" ] || { skip "the Python module" "no shared library was built"; finish; }
root=$TMPDIR/root
check "make install" make -s --no-print-directory BUILD="$(dirname "$CT_RELEASE")" DESTDIR="$root" PREFIX=/opt/ct PROGRAM_PREFIX=ct- install
export PYTHONPATH=$root/opt/ct/share/cachetriage/python PYTHONDONTWRITEBYTECODE=1
cd "$TMPDIR" || exit 1
"$CT_RELEASE/tracegen" -q workingset --footprint 512KiB --passes 2 --ctas 32 -o ws
"$CT_RELEASE/reuse" -q --scale 1/8 -o ws.profile ws
check "the example runs" sh -c "'$python' '$root/opt/ct/share/cachetriage/python/example.py' ws.profile >example.out"
check "and says which sizes divide" grep -q 'does not divide.*the nearest sizes are' example.out
cat >use.py <<'P'
import sys
import cachetriage
from cachetriage import Error, FileError, InputError, UsageError

def raises(kind, function, *args, **options):
    try:
        function(*args, **options)
    except kind as error:
        return str(error)
    sys.exit("%s(%s) did not raise %s" % (function.__name__, args, kind.__name__))

p = cachetriage.read_profile("ws.profile")
sn = p["SN"].query("scope == 'all' and metric == 'cycles'")["value"]
print("cycles", "%d" % float(sn.iloc[0]))
print("columns", *p["RD"].columns)
print("counts", int(p["RD"].query("scope == 'all' and view == 'l1'")["reads"].sum()))
s = cachetriage.sweep({"llc.size": "384KiB,768KiB", "sms": [2, 4]}, "ws.profile", system=["Morpheus-ALL"], metric=["speedup"])
print("points", *("%d:%d=%.6g" % (r["llc.size"], r["sms"], r["value"]) for _, r in s.iterrows()))
t = cachetriage.triage("ws.profile", mechanism=["morpheus"], method="analytic", scale="1")
print("verdict", t["mechanism"][0], t["verdict"][0])
print(raises(FileError, cachetriage.read_profile, "none"))
open("cut", "wb").write(open("ws.profile", "rb").read()[:5000])
print(raises(InputError, cachetriage.read_profile, "cut"))
print(raises(UsageError, cachetriage.sweep, {"llc.sice": [1]}, "ws.profile"))
try:
    cachetriage.sweep({"llc.size": ["384KiB", "385KiB"]}, "ws.profile", system=["baseline"], metric=["cycles"])
except Error as error:
    print("kept", len(error.frame), int(error.frame["value"].isna().sum()), error.status)
P
"$python" use.py >out 2>&1 || fail "the module" "$(tail -3 out)"
want() { same "$1" "$2" "$(grep "^$3" out | head -1)"; }
sn() { awk -F'\t' -v m="$1" '$1 == "SN" && $2 == "all" && $3 == m { print $4 }' ws.profile; }
want "numbers of the profile" "cycles $(sn cycles)" cycles
want "columns of the schema" "columns scope view lo hi reads writes" columns
want "histograms as numbers" "counts $(awk -F'\t' '$1 == "RD" && $2 == "all" && $3 == "l1" { n += $6 } END { print n }' ws.profile)" counts
want "a sweep is the command's" "points $("$CT_RELEASE/sweep" -q -O csv llc.size=384KiB,768KiB sms=2,4 --system Morpheus-ALL --metric speedup -- ws.profile |
	awk -F, 'NR > 1 { printf "%s%d:%d=%.6g", n++ ? " " : "", $4, $5, $7 }')" points
want "a verdict is the command's" "verdict morpheus $("$CT_RELEASE/triage" -q -O csv --mechanism morpheus --method analytic --scale 1 ws.profile | awk -F, 'NR == 2 { print $3 }')" verdict
check "a file that is not there" grep -q '^none: cannot open' out
check "a damaged profile" grep -q '^cut:' out
check "a key that is none" grep -q "unknown key 'llc.sice'" out
want "points that fail keep the others" "kept 2 1 2" kept
finish
