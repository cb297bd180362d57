"""Puts the program that GATTBENCH_PROGRAM names into the wheel, which is then one for its platform."""

import os
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict) -> None:
        program = os.environ.get("GATTBENCH_PROGRAM")
        if version == "editable" or program is None:
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][program] = "gattbench/bin/gattbench"
