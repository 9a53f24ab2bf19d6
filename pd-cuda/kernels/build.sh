#!/usr/bin/env bash
# Compiles the kernels to the committed PTX, and checks them with ptxas: one command, no CUDA installation.
#   build.sh           writes pd-cuda/ptx/
#   build.sh --check   compares with what is there; exit 1 on any difference, spill or exceeded register budget
# Exit 3: the compiler is neither here nor to be had (no python3, venv, pip or network).
set -euo pipefail
cd "$(dirname "$0")/../.."
version=12.0.140
venv=${PD_CUDA_VENV:-target/cuda-compiler-$version}
if [ ! -e "$venv/complete" ]; then
    rm -rf "$venv"
    if ! { python3 -m venv "$venv" \
        && "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
            "nvidia-cuda-nvrtc-cu12==$version" "nvidia-cuda-nvcc-cu12==$version"; }; then
        rm -rf "$venv"
        echo "build.sh: cannot fetch NVRTC and ptxas $version: python3 with venv and pip, and a network, are needed" >&2
        exit 3
    fi
    touch "$venv/complete"
fi
exec "$venv/bin/python" pd-cuda/kernels/build.py "$@"
