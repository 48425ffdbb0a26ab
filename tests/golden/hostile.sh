# The world around a command misbehaves: full disks, closed pipes, signals, slow and
# changing inputs, endless lines, hostile lists and numbers, decompression bombs. Each
# ends in the whole answer, or in one line and nothing left behind.
. "$(dirname "$0")/lib.sh"
b=$CT_BIN
cd "$TMPDIR" || exit 1
"$CT_RELEASE/tracegen" -q vecadd --size small -o t && "$CT_RELEASE/reuse" -q t >t.prof || exit 1
"$CT_RELEASE/tracecat" -q t -o t.ctz && "$CT_RELEASE/tracecat" -q -O accelsim t.ctz >t.traceg || exit 1
head -c 65536 "$b/reuse" >raw

# ends NAME RC WANT PATTERN: the exit status RC is WANT, and err is one line that matches
# PATTERN, or empty where that is.
ends() {
	if [ "$2" != "$3" ]; then fail "$1" "exit $2, wanted $3" "$(head -c 400 err)"
	elif [ -n "$4" ] && { [ "$(wc -l <err)" -ne 1 ] || ! grep -qE -- "$4" err; }; then fail "$1" "$(head -c 400 err)"
	elif [ -z "$4" ] && [ -s err ]; then fail "$1" "$(head -c 400 err)"
	else pass "$1"; fi
}

# Every command that writes, and how to make it write.
commands=("reuse -q t.ctz" "replicate -q t.prof" "lineutil -q t.prof" "mpki -q t.prof" "morpheus-est -q t.prof"
	"sharedl1-est -q t.prof" "tsc-est -q --method replay t.ctz" "malekeh-est -q --method replay t.ctz" "tracecat -q t"
	"traceinfo -q t" "triage -q t.prof" "sweep -q sms=2,4 -- t.prof" "report -q t.prof" "bdi -q raw" "tracegen --list" "reuse --help"
	"mpki --print-gpu")

full_disk() {
	local c bad= rc to
	[ -c /dev/full ] || { skip "full disk" "no /dev/full"; return; }
	for c in "${commands[@]}"; do
		"$b"/$c >/dev/full 2>err
		rc=$?
		[ $rc = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'No space left' err || bad+="$c: $rc $(head -c 200 err);"
		case $c in tracegen*|*--help) continue ;; esac
		# Options of a command that has inputs behind "--" come before that.
		case $c in *" -- "*) to=${c/ -- / -o /dev/full -- } ;; *) to="$c -o /dev/full" ;; esac
		"$b"/$to 2>err
		rc=$?
		[ $rc = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'No space left' err || bad+="$c -o: $rc $(head -c 200 err);"
	done
	same "a full disk, standard output and -o, of ${#commands[@]} commands" "" "$bad"
	"$b/report" -q --html /dev/full t.prof >out 2>err
	ends "report --html on a full disk" $? 2 'No space left'
}

closed_pipe() {
	local c bad= rc
	for c in "${commands[@]}"; do
		# The reader is gone before anything is written; the parent may ignore the signal.
		for ignore in '' "trap '' PIPE;"; do
			rc=$(bash -c "$ignore { sleep 0.05; \"$b\"/$c 2>err; echo \$? >rc; } | true; cat rc")
			[ "$rc" = 141 ] && [ ! -s err ] || bad+="$c ($ignore): $rc $(head -c 200 err);"
		done
	done
	same "a closed pipe ends ${#commands[@]} commands quietly" "" "$bad"
}

# A disk of 256 KiB, where that may be mounted.
small_disk() {
	mkdir -p small
	unshare -rm true 2>/dev/null || { skip "small tmpfs" "no right to mount"; return; }
	unshare -rm bash -c "mount -t tmpfs -o size=256k none small || exit 77
		head -c 250000 /dev/zero >small/filler
		\"$b/tracecat\" -q -O accelsim t -o small/x >out 2>err; echo \$? >rc; ls -A small >left; rm small/filler
		head -c 200000 /dev/zero >small/filler
		TMPDIR=small \"$b/reuse\" -q --max-memory 4KiB t >out2 2>err2; echo \$? >rc2; ls -A small >left2"
	[ $? = 77 ] && { skip "small tmpfs" "tmpfs cannot be mounted"; return; }
	ends "-o on a disk that fills up" "$(cat rc)" 2 'small/x.*: cannot write: No space'
	same "and nothing is left there" filler "$(cat left out)"
	mv err2 err
	ends "spilling to a disk that fills up" "$(cat rc2)" 2 'temporary file in small .set TMPDIR'
	same "and nothing is left there either" filler "$(cat left2 out2)"
}

