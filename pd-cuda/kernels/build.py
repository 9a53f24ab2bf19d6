"""Compiles the kernels to PTX with NVRTC, assembles them with ptxas for five architectures, and writes (or with
--check compares) ptx/pd_f32.ptx, ptx/pd_f64.ptx and ptx/registers.txt. Run through build.sh, which fetches the compiler.

The options are part of what is reproducible: virtual architecture compute_75, contraction of a*b+c to one rounding
(--fmad=true, the default), division and square root correctly rounded, no fast math.
"""

import ctypes
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PTX = os.path.join(HERE, "..", "ptx")
# The law of a user's own that tests compile as users do, with the prelude alone; its PTX lies beside it.
USER_LAW = os.path.join(HERE, "..", "tests", "leash")
# In this order: later files use functions of earlier ones.
SOURCES = ["prelude.cuh", "svd.cuh", "product.cuh", "local_lines.cu", "local_tet.cu", "local_tri.cu", "step.cu",
           "collide.cu", "reduce.cu", "global.cu", "pcg.cu"]
OPTIONS = ["--gpu-architecture=compute_75", "--std=c++17", "--fmad=true"]
ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]


def find(pattern):
    for root in sys.path:
        found = sorted(glob.glob(os.path.join(root, "nvidia", pattern)))
        if found:
            return found[0]
    sys.exit(f"build.py: {pattern} is not in this Python environment; run build.sh")


def compile_ptx(text, name, real):
    """The PTX of one translation unit."""
    nvrtc = ctypes.CDLL(find("cuda_nvrtc/lib/libnvrtc.so.*"))
    program = ctypes.c_void_p()
    failed = nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None)
    if failed:
        sys.exit(f"build.py: nvrtcCreateProgram failed with {failed}")
    options = [option.encode() for option in OPTIONS + [f"-DPD_REAL={real}"]]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    if failed or log.value.strip():
        print(log.value.decode(), file=sys.stderr)
    if failed:
        sys.exit(f"build.py: {name} does not compile")
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    return ptx.value.decode()


def registers(ptx_path, architecture):
    """Registers, stack and spills of every kernel, as ptxas reports them."""
    command = [find("cuda_nvcc/bin/ptxas"), "-v", f"--gpu-name={architecture}", ptx_path, "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"build.py: ptxas refuses {ptx_path} for {architecture}:\n{done.stderr}")
    found = {}
    name = None
    for line in done.stderr.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            name = match[1]
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack = [int(number) for number in match.groups()]
        elif match := re.search(r"Used (\d+) registers", line):
            found[name] = (int(match[1]), *stack)
    return found


def main():
    check = "--check" in sys.argv
    os.makedirs(PTX, exist_ok=True)
    source = "".join(f'#line 1 "{name}"\n{open(os.path.join(HERE, name)).read()}' for name in SOURCES)
    wanted, table, faults = {}, [], []
    for real, suffix in [("float", "f32"), ("double", "f64")]:
        ptx = compile_ptx(source, "pd.cu", real)
        wanted[os.path.join(PTX, f"pd_{suffix}.ptx")] = ptx
        law = "".join(open(path).read() for path in [os.path.join(HERE, "prelude.cuh"), os.path.join(USER_LAW, "leash.cu")])
        wanted[os.path.join(USER_LAW, f"leash_{suffix}.ptx")] = compile_ptx(law, "leash.cu", real)
        path = os.path.join(PTX, f".pd_{suffix}.ptx.{os.getpid()}")
        with open(path, "w") as file:
            file.write(ptx)
        try:
            per_architecture = [registers(path, architecture) for architecture in ARCHITECTURES]
        finally:
            os.remove(path)
        for kernel in sorted(per_architecture[0]):
            numbers = [found[kernel] for found in per_architecture]
            if any(stack or stores or loads for _, stack, stores, loads in numbers):
                faults.append(f"{kernel} ({suffix}) uses the stack or spills: {numbers}")
            table.append(f"{kernel:24} {suffix}  " + "  ".join(f"{used:3}" for used, *_ in numbers))
        if suffix == "f32" and ".f64" in ptx:
            lines = [line.strip() for line in ptx.splitlines() if ".f64" in line]
            faults.append(f"double precision in the single precision kernels: {lines[:3]}")
    header = "# Most registers a kernel may use, for " + " ".join(ARCHITECTURES) + "; no kernel may use the stack or spill.\n"
    budget = header + "\n".join(table) + "\n"
    if check:
        faults += over_budget(table)
        for name, text in wanted.items():
            with open(name) as file:
                if file.read() != text:
                    faults.append(f"{os.path.basename(name)} is not what the kernels compile to; run build.sh and commit")
    else:
        wanted[os.path.join(PTX, "registers.txt")] = budget
        for name, text in wanted.items():
            with open(name, "w") as file:
                file.write(text)
    for fault in faults:
        print(f"build.py: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    print(f"{len(table)} kernels, {len(ARCHITECTURES)} architectures, no spills" + (", as committed" if check else ""))


def over_budget(table):
    """Kernels that use more registers than ptx/registers.txt allows, or are not in it."""
    with open(os.path.join(PTX, "registers.txt")) as file:
        allowed = {tuple(line.split()[:2]): line.split()[2:] for line in file if not line.startswith("#")}
    faults = []
    for line in table:
        key, used = tuple(line.split()[:2]), line.split()[2:]
        limit = allowed.get(key)
        if limit is None or any(int(u) > int(most) for u, most in zip(used, limit)):
            faults.append(f"{' '.join(key)} uses {used} registers; the budget is {limit}")
    return faults


main()
