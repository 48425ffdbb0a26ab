# hecbench_inputs.sh - files that programs of HeCBench read and its checkout lacks, of the same kind and small. Sourced by run.sh.

make_hecbench_inputs() { # FOLDER: the checkout's src; beside it lies what inputs.sh makes
	local rodinia=$1.rodinia
	mkdir -p "$rodinia"/cuda/{nn,leukocyte/meschach_lib}
	make_rodinia_inputs "$rodinia"
	cp -rn "$rodinia/data/." "$1/data/"
	cp "$rodinia"/cuda/nn/* "$1/nn-cuda/"
	cp "$1/data/bfs/graph65536.txt" "$1/data/bfs/graph1MW_6.txt"
	cp "$1/data/cfd/mesh" "$1/data/cfd/fvcorr.domn.097K"
	cp "$1/data/kmeans/points" "$1/data/kmeans/kdd_cup"
	make_pictures "$1"
	make_numbers "$1"
	make_graphs "$1"
}

put='use strict; use warnings; use File::Basename; use File::Path; srand 11; my $to = shift;
	sub put { my ($name, $text) = @_; mkpath dirname "$to/$name"; open my $f, ">", "$to/$name" or die; print $f $text; close $f or die }
	sub join_of { my ($n, $of) = @_; return join "", map { $of->() } 1 .. $n }
	sub dna { return join_of(shift, sub { substr "ACGT", int rand 4, 1 }) }
	sub changed { return join "", map { rand() < $_[1] ? dna(1) : $_ } split //, $_[0] }'

make_pictures() { # FOLDER
	perl -e "$put"'
		my $points = sub { my $n = shift; return join_of($n, sub { chr int rand 256 }) };
		my $bmp = pack("vVvvV", 0x4d42, 54 + 128 * 64 * 3, 0, 0, 54) .
			pack("VVVvvVVVVVV", 40, 128, 64, 1, 24, 0, 128 * 64 * 3, 2835, 2835, 0, 0) . $points->(128 * 64 * 3);
		put($_, $bmp) for "urng-sycl/URNG_Input.bmp", "sobel-sycl/SobelFilter_Input.bmp";
		put("medianfilter-sycl/data/SierrasRGB.ppm", "P6\n128 96\n255\n" . $points->(128 * 96 * 3));
		put("recursiveGaussian-cuda/StoneRGB.ppm", "P6\n64 64\n255\n" . $points->(64 * 64 * 3));
		put("tonemapping-sycl/input.hdr", "64 48\n" . join_of(64 * 48 * 4, sub { sprintf "%.4f\n", rand 10 }));
		put("d2q9-bgk-cuda/Inputs/input_256x256.params", "128\n128\n1002\n128\n0.1\n0.005\n1.85\n");
		put("d2q9-bgk-cuda/Obstacles/obstacles_256x256.dat", join_of(1, sub { join "", map { "$_ 0 1\n$_ 127 1\n" } 0 .. 127 }));
	' "$1"
}

make_numbers() { # FOLDER
	perl -e "$put"'
		my @reads = map { dna(300) } 1 .. 10;
		my $normal = sub { return sqrt(-2 * log(1 - rand)) * cos(6.28318530718 * rand) };
		my $i = 0;
		put("deredundancy-sycl/testData.fasta", join_of(60, sub { $i++; ">r$i\n" . changed($reads[$i % 10], 0.02) . "\n" }));
		put("snake-cuda/Datasets/ERR240727_1_E2_30000Pairs.txt",
			join_of(500, sub { my $r = dna(100); "$r\t" . changed($r, 0.03) . "\n" }));
		put("sa-cuda/genome.txt", dna(20000));
		put("gibbs-cuda/data.csv", join_of(200, sub { sprintf "%d %.3f\n", rand 20, 5 + rand 15 }));
		put("mriQ-cuda/datasets/128x128x128/input/128x128x128.bin",
			pack("VVf*", 64, 512, map { rand() - 0.5 } 1 .. 5 * 64 + 3 * 512));
		put("svd3x3-cuda/Dataset_1M.txt", "500\n" . join_of(4500, sub { sprintf "%.6f\n", $normal->() }));
		put("mcpr-cuda/alphas.csv", join_of(26280 * 21, sub { sprintf "%.5f\n", $normal->() }));
		my @words = qw(clEnqueueNDRangeKernel alpha beta clEnq kernel queue);
		put("ss-sycl/StringSearch_Input.txt", join_of(3000, sub { "$words[rand @words] " }));
		put("geodesic-sycl/locations.txt", join_of(300, sub { sprintf "%.4f %.4f\n", 180 * rand() - 90, 360 * rand() - 180 }));
		my $gene = 0;
		put("ccs-cuda/Data_Constant_100_1_bicluster.txt", join("\t", "id", map { "s$_" } 0 .. 29) . "\n" .
			join_of(40, sub { join("\t", "g" . $gene++, map { sprintf "%.3f", $normal->() } 1 .. 30) . "\n" }));
		my @middle = ([0, 0, 0, 0], [5, 5, 5, 5], [9, 0, 9, 0]);
		put("gmm-cuda/data", "a b\n" . join_of(512, sub { my $m = $middle[rand 3]; join(" ", map { sprintf "%.3f", $_ + $normal->() } @$m) . "\n" }));
	' "$1"
}

make_graphs() { # FOLDER
	perl -e "$put"'
		my ($edges, @first, @to) = (0);
		for (1 .. 2000) { my $k = 2 + int rand 4; push @first, "$edges $k\n"; $edges += $k }
		put("sssp-cuda/input/NYR_input.dat", "2000 $edges 0\n" . join("", @first) .
			join_of($edges, sub { int(rand 2000) . " " . (1 + int rand 19) . "\n" }));
		sub ecl { # VERTICES EDGES-OF-EACH WEIGHTS: a graph as those of ECL have it
			my ($n, $degree, $weights) = @_;
			my (@next, @index, @list, @weight);
			for my $i (0 .. $n - 1) {
				for (1 .. $degree) {
					my $j = int rand $n;
					$next[$i]{$j} = $next[$j]{$i} = 1 + int rand 99 if $i != $j;
				}
			}
			push @index, 0;
			for my $i (0 .. $n - 1) {
				for my $j (sort { $a <=> $b } keys %{$next[$i]}) { push @list, $j; push @weight, $next[$i]{$j} }
				push @index, scalar @list;
			}
			return pack "V*", $n, scalar @list, @index, @list, $weights ? @weight : ();
		}
		put("cc-cuda/delaunay_n24.egr", ecl(3000, 3, 0));
		put("mis-cuda/internet.egr", ecl(3000, 3, 0));
		put("floydwarshall2-cuda/CollegeMsg.egr", ecl(150, 4, 1));
		my ($n, $below, $all, $nb, $na) = (1600, "", "", 0, 0);
		for my $i (0 .. $n - 1) {
			my ($x, $y) = ($i % 40, int $i / 40);
			for my $d ([0, -1], [-1, 0], [0, 0], [1, 0], [0, 1]) {
				my ($u, $v) = ($x + $$d[0], $y + $$d[1]);
				next if $u < 0 || $u > 39 || $v < 0 || $v > 39;
				my $line = sprintf "%d %d %s\n", $i + 1, $u + 40 * $v + 1, $$d[0] || $$d[1] ? "-1.0" : "4.1";
				$all .= $line, $na++;
				$below .= $line, $nb++ if $u + 40 * $v <= $i;
			}
		}
		put("bicgstab-cuda/TEM27623/TEM27623_M.mtx", "%%MatrixMarket matrix coordinate real symmetric\n$n $n $nb\n$below");
		put("sptrsv-sycl/lp1.mtx", "%%MatrixMarket matrix coordinate real general\n$n $n $na\n$all");
		put("graphB+-cuda/graph.csv", "From,To,Sign\n" . join("", map { sprintf "%d,%d,%d\n", $_, $_ ? int rand $_ : 1, rand() < 0.5 ? -1 : 1 } 0 .. 199) .
			join_of(300, sub { sprintf "%d,%d,%d\n", rand 200, rand 200, rand() < 0.5 ? -1 : 1 }));
	' "$1"
}
