"""Packs a folder so that the same files give the same bytes: sorted, without dates and owners.

usage: pack.py ARCHIVE FOLDER    (.tar.gz or .zip; the folder's own name is the first part of every path)
"""

import gzip
import io
import sys
import tarfile
import zipfile
from pathlib import Path

# the first time that a ZIP archive can tell
EARLIEST = (1980, 1, 1, 0, 0, 0)


def mode(path):
    return 0o755 if path.stat().st_mode & 0o100 else 0o644


def pack_tar(archive, files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, path in files:
            info = tarfile.TarInfo(name)
            info.size, info.mode = path.stat().st_size, mode(path)
            with path.open("rb") as file:
                tar.addfile(info, file)
    archive.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))


def pack_zip(archive, files):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, path in files:
            info = zipfile.ZipInfo(name, EARLIEST)
            info.external_attr, info.compress_type = mode(path) << 16, zipfile.ZIP_DEFLATED
            info.create_system = 3
            packed.writestr(info, path.read_bytes())


if __name__ == "__main__":
    archive, folder = Path(sys.argv[1]), Path(sys.argv[2])
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    files = [(f"{folder.name}/{path.relative_to(folder).as_posix()}", path) for path in paths]
    (pack_zip if archive.suffix == ".zip" else pack_tar)(archive, files)
