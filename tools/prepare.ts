/**
 * Runs before the scripts of package.json: installs the dependencies when the lock file has changed
 * and builds the dashboard and the service when their sources have. Imports nothing that must be installed first.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const stamps = join(root, 'node_modules', '.prepared')

function isFresh(name: string, hash: string): boolean {
  const path = join(stamps, name)
  return existsSync(path) && readFileSync(path, 'utf8') === hash
}

function remember(name: string, hash: string): void {
  mkdirSync(stamps, { recursive: true })
  writeFileSync(join(stamps, name), hash)
}

function hashOf(paths: string[]): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const path of paths.sort()) hasher.update(path).update(readFileSync(join(root, path)))
  return hasher.digest('hex')
}

function run(command: string[]): void {
  const { exitCode } = Bun.spawnSync(command, { cwd: root, stdout: 'inherit', stderr: 'inherit' })
  if (exitCode !== 0) process.exit(exitCode)
}

const lockHash = hashOf(['bun.lock', 'package.json'])
if (!isFresh('install', lockHash)) {
  run([process.execPath, 'install', '--frozen-lockfile'])
  remember('install', lockHash)
}

interface Build {
  script: string
  output: string
  /** What it is made of. */
  globs: string[]
  files: string[]
}

const builds: Record<string, Build> = {
  web: {
    script: 'tools/build-web.ts',
    output: 'dist/web/index.html',
    globs: ['src/platforms/*', 'src/web/**/*', 'public/**/*'],
    files: [
      'docs/numbers.md',
      'CHANGELOG.md',
      'NOTICE',
      'docs/grafana.json',
      'tools/notice.ts',
      'tools/web-scripts.ts',
    ],
  },
  service: {
    script: 'tools/build-service.ts',
    output: 'dist/service/main.js',
    globs: ['src/*.ts', 'src/!(web)/**/*', 'db/**/*.ts'],
    files: ['package.json'],
  },
}

for (const [name, { script, output, globs, files }] of Object.entries(builds)) {
  if (!process.argv.includes(`--${name}`)) continue
  const paths = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: root })])
  const sources = paths.filter((path) => !/\.test\.tsx?$/.test(path))
  const hash = hashOf([...sources, ...files, 'bun.lock', script])
  if (isFresh(name, hash) && existsSync(join(root, output))) continue
  run([process.execPath, join(root, script)])
  remember(name, hash)
}
