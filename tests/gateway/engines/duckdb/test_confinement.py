from __future__ import annotations

import subprocess
import sys

import pytest

from sfumato.errors import ParameterError
from sfumato.gateway.engines.duckdb.confinement import bytes_of


def run(code: str) -> subprocess.CompletedProcess[str]:
    head = "import os, resource\nfrom sfumato.gateway.engines.duckdb.confinement import bind_to_parent, confine\n"
    return subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("memory", "size"), [("1KB", 1000), ("512MB", 512_000_000), ("2 GiB", 2 << 30), ("0.5TB", 500_000_000_000)]
)
def test_sizes_are_read_as_duckdb_reads_them(memory: str, size: int) -> None:
    assert bytes_of(memory) == size


@pytest.mark.parametrize("memory", ["", "512", "512 mb", "-1MB", "50%", "1MB; SET threads = 8"])
def test_what_is_no_size_is_refused(memory: str) -> None:
    with pytest.raises(ParameterError, match="512MB"):
        bytes_of(memory)


def test_nothing_can_be_written_and_no_core_is_dumped() -> None:
    done = run(
        "confine(10**8)\n"
        "limits = [resource.getrlimit(which) for which in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE)]\n"
        "files = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "import tempfile\n"
        "try:\n    file = tempfile.TemporaryFile(); file.write(b'x'); file.flush()\n"
        "except OSError:\n    print(limits, files, 'refused')\n"
        "os._exit(0)"
    )
    assert done.stdout == "[(0, 0), (0, 0)] (64, 64) refused\n"


def test_memory_over_the_limit_is_not_given() -> None:
    code = "confine(10**8)\ntry:\n    bytearray(10**9)\nexcept MemoryError:\n    bytearray(10**8)\n    print('refused')"
    assert run(code).stdout == "refused\n"


def test_who_has_another_parent_ends() -> None:
    assert run("bind_to_parent(os.getppid())\nprint('goes on')").stdout == "goes on\n"
    orphan = run("bind_to_parent(1 if os.getppid() != 1 else 2)\nprint('goes on')")
    assert (orphan.stdout, orphan.returncode) == ("", 1)
