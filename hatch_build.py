"""Compiles the kernel of scoring into the wheel. Without a compiler the wheel is pure Python: it does the same, slower."""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "haechi.scoring._kernel"
STABLE = (3, 11)
"""The oldest Python that the compiled file runs on; every later one does too (the stable interface, abi3)."""


class KernelHook(BuildHookInterface[Any]):
    """What hatchling calls before it makes a wheel, an editable one as well."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; whatever goes wrong on somebody's machine is no reason not to install."""
        if self.target_name != "wheel":
            return
        self._made = tempfile.TemporaryDirectory(prefix="haechi-kernel-")
        try:
            built = self._compile(Path(self._made.name))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - every compiler fails in its own way
            first = (str(error).splitlines() or [type(error).__name__])[0]
            self.app.display_warning(f"haechi is installed without its kernel in C: {first}")
            return
        inside = Path(*MODULE.split(".")[:-1], built.name)
        if version == "editable":
            target = Path(self.root, "src", inside)
            target.unlink(missing_ok=True)  # a process that runs keeps the file that it has
            target.write_bytes(built.read_bytes())
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{STABLE[0]}{STABLE[1]}-abi3-{_platform()}"
        build_data["force_include"][str(built)] = inside.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Tidy up."""
        if self.target_name == "wheel":
            self._made.cleanup()

    def _compile(self, folder: Path) -> Path:
        if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
            raise RuntimeError("this Python has no stable interface")
        from setuptools import Distribution, Extension
        from setuptools.command.build_ext import build_ext

        source = Path(self.root, "src", "haechi", "scoring", "kernel")
        extension = Extension(
            MODULE,
            [str(source / "kernel.c")],
            define_macros=[("Py_LIMITED_API", f"0x{STABLE[0]:02X}{STABLE[1]:02X}0000")],
            py_limited_api=True,
        )
        command = build_ext(Distribution({"name": "haechi", "ext_modules": [extension]}))
        command.build_lib = command.build_temp = str(folder)
        command.ensure_finalized()
        command.run()
        return Path(command.get_ext_fullpath(MODULE))


def _platform() -> str:
    """The platform's own tag; which older systems it suits as well is for those to say who publish wheels."""
    from packaging.tags import platform_tags

    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
