# inputs.sh - files that the programs of originals.tsv read, which their suites keep outside of their checkouts. Sourced by originals.sh.
#
# inputs_WORKLOAD PAPERS makes what the program of that workload reads in the folder $DATA, which is its own, or in the current folder, the program's.
# What the numbers are does not matter to the programs, unless said.

# A million nodes with two to ten edges each, which lead anywhere, as graphgen makes them.
inputs_bfs() {
	awk -v f="$DATA/graph" 'BEGIN {
		srand(5)
		n = 1000000; print n > f
		for (i = 0; i < n; i++) { k = 2 + int(9 * rand()); print s + 0, k > f; s += k }
		print "\n0\n\n" s > f
		for (i = 0; i < s; i++) print int(n * rand()), 1 > f
	}'
}

# A million keys, and both kinds of queries as the suite's script asks them.
inputs_b_tree() {
	awk -v f="$DATA/keys" 'BEGIN { n = 1000000; print n > f; for (i = 1; i <= n; i++) print i > f }'
	printf 'j 6000 3000\nk 10000\n' >"$DATA/commands"
}

inputs_hotspot() {
	awk -v d="$DATA" 'BEGIN { srand(5); for (i = 0; i < 1024 * 1024; i++) { printf "%f\n", 320 + 10 * rand() > (d "/temperature"); printf "%f\n", rand() / 1000 > (d "/power") } }'
}

# A picture where the program looks for it, ../../data/dwt2d.
inputs_dwt2d() {
	awk -v f="$DATA/rgb.bmp" 'BEGIN { srand(5); for (i = 0; i < 1024 * 1024 * 3; i++) printf "%c", 32 + int(95 * rand()) > f }'
}

# Forty lists of 42,764 hurricanes each, ten times over.
inputs_nn() {
	awk 'BEGIN {
		srand(5)
		for (i = 0; i < 427640; i++) printf "%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n", 1980, 1, 2, 6, 3, "KIRK", 7 + 63 * rand(), 358 * rand(), 99, 100 > "cane.db"
		for (i = 0; i < 40; i++) print "cane.db" > "filelist"
	}'
}
