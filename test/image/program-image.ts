import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { docker, run } from './docker.ts'

export interface ProgramImage {
  tag: string
  /** Paths of programs on this machine by their names in `/bin`. */
  programs: Readonly<Record<string, string>>
  /** Paths of programs that come later; the machine's libraries for them are in the image. */
  later?: readonly string[]
  /** Further files by their path inside. */
  files?: Record<string, string>
  /** Lines of a Dockerfile that `docker import` understands. */
  changes?: string[]
}

/** The path of a program on this machine. */
function programPath(name: string): string {
  const path = Bun.which(name, { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' })
  if (path === null) throw new Error(`${name} is not installed`)
  return path
}

/** Programs of this machine by their names. */
export const programs = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, programPath(name)]))

/** The machine's libraries that programs are linked with; those that they bring are not. */
async function librariesOf(programs: readonly string[]): Promise<Set<string>> {
  const linked = await Promise.all(programs.map((program) => run(['ldd', program])))
  const paths = linked.flatMap((text) => [...text.matchAll(/\/\S+/g)].map(([path]) => path))
  return new Set(paths.filter((path) => !path.includes('/node_modules/') && path.includes('.so')))
}

/** Makes an image of programs of this machine and what they are linked with. */
export async function packPrograms(options: ProgramImage): Promise<void> {
  const { tag, files = {}, changes = [], later = [] } = options
  const root = mkdtempSync(join(tmpdir(), 'larder-pack-'))
  try {
    for (const folder of ['proc', 'sys', 'dev', 'etc', 'run', 'tmp', 'var/log/nginx', 'bin']) {
      mkdirSync(join(root, folder), { recursive: true })
    }
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n')
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\n')
    chmodSync(join(root, 'tmp'), 0o1777)
    for (const [name, program] of Object.entries(options.programs)) {
      copyFileSync(realpathSync(program), join(root, 'bin', name))
    }
    for (const library of await librariesOf([...Object.values(options.programs), ...later])) {
      mkdirSync(join(root, dirname(library)), { recursive: true })
      copyFileSync(library, join(root, library))
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    await run(['tar', '-C', root, '-cf', `${root}.tar`, '.'])
    const lines = ['ENV PATH=/bin', ...changes].flatMap((line) => ['--change', line])
    await docker('import', ...lines, `${root}.tar`, tag)
  } finally {
    rmSync(root, { recursive: true, force: true })
    rmSync(`${root}.tar`, { force: true })
  }
}
