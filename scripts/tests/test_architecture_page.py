# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/architecture.md names files that are there, and all that its lists are of."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import library_graph  # noqa: E402

PAGE = (ROOT / "docs" / "architecture.md").read_text()
TREES = [ROOT / "lib", ROOT / "include" / "fusion"]


def sources():
    """Path below lib/ or include/fusion/ → text."""
    return {str(path.relative_to(tree)): path.read_text() for tree in TREES for path in tree.rglob("*")
            if path.suffix in (".h", ".cpp", ".td")}  # fmt: skip


def test_files_that_are_named_are_there():
    known = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()}
    for name in re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:cpp|h|td|py))`", PAGE):
        assert any(path == name or path.endswith("/" + name) for path in known), name


def test_where_units_are_asked_for():
    """An intrinsic's traits are asked for everywhere else."""
    section = PAGE.split("## Traits of intrinsics", 1)[1]
    named = set(re.findall(r"`([A-Z]\w+/[\w/]+\.(?:cpp|h))`", section))
    unit = re.compile(r"\bk?(?:Num)?IntrinsicUnits?\b|\b[iI]ntrinsic(?:->|\.)unit\b")
    assert named == {name for name, text in sources().items() if unit.search(text)} - {"Target/Chips/Intrinsics.h"}


def test_traits_are_there():
    section = PAGE.split("## Traits of intrinsics", 1)[1]
    header = (ROOT / "include" / "fusion" / "Target" / "Chips" / "Intrinsics.h").read_text()
    for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE):
        for trait in re.findall(r"`(\w+)`", row):
            assert re.search(rf"\b{trait}\b", header), trait


def test_places_of_a_field():
    section = PAGE.split("## A field of a schedule", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (\w+) \| (`.*) \|$", section, re.MULTILINE)
    assert [place for place, _ in rows] == ["attribute", "struct", "dimension", "legality", "lowering", "cost"]
    named = [name for _, files in rows for name in re.findall(r"`([\w/]+\.(?:cpp|h|td))`", files)]
    assert sorted(named) == sorted(name for name, text in sources().items() if re.search(r"[bB]lockSwizzle|block_swizzle", text))


def test_names_of_chips():
    """Outside of the table the compiler and its tools have the names of the defaults alone."""
    table = (ROOT / "lib" / "Target" / "Chips" / "ChipTable.cpp").read_text()
    chips = re.findall(r'^  chip\.name = "(\w+)";', table, re.MULTILINE)
    assert "sm_80" in chips and len(chips) >= 6
    cpus = re.findall(r'\bmakeChip\("([\w-]+)"', (ROOT / "lib" / "Target" / "Chips" / "CpuTable.cpp").read_text())
    assert "host" in cpus and len(cpus) >= 5
    other = re.compile("|".join(f'"{chip}"' for chip in chips + cpus if chip not in ("sm_80", "host")))
    files = {**sources(), **{str(path): path.read_text() for path in (ROOT / "tools").rglob("*.cpp")}}
    found = {name for name, text in files.items() if other.search(re.sub(r"//.*", "", text))}
    assert found - {"Target/Chips/ChipTable.cpp", "Target/Chips/CpuTable.cpp"} == set()


def test_the_size_of_a_warp_has_a_name():
    """In the emulator nothing counts lanes to 32: that is Machine/LaneCount.h."""
    counts = re.compile(r"for \(\w+ (?:lane|other|first|i) = 0;[^;]*\b32\b|(?<!char )\b\w+\[32\]|\b32 \* (?:bytes|total)|(?:Bytes|grown)\) \* 32")
    code = {path: re.sub(r"//.*", "", path.read_text()) for path in (ROOT / "lib" / "Emulator").rglob("*") if path.suffix in (".h", ".cpp")}
    found = {path.name: counts.findall(re.sub(r"\bchar \w+\[32\]", "", text)) for path, text in code.items()}
    assert {name: each for name, each in found.items() if each} == {}


def test_numbers_of_all_chips_have_names():
    """Hardware.h alone has the registers of an SM; what else is of that size says what it is."""
    others = {"Support/TileSize.h", "Dialect/Tile/IR/TileDialect.cpp", "Search/Chains/ReportPage.cpp", "Emulator/Parse/ParserVariables.cpp"}
    found = {name for name, text in sources().items() if re.search(r"\b65536\b", re.sub(r"//.*", "", text))}
    assert found == others | {"Target/Chips/Hardware.h"}
    limits = {"Runtime/Manifest.cpp": "1024", "Runtime/ManifestChecks.cpp": "1024", "Emulator/Execute/Cluster.cpp": "255",
              "Dialect/Fuse/IR/FuseAttrs.cpp": "31"}  # fmt: skip
    for name, number in limits.items():
        assert not re.search(rf"\b{number}\b", sources()[name]), name


def test_unit_tests_are_in_folders_of_the_libraries():
    folders = {path.parent.relative_to(ROOT / "unittests") for path in (ROOT / "unittests").rglob("*Test.cpp")}
    for folder in folders:
        assert (ROOT / "lib" / folder).is_dir(), folder


def test_passes_are_defined_in_their_folder():
    """A pass of lib/Transforms/FOLDER has its definition in include/fusion/Transforms/FOLDER."""
    for folder in ("Normalize", "Partition", "Scheduling"):
        code = "".join(path.read_text() for path in (ROOT / "lib" / "Transforms" / folder).glob("*.cpp"))
        written = {name.upper() for path in (ROOT / "include" / "fusion" / "Transforms" / folder).glob("*.td")
                   for name in re.findall(r"^def (\w+) :", path.read_text(), re.MULTILINE)}  # fmt: skip
        assert set(re.findall(r"#define GEN_PASS_DEF_(\w+)", code)) == written != set(), folder


def test_folders_stand_from_the_bottom_to_the_top():
    """No library includes a header of a folder that comes later in the list."""
    rows = [re.findall(r"`([\w/]+)/`", row.split("|")[1]) for row in PAGE.split("| folder | holds", 1)[1].split("\n\n", 1)[0].splitlines()[2:]]
    tree = library_graph.Tree(ROOT)

    def row_of(name):
        """The row of the longest folder that holds the library."""
        at = tree.libraries[name][0]
        found = [(len(folder), row) for row, folders in enumerate(rows) for folder in folders if f"{at}/".startswith(f"{folder}/")]
        assert found, f"{at}/ is not in the list"
        return max(found)[1]

    for name, used in tree.graph().items():
        for other in used:
            assert row_of(other) <= row_of(name), f"{name} includes {other}"
    assert {row_of(name) for name in tree.libraries} == set(range(len(rows)))
    written = {f"{folder}/" for folders in rows for folder in folders}
    for listing in (ROOT / "lib").rglob("CMakeLists.txt"):
        folder = f"{listing.parent.relative_to(ROOT / 'lib')}/"
        if any(listing.parent.glob("*.cpp")):
            assert any(folder.startswith(each) for each in written), f"{folder} is not in the list"
