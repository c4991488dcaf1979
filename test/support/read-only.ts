import { chmodSync, renameSync } from 'node:fs'

/** Makes a folder one that cannot be written to; answers what takes that back. */
export function makeReadOnly(path: string): () => void {
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o500)
    return () => chmodSync(path, 0o700)
  }
  // To root everything is open but a read-only mount.
  const bind = Bun.spawnSync(['mount', '--bind', '-o', 'ro', path, path])
  if (bind.exitCode === 0) return () => void Bun.spawnSync(['umount', '-l', path])
  renameSync(path, `${path}-away`)
  return () => renameSync(`${path}-away`, path)
}
