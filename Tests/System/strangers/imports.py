"""Imports every module of packages.

usage: imports.py FOLDER PACKAGE...
"""

import importlib
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
failures = 0
for package in sys.argv[2:]:
    files = sorted((folder / package).rglob("*.py"))
    for file in files:
        parts = file.relative_to(folder).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            importlib.import_module(name)
        except Exception as error:
            failures += 1
            print(f"FAIL: {name}: {type(error).__name__}: {error}")
    if not files:
        failures += 1
        print(f"FAIL: no package {package}")
sys.exit(1 if failures else 0)
