#!/bin/bash
# A campaign as an array of Slurm: one job for each shard, and one that puts the parts together when all are done.
#
#   sbatch examples/campaigns/slurm.sh
#
# Jobs that are stopped and requeued continue where they were stopped, since their part is there already.
#SBATCH --job-name=volvelle
#SBATCH --array=1-64
#SBATCH --cpus-per-task=8
#SBATCH --time=02:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
set -euo pipefail

MODEL="examples/prism/client_server.prism examples/prism/client_server.props"
RUN="simulate $MODEL --prop waiting --const T=100 --samples 1e7"
PARTS="${PARTS:-parts}"
mkdir -p "$PARTS"

if [ -z "${MERGE:-}" ]; then
  # The first job of the array asks for the one that merges.
  if [ "$SLURM_ARRAY_TASK_ID" = 1 ]; then
    MERGE=1 PARTS="$PARTS" sbatch --dependency="afterok:$SLURM_ARRAY_JOB_ID" --array=1 --cpus-per-task=1 "$0"
  fi
  # shellcheck disable=SC2086
  exec volvelle $RUN --shard "$SLURM_ARRAY_TASK_ID/64" --threads "$SLURM_CPUS_PER_TASK" \
    -o "$PARTS/part-$SLURM_ARRAY_TASK_ID.vvs"
fi
exec volvelle merge "$PARTS"/part-*.vvs --json
