"""What the scripts beside it share: one file per case, and its objects as JSON lines."""

import json
import sys
from pathlib import Path


def run(write, read):
    """Arguments: `write` or `read`, and a folder.

    `write` makes `<case>.bin` of each `<case>.json`. Then the objects of each `<case>.bin` go to
    `<case>.jsonl`.
    """
    command, name = sys.argv[1:]
    folder = Path(name)
    if command == "write":
        for model in folder.glob("*.json"):
            model.with_suffix(".bin").write_bytes(write(json.loads(model.read_text())))
    for file in folder.glob("*.bin"):
        lines = [json.dumps(entry, separators=(",", ":")) for entry in read(file.read_bytes())]
        file.with_suffix(".jsonl").write_text("".join(f"{line}\n" for line in lines))
