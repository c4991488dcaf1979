/**
 * Runs before the scripts of package.json: installs the dependencies when the lock file has changed
 * and builds the dashboard when its sources have. Imports nothing that must be installed first.
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

if (process.argv.includes('--web')) {
  // One pattern for both folders would match nothing: braces cannot contain a slash.
  const globs = ['src/platforms/*', 'src/web/**/*', 'public/**/*'].map(
    (pattern) => new Bun.Glob(pattern),
  )
  const files = globs.flatMap((glob) => [...glob.scanSync({ cwd: root })])
  const sources = files.filter((path) => !path.endsWith('.test.ts'))
  const webHash = hashOf([
    ...sources,
    'docs/numbers.md',
    'CHANGELOG.md',
    'NOTICE',
    'docs/grafana.json',
    'bun.lock',
    'tools/build-web.ts',
    'tools/notice.ts',
    'tools/web-scripts.ts',
  ])
  if (!isFresh('web', webHash) || !existsSync(join(root, 'dist/web/index.html'))) {
    run([process.execPath, join(root, 'tools/build-web.ts')])
    remember('web', webHash)
  }
}
