"""Joins libraries of macOS for several processors into a universal one.

usage: join_mach.py JOINED LIBRARY..
"""

import struct
import sys
from pathlib import Path

# each part starts at a whole page of the largest size
ALIGNMENT = 14

if __name__ == "__main__":
    parts = [Path(name).read_bytes() for name in sys.argv[2:]]
    page = 1 << ALIGNMENT
    header = struct.pack(">2I", 0xCAFEBABE, len(parts))
    body = b""
    for part in parts:
        magic, cpu, kind = struct.unpack_from("<3I", part)
        if magic != 0xFEEDFACF:
            sys.exit("not a library of macOS")
        header += struct.pack(">5I", cpu, kind, page + len(body), len(part), ALIGNMENT)
        body += part + bytes(-len(part) % page)
    Path(sys.argv[1]).write_bytes(header.ljust(page, b"\0") + body)
