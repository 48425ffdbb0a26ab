# correlate: predicted beside measured, in every form that profilers write. The measured numbers are made from the
# profile's own, so that each error is known.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
PATH=$CT_RELEASE:$PATH

tracegen -q bfs --size small -o bfs && reuse -q --per-kernel bfs -o bfs.profile || exit 1
# make FORM FACTOR: the profile's launches as a profiler would tell them, its cycles times FACTOR
make_csv() {
	awk -F'\t' -v form="$1" -v f="$2" '
	function v(k, m) { return value[k "," m] }
	function long(k, section, metric, unit, x) {
		printf "\"%d\",\"77\",\"void %s<(int)1>(int *, int)\",\"%s\",\"%s\",\"%s\",\"%s\"\n", k - 1, name[k], section, metric, unit, x
	}
	$1 == "KN" { id[++n] = $2; name[$2] = $3; grid[$2] = $4; block[$2] = $5 }
	$1 == "SN" && $2 ~ /^kernel:/ { value[substr($2, 8) "," $3] = $4 }
	END {
		print "result: 17, done"; print "==PROF== Connected to process 77"
		if (form == "raw") {
			print "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpc__cycles_elapsed.max\",\"gpu__time_duration.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"dram__bytes_read.sum\",\"dram__bytes_write.sum\",\"smsp__thread_inst_executed_pred_on.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum\",\"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum\""
			print "\"\",\"\",\"\",\"\",\"\",\"cycle\",\"usecond\",\"sector\",\"Kbyte\",\"byte\",\"inst\",\"request\",\"request\",\"request\",\"request\",\"sector\""
		} else if (form == "details")
			print "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\""
		else
			print "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\""
		for (i = 1; i <= n; i++) {
			k = id[i]; c = v(k, "cycles") * f
			if (form == "raw") {
				g = grid[k]; gsub(",", ", ", g); b = block[k]; gsub(",", ", ", b)
				printf "\"%d\",\"77\",\"%s(int *, int)\",\"%s\",\"%s\",\"%d,%03d\",\"%.3f\",\"%d\",\"%.3f\",\"%s\",\"%d\",\"%d\",\"1\",\"2\",\"3\",\"%d\"\n", k - 1, name[k], b, g, int(c / 1000), c % 1000, c / 1000, v(k, "l1_read_sector_accesses"), v(k, "dram_read_bytes") / 1000, k == 2 ? "n/a" : v(k, "dram_write_bytes"), v(k, "thread_insts"), v(k, "global_requests") - 6, v(k, "ncu_l1_load_hit_sectors")
			} else if (form == "details") {
				long(k, "GPU Speed Of Light Throughput", "Elapsed Cycles", "cycle", int(c))
				long(k, "Memory Workload Analysis", "L2 Hit Rate", "%", 100 * v(k, "ncu_l2_hit_rate") - 5)
				long(k, "Occupancy", "", "", "")
			} else { launches[name[k]]++; insts[name[k]] += v(k, "thread_insts") }
		}
		for (x in launches)
			printf "\"Board (0)\",\"%s(int*, int)\",%d,\"not_predicated_off_thread_inst_executed\",\"Threads\",1,2,%.6f\n", x, launches[x], insts[x] / launches[x]
	}' bfs.profile
}
make_csv raw 1.25 >raw.csv && make_csv details 0.8 >details.csv && make_csv nvprof 1 >nvprof.csv
cr() { awk -F'\t' -v s="$2" -v m="$3" -v c="$4" '$1 == "CR" && $2 == s && $4 == m { print $c }' "$1"; }

