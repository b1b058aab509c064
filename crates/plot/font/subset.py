"""Makes `chart.ttf`, the letters of charts, from three fonts of the Noto family.

    python3 subset.py NotoSans-Regular.ttf NotoSansMath-Regular.ttf NotoSansSymbols2-Regular.ttf

Needs fonttools and uharfbuzz. Which version the file was made from is written in README.md beside this script.
"""

import os
import sys
import tempfile

import uharfbuzz
from fontTools.merge import Merger
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._k_e_r_n import KernTable_format_0

# First match wins: a letter is taken from the first font that has it.
WANTED = [
    (0x20, 0x7E), (0xA0, 0xFF), (0x100, 0x17F),  # Latin
    (0x370, 0x3FF), (0x400, 0x45F),  # Greek, Cyrillic
    (0x2010, 0x2015), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030), (0x2032, 0x2034),
    (0x2039, 0x203A), (0x20AC, 0x20AC),  # punctuation
    (0x2070, 0x2071), (0x2074, 0x208E), (0x2090, 0x209C),  # superscripts and subscripts
    (0x2102, 0x2102), (0x210B, 0x210B), (0x2113, 0x2115), (0x2119, 0x211D), (0x2124, 0x2124),  # sets
    (0x2190, 0x2195), (0x21A0, 0x21A0), (0x21A6, 0x21A6), (0x21D0, 0x21D4), (0x21DD, 0x21DD),  # arrows
    (0x2200, 0x2237), (0x2243, 0x224D), (0x2254, 0x2255), (0x225C, 0x225F), (0x2260, 0x226B), (0x227A, 0x228B),
    (0x2291, 0x22A8), (0x22C0, 0x22C6), (0x22EE, 0x22F1),  # operators
    (0x2308, 0x230B), (0x27E6, 0x27EB), (0x27F5, 0x27FA),  # brackets, long arrows
    (0x25A0, 0x25A1), (0x25B2, 0x25B3), (0x25BC, 0x25BD), (0x25C6, 0x25C7), (0x25CA, 0x25CB), (0x25CF, 0x25CF),
    (0x2605, 0x2606), (0x2713, 0x2713), (0x2717, 0x2717), (0xFFFD, 0xFFFD),  # shapes
]
# Pairs of these are kerned.
KERNED = [chr(c) for c in range(0x21, 0x7F)]
# Thousandths of the size of the font: smaller corrections are not visible.
LEAST_KERNING = 8


def subset(path, letters):
    font = TTFont(path)
    options = Options()
    options.hinting = False
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.notdef_outline = True
    options.glyph_names = False
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "DSIG", "gasp", "MATH"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    handle, saved = tempfile.mkstemp(suffix=".ttf")
    os.close(handle)
    font.save(saved)
    return saved


def kerning(path):
    """Corrections of the advance for pairs of letters, as the layout engine makes them."""
    font = uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(path)))

    def advance(text, kern):
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        uharfbuzz.shape(font, buffer, {"kern": kern, "liga": False, "calt": False})
        return sum(p.x_advance for p in buffer.glyph_positions)

    pairs = {}
    for a in KERNED:
        for b in KERNED:
            change = advance(a + b, True) - advance(a + b, False)
            if abs(change) >= LEAST_KERNING:
                pairs[a, b] = change
    return pairs


def main(paths):
    wanted = {c for first, last in WANTED for c in range(first, last + 1)}
    parts = []
    for path in paths:
        found = wanted & set(TTFont(path).getBestCmap())
        wanted -= found
        parts.append(subset(path, found))
    font = Merger().merge(parts)
    for part in parts:
        os.remove(part)
    for table in ("GSUB", "GPOS", "GDEF"):
        if table in font:
            del font[table]
    # The height of a line, as in the text font; symbols may be taller.
    text = TTFont(paths[0])
    for table in ("hhea", "OS/2"):
        for field in ("ascent", "descent", "sTypoAscender", "sTypoDescender", "usWinAscent", "usWinDescent"):
            if hasattr(text[table], field):
                setattr(font[table], field, getattr(text[table], field))
    names = font.getBestCmap()
    pairs = KernTable_format_0()
    pairs.coverage, pairs.format, pairs.version = 1, 0, 0
    pairs.kernTable = {(names[ord(a)], names[ord(b)]): k for (a, b), k in kerning(paths[0]).items()}
    font["kern"] = newTable("kern")
    font["kern"].version, font["kern"].kernTables = 0, [pairs]
    # Names of glyphs are not needed; times would make every run of this script differ.
    font["post"].formatType = 3.0
    font["head"].created = font["head"].modified = text["head"].created
    font.recalcTimestamp = False
    font.save("chart.ttf")
    print(f"{len(names)} letters, {len(pairs.kernTable)} kerned pairs")


main(sys.argv[1:])
