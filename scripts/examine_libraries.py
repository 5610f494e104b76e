"""Examines the shared libraries that scripts/platforms has built: what they import, what they export, from which version of
the system on they load, and what runs when they are loaded.

usage: examine_libraries.py FOLDER    (with <platform>/stiction.so, .dll, .dylib)

Needs readelf, and objdump for Windows. Mach-O files are read here, because Linux has no tool for them.
"""

import re
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
# the functions of FMI 2.0 for co-simulation
FUNCTIONS = set(re.findall(r"F\((fmi2\w+)", (ROOT / "tests/c_host/fmi2.h").read_text()))

# bytes for one processor
LARGEST = 2_500_000
GLIBC = (2, 17)
MACOS = (11, 0)

# libraries that every such system has
SYSTEM = {
    "linux64": {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"},
    "aarch64-linux": {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-aarch64.so.1"},
    "darwin64": {"/usr/lib/libSystem.B.dylib"},
}
# of Windows 7 on; api-ms-win-* stand for parts of them
WINDOWS = {"kernel32.dll", "msvcrt.dll", "ntdll.dll", "ws2_32.dll", "userenv.dll", "advapi32.dll", "bcrypt.dll"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def elf(file):
    dynamic = output("readelf", "-dW", file)
    symbols = output("readelf", "--dyn-syms", "-W", file).splitlines()
    rows = [line.split() for line in symbols if re.match(r"\s*\d+:", line)]
    exported = {r[7].split("@")[0] for r in rows if len(r) > 7 and r[6] != "UND" and r[4] in ("GLOBAL", "WEAK")}
    versions = {tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([\d.]+)", output("readelf", "-VW", file))}
    sections = dict(re.findall(r"\] (\.\S+)\s+\S+\s+\S+\s+\S+\s+(\S+)", output("readelf", "-SW", file)))
    constructors = int(sections.get(".init_array", "0"), 16) // 8
    return {
        "imports": set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)),
        "exports": exported,
        "floor": ("glibc", max(versions)),
        "constructors": constructors,
        "stripped": ".symtab" not in sections and ".debug_info" not in sections,
    }


def pe(file):
    tool = "x86_64-w64-mingw32-objdump"
    headers = output(tool, "-p", file)
    table = headers.partition("[Ordinal/Name Pointer] Table")[2].partition("\n\n")[0]
    version = re.search(r"MajorSubsystemVersion\s+(\d+)\s+MinorSubsystemVersion\s+(\d+)", headers)
    sections = output(tool, "-h", file)
    return {
        "imports": {name.lower() for name in re.findall(r"DLL Name: (\S+)", headers)},
        # other versions of the tool print a column more
        "exports": set(re.findall(r"\[\s*\d+\].*?(\S+)$", table, re.M)),
        "floor": ("Windows", tuple(map(int, version.groups()))),
        "constructors": None,
        "stripped": ".debug_info" not in sections and "no symbols" in output(tool, "-t", file),
    }


def mach(file):
    data = Path(file).read_bytes()
    magic, count = struct.unpack(">2I", data[:8])
    if magic != 0xCAFEBABE:
        sys.exit(f"{file} is not a universal file")
    slices = {}
    for i in range(count):
        cpu, _, offset, size, _ = struct.unpack_from(">5I", data, 8 + 20 * i)
        slices[{0x01000007: "x86_64", 0x0100000C: "arm64"}[cpu]] = mach_slice(data[offset : offset + size])
    if sorted(slices) != ["arm64", "x86_64"]:
        sys.exit(f"{file} has {sorted(slices)}")
    parts = slices.values()
    return {
        "imports": set.union(*(p["imports"] for p in parts)),
        "exports": set.union(*(p["exports"] for p in parts)),
        "floor": ("macOS", max(p["floor"] for p in parts)),
        "constructors": max(p["constructors"] for p in parts),
        "stripped": all(p["locals"] == 0 for p in parts),
        "slices": {
            name: f"{p['size'] / 1e3:.0f} kB, macOS {p['floor'][0]}.{p['floor'][1]}, install name {p['name']}, "
            f"signature {'yes' if p['signed'] else 'no'}, {len(p['commands'])} load commands: {' '.join(p['commands'])}"
            for name, p in sorted(slices.items())
        },
        "size": max(p["size"] for p in parts),
    }


COMMANDS = {
    0x2: "SYMTAB", 0xB: "DYSYMTAB", 0xC: "LOAD_DYLIB", 0xD: "ID_DYLIB", 0x19: "SEGMENT_64", 0x1B: "UUID", 0x1D: "CODE_SIGNATURE",
    0x22: "DYLD_INFO", 0x24: "VERSION_MIN_MACOSX", 0x26: "FUNCTION_STARTS", 0x29: "DATA_IN_CODE", 0x2A: "SOURCE_VERSION",
    0x32: "BUILD_VERSION", 0x1C: "RPATH", 0x33: "DYLD_EXPORTS_TRIE", 0x34: "DYLD_CHAINED_FIXUPS",
}  # fmt: skip


def mach_slice(data):
    n_commands = struct.unpack_from("<I", data, 16)[0]
    found = {"imports": set(), "exports": set(), "floor": (0, 0), "constructors": 0, "locals": 0, "size": len(data)}
    found |= {"commands": [], "signed": False, "name": None}
    at = 32
    for _ in range(n_commands):
        command, size = struct.unpack_from("<2I", data, at)
        name = COMMANDS.get(command & 0x7FFFFFFF, hex(command))
        found["commands"].append(name)

        def text(field):
            start = at + struct.unpack_from("<I", data, at + field)[0]
            return data[start : data.index(b"\0", start)].decode()

        if name == "LOAD_DYLIB":
            found["imports"].add(text(8))
        elif name == "ID_DYLIB":
            found["name"] = text(8)
        elif name == "BUILD_VERSION":
            lowest = struct.unpack_from("<I", data, at + 12)[0]
            found["floor"] = (lowest >> 16, (lowest >> 8) & 0xFF)
        elif name == "VERSION_MIN_MACOSX":
            lowest = struct.unpack_from("<I", data, at + 8)[0]
            found["floor"] = (lowest >> 16, (lowest >> 8) & 0xFF)
        elif name == "CODE_SIGNATURE":
            found["signed"] = True
        elif name == "SEGMENT_64":
            for i in range(struct.unpack_from("<I", data, at + 64)[0]):
                flags = struct.unpack_from("<I", data, at + 72 + 80 * i + 64)[0]
                length = struct.unpack_from("<Q", data, at + 72 + 80 * i + 40)[0]
                if flags & 0xFF in (0x9, 0x16):  # pointers, or offsets, of functions that run at loading
                    found["constructors"] += length // (8 if flags & 0xFF == 0x9 else 4)
        elif name == "SYMTAB":
            symbols, n, strings, _ = struct.unpack_from("<4I", data, at + 8)
            for i in range(n):
                start, kind = struct.unpack_from("<IB", data, symbols + 16 * i)
                start += strings
                symbol = data[start : data.index(b"\0", start)].decode()
                # external, and not private to the file
                is_external, is_undefined = kind & 0x11 == 0x01, kind & 0x0E == 0
                if is_external and not is_undefined:
                    found["exports"].add(symbol.removeprefix("_"))
                elif not is_external:
                    found["locals"] += 1
        at += size
    return found


def examine(platform, file):
    """What was found, and the complaints."""
    found = pe(file) if platform.startswith("win") else mach(file) if platform == "darwin64" else elf(file)
    size = found.get("size", Path(file).stat().st_size)
    complaints = []
    if size >= LARGEST:
        complaints.append(f"{size} bytes are too many")
    system = WINDOWS if platform.startswith("win") else SYSTEM[platform]
    foreign = {name for name in found["imports"] - system if not name.startswith("api-ms-win-")}
    if foreign:
        complaints.append(f"needs {' '.join(sorted(foreign))}, which not every system has")
    if found["exports"] != FUNCTIONS:
        more, less = found["exports"] - FUNCTIONS, FUNCTIONS - found["exports"]
        complaints.append(f"exports {len(more)} too many ({' '.join(sorted(more)[:5])} ..), {len(less)} are missing")
    kind, version = found["floor"]
    if kind == "glibc" and version > GLIBC or kind == "macOS" and version > MACOS:
        complaints.append(f"needs {kind} {'.'.join(map(str, version))}")
    if not found["stripped"]:
        complaints.append("is not stripped")
    constructors = found["constructors"]
    print(f"{platform}: {Path(file).stat().st_size / 1e3:.0f} kB; {kind} {'.'.join(map(str, version))} or later; "
          f"{len(found['exports'])} functions exported; imports {' '.join(sorted(found['imports']))}"
          + ("" if constructors is None else f"; {constructors} functions run at loading"))  # fmt: skip
    for name, text in found.get("slices", {}).items():
        print(f"    {name}: {text}")
    return complaints


if __name__ == "__main__":
    failed = False
    files = sorted(Path(sys.argv[1]).glob("*/stiction.*"))
    if len(FUNCTIONS) != 34 or not files:
        sys.exit(f"{len(FUNCTIONS)} functions, {len(files)} libraries: not what was expected")
    for file in files:
        for complaint in examine(file.parent.name, str(file)):
            print(f"FAIL {file.parent.name} {complaint}")
            failed = True
    sys.exit(failed)
