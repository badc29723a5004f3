#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether every host language gets the same speed: the examples' loop and overhead in each, in turns, beside C's.

    parity.py [--bundle FOLDER] [--rounds N] [--size N] [--iterations N] [--calls N] [--seconds N] [--csv FILE]
              [--only loop|overhead]

FOLDER, by default build/parity, is what `make parity-bundle` makes: hosts/NAME/loop and hosts/NAME/overhead. A host
whose programs are not there, or whose interpreter is not, is named. Ratios and differences are to C in the same round.
"""
import argparse
import csv
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

HOSTS = ["c", "c++", "rust-debug", "rust-release", "python", "go", "zig", "fortran", "luajit", "java", "ruby"]
FIELDS = {"loop": ["device_ms", "whole_ms"], "overhead": ["launch_ns", "product_ns"]}  # of each program
DEVICE_GOAL, WHOLE_GOAL = 0.01, 1.01  # |ratio - 1| of the device's time; ratio of the whole time
ABOVE_C_GOAL = {  # ns
    "rust-debug": 20, "rust-release": 20, "zig": 20, "fortran": 20, "luajit": 20, "go": 150, "python": 3000
}
NOT_FOUND = 127  # the shell's exit status for a command that is not there

# Of Student's distribution, two-sided 95 %, by degrees of freedom.
T95 = [math.nan, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
       2.131, 2.120, 2.110, 2.101, 2.093, 2.086]


class Absent(Exception):
    """The host is not on this machine."""


class Failed(Exception):
    """The host's program failed, or printed another line than it should."""


def named(host):
    """As the host calls itself."""
    return host.replace("-", " ")


