import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanups } from './cleanup.ts'

/** A new, empty folder, removed after the last test of the file. */
export function tempFolder(name: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `larder-${name}-`))
  cleanups.push(async () => removeTree(folder))
  return folder
}

/** Removes a folder with everything in it, also what is closed to the tests' own user. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    Bun.spawnSync(['chmod', '-R', 'u+rwX', path])
    rmSync(path, { recursive: true, force: true })
  }
}
