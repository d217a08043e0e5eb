#!/bin/bash
# Stops what `start.sh FOLDER` started, by the process ids that are written there.
set -uo pipefail
folder=$1
export SLURM_CONF="$folder/slurm.conf"
scancel --user=root 2> /dev/null
for daemon in slurmd slurmctld munge/; do
  file="$folder/${daemon%/}.pid"
  [ "$daemon" = munge/ ] && file="$folder/munge/pid"
  [ -s "$file" ] && kill "$(cat "$file")"
done
exit 0
