"""Reads the pictures that Headscope writes with code of its own: PNG chunks and pixels, the texts and images of an SVG,
the texts, fonts and images of a PDF.

main(path) prints one line of JSON. Pixels are a text for each row: six hexadecimal digits a pixel, or "------" where it
is transparent.
"""
import base64
import itertools
import json
import re
import struct
import sys
import xml.etree.ElementTree as ET
import zlib

import numpy as np


def png(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, chunks = 8, []
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], kind
        chunks.append((kind.decode(), body))
        at += 12 + length
    assert chunks[0][0] == "IHDR" and chunks[-1] == ("IEND", b"")
    width, height, depth, colours, packing, filters, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    assert (packing, filters, interlace) == (0, 0, 0)
    text, density = {}, None
    for kind, body in chunks:
        if kind == "tEXt":
            key, value = body.split(b"\0", 1)
            text[key.decode("latin1")] = value.decode("latin1")
        elif kind == "zTXt":
            key, value = body.split(b"\0", 1)
            text[key.decode("latin1")] = zlib.decompress(value[1:]).decode("latin1")
        elif kind == "iTXt":
            key, rest = body.split(b"\0", 1)
            language, translated, value = rest[2:].split(b"\0", 2)
            text[key.decode("latin1")] = (zlib.decompress(value) if rest[0] else value).decode("utf8")
        elif kind == "pHYs":
            density = struct.unpack(">IIB", body)
    palette = next((body for kind, body in chunks if kind == "PLTE"), b"")
    samples = {0: 1, 2: 3, 3: 1, 6: 4}[colours]
    raw = zlib.decompress(b"".join(body for kind, body in chunks if kind == "IDAT"))

    def row(line):
        if depth < 8:
            line = bytes(line[x * depth // 8] >> (8 - depth - x * depth % 8) & ((1 << depth) - 1) for x in range(width))
        if colours == 0: return "".join("%02x" % (v * 255 // ((1 << depth) - 1)) * 3 for v in line)
        if colours == 3: return "".join(palette[3 * v:3 * v + 3].hex() for v in line)
        if colours == 2: return line.hex()
        channels = np.frombuffer(line, np.uint8).reshape(width, 4)
        return words(channels[:, :3].tobytes(), channels[:, 3] == 255)

    assert depth == 8 or samples == 1, depth
    return {"width": width, "height": height, "text": text, "density": density,
            "pixels": [row(line) for line in unfiltered(raw, width, height, samples * depth)]}


def words(colours, opaque):
    """Pixels as text; transparent ones without their colour."""
    text, parts, x = colours.hex(), [], 0
    for is_opaque, run in itertools.groupby(opaque):
        end = x + len(list(run))
        parts.append(text[6 * x:6 * end] if is_opaque else "-" * (6 * (end - x)))
        x = end
    return "".join(parts)


def unfiltered(raw, width, height, bits):
    step, stride = max(1, bits // 8), (width * bits + 7) // 8
    assert len(raw) == height * (stride + 1), "wrong number of bytes"
    before, lines = np.zeros(stride, np.uint8), []
    for y in range(height):
        kind = raw[y * (stride + 1)]
        line = np.frombuffer(raw, np.uint8, stride, y * (stride + 1) + 1).copy()
        if kind == 1: line = np.cumsum(line.reshape(-1, step), 0, np.uint8).reshape(-1)
        elif kind == 2: line += before
        elif kind > 2: line = unfiltered_line(kind, line.tolist(), before.tolist(), step)
        lines.append(line.tobytes())
        before = line
    return lines


def unfiltered_line(kind, line, before, step):
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        up, corner = before[i], before[i - step] if i >= step else 0
        if kind == 3: guess = (left + up) // 2
        else:
            a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if a <= b and a <= c else up if b <= c else corner
        line[i] = (line[i] + guess) & 255
    return np.array(line, np.uint8)


def svg(data):
    root = ET.fromstring(data)
    name = "{http://www.w3.org/2000/svg}%s"
    link = "{http://www.w3.org/1999/xlink}href"
    assert root.tag == name % "svg", root.tag
    texts = [{"text": e.text, "x": float(e.get("x")), "y": float(e.get("y")), "anchor": e.get("text-anchor", "start"),
              "turned": "transform" in e.attrib, "family": e.get("font-family")} for e in root.iter(name % "text")]
    images = []
    for e in root.iter(name % "image"):
        head, body = e.get(link).split(",", 1)
        assert head == "data:image/png;base64", head
        image = png(base64.b64decode(body))
        images.append({"place": [float(e.get(k)) for k in ("x", "y", "width", "height")], "style": e.get("style"),
                       "rendering": e.get("image-rendering"), "pixels": image["pixels"]})
    find = lambda tag: root.findtext(name % tag) or ""
    return {"size": [root.get("width"), root.get("height")], "viewBox": root.get("viewBox"), "title": find("title"),
            "description": find("desc"), "texts": texts, "images": images}


class Pdf:
    """As much of PDF 1.4 as a writer of plain files uses: no encryption, no object streams."""

    def __init__(self, data):
        assert data.startswith(b"%PDF-1."), "no PDF"
        assert data.rstrip().endswith(b"%%EOF"), "cut off"
        self.objects = {}
        for found in re.finditer(rb"(?:^|[\r\n])(\d+) 0 obj\s(.*?)\sendobj", data, re.S):
            self.objects[int(found.group(1))] = found.group(2)

    def stream(self, number):
        head, body = self.objects[number].split(b"stream\n", 1)
        body = body[:body.rindex(b"endstream")]
        if b"/FlateDecode" in head: body = zlib.decompressobj().decompress(body)
        return head, body

    def named(self, pattern):
        return [number for number, body in self.objects.items() if re.search(pattern, body.split(b"stream\n", 1)[0])]

    def reference(self, text, key):
        found = re.search(key.encode() + rb"\s+(\d+) 0 R", text)
        return int(found.group(1)) if found else None

    def text(self, key):
        for number in self.named(rb"/" + key + rb"\s*\("):
            raw = re.search(rb"/" + key + rb"\s*\(((?:\\.|[^\\)])*)\)", self.objects[number], re.S).group(1)
            raw = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m.group(1), 8)]), raw)
            raw = re.sub(rb"\\(.)", rb"\1", raw, flags=re.S)
            return raw[2:].decode("utf-16-be") if raw.startswith(b"\xfe\xff") else raw.decode("latin1")
        return ""

    def unicode(self, font):
        """From glyph to text."""
        _, body = self.stream(self.reference(self.objects[font], "/ToUnicode"))
        table, text = {}, lambda word: bytes.fromhex(word.decode()).decode("utf-16-be")
        for block in re.findall(rb"beginbfrange(.*?)endbfrange", body, re.S):
            for low, high, rest in re.findall(rb"<(\w+)>\s*<(\w+)>\s*(<\w+>|\[[^\]]*\])", block):
                words = re.findall(rb"<(\w+)>", rest)
                for i, glyph in enumerate(range(int(low, 16), int(high, 16) + 1)):
                    first = text(words[min(i, len(words) - 1)])
                    table[glyph] = first if rest.startswith(b"[") else first[:-1] + chr(ord(first[-1]) + i)
        for block in re.findall(rb"beginbfchar(.*?)endbfchar", body, re.S):
            for glyph, word in re.findall(rb"<(\w+)>\s*<(\w+)>", block): table[int(glyph, 16)] = text(word)
        return table


def pdf(data):
    file = Pdf(data)
    pages = file.named(rb"/Type\s*/Page\b(?!s)")
    page = file.objects[pages[0]]
    fonts, tables = [], {}
    for number in file.named(rb"/Subtype\s*/Type0"):
        body = file.objects[number]
        cid = file.objects[int(re.search(rb"/DescendantFonts\s*\[\s*(\d+) 0 R", body).group(1))]
        descriptor = file.objects[file.reference(cid, "/FontDescriptor")]
        embedded = any(file.reference(descriptor, key) for key in ("/FontFile", "/FontFile2", "/FontFile3"))
        tables[number] = file.unicode(number)
        fonts.append({"name": re.search(rb"/BaseFont\s*/(\S+)", body).group(1).decode(), "embedded": embedded})
    images = []
    for number in file.named(rb"/Subtype\s*/Image"):
        head, body = file.stream(number)
        width, height = (int(re.search(key + rb"\s+(\d+)", head).group(1)) for key in (rb"/Width", rb"/Height"))
        if b"/DeviceRGB" not in head: continue
        assert b"/DCTDecode" not in head, "a picture that lost detail"
        assert b"/Interpolate true" not in head
        opaque = np.ones((height, width), bool)
        mask = file.reference(head, "/Mask")
        if mask:
            mask_head, bits = file.stream(mask)
            bits = np.unpackbits(np.frombuffer(bits, np.uint8, (width + 7) // 8 * height).reshape(height, -1), axis=1)
            # A bit of 1 is left out, unless the mask is to be read the other way round.
            painted = 1 if re.search(rb"/Decode\s*\[\s*1 0\s*\]", mask_head) else 0
            opaque = bits[:, :width] == painted
        images.append({"pixels": [words(body[3 * y * width:3 * (y + 1) * width], opaque[y]) for y in range(height)]})
    # Names of fonts on the page, and what is written with them, in the order of the page.
    resources = page if b"/Font" in page else file.objects[file.reference(page, "/Resources")]
    names = {name.decode(): int(number) for name, number in re.findall(rb"/(F\d+)\s+(\d+) 0 R", resources)}
    _, content = file.stream(file.reference(page, "/Contents"))
    texts, table, written = [], {}, ""
    for word in re.finditer(rb"/(F\d+)\s+[\d.]+ Tf|<([0-9a-fA-F]+)>|\bET\b", content):
        if word.group(1): table = tables[names[word.group(1).decode()]]
        elif word.group(2):
            glyphs = word.group(2)
            written += "".join(table.get(int(glyphs[i:i + 4], 16), "?") for i in range(0, len(glyphs), 4))
        else:
            texts.append(written)
            written = ""
    box = re.search(rb"/MediaBox\s*\[([^\]]*)\]", page) or re.search(rb"/MediaBox\s*\[([^\]]*)\]", data)
    return {"pages": len(pages), "box": [float(n) for n in box.group(1).split()], "title": file.text(b"Title"),
            "creator": file.text(b"Creator"), "fonts": fonts, "images": images, "text": "\n".join(texts)}


def main(path):
    data = open(path, "rb").read()
    reader = {".png": png, ".svg": svg, ".pdf": pdf}[path[-4:]]
    json.dump(reader(data), sys.stdout)
