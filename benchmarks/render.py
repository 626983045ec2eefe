"""Writes the tables of README and docs, and the plots, from the result files, so that no figure is typed by hand.

    python benchmarks/render.py             # tables in README.md and docs/*.md, plots in docs/images
    python benchmarks/render.py --check     # say whether the tables are what the result files say

A table stands between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``; benchmarks/blocks.py has the names.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from blocks import BLOCKS, Results

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?P<begin><!-- (?P<name>[\w-]+):begin -->\n).*?(?P<end><!-- (?P=name):end -->)", re.DOTALL)


def read_results(folder: Path) -> Results:
    """All result files, by name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def rendered(text: str, results: Results) -> str:
    """A page with its tables made anew; those whose results are missing stay as they are.

    Raises:
        ValueError: A marker names a table that there is not.
    """

    def replace(found: re.Match[str]) -> str:
        if found["name"] not in BLOCKS:
            raise ValueError(f"there is no table {found['name']!r}; there are {', '.join(BLOCKS)}")
        made = BLOCKS[found["name"]](results)
        return found[0] if made is None else f"{found['begin']}\n{made}\n\n{found['end']}"

    return BLOCK.sub(replace, text)


def pages(root: Path) -> list[Path]:
    return [root / "README.md", *sorted(root.glob("docs/*.md"))]


def stale(root: Path) -> list[Path]:
    """Pages whose tables are not what the result files say."""
    results = read_results(root / "benchmarks" / "results")
    return [page for page in pages(root) if rendered(text := page.read_text(encoding="utf-8"), results) != text]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if a table is not up to date")
    arguments = parser.parse_args()
    behind = stale(ROOT)
    if arguments.check:
        for page in behind:
            print(f"{page.relative_to(ROOT)}: not what the result files say; run python benchmarks/render.py")
        return int(bool(behind))
    results = read_results(ROOT / "benchmarks" / "results")
    for page in behind:
        page.write_text(rendered(page.read_text(encoding="utf-8"), results), encoding="utf-8")
        print(f"wrote {page.relative_to(ROOT)}")
    try:
        from plots import draw_all
    except ImportError as error:
        print(f"the plots need {error.name}: pip install -e '.[arena]'")
        return 0
    for image in draw_all(results, ROOT / "docs" / "images"):
        print(f"wrote {image.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
