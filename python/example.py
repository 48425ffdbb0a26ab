#!/usr/bin/env python3
"""How the best number of compute SMs moves with the size of the LLC:

    reuse TRACE > workload.profile
    python3 example.py workload.profile
"""
import sys

import cachetriage


def main(path):
    profile = cachetriage.read_profile(path)
    gpu = profile["GP"].set_index("key")["value"]
    sms, slices, line = int(gpu["sm.count"]), int(gpu["llc.slices"]), int(gpu["llc.ways"]) * int(gpu["llc.line"])
    summary = profile["SN"].query("scope == 'all'").set_index("metric")["value"]
    print("%s: %d SMs, LLC miss rate %.3f" % (path, sms, float(summary["llc_miss_rate"])))
    sizes = [slices * line * sets for sets in (16, 32, 64)]
    points = cachetriage.sweep({"llc.size": sizes, "sms": sorted({max(1, sms // 2), max(1, sms * 3 // 4), sms})}, path,
                               system=["Morpheus-ALL"], metric=["speedup"])
    print(points.pivot(index="llc.size", columns="sms", values="value").to_string())
    verdicts = cachetriage.triage(path, mechanism=["morpheus"], scale="1", method="analytic")
    print(verdicts[["workload", "mechanism", "verdict"]].to_string(index=False))
    try:
        cachetriage.sweep({"llc.size": [sizes[0] + 1]}, path, system=["baseline"])
    except cachetriage.Error as error:
        print("and a size that does not divide: %s" % str(error).splitlines()[0])


if __name__ == "__main__":
    main(sys.argv[1])
