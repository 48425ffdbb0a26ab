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
