#!/usr/bin/env python3
"""Runs a benchmark and keeps what it prints: record.py NAME COMMAND…

Writes runs/NAME.json beside this file: the command, the commit and whether the tree has changes, the date, the processor, the
number of processors and the memory, the compiler, the load of the machine before and after, the processor time, and the output,
each line that is JSON as such. Figures in the documentation name their file.
"""
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import time


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=pathlib.Path(__file__).parent).stdout.strip()


def processor():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.processor())


def value(line):
    try:
        return json.loads(line)
    except ValueError:
        return line


def shown(word):
    """Returns a word of the command without the folders of this machine."""
    if "," in word:
        return ",".join(map(shown, word.split(",")))
    top = str(pathlib.Path(__file__).resolve().parent.parent)
    return os.path.relpath(word, top) if word.startswith(top) else os.path.basename(word) if os.path.isabs(word) else word


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    name, command = sys.argv[1], sys.argv[2:]
    record = {
        "command": [shown(word) for word in command], "commit": said("git", "rev-parse", "HEAD"), "changedFiles": len(said("git", "status", "--short").splitlines()),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "processor": processor(), "processors": os.cpu_count(),
        "memoryBytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "kernel": platform.release(),
        "compiler": said("swift", "--version").splitlines()[:1], "loadBefore": os.getloadavg()[0],
    }
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = value(run.stdout)
    record.update({
        "loadAfter": os.getloadavg()[0], "processorSeconds": round(usage.ru_utime + usage.ru_stime, 2), "exitCode": run.returncode,
        "output": whole if not isinstance(whole, str) else [value(line) for line in run.stdout.splitlines()],
    })
    folder = pathlib.Path(__file__).parent / "runs"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(run.stdout)
    raise SystemExit(run.returncode)


if __name__ == "__main__":
    main()
