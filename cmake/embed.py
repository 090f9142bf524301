"""Writes files as a C table (src/serve/asset.h): their bytes, plain and compressed by gzip, and a hash as their ETag.

    embed.py OUTPUT FILE...

Each is served as /page/NAME, index.html as /. The same files always give the same output.
"""

import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def array(name, data):
    lines = [", ".join(str(byte) for byte in data[at : at + 24]) for at in range(0, len(data), 24)]
    return f"static const unsigned char {name}[] = {{\n" + ",\n".join(lines) + "\n};\n"


def main(output, *paths):
    arrays, rows = [], []
    for i, path in enumerate(map(pathlib.Path, paths)):
        data = path.read_bytes()
        arrays += [array(f"plain_{i}", data), array(f"packed_{i}", gzip.compress(data, 9, mtime=0))]
        address = "/" if path.name == "index.html" else f"/page/{path.name}"
        tag = hashlib.sha256(data).hexdigest()[:32]
        rows.append(
            f'\t{{ "{address}", "{TYPES[path.suffix]}", "{tag}",\n'
            f"\t  {{ {{ plain_{i}, sizeof(plain_{i}) }}, {{ packed_{i}, sizeof(packed_{i}) }} }} }},\n"
        )
    text = '#include "serve/asset.h"\n\n' + "\n".join(arrays)
    text += "\nconst struct asset assets[] = {\n" + "".join(rows) + "};\n\n"
    text += "const size_t n_assets = sizeof(assets) / sizeof(assets[0]);\n"
    pathlib.Path(output).write_text(text, encoding="utf-8")


main(*sys.argv[1:])
