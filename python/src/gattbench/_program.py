"""Where the program is."""

import os
import shutil
import sys
from pathlib import Path


def program() -> str:
    """The path of the program: that of the variable GATTBENCH, else the one inside this package, else the one on PATH.

    The package's own one is found wherever the package is: in a virtual environment, in a folder of `pip install --target`,
    in an overlay.
    """
    named = os.environ.get("GATTBENCH")
    if named:
        if found := shutil.which(named):
            return found
        raise FileNotFoundError(f"GATTBENCH={named}: there is no such program")
    own = Path(__file__).parent / "bin" / "gattbench"
    if own.is_file():
        return str(own)
    # The script of this package is on PATH too, where the package has no program: it would find itself.
    script = Path(sys.argv[0]).resolve() if sys.argv and sys.argv[0] else None
    for folder in os.get_exec_path():
        found = shutil.which("gattbench", path=folder)
        if found and Path(found).resolve() != script and not _is_script(Path(found)):
            return found
    raise FileNotFoundError(
        "the program gattbench is neither in this package nor on PATH: install the wheel of this platform, or set GATTBENCH"
    )


def _is_script(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def main() -> None:
    """Becomes the program: the command `gattbench` of an environment."""
    os.execv(path := program(), [path, *sys.argv[1:]])
