# inputs.sh - files that the programs of originals.tsv read, which their suites keep outside of their checkouts. Sourced by originals.sh.
#
# inputs_WORKLOAD PAPERS makes what the program of that workload reads in the folder $DATA, which is its own, or in the current folder, the program's.
# What the numbers are does not matter to the programs, unless said.

# Nodes with two to ten edges each, which lead anywhere, as graphgen makes them: a million, and 65,536 in GPGPU-Sim's suite.
inputs_bfs() { # PAPERS
	local n=1000000
	[ "$1" = shared-l1 ] && n=65536
	awk -v f="$DATA/graph" -v n="$n" 'BEGIN {
		srand(5)
		print n > f
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

# Headers of the CUDA SDK that its programs of GPGPU-Sim's suite include and that suite does not have: they print, take the time and look at options.
sdk_headers() {
	: >shrUtils.h
	cat >shrQATest.h <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#define QA_FAILED 1
		#define QA_PASSED 0
		#define QA_WAIVED 2
		#define LOGBOTH 0
		#define MASTER 0
		#define shrLog printf
		#define shrLogEx(mode, status, ...) printf(__VA_ARGS__)
		#define shrQAStart(argc, argv) ((void)0)
		#define shrQAFinishExit(argc, argv, status) exit(status)
		#define shrSetLogFileName(name) ((void)0)
	END
}

inputs_blackscholes() {
	sdk_headers
	cat >cutil_inline.h <<-'END'
		#define cutCheckCmdLineFlag(...) 0
		#define cutGetMaxGflopsDeviceId() 0
		#define cutCreateTimer(t) (*(t) = 0)
		#define cutDeleteTimer(t) 0
		#define cutResetTimer(t) 0
		#define cutStartTimer(t) 0
		#define cutStopTimer(t) 0
		#define cutGetTimerValue(t) 1.0
		#define cutilCheckError(x) ((void)(x))
		#define cutilCheckMsg(m) ((void)0)
		#define cutilDeviceInit(argc, argv) 0
		#define cutilDeviceReset cudaDeviceReset
		#define cutilDeviceSynchronize cudaDeviceSynchronize
		#define cutilSafeCall(x) ((void)(x))
	END
}

inputs_transpose() {
	sdk_headers
	cat >sdkHelper.h <<-'END'
		#include <algorithm>
		#include <cmath>
		using std::max;
		#define MAX(a, b) ((a) > (b) ? (a) : (b))
		#define ConvertSMVer2Cores(major, minor) 64
		#define _ConvertSMVer2Cores ConvertSMVer2Cores
		#define checkCmdLineFlag(...) false
		#define getCmdLineArgumentInt(...) 0
		#define compareData(...) true
	END
}

# Weights between 0.03 and 0.12 of either sign, and 28 pictures behind 16 bytes of header.
inputs_neuralnet() {
	mkdir -p data
	awk 'function byte() { return 1 + int(255 * rand()) }
	function weights(n, f) { while (n-- > 0) printf "%c%c%c%c", byte(), byte(), byte(), rand() < 0.5 ? 61 : 189 > f }
	BEGIN {
		srand(5)
		weights(156, "data/lw1.wei"); weights(7800, "data/lw2.wei"); weights(125100, "data/lw3.wei"); weights(1010, "data/lw4.wei")
		for (i = 0; i < 16 + 28 * 28 * 28; i++) printf "%c", byte() > "data/t10k-images-idx3-ubyte"
	}'
}

# A mesh like the suite's fvcorr.domn.*, of as many elements as our program has for the paper: two neighbours within three elements, two within a
# sixteenth of the mesh, -1 outside. A line for each element: its area, then four neighbours, counted from 1, with the normal of the face.
inputs_cfd() { # PAPERS
	local n=97046
	[ "$1" = morpheus ] && n=193474
	awk -v n=$n 'BEGIN {
		srand(9); print n
		for (i = 1; i <= n; i++) {
			row = 0.5 + 1.5 * rand()
			for (f = 0; f < 4; f++) {
				reach = f < 2 ? 1 + int(3 * rand()) : 8 + int(n / 16 * rand())
				j = f % 2 ? i + reach : i - reach
				row = row " " (j < 1 || j > n ? -1 : j) " " 0.2 * rand() - 0.1 " " 0.2 * rand() - 0.1 " " 0.2 * rand() - 0.1
			}
			print row
		}
	}' >"$DATA/mesh"
}