launches=$(grep -c ^KN bfs.profile)
correlate bfs.profile raw.csv >raw.out 2>raw.err
same "launches are counted" "correlate: $launches of $launches launches matched; 0 of $launches rows measured no launch of the trace" "$(sed -n 1p raw.err)"
same "the level that is off most is named" "correlate: cycles disagree most: cycles, off by 20.0 %" "$(sed -n 2p raw.err)"
same "cycles of 1.25 times are a fifth too few" "0.2000" "$(printf %.4f "$(cr raw.out all cycles 8)")"
same "sums of the program" "$(awk -F'\t' '$1 == "SN" && $2 == "all" && $3 == "cycles" { print $4 }' bfs.profile)" "$(cr raw.out all cycles 6)"
same "equal counts have no error" "0 0 0" "$(cr raw.out all thread_insts 8) $(cr raw.out all dram_read_bytes 8) $(cr raw.out name:bfs_expand l1_read_sector_accesses 8)"
same "what is put together of several counters" "0 0.0000" "$(cr raw.out all global_requests 8) $(printf %.4f "$(cr raw.out all ncu_l1_load_hit_rate 8)")"
check "both parts of the DRAM's traffic" test "$(cr raw.out all ncu_dram_sectors 7)" -gt 0
same "times are not compared with free clocks" "" "$(cr raw.out all duration 8)"
same "launches only where asked for" 0 "$(grep -c '^CR.kernel:' raw.out)"
check "its output is a profile that goes on" mpki -q raw.out -o more.out
same "whose records stay" "$(grep ^CR raw.out)" "$(grep ^CR more.out)"
correlate -q --per-kernel bfs.profile raw.csv >each.out 2>/dev/null
same "errors of launches have signs" "-0.2000" "$(printf %.4f "$(cr each.out kernel:1 cycles 8)")"
same "what was not measured is NA, and not 0" "" "$(cr each.out kernel:2 dram_write_bytes 7)"
same "the trace gives what its profile gives" "$(grep ^CR each.out)" "$(correlate -q --per-kernel bfs raw.csv 2>/dev/null | grep ^CR)"
same "with any number of threads" "$(grep ^CR each.out)" "$(correlate -q -@ 3 --per-kernel bfs raw.csv 2>/dev/null | grep ^CR)"

correlate bfs.profile details.csv >details.out 2>/dev/null
rate=ncu_l2_hit_rate
same "the details page: labels, and names by what they end in" "0.250 0.050" \
	"$(printf '%.3f %.3f' "$(cr details.out all cycles 8)" "$(cr details.out all "$rate" 8)")"
correlate bfs.profile nvprof.csv >nvprof.out 2>nvprof.err
same "nvprof: means of all launches" "0.0000" "$(printf %.4f "$(cr nvprof.out all thread_insts 8)")"
check "each launch has its part in a mean" grep -q "$launches of $launches launches matched; 0 of 2 rows" nvprof.err
correlate -q bfs.profile raw.csv details.csv >several.out 2>/dev/null
same "several files, the first counts" "$(cr raw.out all cycles 8) $(cr details.out all "$rate" 8)" "$(cr several.out all cycles 8) $(cr several.out all "$rate" 8)"

# exit statuses
status() { "$@" >/dev/null 2>&1; echo $?; }
same "within" "0 1 1 0 0" "$(status correlate --within 25% bfs.profile raw.csv) $(status correlate --within 15% bfs.profile raw.csv) $(status correlate --within cycles=0.15 --within thread_insts=1% bfs.profile raw.csv) $(status correlate --within thread_insts=1% bfs.profile raw.csv) $(status correlate bfs.profile raw.csv)"
check "which says what is past it" grep -q 'cycles: the mean error is 20.0 %, and --within allows 15.0 %' <(correlate --within 15% bfs.profile raw.csv 2>&1 >/dev/null)
refuses "a metric that was not measured" 2 "no launch has it on both sides" correlate --within dram_read_bytes=5% bfs.profile details.csv
refuses "an unknown metric" 2 "did you mean cycles" correlate --within cicles=5% bfs.profile raw.csv
refuses "a percentage without its sign" 2 'that is 2000 %: write 20%' correlate --within cycles=20 bfs.profile raw.csv
refuses "no share" 2 "want a share" correlate --within 0 bfs.profile raw.csv
refuses "one operand" 2 "name a profile or a trace, and" correlate bfs.profile
sed 's/bfs_/other_/' raw.csv >other.csv
refuses "no launch in common" 2 "none of $launches rows" correlate bfs.profile other.csv
refuses "an unknown unit" 2 'cycles_elapsed.max in "parsec"' correlate bfs.profile <(sed 's/"cycle"/"parsec"/' raw.csv)
refuses "an ambiguous number" 2 "is no number" correlate bfs.profile <(awk 'NR == 5 { sub(/"[0-9]+,[0-9]+"/, "\"1.234,5\"") } 1' raw.csv)
refuses "a row that is cut" 2 "the file is cut" correlate bfs.profile <(head -c -30 raw.csv)
refuses "no table" 2 "no table of a profiler" correlate bfs.profile bfs.profile
refuses "a profile without launches" 2 "per-kernel" correlate <(reuse -q bfs) raw.csv
refuses "two outputs in one file" 2 "name of its own" correlate --html x -o x bfs.profile raw.csv
head -n 8 raw.csv >few.csv
check "a part of the launches" grep -q "4 of $launches launches matched; 0 of 4 rows" <(correlate bfs.profile few.csv 2>&1 >/dev/null)
(cat raw.csv; tail -n 1 raw.csv) >more.csv
check "more than the launches" grep -q "; 1 of $((launches + 1)) rows measured no launch" <(correlate bfs.profile more.csv 2>&1 >/dev/null)

