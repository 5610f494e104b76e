"""Sums what callgrind_annotate prints, by source file and by function, per step.

usage: callgrind_annotate <file> | profile.py <steps>
"""

import re
import sys
from collections import Counter

LINE = re.compile(r"^\s*([\d,]+) \([ \d.]+%\)\s+(\S.*)$")
SHOWN = 14


def name_of(place):
    """Source file and function, without folders of the machine and hashes."""
    place = re.sub(r" \[.*\]$", "", place)
    file, _, function = place.partition(":")
    file = file[file.rfind("src/") :] if "src/" in file else file.rsplit("/", 1)[-1]
    if not file.startswith("src/lcp") and "/rustc/" in place:
        file = "standard library"
    function = re.sub(r"::h[0-9a-f]{16}.*$", "", function)
    return file, re.sub(r"\'\d+$", "", function)


def main():
    steps = int(sys.argv[1])
    total, files, functions = 0, Counter(), Counter()
    for line in sys.stdin:
        match = LINE.match(line)
        if not match:
            continue
        count = int(match[1].replace(",", ""))
        if "PROGRAM TOTALS" in match[2]:
            total = count
            continue
        file, function = name_of(match[2])
        files[file] += count
        functions[function] += count
    print(f"{total / steps:,.0f} instructions a step")
    for title, counter in (("source file", files), ("function", functions)):
        print(f"| {title} | instructions a step | % |\n|---|---|---|")
        for name, count in counter.most_common(SHOWN):
            print(f"| `{name}` | {count / steps:,.0f} | {100 * count / total:.1f} |")
        print()


main()
