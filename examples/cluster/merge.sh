#!/bin/bash
# sbatch --dependency=afterok:JOB --wrap ./merge.sh, or by hand: the options of the parts, and their files.
ggpm compare counts.csv --target n --inferences laplace,ep --splits 20 --seed 7 \
  --merge "$(ls part-*.trials | paste -sd,)" --report comparison.html
