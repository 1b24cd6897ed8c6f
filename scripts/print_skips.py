"""Prints each skipped test of a ctest JUnit file with the reason that the test gave.

usage: print_skips.py FILE
"""
import re
import sys
import xml.etree.ElementTree

# GoogleTest: "file.cpp:12: Skipped", then the reason on lines of its own. Qt Test: "SKIP   : Class::function() reason".
GOOGLE_TEST = re.compile(r": Skipped\n(.*?)\n(?=\n|\[  SKIPPED \])", re.DOTALL)
QT_TEST = re.compile(r"^SKIP\s*: (\S+) (.*)$", re.MULTILINE)


def skips(case):
    """A Qt Test program is one test of ctest: it passes also when some of its functions are skipped."""
    name, output = case.get("name"), case.findtext("system-out") or ""
    found = [(name, reason) for reason in GOOGLE_TEST.findall(output)]
    found += [(f"{name}: {function}", reason) for function, reason in QT_TEST.findall(output)]
    if not found and case.find("skipped") is not None:
        found.append((name, case.find("skipped").get("message") or "no reason given"))
    return [(test, " ".join(reason.split())) for test, reason in found]


def main():
    lines = [line for case in xml.etree.ElementTree.parse(sys.argv[1]).iter("testcase") for line in skips(case)]
    if lines:
        print(f"\nSkipped ({len(lines)}):")
    for test, reason in lines:
        print(f"  {test}\n      {reason}")
    print()


if __name__ == "__main__":
    main()
