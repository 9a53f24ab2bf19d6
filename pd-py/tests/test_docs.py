"""Every example of the guide runs, every cell of the notebooks too, and the stubs say what there is."""

import ast
import inspect
import json
import os
import pathlib
import re

import projdyn
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "python.md", ROOT / "pd-py" / "README.md"]
EXAMPLES = [
    pytest.param(page, text, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, text in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S), 1)
]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def elsewhere(tmp_path):
    before = os.getcwd()
    os.chdir(tmp_path)
    yield
    os.chdir(before)


def needed(text):
    for package in ("scipy", "trimesh", "meshio", "matplotlib"):
        if re.search(rf"^\s*(import|from) {package}\b", text, re.M):
            pytest.importorskip(package)


def test_there_are_ten_and_a_notebook():
    assert sum("python-" in parameter.id for parameter in EXAMPLES) >= 10
    assert NOTEBOOKS


@pytest.mark.parametrize(("page", "text"), EXAMPLES)
def test_example(page, text, elsewhere):
    needed(text)
    exec(compile(text, str(page), "exec"), {"__name__": "example"})


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook, elsewhere):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code"), "outputs are not committed"
    needed("\n".join(code))
    place, shown = {"__name__": "notebook"}, 0
    for number, text in enumerate(code):
        lines = text.rstrip().split("\n")
        try:  # the value of the last line is what a notebook shows
            last = compile(lines[-1], f"{notebook.name}:{number}", "eval")
            exec(compile("\n".join(lines[:-1]), f"{notebook.name}:{number}", "exec"), place)
            value = eval(last, place)
        except SyntaxError:
            exec(compile(text, f"{notebook.name}:{number}", "exec"), place)
            value = None
        shown += hasattr(value, "_repr_html_") and "<iframe" in value._repr_html_()
    assert shown > 0, "a film is shown"


def stub_members(body):
    """Names to parameters (of functions) or nothing (of properties), as the stub has them."""
    members = {}
    for node in body:
        if isinstance(node, ast.AnnAssign):
            members[node.target.id] = None
        elif isinstance(node, ast.FunctionDef):
            a, decorators = node.args, [ast.unparse(d) for d in node.decorator_list]
            positional = [p.arg for p in a.posonlyargs + a.args if p.arg not in ("self", "cls")]
            settable = any(d.endswith(".setter") for d in decorators)
            members[node.name] = None if "property" in decorators or settable else (positional, [p.arg for p in a.kwonlyargs])
    return members


def parameters(function):
    kinds = inspect.Parameter
    found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return [p.name for p in found if p.kind != kinds.KEYWORD_ONLY], [p.name for p in found if p.kind == kinds.KEYWORD_ONLY]


def test_stubs_say_what_there_is():
    stub = ast.parse((pathlib.Path(projdyn.__file__).parent / "_projdyn.pyi").read_text(encoding="utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    functions = {k: v for k, v in stub_members(stub.body).items() if v is not None}
    native = {name for name in dir(projdyn._projdyn) if not name.startswith("__")}
    assert native == set(classes) | set(functions)
    for name, expected in functions.items():
        assert parameters(getattr(projdyn._projdyn, name)) == expected, name
    for name, node in classes.items():
        kind = getattr(projdyn._projdyn, name)
        if issubclass(kind, Exception):
            continue
        told = stub_members(node.body)
        public = {member for member in vars(kind) if not member.startswith("__")}
        assert public == {member for member in told if not member.startswith("__")}, name
        if "__new__" in told:
            assert parameters(kind) == told["__new__"], name
        for member in public:
            value = vars(kind)[member]
            is_function = callable(value) or isinstance(value, staticmethod)
            assert is_function == (told[member] is not None), f"{name}.{member}"
            if is_function:
                assert parameters(getattr(kind, member)) == told[member], f"{name}.{member}"
