#!/bin/sh
# Time to reach an error: Siconos' time-stepping and ours by tolerance, in turns. Needs Debian's python3-siconos, cc.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=/usr/bin/python3
if ! "$python" -c 'import siconos.kernel' 2>/dev/null; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update --quiet
        apt-get install --yes --quiet python3-siconos
    else
        echo "Siconos is missing: apt-get install python3-siconos" >&2
        exit 2
    fi
fi
build="$root/target/siconos"
mkdir -p "$build"
cc -O2 -shared -fPIC "$root/benches/siconos/pendulum.c" -o "$build/pendulum.so" -lm
cd "$root"
cargo bench --quiet --bench accuracy --no-run
LD_LIBRARY_PATH="$build" "$python" benches/siconos/compare.py tests/data/truth \
    cargo bench --quiet --bench accuracy -- --reach
