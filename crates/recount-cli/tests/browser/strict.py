"""What strict readers find: `strict.py FILE...` prints a JSON array. Of XML the texts of failures, of CSV the rows."""

import csv
import json
import sys
from xml.etree import ElementTree

csv.field_size_limit(1 << 24)


def read(path):
    if path.endswith(".xml"):
        root = ElementTree.parse(path).getroot()
        return [[case.get("name"), *(failure.get("message") for failure in case.iter("failure"))] for case in root.iter("testcase")]
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


print(json.dumps([read(path) for path in sys.argv[1:]]))
