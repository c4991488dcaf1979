"""Manifests of Steam's depots, written and read by the package `steam`."""

from oracle import run
from steam.core.manifest import DepotManifest


def write(model):
    manifest = DepotManifest()
    for file in model["files"]:
        mapping = manifest.payload.mappings.add()
        mapping.filename = file["name"].replace("/", "\\")
        mapping.sha_filename = mapping.sha_content = bytes(20)
        for index in file["chunks"]:
            facts = model["chunks"][index]
            chunk = mapping.chunks.add()
            chunk.sha = bytes.fromhex(facts["digest"][:40])
            chunk.crc = index
            chunk.offset = mapping.size
            chunk.cb_original = 2 * facts["bytes"]
            chunk.cb_compressed = facts["bytes"]
            mapping.size += chunk.cb_original
    manifest.metadata.depot_id = 1001
    manifest.metadata.gid_manifest = 2**63
    manifest.metadata.creation_time = 1_700_000_000
    return manifest.serialize(compress=True)


def read(data):
    """Each chunk once, in the order of the files."""
    chunks = {
        chunk.sha.hex(): chunk.cb_compressed
        for file in DepotManifest(data).iter_files()
        for chunk in file.chunks
    }
    return [{"id": sha, "bytes": size} for sha, size in chunks.items()]


run(write, read)
