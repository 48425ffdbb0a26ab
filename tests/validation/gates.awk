# gates.awk -v paper=NAME -v workload=NAME -v key=KEY figures: one row of gates.tsv from what gate.c printed. doc/validation.md
# says what each gate asks and why.
{ value[$1, $2] = $3 }
function larger(a, b) { return a > b ? a : b }
function ratio(a, b) { return b > 0 ? a / b : 0 }
END {
	if (value["all", "cycles"] == 0) exit 1
	second = "-"
	if (paper == "morpheus") {
		first = ratio(value["all", "ipc"], value["three-quarters", "ipc"])
		second = ratio(larger(value["all-llc4", "ipc"], value["three-quarters-llc4", "ipc"]), larger(value["all", "ipc"], value["three-quarters", "ipc"]))
		pass = first < 1.05 && second > 1.05
	} else if (paper == "shared-l1") {
		first = ratio(value["all", "cycles"], value["perfect", "cycles"])
		second = value["all", "replication_ratio"]
		pass = first > 1.03 && second > 0.25
	} else {
		first = ratio(value["all", "cycles"], value[paper == "malekeh" ? "ideal" : "perfect", "cycles"])
		pass = first > 1.03
	}
	printf "%s\t%s\t%d\t%.3g\t%.3f\t%s\t%s\t%s\n", paper, workload, value["all", "warp_insts"], value["all", "waves"], first,
		second == "-" ? "-" : sprintf("%.3f", second), pass ? "yes" : "no", key
}
