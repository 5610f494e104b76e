#!/bin/sh
# Times our Lemke against quantecon's on the same problems, in turns. Exit code 1: slower at some size.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
venv="$root/target/quantecon-venv"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import quantecon' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet quantecon
fi
cd "$root"
cargo bench --quiet --bench lcp --no-run
"$venv/bin/python" benches/quantecon/compare.py tests/data/lcp cargo bench --quiet --bench lcp -- --csv --only