# clocks: 1000 MHz by the file
correlate -q --clock-control base bfs raw.csv >base.out 2>/dev/null
same "a held clock is the file's" "1000" "$(awk -F'\t' '$1 == "GP" && $2 == "clock.core" { print $3 }' base.out)"
check "and times are compared" test -n "$(cr base.out all duration 8)"
same "-p goes over it" "1200" "$(correlate -q --clock-control boost -p clock.core=1200MHz bfs raw.csv 2>/dev/null | awk -F'\t' '$1 == "GP" && $2 == "clock.core" { print $3 }')"
refuses "a file without a clock" 2 "tells no clock" correlate --clock-control base bfs nvprof.csv
refuses "an unknown control" 2 "want none, base or boost" correlate --clock-control fast bfs raw.csv

# caches
check "a warm LLC beside ncu's file is told" grep -q "LLC was replayed warm: say which" raw.err
check "not beside nvprof's" sh -c '! grep -q warm nvprof.err'
correlate --cache-control all bfs.profile raw.csv >cold.out 2>cold.err
check "nor where it was said" sh -c '! grep -q warm cold.err'
same "all empties the caches of every launch" "$(reuse -q --per-kernel -p l1.flush=on -p llc.flush=on bfs | awk -F'\t' '$1 == "SN" && $2 == "all" && $3 == "dram_read_bytes" { print $4 }')" \
	"$(cr cold.out all dram_read_bytes 6)"
check "which reads more of the DRAM" test "$(cr cold.out all dram_read_bytes 6)" -gt "$(cr raw.out all dram_read_bytes 6)"
same "none leaves them" "$(grep ^CR raw.out)" "$(correlate -q --cache-control none bfs.profile raw.csv 2>/dev/null | grep ^CR)"
refuses "no other word" 2 "want all or none" correlate --cache-control some bfs raw.csv

# for people
correlate -q -O table --within 30% --html page.html --svg plot.svg bfs.profile raw.csv >table 2>/dev/null
check "a table" grep -qE '^cycles +cycles +[0-9,]+ +[0-9,]+ +20\.0 %$' table
same "it fits 80 columns" "" "$(awk 'length($0) > 80' table)"
same "a point for every launch" "$launches" "$(awk '/id="cycles-t"/ { on = 1 } on { n += gsub(/r="2.5"/, "") } /<\/svg>/ { on = 0 } END { print n }' page.html)"
check "the drawing is XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' plot.svg
check "the page has its kernels" grep -q '<th scope="row">bfs_expand</th>' page.html
same "the same page twice" "$(md5sum <page.html)" "$(correlate -q --within 30% --html again.html bfs.profile raw.csv >/dev/null 2>&1; md5sum <again.html)"
check "a full disk leaves no page" sh -c '! correlate -q --html full.html bfs.profile raw.csv -o /dev/full 2>/dev/null && [ ! -e full.html ]'
refuses "a page that cannot be written" 2 "nowhere" correlate --html nowhere/x bfs.profile raw.csv

# mpki tells launches apart, too
same "mpki --per-kernel" "$launches" "$(mpki -q --per-kernel bfs | grep -cE '^SN.kernel:[0-9]+.cycles')"
same "a profile has them already" "$launches" "$(mpki -q --per-kernel bfs.profile | grep -cE '^SN.kernel:[0-9]+.cycles')"
refuses "one without launches" 2 "per-kernel needs the trace" mpki --per-kernel <(reuse -q bfs)
finish
