"""A private PostgreSQL server for tests: a cluster in a folder of its own, reached by a Unix socket alone."""

import contextlib
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.parse

NUMBERS = itertools.count(1)
USER = "postgres"


def programs():
    """Return the folder of the server's programs, None where it is not installed."""
    folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    folders += [pathlib.Path(found).parent] if found else []
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@contextlib.contextmanager
def server(folder_of_programs):
    """Run a server, which refuses to run as root and then runs as nobody; yield the folder of its socket."""
    as_nobody = {"user": "nobody", "group": "nogroup"} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="pg") as name:  # short: a socket's path has at most 107 bytes
        folder = pathlib.Path(name)
        if as_nobody:
            shutil.chown(folder, **as_nobody)
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "cwd": folder, **as_nobody}
        pg_ctl, data = folder_of_programs / "pg_ctl", folder / "data"
        run(
            [
                folder_of_programs / "initdb",
                "-D",
                data,
                "-A",
                "trust",
                "-U",
                USER,
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C",
            ],
            **quiet,
        )
        options = (
            f"-c listen_addresses='' -k {folder} -c fsync=off -c shared_buffers=16MB -c max_connections=20"
        )
        quiet["stdout"] = subprocess.DEVNULL  # which the server would hold open
        run([pg_ctl, "-D", data, "-w", "-l", folder / "log", "-o", options, "start"], **quiet)
        try:
            yield folder
        finally:
            run([pg_ctl, "-D", data, "-w", "-m", "immediate", "stop"], **quiet)


def run(command, **options):
    done = subprocess.run([str(word) for word in command], check=False, text=True, **options)  # noqa: S603 - our own commands
    assert done.returncode == 0, done.stdout


def new_database(folder):
    """Create an empty database and return its address."""
    import psycopg  # noqa: PLC0415 - not installed everywhere

    name = f"ledger_{os.getpid()}_{next(NUMBERS)}"
    with psycopg.connect(address(folder, USER), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return address(folder, name)


def address(folder, database):
    return f"postgresql://{USER}@/{database}?host={urllib.parse.quote(str(folder), safe='')}"
