#!/bin/sh
# Piles of spheres beside Rapier and MuJoCo; chains; a pawl; saved states; the FMU of a pile in FMPy; a profile by callgrind.
# Needs cargo, Python and the network: the others are installed by name below target/. Exit code 1: a bound is broken.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
here="$root/benches/piles"
work="$target/piles"
venv="$target/piles-venv"
mkdir -p "$work"
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import fmpy, mujoco, scipy' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet mujoco fmpy scipy
fi
cd "$root"
CARGO_TARGET_DIR="$target/piles-rapier" cargo build --quiet --release --manifest-path "$here/rapier/Cargo.toml"
cargo bench --quiet --bench piles --no-run
ours=$(cargo bench --bench piles --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"name":"piles".*"executable":"\([^"]*\)".*/\1/p')

lscpu | sed -n 's/^\(Model name\|CPU(s)\|L2 cache\|L3 cache\): */\1: /p'
status=0
"$venv/bin/python" "$here/compare.py" "$work" "$ours" "$target/piles-rapier/release/piles-rapier" || status=1

printf '\n== Chains\n'
"$ours" chain
printf '\n== The pawl\n'
"$ours" pawl || status=1
printf '\n== Saved states\n'
"$ours" states 1000 "sweeps = 30"
printf '\n== The FMU of a pile\n'
"$ours" scene 200 "sweeps = 30" >"$work/pile.toml"
"$venv/bin/python" "$here/fmu.py" "$target/release/stiction" "$work/pile.toml" 200 || status=1

printf '\n== Profile of a settled pile of 200\n'
if command -v valgrind >/dev/null; then
    for rules in "sweeps = 30" ""; do
        steps=$([ -n "$rules" ] && echo 20 || echo 2)
        printf '\n-- time stepping %s\n' "$rules"
        "$ours" settle 200 "$rules" "$work/settled"
        valgrind --quiet --tool=callgrind --callgrind-out-file="$work/callgrind.out" --collect-atstart=no \
            --toggle-collect='*profiled_steps*' "$ours" profile 200 "$rules" "$work/settled" "$steps"
        "$venv/bin/python" "$here/profile.py" "$work/callgrind.out" "$steps"
    done
else
    echo "valgrind is missing: no profile"
fi
exit $status
