# Functions of the scripts beside this file: how they talk, and how they install what they need.

# a shell without a profile does not know rustup's folder
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
target=${CARGO_TARGET_DIR:-target}

say() { printf '\n== %s\n' "$*"; }

fail() {
    echo "$*" >&2
    exit 2
}

# prints a command and runs it
run() {
    say "$*"
    "$@"
}

# Debian packages
install() {
    say "install $*"
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
}

# need_command COMMAND PACKAGE..: installs the packages unless the command is there
need_command() {
    command -v "$1" >/dev/null || install "${@:2}"
}

# need_package PACKAGE..: installs those of the packages that are not there
need_package() {
    dpkg --status "$@" >/dev/null 2>&1 || install "$@"
}

# need_python NAME PACKAGE..: a virtual environment in $target/venv/NAME with these Python packages; its folder is then
# in $venv. It keeps the list that it was made with: another list makes it anew.
need_python() {
    venv=$target/venv/$1
    shift
    [ "$(cat "$venv/packages" 2>/dev/null)" = "$*" ] && return
    python3 -c 'import ensurepip' 2>/dev/null || install python3 python3-venv
    say "python packages $* in $venv"
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" || return
    echo "$*" >"$venv/packages"
}

# need_component COMMAND COMPONENT: a part of the Rust toolchain
need_component() {
    cargo "$1" --version >/dev/null 2>&1 || run rustup component add "$2"
}

# need_cargo: Rust itself is not installed
need_cargo() {
    command -v cargo >/dev/null || fail "cargo is missing: install Rust with rustup (https://rustup.rs)"
}

# need_fuzzer: cargo fuzz
need_fuzzer() {
    cargo fuzz --version >/dev/null 2>&1 || run cargo install --locked cargo-fuzz
}

# need_deny: cargo deny, in the form that compiles soonest
need_deny() {
    cargo deny --version >/dev/null 2>&1 || run cargo install --locked --debug cargo-deny
}
