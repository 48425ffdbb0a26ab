# The recipes for many machines, on one: a Slurm that this test starts on loopback, and GNU
# parallel. Both must give the bytes of the local run.
. "$(dirname "$0")/lib.sh"
cd "$TMPDIR" || exit 1
export PATH="$CT_BIN:$PATH:/usr/sbin"
for w in vecadd nn scan; do "$CT_RELEASE/tracegen" $w --size small -o $w >/dev/null || fail "tracegen $w"; done
few="--scale 1/8 --mechanism shared-l1"
triage -q -O profile $few vecadd nn scan >local

if command -v parallel >/dev/null 2>&1 && parallel --version 2>/dev/null | grep -q GNU; then
	check "GNU parallel runs the parts" parallel --will-cite triage -q -O profile --shard '{}/3' -o 'part-{}' $few vecadd nn scan ::: 1 2 3
	same "joined they are the local run" "$(cat local)" "$(triage --join part-1 part-2 part-3)"
else
	skip "GNU parallel runs the parts" "GNU parallel is not installed"
fi

why=
for tool in munged slurmctld slurmd sbatch scontrol; do command -v $tool >/dev/null 2>&1 || why="slurm-wlm and munge are not installed"; done
[ "$(id -u)" = 0 ] || why=${why:-"slurmd starts jobs as root only"}
if [ -n "$why" ]; then
	skip "Slurm runs the array" "$why"
	finish
fi
node=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -p slurm/state slurm/spool slurm/munge
chmod 700 slurm/munge
head -c 1024 /dev/urandom >slurm/munge/key
chmod 400 slurm/munge/key
cat >slurm/slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$TMPDIR/slurm/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$TMPDIR/slurm/state
SlurmdSpoolDir=$TMPDIR/slurm/spool
SlurmctldPidFile=$TMPDIR/slurm/ctld.pid
SlurmdPidFile=$TMPDIR/slurm/slurmd.pid
SlurmctldLogFile=$TMPDIR/slurm/ctld.log
SlurmdLogFile=$TMPDIR/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=p Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$TMPDIR/slurm/slurm.conf
stop() {
	local f pid
	for f in slurm/slurmd.pid slurm/ctld.pid slurm/munge/pid; do
		[ -s $f ] || continue
		pid=$(cat $f)
		kill "$pid" 2>/dev/null
		# They write their state when they end; the folder goes after that.
		for _ in $(seq 40); do kill -0 "$pid" 2>/dev/null && [ "$(ps -o stat= -p "$pid" | cut -c1)" != Z ] || break; sleep 0.25; done
	done
}
trap stop EXIT
started() {
	munged --force --key-file="$TMPDIR/slurm/munge/key" --socket="$TMPDIR/slurm/munge/socket" \
		--pid-file="$TMPDIR/slurm/munge/pid" --log-file="$TMPDIR/slurm/munge/log" --seed-file="$TMPDIR/slurm/munge/seed" &&
		slurmctld -c -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" || return 1
	for _ in $(seq 60); do
		[ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && return 0
		sleep 0.5
	done
	return 1
}
if ! started >start.log 2>&1; then
	skip "Slurm runs the array" "a Slurm on loopback cannot start here"
	finish
fi
triage -q --slurm --tasks 2 $few vecadd nn scan >job.sbatch
check "Slurm runs the array" timeout 240 sbatch --wait job.sbatch
same "every task has ended well" 2 "$(ls triage-shard-*.tv 2>/dev/null | wc -l)"
same "joined they are the local run" "$(cat local)" "$(triage --join $(ls -v triage-shard-*.tv))"
finish
