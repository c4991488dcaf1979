"""Manifests of Epic Games, read by the package `legendary-gl`, which also writes the binary ones."""

import hashlib
import io
import json
import struct

from legendary.models.json_manifest import JSONManifest
from legendary.models.manifest import (
    CDL,
    FML,
    ChunkInfo,
    ChunkPart,
    CustomFields,
    FileManifest,
    Manifest,
    ManifestMeta,
)
from oracle import run

# Where a binary manifest has the SHA-1 of its payload, and the payload its feature level.
HEADER_BYTES, SHA1_AT, LEVEL_AT = 41, 16, 5
PART_BYTES = 1000


def guid(digest):
    return tuple(int(digest[at : at + 8], 16) for at in range(0, 32, 8))


def write_binary(model):
    manifest = Manifest()
    manifest.meta, manifest.custom_fields = ManifestMeta(), CustomFields()
    manifest.chunk_data_list, manifest.file_manifest_list = CDL(), FML()
    manifest.meta.app_name = "Practice"
    manifest.meta.feature_level = model["level"]
    for facts in model["chunks"]:
        chunk = ChunkInfo()
        chunk.guid = guid(facts["digest"])
        chunk.hash = int(facts["digest"][32:48], 16)
        chunk.sha_hash = bytes(20)
        chunk.window_size = 1_048_576
        chunk.file_size = facts["bytes"]
        manifest.chunk_data_list.elements.append(chunk)
    for facts in model["files"]:
        file = FileManifest()
        file.filename, file.hash = facts["name"], bytes(20)
        for index in facts["chunks"]:
            part = ChunkPart(guid(model["chunks"][index]["digest"]), size=PART_BYTES)
            file.chunk_parts.append(part)
        manifest.file_manifest_list.elements.append(file)
    for entries in (manifest.chunk_data_list, manifest.file_manifest_list):
        entries.count = len(entries.elements)
    stream = io.BytesIO()
    manifest.write(stream, compress=model["isCompressed"])
    data = bytearray(stream.getvalue())
    if not model["isCompressed"]:
        # The package writes only the newer levels itself.
        struct.pack_into("<i", data, HEADER_BYTES + LEVEL_AT, model["level"])
        data[SHA1_AT : SHA1_AT + 20] = hashlib.sha1(data[HEADER_BYTES:]).digest()
    return bytes(data)


def blob(number, size):
    return "".join(f"{byte:03d}" for byte in number.to_bytes(size, "little"))


def write_json(model):
    """The package writes no JSON."""
    digests = [facts["digest"] for facts in model["chunks"]]
    guids = [digest[:32].upper() for digest in digests]
    lists = {
        "ChunkHashList": [blob(int(digest[32:48], 16), 8) for digest in digests],
        "ChunkShaList": ["00" * 20 for _ in digests],
        "DataGroupList": [blob(facts["group"], 1) for facts in model["chunks"]],
        "ChunkFilesizeList": [blob(facts["bytes"], 8) for facts in model["chunks"]],
    }
    parts = [
        {
            "Filename": file["name"],
            "FileHash": blob(0, 20),
            "FileChunkParts": [
                {"Guid": guids[index], "Offset": blob(0, 4), "Size": blob(PART_BYTES, 4)}
                for index in file["chunks"]
            ],
        }
        for file in model["files"]
    ]
    texts = ["LaunchExeString", "LaunchCommand", "PrereqName", "PrereqPath", "PrereqArgs"]
    manifest = {
        "ManifestFileVersion": blob(model["level"] or 0, 4),
        "bIsFileData": False,
        "AppID": blob(0, 4),
        "AppNameString": "Practice",
        "BuildVersionString": "1.0",
        **dict.fromkeys(texts, ""),
        "PrereqIds": [],
        "FileManifestList": parts,
        **{name: dict(zip(guids, values)) for name, values in lists.items()},
        "CustomFields": {},
    }
    if model["level"] is None:
        del manifest["ManifestFileVersion"]
    return json.dumps(manifest).encode()


def write(model):
    return write_json(model) if model["isJson"] else write_binary(model)


def read(data):
    manifest = (JSONManifest if data[:1] == b"{" else Manifest).read_all(data)
    return [
        {"path": chunk.path, "bytes": chunk.file_size}
        for chunk in manifest.chunk_data_list.elements
    ]


run(write, read)
