#!/usr/bin/env python3
"""Checks README.md beside this file against the tests: each row of its table has a test that bears the row's name.

usage: rows.py          exit code 1, with a line for each difference
       rows.py --list   the rows with the tests that bear their names, as the table's last column has them

A test bears a row's name as F1_..., or C12_B7_... for more than one list. Tests are found in the sources: TEST(...),
slots of Qt tests, and the names of parameters. Only the standard library is needed.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent.parent
ROW = re.compile(r"^\| ([A-Z]\d+) \|.*\|$")
NAMES = [re.compile(r"TEST(?:_F|_P)?\(\s*(?:\w+),\s*(\w+)\s*\)"),  # GoogleTest
         re.compile(r"^\s*void (\w+)\(\) \{", re.M),  # slots of Qt Test
         re.compile(r"[{]\s*\"(\w*_\w+)\""),  # the first member of a parameter
         re.compile(r"INSTANTIATE_TEST_SUITE_P\(\s*([A-Z]\d+),")]
IDS = re.compile(r"((?:[A-Z]\d+_)+)(?:[A-Za-z]{2}|\d)")  # not the type F8_E4M3
LISTS = "FZPSGCT"


def rows_of(name):
    """C12 and B7 of C12_B7_MissingMetaIsNamed; of the lists that are here."""
    leading = IDS.match(name + "_xx" if re.fullmatch(r"[A-Z]\d+", name) else name)
    return [row for row in leading[1].split("_") if row and row[0] in LISTS] if leading else []


def tests_by_row():
    """Row -> {path of the source: the tests that bear its name, in their order}."""
    rows = {}
    for path in sorted(TESTS.rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        for pattern in NAMES:
            for name in pattern.findall(text):
                for row in rows_of(name):
                    names = rows.setdefault(row, {}).setdefault(path.relative_to(TESTS), [])
                    if name not in names:
                        names.append(name)
    return rows


def table():
    """Row -> the sources that the table names for it."""
    rows = {}
    for line in (HERE / "README.md").read_text(encoding="utf-8").splitlines():
        if match := ROW.match(line):
            rows[match[1]] = re.findall(r"`([\w/]+)`", line.rsplit(" | ", 1)[1])
    return rows


def sources(files):
    """Their names as the table has them: those beside it without a folder."""
    here = HERE.relative_to(TESTS)
    return [str((path.relative_to(here) if path.is_relative_to(here) else path).with_suffix("")) for path in files]


def main():
    found, listed = tests_by_row(), table()
    if sys.argv[1:] == ["--list"]:
        for row in sorted(found, key=lambda row: (row[0], int(row[1:]))):
            print(row, " ".join(f"`{name}`" for name in sources(found[row])))
            for path, names in found[row].items():
                print("   ", path, *names)
        return 0
    problems = []
    for row, files in listed.items():
        have = sources(found.get(row, {}))
        problems += [f"{row}: no test in {name}.cpp bears its name" for name in files if name not in have]
        problems += [f"{row}: {name}.cpp has tests of it, which the table does not say" for name in have
                     if name not in files]
        if not files:
            problems.append(f"{row}: no test bears its name")
    problems += [f"{row}: tests in {' '.join(sources(found[row]))} bear the name of a row that the table has not"
                 for row in found if row not in listed]
    print("\n".join(problems) or f"{len(listed)} rows, each with its tests")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