# stopped NAME SIGNAL COMMAND...: the signal comes while the command, in work/, waits for
# more on its standard input. It ends by the signal, prints nothing, leaves no file.
stopped() {
	local name=$1 sig=$2 pid rc
	shift 2
	rm -rf work && mkdir work && mkfifo work.fifo
	(cd work && TMPDIR=$PWD exec "$@") <work.fifo >out 2>err &
	pid=$!
	exec 9>work.fifo
	head -c 400000 t.traceg >&9
	sleep 0.3
	kill -s "$sig" $pid
	wait $pid 2>/dev/null
	rc=$?
	exec 9>&-
	rm work.fifo
	same "$name: SIG$sig ends it, nothing is left" "$((128 + $(kill -l "$sig"))) 0" "$rc $(ls -A work | wc -l)"
	[ ! -s out ] || fail "$name: prints nothing" "$(head -c 100 out)"
}

signals() {
	local sig rc
	for sig in INT TERM HUP; do
		stopped "tracecat -o" $sig "$b/tracecat" -q -o x.ctz
		stopped "tracecat -o FOLDER" $sig "$b/tracecat" -q -O accelsim -o x
		stopped "reuse that spills" $sig "$b/reuse" -q --max-memory 4KiB -o x
	done
	if [ -e "$CT_RELEASE/../tests/inject.so" ]; then
		stopped "tracecat without nameless files" TERM env CT_FAULT=tmpfile \
			LD_PRELOAD="$CT_RELEASE/../tests/inject.so" "$CT_RELEASE/tracecat" -q -O accelsim -o x
		stopped "tracecat packing without nameless files" TERM env CT_FAULT=tmpfile \
			LD_PRELOAD="$CT_RELEASE/../tests/inject.so" "$CT_RELEASE/tracecat" -q -o x.ctz
		stopped "reuse that spills without nameless files" TERM env CT_FAULT=tmpfile \
			LD_PRELOAD="$CT_RELEASE/../tests/inject.so" "$CT_RELEASE/reuse" -q --max-memory 4KiB -o x
	fi
	for sig in INT TERM HUP; do
		rm -rf work && mkdir work
		(cd work && exec "$b/tracegen" -q all --size large -o x) 2>err &
		sleep 0.3
		kill -s $sig $!
		wait $! 2>/dev/null
		rc=$?
		[ $rc = $((128 + $(kill -l $sig))) ] && rc=2 # it came before its handler was there
		same "tracegen: SIG$sig ends it, nothing is left" "2 0" "$rc $(ls -A work | wc -l)"
	done
	# --force keeps the old folder until the new one is whole.
	"$b/tracegen" -q vecadd -o work/x
	"$b/tracegen" -q workingset --passes 400 --force -o work/x 2>err &
	sleep 0.2
	kill -s TERM $!
	wait $!
	same "tracegen --force that is stopped keeps what was there" "x vecadd" \
		"$(ls -A work) $(sed -n 's/^workload //p' work/x/tracegen.txt)"
	(trap '' INT; exec "$b/reuse" -q - <t.traceg >out 2>err) &
	sleep 0.1
	kill -s INT $!
	wait $!
	ends "what the parent ignores stays ignored" $? 0 ''
}

