"""The Python peers: a folder of packages beside the environment, so that the environment itself stays LibTorch alone."""
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys

from measure import ROOT

PACKAGES = ROOT / ".venv/peers"
WANTED = pathlib.Path(__file__).with_name("peers.txt")


def install():
    stamp = PACKAGES / "installed.txt"
    if stamp.exists() and filecmp.cmp(stamp, WANTED, shallow=False):
        return
    print(f"Installing the Python packages of the peers in {PACKAGES}", file=sys.stderr)
    shutil.rmtree(PACKAGES, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps",
                    "--target", PACKAGES, "-r", WANTED], check=True, stdout=sys.stderr)
    shutil.copyfile(WANTED, stamp)


def command(script, *arguments):
    """A script of this folder as a command and its environment, with what it imports in place."""
    install()
    environment = {**os.environ, "PYTHONPATH": str(PACKAGES), "HF_HUB_OFFLINE": "1",
                   "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    return [sys.executable, pathlib.Path(__file__).with_name(script), *arguments], environment
