# inputs.sh - the files that the programs of the lowering and silicon campaigns read. Sourced by their run.sh.

# Inputs as the suites' generators make them: random numbers of the same kind and number.
make_inputs() { # FOLDER IMAGE
	awk -v d="$1" -v image="$2" 'BEGIN {
		srand(7); n = 1000000
		f = d "/graph1MW_6.txt"; print n > f
		for (i = 0; i < n; i++) { k = 2 + int(9 * rand()); print s + 0, k > f; s += k }
		print "\n0\n\n" s > f
		for (i = 0; i < s; i++) print int(n * rand()), 1 + int(10 * rand()) > f
		for (i = 0; i < 512 * 512; i++) { printf "%f\n", 320 + 10 * rand() > (d "/temp_512"); printf "%f\n", rand() / 1000 > (d "/power_512") }
		for (i = 0; i < 512 * 512 * 8; i++) { printf "%f\n", 320 + 10 * rand() > (d "/temp_512x8"); printf "%f\n", rand() / 1000 > (d "/power_512x8") }
		print "cane.db" > (d "/filelist.txt")
		for (i = 0; i < 42764; i++) printf "%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n", 1980, 1, 2, 6, 3, "KIRK", 7 + 63 * rand(), 358 * rand(), 99, 100 > (d "/cane.db")
		for (i = 0; i < 1024 * 1024 * 3; i++) printf "%c", 32 + int(95 * rand()) > image
	}'
}
