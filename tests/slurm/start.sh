#!/bin/bash
# Starts a SLURM of one node on this machine, as root, by hand: munged, slurmctld, slurmd.
# Everything it writes is in the folder given, which `stop.sh` takes too.
#
#   tests/slurm/start.sh /tmp/slurm && export SLURM_CONF=/tmp/slurm/slurm.conf
#   sinfo
#   tests/slurm/stop.sh /tmp/slurm
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
mkdir -p "$folder"/{state,spool,log,munge}
chmod 755 "$folder" "$folder/munge"

# munge, with a key and a socket of its own
if [ ! -e "$folder/munge/key" ]; then
  (umask 077 && dd if=/dev/urandom of="$folder/munge/key" bs=128 count=1 status=none)
fi
munged --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/log/munged" --seed-file="$folder/munge/seed"

host=$(hostname -s)
cores=$(nproc)
memory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
cat > "$folder/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1
ReturnToService=2
KillWait=10
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld
SlurmdLogFile=$folder/log/slurmd
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
export SLURM_CONF="$folder/slurm.conf"
slurmctld -c
slurmd
for _ in $(seq 100); do
  if sinfo --noheader --states=idle --format=%n 2> /dev/null | grep -q .; then exit 0; fi
  sleep 0.1
done
echo "the node is not idle after 10 seconds; see $folder/log" >&2
exit 1
