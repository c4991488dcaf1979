"""Manifests of Riot Games: written by the packages `flatbuffers` and `zstandard`, read by them along a
schema, and by the package `cdtb`."""

import struct
from tempfile import NamedTemporaryFile

import flatbuffers
import zstandard
from cdtb.patcher import PatcherManifest
from flatbuffers.table import Table
from oracle import run

HEADER_BYTES = 28
LANGUAGE = "en_us"
# Fields by their slots; those without a name are not read.
SCHEMA = {
    "Body": [("bundles", ["Bundle"]), ("languages", ["Language"]), ("files", ["File"])],
    "Bundle": [("id", "Uint64"), ("chunks", ["Chunk"])],
    "Chunk": [("id", "Uint64"), ("bytes", "Uint32"), ("unpacked", "Uint32")],
    "Language": [("id", "Uint8"), ("name", "text")],
    "File": [
        ("id", "Uint64"),
        ("parent", "Uint64"),
        ("size", "Uint32"),
        ("name", "text"),
        ("languages", "Uint64"),
        (None, None),
        (None, None),
        ("chunks", ["Uint64"]),
        (None, None),
        ("link", "text"),
    ],
}
FLAGS = {
    f"Uint{8 * flags.bytewidth}": flags
    for flags in (
        flatbuffers.number_types.Uint8Flags,
        flatbuffers.number_types.Uint32Flags,
        flatbuffers.number_types.Uint64Flags,
    )
}


def chunk_id(facts):
    return int(facts["digest"][:16], 16)


def vector(builder, offsets, width=4, prepend=None):
    builder.StartVector(width, len(offsets), width)
    for offset in reversed(offsets):
        (prepend or builder.PrependUOffsetTRelative)(offset)
    return builder.EndVector()


def table(builder, fields):
    """Fields as (slot, kind, value); each is written, with or without a value."""
    builder.StartObject(max(slot for slot, _, _ in fields) + 1)
    for slot, kind, value in sorted(fields, reverse=True):
        if kind == "offset":
            builder.PrependUOffsetTRelativeSlot(slot, value, 0)
        else:
            getattr(builder, f"Prepend{kind}")(value)
            builder.Slot(slot)
    return builder.EndObject()


def write(model):
    builder = flatbuffers.Builder(1024)

    def chunk(facts):
        size = facts["bytes"]
        fields = [(0, "Uint64", chunk_id(facts)), (1, "Uint32", size), (2, "Uint32", 2 * size)]
        return table(builder, fields)

    def bundle(number, indexes):
        chunks = vector(builder, [chunk(model["chunks"][index]) for index in indexes])
        return table(builder, [(0, "Uint64", number), (1, "offset", chunks)])

    def file(number, facts):
        name, link = builder.CreateString(facts["name"]), builder.CreateString("")
        ids = [chunk_id(model["chunks"][index]) for index in facts["chunks"]]
        chunks = vector(builder, ids, 8, builder.PrependUint64)
        sizes = sum(2 * model["chunks"][index]["bytes"] for index in facts["chunks"])
        fields = [
            (0, "Uint64", number + 1),
            (1, "Uint64", 1),
            (2, "Uint32", sizes % 2**32),
            (3, "offset", name),
            (4, "Uint64", facts["languages"]),
            (7, "offset", chunks),
            (9, "offset", link),
        ]
        return table(builder, fields)

    def language(number, name):
        text = builder.CreateString(name)
        return table(builder, [(0, "Uint8", number), (1, "offset", text)])

    bundles = vector(builder, [bundle(*one) for one in enumerate(model["bundles"], 1)])
    languages = vector(builder, [language(*one) for one in enumerate(model["languages"], 1)])
    files = vector(builder, [file(*one) for one in enumerate(model["files"])])
    name = builder.CreateString("folder")
    folders = vector(builder, [table(builder, [(0, "Uint64", 1), (2, "offset", name)])])
    lists = [bundles, languages, files, folders, vector(builder, []), vector(builder, [])]
    builder.Finish(table(builder, [(slot, "offset", at) for slot, at in enumerate(lists)]))
    body = bytes(builder.Output())
    packed = zstandard.compress(body)
    head = struct.pack("<4sBBBBIIQI", b"RMAN", 2, 0, 0, 2, HEADER_BYTES, len(packed), 7, len(body))
    return head + packed + bytes(256)


def parsed(at, name):
    """A table as a dictionary, along the schema."""
    found = {}
    for slot, (field, kind) in enumerate(SCHEMA[name]):
        offset = at.Offset(4 + 2 * slot)
        if field is None:
            continue
        if isinstance(kind, list):
            found[field] = [] if offset == 0 else list(elements(at, offset, kind[0]))
        elif kind == "text":
            found[field] = "" if offset == 0 else at.String(at.Pos + offset).decode()
        else:
            found[field] = 0 if offset == 0 else at.Get(FLAGS[kind], at.Pos + offset)
    return found


def elements(at, offset, kind):
    start, count = at.Vector(offset), at.VectorLen(offset)
    for index in range(count):
        if kind in FLAGS:
            yield at.Get(FLAGS[kind], start + FLAGS[kind].bytewidth * index)
        else:
            yield parsed(Table(at.Bytes, at.Indirect(start + 4 * index)), kind)


def by_schema(data):
    """Size of each bundle, and the bundles that hold what one language needs."""
    (first, size), (whole,) = struct.unpack_from("<II", data, 8), struct.unpack_from("<I", data, 24)
    body = zstandard.decompress(data[first : first + size], max_output_size=whole)
    (root,) = struct.unpack_from("<I", body)
    manifest = parsed(Table(bytearray(body), root), "Body")
    ids = {one["name"].lower(): one["id"] for one in manifest["languages"]}
    wanted = 1 << ids[LANGUAGE] - 1 if LANGUAGE in ids else 0
    needed = {
        chunk
        for file in manifest["files"]
        if file["languages"] == 0 or file["languages"] & wanted
        for chunk in file["chunks"]
    }
    sizes = {one["id"]: sum(c["bytes"] for c in one["chunks"]) for one in manifest["bundles"]}
    # Of several bundles with a chunk, the last one counts.
    holders = {c["id"]: one["id"] for one in manifest["bundles"] for c in one["chunks"]}
    return sizes, {holders[chunk] for chunk in needed if chunk in holders}


def by_cdtb(data):
    with NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        manifest = PatcherManifest(file.name)
    sizes = {one.bundle_id: sum(c.size for c in one.chunks) for one in manifest.bundles}
    files = [*manifest.filter_files(False), *manifest.filter_files(LANGUAGE)]
    return sizes, {chunk.bundle.bundle_id for file in files for chunk in file.chunks}


def read(data):
    sizes, used = by_schema(data)
    # The package knows only the layout of Riot's own files, which `write` has.
    if data[7] == 2 and by_cdtb(data) != (sizes, used):
        raise ValueError("cdtb reads something else")
    return [{"id": f"{one:016X}", "bytes": size} for one, size in sizes.items() if one in used]


run(write, read)
