#!/bin/sh
# Our cone solver and our Lemke beside quantecon's Lemke and Siconos' cone Newton, on the same problems in one run.
# Needs Debian's python3-siconos, and python3-venv for quantecon.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=/usr/bin/python3
if ! "$python" -c 'import siconos.numerics' 2>/dev/null; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update --quiet
        apt-get install --yes --quiet python3-siconos
    else
        echo "Siconos is missing: apt-get install python3-siconos" >&2
        exit 2
    fi
fi
target=${CARGO_TARGET_DIR:-$root/target}
venv="$target/quantecon-venv"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import quantecon' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet quantecon
fi
# one thread each, as ours
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
cd "$root"
cargo bench --quiet --bench cones --no-run
out="$target/many"
mkdir -p "$out"
for round in 1 2; do
    cargo bench --quiet --bench cones -- --csv > "$out/ours-$round.csv"
    "$venv/bin/python" benches/many/theirs.py quantecon tests/data/lcp > "$out/quantecon-$round.csv"
    "$python" benches/many/theirs.py siconos tests/data/lcp > "$out/siconos-$round.csv"
done
"$python" benches/many/table.py "$out"
