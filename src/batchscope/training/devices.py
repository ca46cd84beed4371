"""Setting JAX up for the engine: one XLA device per core, and compiled code kept on disk."""

import os
from pathlib import Path

_HOST_DEVICES = "--xla_force_host_platform_device_count"
_SINGLE_THREADED = "--xla_cpu_multi_thread_eigen"


def configure(*, host_devices: int | None = None) -> None:
    """Prepares JAX for training; call it before anything else uses JAX in this process.

    On a CPU the trials are spread over one single-threaded XLA device per core, which is several
    times faster than one device that spreads every matrix product over the cores, and makes the
    results independent of the number of threads. Flags the user has set in XLA_FLAGS stay.
    Compiled code is kept in `$XDG_CACHE_HOME/batchscope/xla`, unless JAX_COMPILATION_CACHE_DIR
    names another folder.

    Args:
        host_devices: CPU devices; by default the cores this process may use.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _HOST_DEVICES not in flags:
        flags += f" {_HOST_DEVICES}={host_devices or usable_cores()}"
    if _SINGLE_THREADED not in flags:
        flags += f" {_SINGLE_THREADED}=false"
    os.environ["XLA_FLAGS"] = flags.strip()

    import jax

    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        folder = _cache_home() / "batchscope" / "xla"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            return  # no home to write to: compile anew in every process
        if not os.access(folder, os.W_OK):
            return
        jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


def usable_cores() -> int:
    """Returns the number of cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
