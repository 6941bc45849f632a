"""Runs the cells of a notebook in turn, and compares what each prints with what it has."""

import contextlib
import io
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
names = {"__name__": "__main__"}
for number, cell in enumerate(cells, 1):
    if cell["cell_type"] != "code":
        continue
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    want = "".join(line for output in cell["outputs"] for line in output["text"])
    if printed.getvalue() != want:
        sys.exit(f"cell {number} printed\n{printed.getvalue()}\nand not\n{want}")
print(len(cells), "cells")
