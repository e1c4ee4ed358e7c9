#!/usr/bin/env python3
"""Writes tables.bin: the character sets of the system's iconv, as observed by converting.

    python3 assets/charsets/generate.py

Needs Linux with glibc and its conversion modules (`iconv -l` lists them). It asks iconv for every
byte sequence and every character of each character set, which takes some minutes, and writes what
differs into one record for each set:

    names       length as varint, then the names, separated by spaces
    kind        one byte: 1 for GB18030, else 0
    tags        one byte: 1 if language tag characters (U+E0000 to U+E007F) are left out, not errors
    lengths     of the table and of its zlib stream, varints
    table       zlib stream

A table consists of five lists of runs and one of pairs. A run maps `n` consecutive codes to as many
consecutive characters; a code is a byte sequence as a big-endian number, plus the number of shorter
sequences (and for four bytes of GB18030, its position in that range).

    both        runs (code, character) that convert in both directions
    read        runs (code, character) that only occur in reading
    written     runs (character, code) that only occur in writing
    held        runs of codes that are held back until the next character is known
    held back   runs of characters, likewise, in writing
    pairs       (code, first character, second character)

Sets with shift states are left out.

Each list begins with its length. Numbers are varints, as differences from where the previous run
ended (zigzag for the second number).
"""

import ctypes
import errno
import os
import struct
import subprocess
import sys
import zlib

libc = ctypes.CDLL("libc.so.6", use_errno=True)
libc.iconv_open.restype = ctypes.c_void_p
libc.iconv_open.argtypes = [ctypes.c_char_p] * 2
libc.iconv.restype = ctypes.c_size_t
libc.iconv.argtypes = [ctypes.c_void_p] * 5
libc.iconv_close.argtypes = [ctypes.c_void_p]
FAILED = 2**64 - 1

# Implemented in src/repository/charsets without tables, or unknown there.
ALGORITHMIC = [
    "UTF-8", "UTF-7", "UTF-7-IMAP", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE",
    "UTF-32BE", "UCS-2", "UCS-2LE", "UCS-2BE", "UCS-4", "UCS-4LE", "UCS-4BE", "UNICODE",
    "UNICODELITTLE", "UNICODEBIG", "WCHAR_T", "ISO-2022-JP", "ISO-2022-JP-2", "ISO-2022-JP-3",
    "ISO-2022-KR", "ISO-2022-CN", "ISO-2022-CN-EXT", "TSCII",
]
STATELESS, GB18030 = range(2)
TAGS = range(0xE0000, 0xE0080)
BMP = [c for c in range(0x10000) if not 0xD800 <= c < 0xE000]
WIDE = BMP + list(range(0x1F000, 0x30000)) + list(TAGS)
NARROW = BMP + list(range(0x1F000, 0x20000)) + list(TAGS)


class Converter:
    """One conversion; each call starts anew."""

    def __init__(self, to, source):
        self.handle = libc.iconv_open(to.encode(), source.encode())
        if self.handle in (FAILED, None):
            raise LookupError(to, source)
        self.input, self.output = ctypes.create_string_buffer(64), ctypes.create_string_buffer(256)
        self.start = ctypes.addressof(self.output)
        self.cells = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_size_t()
        self.refs = [ctypes.addressof(cell) for cell in self.cells]

    def __call__(self, text):
        """What comes out at once, how it ended, and what comes out at the end."""
        data, size, out, room = self.cells
        ctypes.memmove(self.input, text, len(text))
        data.value, size.value = ctypes.addressof(self.input), len(text)
        out.value, room.value = self.start, 256
        state = "ok"
        if libc.iconv(self.handle, *self.refs) == FAILED:
            state = {errno.EILSEQ: "invalid", errno.EINVAL: "incomplete"}[ctypes.get_errno()]
        direct = 256 - room.value
        libc.iconv(self.handle, None, None, *self.refs[2:])
        whole = ctypes.string_at(self.start, 256 - room.value)
        return whole[:direct], state, whole[direct:]


def characters(text):
    return struct.unpack("<%dI" % (len(text) // 4), text)


def read_table(name, kind):
    """Maps byte sequences to characters; the set of those that are held."""
    convert = Converter("UCS-4LE", name)
    table, held = {}, set()

    def extend(start):
        for byte in range(256):
            sequence = start + bytes([byte])
            if kind == GB18030 and len(start) == 3 and not 0x30 <= byte <= 0x39:
                continue
            direct, state, late = convert(sequence)
            if state == "ok" and (direct or late):
                assert len(direct + late) in (4, 8), (name, sequence)
                table[sequence] = characters(direct + late)
                if late:
                    assert not direct, (name, sequence)
                    held.add(sequence)
            elif state == "incomplete" and len(sequence) < 4:
                extend(sequence)

    extend(b"")
    new = list(held)
    while new:
        found = []
        for first in new:
            for second in [key for key in table if len(key) == 1]:
                direct, state, late = convert(first + second)
                if state == "ok" and characters(direct + late) != table[first] + table[second]:
                    table[first + second] = characters(direct + late)
                    if late:
                        found.append(first + second)
        held.update(found)
        new = found
    return table, held


def written_table(name, candidates):
    """Maps characters to byte sequences; the set of those that are held."""
    convert = Converter(name, "UCS-4LE")
    table, held = {}, set()
    for character in candidates:
        direct, state, late = convert(struct.pack("<I", character))
        if state != "ok":
            continue
        if late:
            held.add(character)
        assert len(direct + late) <= 4, (name, character)
        table[character] = direct + late
    return table, held


def varint(number):
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytearray([number]))


def zigzag(number):
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)


