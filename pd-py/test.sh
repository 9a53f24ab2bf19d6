#!/usr/bin/env bash
# Builds the wheel in the development profile by `pip install .`, puts it in an environment under target/ and runs the tests in Python; the
# last line is pytest's. Without Python 3.10 or a network for the first installation it says so and succeeds.
#
# PD_PYTHON_EXTRAS=1 also installs Ray, to run sweeps on it (it is large).
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "skipped: the Python package: $*"; exit 0; }
command -v python3 >/dev/null 2>&1 || skip "python3 is not installed"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"

# The environment is that of the tests of files (pd-cli/tests/cli/readers.rs).
place=target/readers
python=$place/bin/python
install() { "$python" -m pip install --quiet --disable-pip-version-check --timeout 15 --retries 1 "$@"; }
if ! "$python" -c 'import numpy, pytest, maturin' >/dev/null 2>&1; then
    [ -x "$python" ] || python3 -m venv "$place" || skip "python3 has no module venv"
    install numpy pytest 'maturin>=1.9,<2' || skip "numpy, pytest and maturin cannot be installed"
fi
# Tests that need one of these are skipped where it does not install.
for package in scipy trimesh meshio==5.3.5 pygltflib usd-core pillow distributed ${PD_PYTHON_EXTRAS:+ray}; do
    case $package in usd-core) module=pxr ;; pillow) module=PIL ;; *) module=${package%%=*} ;; esac
    "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$module') is None)" ||
        install "$package" || echo "$package does not install"
done

# The command, for hashes and sweeps; `cargo test` has built it.
[ -x target/debug/pd ] || cargo build --quiet --locked -p pd-cli
# What `pip install .` does, with the packages and the compiled crates that are there already.
PATH="$PWD/$place/bin:$PATH" install . --no-deps --force-reinstall --no-build-isolation --config-settings=build-args="--profile dev --locked"
PD=$PWD/target/debug/pd "$python" -m pytest --quiet -p no:cacheprovider -rs pd-py/tests