# The workers of a triage that is killed do not go on without it. They wait for a pipe.
orphans() {
	local sig w left
	mkfifo slow.fifo
	for sig in TERM KILL; do
		"$b/triage" -q -@ 2 slow.fifo t.ctz >out 2>err &
		pid=$!
		exec 9>slow.fifo
		head -c 400000 t.traceg >&9
		sleep 0.5
		w=$(cat /proc/$pid/task/*/children 2>/dev/null)
		[ -n "$w" ] || { skip "workers of a killed triage" "they cannot be seen here"; kill $pid; exec 9>&-; break; }
		kill -s $sig $pid
		wait $pid 2>/dev/null
		left=
		for i in 1 2 3 4 5 6 7 8 9 10; do
			left=$(for i in $w; do sed -n 's/.*) \([^Z]\) .*/\1/p' "/proc/$i/stat" 2>/dev/null; done)
			[ -n "$left" ] || break
			sleep 0.2
		done
		exec 9>&-
		same "triage: SIG$sig ends its workers too" "" "$left"
	done
	rm -f slow.fifo
}

# Where output goes: links stay, descriptors are written in place, closed ones are not taken over.
outputs() {
	local fd
	mkdir -p links && echo old >links/real && ln -s real links/one && ln -s one links/two && ln -s self links/self
	"$b/mpki" -q t.prof >want
	"$b/mpki" -q t.prof -o links/two
	same "-o writes what a link leads to, and the link stays" "link link $(grep -v ^PG want | cksum)" \
		"$([ -L links/two ] && echo link) $([ -L links/one ] && echo link) $(grep -vE '^PG' links/real | cksum)"
	refuses "a link to itself" 2 'links/self: cannot follow' "$b/mpki" -q t.prof -o links/self
	ln -s /proc/self/fd/1 links/stdout
	(echo first; "$b/mpki" -q t.prof -o links/stdout; echo last) >got
	same "a link to standard output is that, where it stands" "first last link" \
		"$(sed -n '1p;$p' got | paste -sd' ') $([ -L links/stdout ] && echo link)"
	(echo first >&5; "$b/mpki" -q t.prof -o /dev/fd/5) 5>got
	same "so is a descriptor" "first $(wc -l <want)" "$(head -1 got) $(($(wc -l <got) - 1))"
	refuses "one that is not open" 2 '/dev/fd/99: cannot open' "$b/mpki" -q t.prof -o /dev/fd/99
	"$b/tracecat" -q t -o want.ctz
	"$b/tracecat" -v --progress t -o got.ctz <&- >&- 2>&-
	same "nothing is written into an output because others were closed" "$(cksum <want.ctz)" "$(cksum <got.ctz)"
	"$b/mpki" -q t.prof >&- 2>err
	ends "a closed standard output is an error" $? 2 'standard output: cannot write'
	"$b/mpki" -q - <&- >out 2>err
	ends "a closed standard input is one" $? 2 '^mpki: -'
	(ulimit -f 4; exec "$b/mpki" -q t.prof -o limited) >out 2>err
	ends "so is ulimit -f" $? 2 'limited: cannot write: File too large'
	same "which leaves nothing" "" "$(ls -A limited 2>/dev/null)"
}

slow_input() {
	local f c
	head -c 30000 t.traceg | "$CT_RELEASE/traceinfo" --salvage -q -O profile - >want 2>/dev/null
	# One byte at a time, from a pipe that is never full.
	head -c 30000 t.traceg | dd bs=1 2>/dev/null | "$b/traceinfo" --salvage -q -O profile - >got 2>/dev/null
	same "a trace byte by byte" "$(cat want)" "$(cat got)"
	for f in t.prof t.ctz; do
		c=reuse
		[ $f = t.prof ] && c="mpki --no-provenance"
		"$CT_RELEASE"/$c -q - <$f >want
		dd bs=1 <$f 2>/dev/null | "$b"/$c -q - >got
		same "$f byte by byte" "$(cksum <want)" "$(cksum <got)"
	done
}

# A file that changes while it is read is what it was, or refused.
changing_files() {
	local size rc
	cp t.traceg whole
	size=$(stat -c %s whole)
	"$CT_RELEASE/traceinfo" -q -O profile --no-provenance whole | grep -v '^TR\|^EN' >want
	# A pipe in front makes the reader wait at a known place; the rest comes from the file.
	for how in shrink grow replace; do
		cp whole f && rm -f go && mkfifo go
		{ head -c 100000 f; read -r _ <go; tail -c +100001 f; } | "$b/traceinfo" -q -O profile - >got 2>err &
		case $how in
		shrink) truncate -s $((size / 2)) f ;;
		grow) printf 'warp = 0\n' >>f ;;
		replace) head -c "$size" /dev/zero >f2 && mv f2 f ;;
		esac
		echo >go
		wait $!
		rc=$?
		rm -f go
		same "input that ${how}s while it is read is refused" "1 0 1" "$rc $(wc -c <got) $(wc -l <err)"
	done
	# A profile's trace that is another one now.
	mkdir -p moved && cp t.ctz moved/ && "$CT_RELEASE/reuse" -q moved/t.ctz >moved.prof
	"$CT_RELEASE/tracegen" -q nn -o other && "$CT_RELEASE/tracecat" -q other -o moved/t.ctz
	"$b/malekeh-est" -q --method replay moved.prof >out 2>err
	ends "a trace that is not the profile's any more" $? 2 'moved/t.ctz'
}

