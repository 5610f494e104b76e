#!/bin/sh
# Times our Lemke against quantecon's on the same problems, one after the other. Exit code 1: slower somewhere.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
venv="$root/target/quantecon-venv"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import quantecon' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet quantecon
fi
cd "$root"
ours="$root/target/quantecon-ours.csv"
cargo bench --quiet --bench lcp -- --csv >"$ours"
"$venv/bin/python" benches/quantecon/compare.py tests/data/lcp "$ours"
