"""Writes what a release is made of (SBOM) in the form of CycloneDX 1.5: packages, versions, licences, checksums, needs.

usage: sbom.py FILE.cdx.json    the same source gives the same bytes
"""

import json
import re
import sys
import tomllib
import uuid
from pathlib import Path

from packages import ROOT, TOOL, packages


def terms(package):
    """A licence as an SPDX expression: older packages write `/` for OR."""
    return re.sub(r"\s*/\s*", " OR ", package["license"] or "NOASSERTION")


def url_of(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, kind, checksums):
    told = {
        "type": kind,
        "bom-ref": url_of(package),
        "name": package["name"],
        "version": package["version"],
        "licenses": [{"expression": terms(package)}],
        "purl": url_of(package),
    }
    if package.get("description"):
        told["description"] = " ".join(package["description"].split())
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        told["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return told


def sbom():
    own, others, needs = packages(TOOL)
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    checksums = {(p["name"], p["version"]): p.get("checksum") for p in lock["package"]}
    by_id = {package["id"]: package for package in [own, *others]}
    components = [component(package, "library", checksums) for package in others]
    dependencies = [
        {"ref": url_of(package), "dependsOn": sorted(url_of(by_id[i]) for i in needs.get(package["id"], []))}
        for package in [own, *others]
    ]
    body = json.dumps([components, dependencies])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url_of(own) + body)}",
        "version": 1,
        "metadata": {"component": component(own, "application", checksums)},
        "components": components,
        "dependencies": dependencies,
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(sbom(), indent=2) + "\n", encoding="utf-8")
