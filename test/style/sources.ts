import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dir, '../..')

export interface Source {
  path: string
  text: string
  lines: string[]
}

/** Files that git tracks or would track, by glob; generated and vendored ones are left out. */
export function sources(pattern: string): Source[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '-co', '--exclude-standard'], { cwd: root })
  const glob = new Bun.Glob(pattern)
  return listed.stdout
    .toString()
    .split('\n')
    .filter((path) => path !== '' && glob.match(path) && !path.includes('/migrations/'))
    .filter((path) => Bun.file(join(root, path)).size > 0)
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, lines: text.split('\n') }
    })
}