# As many points and features as kdd_cup, a thousand different ones again and again. The program names its constant array by a text, which CUDA has
# not taken since version 5: all centres are zeros on the device, and it ends after two rounds whatever the points are.
inputs_kmeans() {
	awk 'BEGIN {
		srand(7)
		for (i = 0; i < 1000; i++) for (k = 0; k < 34; k++) point[i] = point[i] " " int(1000 * rand()) / 250
		for (i = 0; i < 494020; i++) print i point[i % 1000]
	}' >"$DATA/points"
}

# As many letters and reads as our program has: reads are pieces of the genome with a letter in 25 changed.
inputs_mummergpu() {
	awk -v genome="$DATA/genome" -v reads="$DATA/reads" '
	function letter() { return substr("ACGT", 1 + int(4 * rand()), 1) }
	BEGIN {
		srand(13); n = 2000000; print ">genome" > genome
		for (i = 0; i < n / 50; i++) {
			for (k = 0; k < 50; k++) line[i] = line[i] letter()
			print line[i] > genome
		}
		for (r = 0; r < 50000; r++) {
			at = int((n - 100) * rand()); read = ""
			from = substr(line[int(at / 50)] line[int(at / 50) + 1], at % 50 + 1, 25)
			for (k = 1; k <= 25; k++) read = read (25 * rand() < 1 ? letter() : substr(from, k, 1))
			print ">" r "\n" read > reads
		}
	}'
}

# Weights are zeros where the program finds empty files; arrays for their text fill more stack than programs have by default.
inputs_squeezenet() {
	ulimit -Ss hard
	mkdir -p data
	touch data/conv1_s.txt data/fire{2..9}_{squeeze1x1,expand1x1,expand3x3}.txt
}

# Parboil's sets are downloads; these are of the size and kind of the set that each function names, as far as that is known.

# For awk: words and floats of binary files, low byte first.
binary_words='
	function word(x) { printf "%c%c%c%c", x % 256, int(x / 256) % 256, int(x / 65536) % 256, int(x / 16777216) % 256 }
	function real(x,  sign, exponent) {
		if (x == 0) { word(0); return }
		if (x < 0) { sign = 2147483648; x = -x }
		for (exponent = 127; x >= 2; exponent++) x /= 2
		for (; x < 1; exponent--) x *= 2
		word(sign + exponent * 8388608 + int((x - 1) * 8388608))
	}'

# A million nodes, from each of which two to four edges lead anywhere, to be gone both ways: six a node in the mean. In a graph whose
# edges lead one way all neighbours of a frontier may be new, and the program stops: it has 400 places for the neighbours of 64 nodes.
inputs_bfs_queue() {
	awk 'BEGIN {
		srand(5)
		n = 1000000; print n
		for (u = 0; u < n; u++)
			for (k = 2 + int(3 * rand()); k > 0; k--) {
				v = int(n * rand())
				to[u] = to[u] v " 1\n"; to[v] = to[v] u " 1\n"; degree[u]++; degree[v]++
			}
		for (u = 0; u < n; u++) { print s + 0, degree[u]; s += degree[u] }
		print "\n0\n\n" s
		for (u = 0; u < n; u++) printf "%s", to[u]
	}' >"$DATA/graph"
}

# 996 x 1040 points of a wafer in a histogram 256 wide and 8192 high, close to its middle: normal in both directions, by the sum of
# twelve draws. What the program takes for the range of ten deviations is six parts of 24,576 bins.
inputs_histo() {
	awk "$binary_words"'
	function normal(  k, x) { for (k = 0; k < 12; k++) x += rand(); return 28 * (x - 6) }
	BEGIN {
		srand(5)
		word(996); word(1040); word(256); word(8192)
		for (i = 0; i < 996 * 1040; i++) {
			x = int(128 + normal())
			word(256 * int(4096 + normal()) + (x < 0 ? 0 : x > 255 ? 255 : x))
		}
	}' >"$DATA/image"
}

# Walls and lids are the program's own; of the other cells one in twenty is an obstacle.
inputs_lbm() {
	awk 'BEGIN {
		srand(5)
		for (z = 0; z < 150; z++) {
			for (y = 0; y < 120; y++) {
				for (x = 0; x < 120; x++) printf "%s", rand() < 0.05 ? "#" : "."
				print ""
			}
			print ""
		}
	}' >"$DATA/obstacles"
}

# Samples thicken towards the centre, as along spokes.
inputs_mri_gridding() {
	printf '%s\n' aquisition.numsamples=30000 "aquisition.kmax=1 1 1" "aquisition.matrixSize=64 64 64" "reconstruction.matrixSize=64 64 64" \
		"gridding.matrixSize=64 64 64" gridding.oversampling=2 kernel.width=5 kernel.useLUT=1 >"$DATA/samples"
	awk "$binary_words"'BEGIN {
		srand(5)
		for (i = 0; i < 30000; i++) {
			r = 0.999 * rand()
			real(rand()); real(rand())
			for (k = 0; k < 3; k++) real(r * (2 * rand() - 1))
			real(0.1 + rand())
		}
	}' >"$DATA/samples.data"
}