def runs(pairs):
    """Consecutive pairs, counted from where the previous run ended."""
    found = []
    for a, b in sorted(pairs):
        if found and found[-1][0] + found[-1][2] == a and found[-1][1] + found[-1][2] == b:
            found[-1][2] += 1
        else:
            found.append([a, b, 1])
    out = varint(len(found))
    end_a = end_b = 0
    for a, b, n in found:
        out += varint(a - end_a) + varint(n) + zigzag(b - end_b)
        end_a, end_b = a + n, b + n
    return out


def single_runs(numbers):
    found = []
    for a in sorted(numbers):
        if found and sum(found[-1]) == a:
            found[-1][1] += 1
        else:
            found.append([a, 1])
    out, end = varint(len(found)), 0
    for a, n in found:
        out += varint(a - end) + varint(n)
        end = a + n
    return out


def record(names, kind, candidates):
    read, held = read_table(names[0], kind)
    if any(max(value) >= 0x10000 for value in read.values()):
        candidates = range(0x110000) if kind == GB18030 else WIDE
        candidates = [c for c in candidates if not 0xD800 <= c < 0xE000]
    written, held_back = written_table(names[0], candidates)
    tags = all(written.get(tag) == b"" for tag in TAGS)
    if tags:
        written = {c: key for c, key in written.items() if c not in TAGS}
    assert all(written.values()), names

    def code(key):
        number = int.from_bytes(key, "big")
        if kind == GB18030 and len(key) == 4:
            a, b, c, d = key
            number = ((a - 0x81) * 10 + b - 0x30) * 1260 + (c - 0x81) * 10 + d - 0x30
        return number + (0, 0, 0x100, 0x10100, 0x1010100)[len(key)]

    one = {key: value[0] for key, value in read.items() if len(value) == 1}
    pairs = sorted((code(key), *value) for key, value in read.items() if len(value) == 2)
    both = [(code(key), c) for key, c in one.items() if written.get(c) == key]
    only_read = [(code(key), c) for key, c in one.items() if written.get(c) != key]
    only_written = [(c, code(key)) for c, key in written.items() if one.get(key) != c]
    table = runs(both) + runs(only_read) + runs(only_written)
    table += single_runs(code(key) for key in held) + single_runs(held_back)
    table += varint(len(pairs)) + b"".join(b"".join(map(varint, pair)) for pair in pairs)
    packed = zlib.compress(table, 9)
    joined = " ".join(names).encode()
    print(names[0], len(read), len(written), len(packed), "tags" if tags else "", flush=True)
    out = varint(len(joined)) + joined + bytes([kind, tags])
    return out + varint(len(table)) + varint(len(packed)) + packed, written


def probe(name):
    """Tells most character sets apart: what single bytes and some pairs of bytes mean."""
    convert = Converter("UCS-4LE", name)
    texts = [bytes([a]) for a in range(256)]
    texts += [b"\x0e" + bytes([a, b]) for a in (0x41, 0x42, 0x48, 0x60, 0x90, 0xB0) for b in range(0x40, 256)]
    texts += [bytes([a, b]) for a in (0x81, 0x87, 0xA1, 0xA2, 0xA3, 0xA6, 0xAA, 0xAD, 0xC9, 0xED, 0xFA, 0xFE) for b in range(256)]
    texts += [b"\x8f" + bytes([a, b]) for a in (0xA2, 0xA9, 0xF5) for b in range(0xA0, 256)]
    return tuple(convert(text) for text in texts)


def main():
    listed = subprocess.run(["iconv", "-l"], stdout=subprocess.PIPE, text=True, check=True)
    names = [name[:-2] if name.endswith("//") else name for name in listed.stdout.split()]
    algorithmic = {probe(name) for name in ALGORITHMIC}
    groups = {}
    for name in names:
        groups.setdefault(probe(name), []).append(name)
    for key in algorithmic:
        print("without a table:", " ".join(groups.pop(key)), flush=True)
    records = []
    for group in sorted(groups.values()):
        shifts = Converter("UCS-4LE", group[0])
        kind = STATELESS
        if "GB18030" in group:
            kind = GB18030
        elif shifts(b"\x0e") == (b"", "ok", b"") and shifts(b"\x0f") == (b"", "ok", b""):
            continue
        # Names of sets that only differ in writing are not one set.
        while group:
            out, written = record(group, kind, NARROW)
            same = [name for name in group if same_written(name, written)]
            if same != group:
                out, _ = record(same, kind, NARROW)
            records.append(out)
            group = [name for name in group if name not in same]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables.bin")
    with open(path, "wb") as file:
        file.write(b"".join(records))


SAMPLE = sorted(set(range(0, 0x2700)) | set(range(0x3000, 0x3100)) | set(range(0xE000, 0xE800)) | set(range(0xF800, 0x10000)) | set(range(0x4E00, 0xA000, 7)))


def same_written(name, written):
    sample = [c for c in SAMPLE if not 0xD800 <= c < 0xE000]
    other, _ = written_table(name, sample)
    return all(other.get(c) == written.get(c) for c in sample)


if __name__ == "__main__":
    sys.exit(main())
