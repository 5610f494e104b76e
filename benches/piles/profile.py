"""What callgrind counted, per step: by source file, and by function with all that it calls.

usage: profile.py <file of callgrind> <steps>
"""

import re
import subprocess
import sys
from collections import Counter

LINE = re.compile(r"^\s*([\d,]+) \([ \d.]+%\)\s+(\S.*)$")
SHOWN = 16


def counts(file, *options):
    """Pairs of source file and function, with their instructions; the total comes first."""
    command = ["callgrind_annotate", "--auto=no", "--threshold=100", *options, file]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if match := LINE.match(line):
            count, place = int(match[1].replace(",", "")), re.sub(r" \[.*\]$", "", match[2])
            source, _, function = place.partition(":")
            if "/rustc/" in source or "/registry/" in source:
                source = "Rust's library, nalgebra, libm"
            elif "src/" in source:
                source = source[source.rfind("src/") :]
            elif place != "PROGRAM TOTALS":
                source = "C library"
            yield count, source, function.replace("stiction::", "")


def tell(title, counter, total, steps):
    print(f"\n| {title} | instructions a step | % |\n|---|---|---|")
    for name, count in counter.most_common(SHOWN):
        print(f"| `{name}` | {count / steps:,.0f} | {100 * count / total:.1f} |")


def main():
    file, steps = sys.argv[1], int(sys.argv[2])
    files, functions = Counter(), Counter()
    (total, _, _), *alone = counts(file)
    for count, source, _ in alone:
        files[source] += count
    for count, _, function in list(counts(file, "--inclusive=yes"))[1:]:
        # parts of a function that come from several files are counted each with all that it calls: the largest is it
        if "integrate::time_stepping" in function or "contact::body_blocks" in function:
            functions[function] = max(functions[function], count)
    print(f"{total / steps:,.0f} instructions a step")
    tell("source file", files, total, steps)
    tell("function, with what it calls", functions, total, steps)


main()
