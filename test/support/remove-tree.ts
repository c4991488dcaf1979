import { rmSync } from 'node:fs'

/** Removes a test's folder, also what a test that failed has left closed to its own user. */
export function removeTree(path: string): void {
  Bun.spawnSync(['chmod', '-R', 'u+rwX', path])
  rmSync(path, { recursive: true, force: true })
}
