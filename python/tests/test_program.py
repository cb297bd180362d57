"""Where the program is found."""

import os
import subprocess
import sys

import gattbench
import pytest
from gattbench import _program


def test_the_variable_comes_first(monkeypatch):
    monkeypatch.setenv("GATTBENCH", "/bin/true")
    assert gattbench.program() == "/bin/true"
    monkeypatch.setenv("GATTBENCH", "/no/such/program")
    with pytest.raises(FileNotFoundError, match="GATTBENCH=/no/such/program"):
        gattbench.program()


def test_the_path_is_last(monkeypatch, tmp_path):
    monkeypatch.delenv("GATTBENCH", raising=False)
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "gattbench" / "_program.py"))
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "gattbench"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "scripts"))
    with pytest.raises(FileNotFoundError, match="neither in this package nor on PATH"):
        gattbench.program()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gattbench").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path / 'scripts'}:{tmp_path / 'bin'}")
    assert gattbench.program() == str(tmp_path / "bin" / "gattbench")


def test_the_command_of_the_environment_is_the_program():
    code = "import sys; sys.argv = ['gattbench', '--version']; from gattbench._program import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0 and done.stdout.startswith("gattbench ")
