import { chmodSync, renameSync } from 'node:fs'

/** Makes a folder read-only; returns a function that reverts it. */
export function makeReadOnly(path: string): () => void {
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o500)
    return () => chmodSync(path, 0o700)
  }
  // Only a read-only mount stops root.
  const bind = Bun.spawnSync(['mount', '--bind', '-o', 'ro', path, path])
  if (bind.exitCode === 0) return () => void Bun.spawnSync(['umount', '-l', path])
  renameSync(path, `${path}-away`)
  return () => renameSync(`${path}-away`, path)
}