# 2 GB lines: refused in the first megabytes, in 256 MiB of address space.
long_lines() {
	local name head
	big() { head -c 2147483648 /dev/zero | tr '\0' x; }
	while IFS='|' read -r name head; do
		{ printf '%b' "$head"; big; } 2>/dev/null |
			(ulimit -v 262144; exec "$CT_RELEASE/reuse" -q -) >out 2>err
		ends "a 2 GB line in $name" "${PIPESTATUS[1]}" 2 '^reuse: -:[0-9]+: '
	done <<-'X'
	a header|-kernel name = k\n-grid dim = (1,1,1)\n-block dim = 
	an unknown text|
	an instruction|-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#traces format\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0010 ffffffff 0 
	a kernels list|kernel-1.traceg\nkernel-
	an NVBit log|MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x1 - Kernel name 
	a profile|#cachetriage-profile\t1\nSN\tall\t
	X
	{ printf 'a '; big; } 2>/dev/null |
		(ulimit -v 262144; exec "$CT_RELEASE/reuse" -q --pattern '(?<addr>[0-9]+)' -) >out 2>err
	ends "a 2 GB line under --pattern" "${PIPESTATUS[1]}" 2 '^reuse: -:[0-9]+: '
}

hostile_lists() {
	local l=lists x
	mkdir -p $l/sub/sub outside
	cp t.traceg outside/kernel-9.traceg && cp t.traceg $l/sub/sub/kernel-1.traceg
	list() { printf '%s\n' "$@" >$l/kernelslist.g; }
	list sub/sub/kernel-1.traceg
	check "a file in a folder below" "$b/traceinfo" -q $l
	for x in ../outside/kernel-9.traceg sub/../../outside/kernel-9.traceg "$PWD/outside/kernel-9.traceg" sub/sub/../../../outside/kernel-9.traceg; do
		list "$x"
		refuses "$(printf %s "$x" | sed "s,$PWD,,") leads out" 2 'kernelslist.g:1: .*--trust-paths' "$b/reuse" -q $l
		check "and may with --trust-paths" "$b/traceinfo" -q --trust-paths $l
	done
	list kernel-2.traceg
	ln -s /dev/zero $l/kernel-2.traceg
	refuses "a link to a device" 2 'kernel-2.traceg: not a regular file' "$b/reuse" -q $l
	rm $l/kernel-2.traceg && mkfifo $l/kernel-2.traceg
	refuses "a FIFO" 2 'kernel-2.traceg: not a regular file' "$b/reuse" -q --trust-paths $l
	mkdir -p fifos && rm -f fifos/* && mkfifo fifos/kernelslist.g fifos/x.blocks
	refuses "a FIFO as the list of a folder" 2 'kernelslist.g: not a regular file' timeout 20 "$b/reuse" -q fifos
	refuses "a FIFO among block dumps" 2 'x.blocks: not a regular file' timeout 20 "$b/bdi" -q fifos
	rm $l/kernel-2.traceg && mkdir $l/kernel-2.traceg
	refuses "a folder" 2 'kernel-2.traceg: not a regular file' "$b/reuse" -q $l
	rmdir $l/kernel-2.traceg && ln -s kernel-2.traceg $l/kernel-2.traceg
	refuses "a link to itself" 2 'kernel-2.traceg.*(is not in|cannot open)' "$b/reuse" -q $l
	rm $l/kernel-2.traceg && cp $l/kernelslist.g $l/kernel-2.traceg
	refuses "a list that names a list" 2 'kernel-2.traceg:1: a kernels list inside' "$b/reuse" -q $l
	rm $l/kernel-2.traceg && ln -s kernelslist.g $l/kernel-2.traceg
	refuses "a list that names itself" 2 'kernel-2.traceg:1: a kernels list inside' "$b/reuse" -q $l
	list jernel-2.traceg sub/sub/kernel-1.traceg
	refuses "a kernel's line with a wrong letter" 2 'kernelslist.g:1: .*names a trace' "$b/reuse" -q $l
	list "$(printf 'a/%.0s' $(seq 2000))kernel-1.traceg"
	refuses "a path of 2000 folders" 2 'kernelslist.g:1: |cannot open' "$b/reuse" -q $l
	{ seq -f 'sub/sub/kernel-%.0f.traceg' 200000; } >$l/kernelslist.g
	check "200000 lines, one of them there" "$CT_RELEASE/traceinfo" -q $l
}

bombs() {
	local k="-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#traces format\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2000001\n"
	{ printf -- "$k"; yes '0010 ffffffff 1 R1 IADD3 2 R2 R3 0' | head -n 2000000; printf '0020 ffffffff 0 EXIT 0 0\n#END_TB\n'; } >bomb
	for x in 'xz -T1 -0' 'gzip' 'zstd -q'; do
		$x -c bomb >bomb.z
		refuses "${x%% *}: a bomb" 2 'bomb.z:[0-9]+: [0-9]+ compressed bytes become more than 1048576: --max-expand' \
			"$b/reuse" -q --max-expand 1MiB bomb.z
		refuses "${x%% *}: also for traceinfo, from a pipe" 2 'max-expand' bash -c "cat bomb.z | \"$b/traceinfo\" -q --max-expand 1MiB"
		refuses "${x%% *}: salvaging does not help" 2 'max-expand' "$b/reuse" -q --salvage --max-expand 1MiB bomb.z
		check "${x%% *}: and it is read without a limit" "$CT_RELEASE/traceinfo" -q bomb.z
	done
	"$CT_RELEASE/tracecat" -q bomb -o bomb.ctz
	refuses "ctz: a bomb" 2 'bomb.ctz:.*--max-expand' "$b/reuse" -q --max-expand 1KiB bomb.ctz
	refuses "ctz: its instructions count" 2 'bomb.ctz:.*--max-expand' "$b/reuse" -q --max-expand 1MiB bomb.ctz
	mkdir -p listbomb && cp bomb.z listbomb/kernel-1.traceg && echo kernel-1.traceg >listbomb/kernelslist.g
	refuses "a bomb in a list" 2 'kernel-1.traceg:.*--max-expand' "$b/mpki" -q --max-expand 1MiB listbomb
	gzip -c t.prof >prof.gz
	refuses "a profile that unpacks to much" 2 '--max-expand' "$b/mpki" -q --max-expand 1KiB prof.gz
	check "plain files have no limit" "$CT_RELEASE/traceinfo" -q --max-expand 1KiB t.traceg
	# Chains: one layer is taken off, the next is no trace.
	cp t.traceg chain
	for _ in 1 2 3; do gzip -c chain >chain2 && mv chain2 chain; done
	refuses "gz in gz in gz" 2 'chain:1: unknown binary data' "$b/reuse" -q chain
	xz -c bomb.z >chain
	refuses "zst in xz" 2 'chain:1: unknown binary data' "$b/reuse" -q chain
}

numbers() {
	local v bad= rc
	tried=0
	# number COMMAND...: any answer, or exit 2 and one line.
	number() {
		"$CT_RELEASE"/"$@" >out 2>err
		rc=$?
		tried=$((tried + 1))
		[ "$1 $rc" = "report 1" ] && rc=0 # a threshold that does not hold
		[ $rc = 0 ] && ! grep -qwE -- '-?nan|inf[^_]' <(grep '^SN\|^ES' out) ||
			{ [ $rc = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ]; } || bad+="$*: $rc $(head -c 200 err)"$'\n'
	}
	# points COMMAND...: any answer, or exit 2, a row of NA for each point that failed, and a line with its reason.
	points() {
		"$CT_RELEASE"/"$@" >out 2>err
		rc=$?
		tried=$((tried + 1))
		[ $rc = 0 ] && ! grep -qwE -- '-?nan|inf[^_]' <(grep '^SW' out) ||
			{ [ $rc = 2 ] && [ -s err ] && ! grep -qv '^sweep: ' err && { [ ! -s out ] || grep -q '^SW.*NA' out; }; } ||
			bad+="$*: $rc $(head -c 200 err)"$'\n'
	}
	for v in '' -1 0 1e-300 1e400 nan inf -inf 0x 1/0 +1 2147483648 4294967296 18446744073709551615 \
		18446744073709551616 99999999EiB 16EiB 1KiBB KiB '1 KiB'; do
		number morpheus-est -q "-@$v" t.prof
		number traceinfo -q "-@" "$v" t.ctz
		number reuse -q -S "$v" t.ctz
		number reuse -q --scale "$v" --no-sms-views t.ctz
		number reuse -q --warmup "$v" --no-sms-views t.ctz
		number reuse -q --seed "$v" -S 0.5 --no-sms-views t.ctz
		number reuse -q --max-memory "$v" --no-sms-views t.ctz
		number traceinfo -q --max-expand "$v" t.ctz
		number traceinfo -q -k "$v" t.ctz
		number traceinfo -q -k "1-$v" t.ctz
		number mpki -q -p "l1.size=$v" t.prof
		number mpki -q -p "llc.size=$v" t.prof
		number morpheus-est -q -p "dram.bandwidth=$v" t.prof
		number morpheus-est -q --sweep "sms=$v" t.prof
		number morpheus-est -q --sweep "sms=10..$v" t.prof
		number replicate -q -p "gpu.sms=$v" t.prof
		number tracecat -q --level "$v" t.ctz
		number tracecat -q --ctas "$v" t.ctz
		number bdi -q --block "$v" raw
		number triage -q --min-speedup "$v" t.prof
		points sweep -q "sms=$v" -- t.prof
		points sweep -q "llc.size=1MiB..$v" --system baseline -- t.prof
		points sweep -q --budget "$v" sms=2 -- t.prof
		number triage -q --shard "$v" t.prof
		number triage -q --shard "1/$v" t.prof
		number triage -q --slurm --tasks "$v" t.prof
		number report -q --require "morpheus.Morpheus-ALL.speedup >= $v" t.prof
	done
	refuses "a queue that no request fits into" 2 'llc.queue' "$b/mpki" -q -p llc.queue=3 t.ctz
	if [ -z "$bad" ]; then pass "numbers at every limit ($tried runs)"; else fail "numbers" "$bad"; fi
	bad=
	for v in '' -1 0 nan 18446744073709551615 18446744073709551616 99999999EiB 3 -; do
		for o in footprint sharing stride intensity passes ctas seed; do
			rm -rf gen
			timeout 10 "$CT_RELEASE/tracegen" -q workingset --$o "$v" -o gen >out 2>err
			rc=$?
			[ $rc = 0 ] || { [ $rc = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e gen ]; } || bad+="--$o $v: $rc $(head -c 200 err)"$'\n'
		done
	done
	if [ -z "$bad" ]; then pass "tracegen's numbers"; else fail "tracegen's numbers" "$bad"; fi
}

# Accesses to the first and the last bytes of all addresses, forwards and backwards.
edges() {
	local a op m bad= rc
	for a in '0xffffffffffffff80 4' '0xffffffffffffffff 4' '0xffffffffffffffff -4' '0x0 -4' '0x7fffffffffffffff 9223372036854775807' \
		'0x8000000000000000 -9223372036854775808'; do
		for op in LDG.E STG.E ATOMG.E.ADD LDGSTS.E; do
			{
				printf -- '-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#traces format\n#BEGIN_TB\nthread block = 0,0,0\n'
				printf 'warp = 0\ninsts = 2\n0010 ffffffff 1 R4 %s 1 R2 4 1 %s\n0030 ffffffff 0 EXIT 0 0\n#END_TB\n' "$op" "$a"
			} >edge.traceg
			for m in "reuse" "mpki --explain" "tsc-est --method replay" "sharedl1-est --method replay" \
				"morpheus-est --method replay" "malekeh-est --method replay"; do
				(ulimit -t 10; exec "$CT_RELEASE"/$m -q -p sm.count=2 edge.traceg) >out 2>err
				rc=$?
				[ $rc = 0 ] || { [ $rc = 2 ] && [ "$(wc -l <err)" = 1 ]; } || bad+="$m, $op $a: $rc $(head -c 200 err)"$'\n'
			done
		done
	done
	same "accesses at both ends of the addresses" "" "$bad"
}

[ $# -gt 0 ] || set -- full_disk closed_pipe small_disk signals orphans outputs slow_input changing_files long_lines hostile_lists bombs numbers edges
for part; do $part; done
finish
