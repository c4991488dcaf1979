import { join } from 'node:path'

const project = join(import.meta.dir, '../..')

/** The service as users run it, bundled again when its sources have changed. */
export const builtService = join(project, 'dist/service/main.js')

const prepared = Bun.spawnSync([process.execPath, join(project, 'tools/prepare.ts'), '--service'])
if (!prepared.success) throw new Error(`the service was not built: ${String(prepared.stderr)}`)