def output(bundle, host, program, arguments):
    """What the program prints."""
    path = bundle / "hosts" / host / program
    if not path.exists():
        raise Absent
    library = bundle / "lib"
    paths = [str(library)] + [each for each in [os.environ.get("LD_LIBRARY_PATH")] if each]
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(paths), ISOMAT_LIBRARY=str(library / "libisomat.so.0"))
    done = subprocess.run([path, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False)
    if done.returncode == NOT_FOUND:
        raise Absent
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise Failed(f"{program}: exit status {done.returncode}: {lines[-1]}")
    return done.stdout.strip()


def numbers(host, program, pattern, line):
    """The groups of the pattern that the line must match after the host's name."""
    found = re.fullmatch(re.escape(named(host)) + ": " + pattern, line)
    if not found:
        raise Failed(f"{program} printed another line than it should: {line!r}")
    return found.groups()


def measure(options, host):
    """The host's row, and what the loop calls the device."""
    row, device = {}, ""
    if "loop" in options.programs:
        line = output(options.bundle, host, "loop", [options.size, options.iterations])
        size, iterations = f"{options.size} x {options.size}", f"{options.iterations} multiplications"
        pattern = rf"{size}, {iterations}, (.+): device (\d+\.\d+) ms, with overhead (\d+\.\d+) ms"
        device, *times = numbers(host, "loop", pattern, line)
        row.update(zip(FIELDS["loop"], map(float, times)))
    if "overhead" in options.programs:
        line = output(options.bundle, host, "overhead", [options.calls])
        pattern = rf"{options.calls} calls: empty launch (\d+) ns, 64 x 64 product (\d+) ns"
        row.update(zip(FIELDS["overhead"], map(float, numbers(host, "overhead", pattern, line))))
    return row, device


def run_rounds(options, write):
    """Each host's rows, one a round; what is absent; what failed; the device."""
    rows, absent, failed, device = {host: [] for host in HOSTS}, [], {}, ""
    began = time.monotonic()
    for each in range(options.rounds):
        if each and time.monotonic() - began > options.seconds:
            break
        first = each % len(HOSTS)  # rotated, so that no host always follows the same one
        for host in HOSTS[first:] + HOSTS[:first]:
            if host in absent or host in failed:
                continue
            try:
                row, device = measure(options, host)
            except Absent:
                absent.append(host)
            except (Failed, OSError) as error:
                failed[host] = str(error)
            else:
                rows[host].append(row)
                write([each + 1, host, *row.values()])
    present = {host: each for host, each in rows.items() if each and host not in failed}
    return present, sorted(absent, key=HOSTS.index), failed, device


def paired(rows, host, field):
    """The pairs (host's, C's) of each round."""
    return [(mine[field], c[field]) for mine, c in zip(rows[host], rows["c"])]


def ratio(pairs):
    """Mean of the rounds' ratios, and half the width of its 95 % confidence interval."""
    ratios = [mine / c for mine, c in pairs]
    count = len(ratios)
    if count == 1:
        return ratios[0], math.nan
    factor = T95[count - 1] if count <= len(T95) else 1.96
    return statistics.mean(ratios), factor * statistics.stdev(ratios) / math.sqrt(count)


def median(rows, field):
    return statistics.median(row[field] for row in rows)


def least_of(rows, field):
    """The fastest round's, which a machine's slow phases, of many rounds' length, do not reach."""
    return min(row[field] for row in rows)


def table(heading, lines):
    """As Markdown prints it."""
    print("| " + " | ".join(heading) + " |")
    print("|---" * len(heading) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")


def verdict(met):
    return "met" if met else "missed"


def report_loop(options, rows, device):
    """Prints the table of the loop's times."""
    size = f"{options.size} x {options.size}"
    print(f"{device}, {len(rows['c'])} rounds of {options.iterations} multiplications, {size}\n")
    lines = []
    for host in rows:
        (on_device, device_half), (whole, whole_half) = (ratio(paired(rows, host, field)) for field in FIELDS["loop"])
        goal = verdict(abs(on_device - 1) <= DEVICE_GOAL and whole <= WHOLE_GOAL) if host != "c" else ""
        lines.append([named(host), f"{median(rows[host], 'device_ms'):.3f}", f"{on_device:.4f} ± {device_half:.4f}",
                      f"{median(rows[host], 'whole_ms'):.3f}", f"{whole:.4f} ± {whole_half:.4f}", goal])
    table(["host", "device, ms", "ratio to C", "whole, ms", "ratio to C", "goals"], lines)
    print()


def report_overhead(options, rows):
    """Prints the table of what calls cost."""
    print(f"{len(rows['c'])} rounds of {options.calls} calls\n")
    lines = []
    for host in rows:
        line, above = [named(host)], []
        for field in FIELDS["overhead"]:
            above.append(statistics.median(mine - c for mine, c in paired(rows, host, field)))
            least = least_of(rows[host], field) - least_of(rows["c"], field)
            line += [f"{median(rows[host], field):.0f}", f"{above[-1]:+.0f}", f"{least:+.0f}"]
        goal = ABOVE_C_GOAL.get(host)
        lines.append(line + ([f"{goal}: {verdict(max(above) <= goal)}"] if goal else [""]))
    table(["host", "empty launch, ns", "above C", "least above", "64 x 64 product, ns", "above C", "least above", "goal"],
          lines)
    print()


def count(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--bundle", type=Path, default=Path("build/parity"), help="folder made by make parity-bundle")
    parser.add_argument("--rounds", type=count, default=5)
    parser.add_argument("--size", type=count, default=4096)
    parser.add_argument("--iterations", type=count, default=100, help="multiplications in a round")
    parser.add_argument("--calls", type=count, default=20000, help="calls in a round")
    parser.add_argument("--seconds", type=float, default=math.inf, help="after these no further round begins")
    parser.add_argument("--csv", type=Path, help="a row for each round and host")
    parser.add_argument("--only", choices=list(FIELDS), help="of the two programs")
    options = parser.parse_args()
    options.programs = [options.only] if options.only else list(FIELDS)
    options.bundle = options.bundle.resolve()
    if not (options.bundle / "hosts").is_dir():
        sys.exit(f"parity: {options.bundle} has no folder hosts: make it with make parity-bundle")

    try:
        with open(options.csv or os.devnull, "w", encoding="utf-8", newline="", buffering=1) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["round", "host", *(field for program in options.programs for field in FIELDS[program])])
            rows, absent, failed, device = run_rounds(options, writer.writerow)
    except OSError as error:
        sys.exit(f"parity: cannot write {options.csv}: {error.strerror}")
    for host, problem in failed.items():
        print(f"parity: {named(host)}: {problem}", file=sys.stderr)
    if "c" not in rows:
        sys.exit("parity: without C there is nothing to compare with")
    if "loop" in options.programs:
        report_loop(options, rows, device)
    if "overhead" in options.programs:
        report_overhead(options, rows)
    if absent:
        print("not here: " + ", ".join(map(named, absent)))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
