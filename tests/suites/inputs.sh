# inputs.sh - files that Rodinia's programs read, of the kind that its data have, which are not in its checkout. Sourced by run.sh.
# What the numbers are does not matter to the programs; sizes are small.

make_rodinia_inputs() { # CHECKOUT
	local data=$1/data
	mkdir -p "$data"/{b+tree,bfs,cfd,dwt2d,heartwall,hotspot,hotspot3D,huffman,kmeans,leukocyte,mummergpu,myocyte,srad}
	awk -v d="$data" -v r="$1" 'BEGIN {
		srand(11)
		n = 20000; f = d "/b+tree/mil.txt"; print n > f
		for (i = 0; i < n; i++) print i + 1 > f
		print "j 600 300\nk 2000" > (d "/b+tree/command.txt")

		n = 65536; f = d "/bfs/graph65536.txt"; print n > f
		for (i = 0; i < n; i++) { k = 2 + int(9 * rand()); print s + 0, k > f; s += k }
		print "\n0\n\n" s > f
		for (i = 0; i < s; i++) print int(n * rand()), 1 + int(10 * rand()) > f

		# Squares of one unit; those behind the border are -1, the far field.
		n = 32; f = d "/cfd/mesh"; print n * n > f
		for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
			print 1 > f
			print (x > 0 ? y * n + x : -1) " -1 0 0 " (x < n - 1 ? y * n + x + 2 : -1) " 1 0 0" > f
			print (y > 0 ? y * n + x + 1 - n : -1) " 0 -1 0 " (y < n - 1 ? y * n + x + 1 + n : -1) " 0 1 0" > f
		}

		for (i = 0; i < 512 * 512 * 8; i++) {
			if (i < 512 * 512) { printf "%f\n", 320 + 10 * rand() > (d "/hotspot/temp_512"); printf "%f\n", rand() / 1000 > (d "/hotspot/power_512") }
			printf "%f\n", 320 + 10 * rand() > (d "/hotspot3D/temp_512x8"); printf "%f\n", rand() / 1000 > (d "/hotspot3D/power_512x8")
		}
		for (i = 0; i < 262144; i++) printf "%c", 33 + int(-12 * log(1 - rand()) % 60) > (d "/huffman/test.in")
		for (i = 1; i <= 4000; i++) { printf "%d", i > (d "/kmeans/points"); for (k = 0; k < 34; k++) printf " %.3f", rand() > (d "/kmeans/points"); print "" > (d "/kmeans/points") }

		n = 20000; f = d "/mummergpu/reference.fna"; print ">reference" > f
		for (i = 0; i < n; i++) dna = dna substr("ACGT", 1 + int(4 * rand()), 1)
		for (i = 0; i < n; i += 70) print substr(dna, i + 1, 70) > f
		f = d "/mummergpu/queries.fna"
		for (i = 0; i < 200; i++) print ">q" i "\n" substr(dna, 1 + int((n - 100) * rand()), 100) > f

		for (i = 0; i < 91; i++) print 0.1 + 0.5 * rand() > (d "/myocyte/y.txt")
		for (i = 0; i < 18; i++) print 1 + rand() > (d "/myocyte/params.txt")
		f = d "/srad/image.pgm"; print "P2\n502 458\n255" > f
		for (i = 0; i < 502 * 458; i++) print int(256 * rand()) > f

		print "cane.db" > (r "/cuda/nn/filelist.txt")
		for (i = 0; i < 42764; i++) printf "%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n", 1980, 1, 2, 6, 3, "KIRK", 7 + 63 * rand(), 358 * rand(), 99, 100 > (r "/cuda/nn/cane.db")
		for (i = 0; i < 1024 * 1024 * 3; i++) printf "%c", 32 + int(95 * rand()) > (d "/dwt2d/rgb.bmp")
	}'
	make_video 10 768 768 0 >"$data/heartwall/test.avi"
	make_video 3 640 480 12 >"$data/leukocyte/testfile.avi"
	make -C "$1/cuda/leukocyte/meschach_lib" >/dev/null 2>&1 # a library for the host
}

# An uncompressed AVI file, one byte a point: noise, or else bright discs of RADIUS points on a grey that is nearly even, as cells.
make_video() { # FRAMES WIDTH HEIGHT RADIUS
	perl -e '
		my ($n, $w, $h, $radius) = @ARGV;
		my $size = $w * $h;
		sub point { # the brightness at X Y
			my ($x, $y) = ($_[0] % 64 - 32, $_[1] % 64 - 32);
			return chr int rand 256 if !$radius;
			chr(int(rand 4) + ($x * $x + $y * $y < $radius * $radius ? 200 : 60));
		}
		sub chunk { pack("a4 V", $_[0], length $_[1]) . $_[1] }
		my $avih = pack("V14", 40000, 25 * $size, 0, 16, $n, 0, 1, $size, $w, $h, 0, 0, 0, 0);
		my $strh = pack("a4 a4 V V V V V V V V V V v4", "vids", "DIB ", 0, 0, 0, 1, 25, 0, $n, $size, 0, 0, 0, 0, $w, $h);
		my $strf = pack("V V V v v V V V V V V", 40, $w, $h, 1, 8, 0, $size, 0, 0, 0, 0);
		my $strl = chunk("LIST", "strl" . chunk("strh", $strh) . chunk("strf", $strf));
		my $hdrl = chunk("LIST", "hdrl" . chunk("avih", $avih) . $strl);
		srand(3);
		my ($movi, $index) = ("movi", "");
		for (1 .. $n) {
			$index .= pack("a4 V V V", "00db", 16, length $movi, $size);
			$movi .= chunk("00db", join "", map { point($_ % $w, int($_ / $w)) } 0 .. $size - 1);
		}
		my $body = "AVI " . $hdrl . chunk("LIST", $movi) . chunk("idx1", $index);
		print chunk("RIFF", $body);
	' "$@"
}
