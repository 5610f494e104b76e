# Functions of scripts/platforms and scripts/release: compilers for other platforms, by package name.
#
# Rust's own library is compiled from source, because there are no compiled ones for other platforms among the packages.
# Compiler and source are those that Debian has for building browsers; Zig brings linkers and the old glibc.

# versions that this was tried with; others are told of
tried_rustc=1.96.0 tried_zig=0.17.0 tried_zigbuild=0.24.0
mac_floor=11.0

die() {
    printf '%s: %s\n' "$0" "$*" >&2
    exit 1
}

mkdir -p "$target"
target=$(cd "$target" && pwd)
work=$target/cross
mkdir -p "$work/tmp"

# what is compiled: the library alone, without what reads text and what the command line needs
library=(--release --lib --crate-type cdylib --no-default-features)

# rust_target PLATFORM: Rust's name of a platform
rust_target() {
    case $1 in
    linux64) echo x86_64-unknown-linux-gnu ;;
    aarch64-linux) echo aarch64-unknown-linux-gnu ;;
    win64) echo x86_64-pc-windows-gnu ;;
    win32) echo i686-pc-windows-gnu ;;
    *) die "$1 has no target of Rust" ;;
    esac
}

# library_name PLATFORM: what the compiler calls the library
library_name() {
    case $1 in
    win*) echo stiction.dll ;;
    *) echo libstiction.so ;;
    esac
}

# tell_moved WHAT TRIED FOUND
tell_moved() {
    [ "$2" = "$3" ] || say "NOTE $1 has moved: tried with $2, found $3. If the build fails, look here first."
}

# Compiler and source of Rust's library must be of one version: the package of the source does not ask for it.
check_versions() {
    rustc=$(dpkg -L rustc-web | grep -x '.*/bin/rustc') || die "the package rustc-web has no rustc any more"
    local version source found name first
    version=$("$rustc" -vV | sed -n 's/^release: //p')
    source=$("$rustc" --print sysroot)/lib/rustlib/src/rust/library
    [ -f "$source/Cargo.lock" ] || die "the source of Rust's library is not in $source: the package rust-web-src has moved it"
    source=$(readlink -f "$source")
    found=$(dirname "$source")
    found=${found##*/rustc-}
    [ "$version" = "$found" ] || die "compiler and source of Rust's library differ: rustc-web is $version, rust-web-src is $found.
    apt-get install rustc-web libstd-rust-web-dev rust-web-src     # in one command, so that they move together"
    first=$(dpkg-query -W -f '${Version}' rustc-web)
    for name in libstd-rust-web-dev rust-web-src; do
        found=$(dpkg-query -W -f '${Version}' "$name")
        [ "$first" = "$found" ] || die "packages of different versions: rustc-web $first, $name $found.
    apt-get install rustc-web libstd-rust-web-dev rust-web-src     # in one command, so that they move together"
    done
    # cargo knows the options of compilers that are about as old as itself
    local own=$((10#$(cargo --version | cut -d. -f2))) its=$((10#$(cut -d. -f2 <<<"$version")))
    [ $((its - own)) -le 2 ] || say "NOTE cargo 1.$own is older than rustc $version: \`rustup update\` if the build fails"
    tell_moved "Debian's rustc-web" "$tried_rustc" "$version"
    tell_moved "the Python package ziglang" "$tried_zig" "$(python-zig version)"
    tell_moved "the Python package cargo-zigbuild" "$tried_zigbuild" "$(cargo-zigbuild --version | cut -d' ' -f2)"
    library_source=$source
}

# need_cross PLATFORM..: compilers for these
need_cross() {
    local packages=(rustc-web libstd-rust-web-dev rust-web-src rust-web-llvm binutils binutils-mingw-w64-x86-64)
    [[ " $* " = *" win64 "* ]] && packages+=(gcc-mingw-w64-x86-64-posix)
    [[ " $* " = *" win32 "* ]] && packages+=(gcc-mingw-w64-i686-posix)
    need_package "${packages[@]}"
    need_python cross "ziglang==$tried_zig" "cargo-zigbuild==$tried_zigbuild" || need_python cross ziglang cargo-zigbuild
    export PATH="$venv/bin:$PATH"
    check_versions
    [[ " $* " != *" win32 "* ]] || compile_startup
}

# objects that a compiled library of Rust would bring
compile_startup() {
    local object
    mkdir -p "$work/startup"
    for object in rsbegin rsend; do
        RUSTC_BOOTSTRAP=1 "$rustc" --target i686-pc-windows-gnu --emit=obj -o "$work/startup/$object.o" \
            "$library_source/rtstartup/$object.rs"
    done
}

# the linker that comes with rustup's compiler
rust_lld() {
    echo "$(rustc --print sysroot)"/lib/rustlib/*/bin/rust-lld
}

# the folder with what Zig knows of systems
zig_library() {
    "$venv/bin/python" -c 'import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).parent / "lib")'
}

# compile TARGET OPTION..: for a target of Rust; what is behind `--` is for the compiler of the crate itself
compile() {
    local name=$1 command=cargo suffix= options=() last=(--)
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || last=("$@")
    say "$name"
    # without paths of this machine: the same source gives the same bytes anywhere
    local flags="--remap-path-prefix=$PWD=stiction --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
    flags+=" --remap-path-prefix=$(dirname "$library_source")=rust --remap-path-prefix=$work=build"
    # MinGW writes the time of linking into what it links, unless it is told not to
    [[ $name != *-windows-gnu ]] || flags+=" -Clink-arg=-Wl,--no-insert-timestamp"
    case $name in
    *-linux-gnu) command=cargo-zigbuild suffix=.2.17 ;;
    *-apple-darwin)
        command=cargo-zigbuild
        flags+=" -Clink-arg=-Wl,-install_name,@rpath/stiction.dylib"
        last+=(-Clinker="$PWD/scripts/mac_linker")
        ;;
    i686-pc-windows-gnu) flags+=" -Lnative=$work/startup" ;;
    esac
    env MACOSX_DEPLOYMENT_TARGET=$mac_floor RUSTC="$rustc" RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags" TMPDIR="$work/tmp" \
        STICTION_LLD="$(rust_lld)" STICTION_TBD="$(zig_library)/libc/darwin/libSystem.tbd" \
        ZIG_GLOBAL_CACHE_DIR="$work/zig" CARGO_ZIGBUILD_CACHE_DIR="$work/zigbuild" \
        "$command" rustc --locked --target "$name$suffix" "${options[@]}" --target-dir "$work/target" \
        -Zbuild-std=std,panic_unwind -Zbuild-std-features=panic-unwind,optimize_for_size "${last[@]}"
}