# The numbers of samples and voxels; then coordinates and phases, all 0.
inputs_mri_q() {
	awk "$binary_words"'BEGIN { word(2048); word(32768); for (i = 0; i < 5 * 2048 + 3 * 32768; i++) word(0) }' >"$DATA/samples"
}

# About as many nodes and edges as the authors and papers that come with Pannotia; R-MAT with the quadrants 0.45, 0.15, 0.15, 0.25. Every
# node has an edge, since the program takes a line without numbers for none. The last passes sort the neighbours.
inputs_pagerank() {
	awk 'BEGIN {
		srand(5)
		n = 262144
		for (e = 0; e < 4 * n; e++) {
			u = v = 0
			for (b = 0; b < 18; b++) { r = rand(); u = 2 * u + (r >= 0.6); v = 2 * v + (r >= 0.45 && r < 0.6 || r >= 0.75) }
			if (u != v) { near[u] = near[u] " " v; near[v] = near[v] " " u; edges++ }
		}
		for (u = 0; u < n; u++)
			if (!(u in near)) { v = (u + 1) % n; near[u] = " " v; near[v] = near[v] " " u; edges++ }
		print n, edges
		for (u = 0; u < n; u++) {
			k = split(near[u], to, " ")
			for (i = 1; i <= k; i++) sorted[to[i]] = sorted[to[i]] " " u + 1
		}
		for (u = 0; u < n; u++) print substr(sorted[u], 2)
	}' >"$DATA/graph"
}

# The medium set: A is 1024 x 992, B transposed 1056 x 992.
inputs_sgemm() {
	awk 'BEGIN { print 1024, 992; for (i = 0; i < 1024 * 992; i++) print 0.5 }' >"$DATA/a"
	awk 'BEGIN { print 1056, 992; for (i = 0; i < 1056 * 992; i++) print 0.5 }' >"$DATA/b"
}

# The pattern of the large set's matrix, Dubcova3: cubic finite elements on a square of 128 x 128 without its rim, a node with an
# entry for every node of its elements. Corners come first, then edges, then what lies within elements. The square is refined seven
# times, and each level numbers in the order of its elements, of which four that were one stand in a circle. Then a vector of zeros.
inputs_spmv() {
	awk '
	function node(x, y) { if (x % 384 && y % 384 && !((x, y) in id)) { id[x, y] = ++n; px[n] = x; py[n] = y } }
	function row(r,  x, y, u, v, c, i, k, low, left, right, high) {
		x = px[r]; y = py[r]
		low = int((y - 1) / 3) * 3; high = int(y / 3) * 3 + 3; left = int((x - 1) / 3) * 3; right = int(x / 3) * 3 + 3
		for (v = low; v <= high; v++) for (u = left; u <= right; u++) {
			if (!((u, v) in id) || (c = id[u, v]) > r) continue
			for (i = k++; i > 0 && column[i - 1] > c; i--) column[i] = column[i - 1]
			column[i] = c
		}
		for (i = 0; i < k; i++) print r, column[i], 1
	}
	BEGIN {
		m = 1; ex[0] = ey[0] = 0
		for (side = 384; side > 3; side = half) {
			half = side / 2
			for (i = 0; i < m; i++) {
				x = ex[i]; y = ey[i]
				node(x + half, y); node(x + side, y + half); node(x + half, y + side); node(x, y + half); node(x + half, y + half)
			}
			for (i = m - 1; i >= 0; i--) {
				x = ex[i]; y = ey[i]
				for (k = 3; k >= 0; k--) { ex[4 * i + k] = x + half * (k == 1 || k == 2); ey[4 * i + k] = y + half * (k >= 2) }
			}
			m *= 4
		}
		for (i = 0; i < m; i++) {
			x = ex[i]; y = ey[i]
			node(x + 1, y); node(x + 2, y); node(x + 3, y + 1); node(x + 3, y + 2)
			node(x + 1, y + 3); node(x + 2, y + 3); node(x, y + 1); node(x, y + 2)
		}
		for (i = 0; i < m; i++) for (k = 0; k < 4; k++) node(ex[i] + 1 + k % 2, ey[i] + 1 + int(k / 2))
		print "%%MatrixMarket matrix coordinate real symmetric"
		print n, n, 1891669
		for (r = 1; r <= n; r++) row(r)
	}' >"$DATA/matrix"
	head -c 586756 /dev/zero >"$DATA/vector"
}

inputs_stencil() {
	head -c 67108864 /dev/zero >"$DATA/grid"
}
