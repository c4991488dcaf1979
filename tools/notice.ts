/**
 * Writes NOTICE: the software of others in the container image, by bun.lock, with version and
 * licence. Everything is read from node_modules.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import lock from '../bun.lock'

const root = join(import.meta.dir, '..')
/** Not imported by the dashboard's sources: `build-web.ts` copies from them or compiles with them. */
const copiedPackages = ['@fontsource-variable/inter', '@scalar/api-reference', 'tailwindcss']

/** Libraries that come with the private Postgres; `tools/notice.test.ts` compares them with its files. */
const postgresLibraries = `libcrypto, libssl (OpenSSL 1.1)                      OpenSSL AND SSLeay
libicudata, libicui18n, libicuuc (ICU 60)            ICU
liblzma (XZ Utils)                                   public domain
libossp-uuid (OSSP uuid)                             MIT
libxml2, libxslt                                     MIT
libz (zlib)                                          Zlib`

interface Manifest {
  license?: string | { type?: string }
  licenses?: { type?: string }[]
}

/** Names on the way to a package: `a/@b/c` is `@b/c` in the `node_modules` of `a`. */
const pathOf = (key: string) => key.match(/(?:@[^/]+\/)?[^/]+/g) ?? []

/** Where the package `from` finds `name`: as in node_modules, on the nearest level above. */
function found(name: string, from: string): string | null {
  const path = pathOf(from)
  for (let depth = path.length; depth >= 0; depth--) {
    const key = [...path.slice(0, depth), name].join('/')
    // What a package says that it brings along may be missing from its archive.
    const isMissing = infoOf(key).bundled === true && !existsSync(folderOf(key))
    if (key in lock.packages && !isMissing) return key
  }
  return null
}

function infoOf(key: string) {
  const info = lock.packages[key]?.[2]
  return typeof info === 'object' ? info : {}
}

/** Keys of these packages and of everything that they depend on, for Linux. Peers are left out. */
function closure(names: readonly string[]): string[] {
  const keys = new Set(names.flatMap((name) => found(name, '') ?? []))
  for (const key of keys) {
    const { dependencies, optionalDependencies } = infoOf(key)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = found(name, key)
      if (next !== null && [infoOf(next).os ?? 'linux'].flat().includes('linux')) keys.add(next)
    }
  }
  return [...keys]
}

/** Folder of a package. Binaries for another processor come with the licence of those for this one. */
function folderOf(key: string): string {
  const installed = infoOf(key).cpu === undefined ? key : key.replace(/[^-]+$/, process.arch)
  return join(root, 'node_modules', pathOf(installed).join('/node_modules/'))
}

function licenceOf(key: string): string {
  const manifest = readFileSync(join(folderOf(key), 'package.json'), 'utf8')
  const { license, licenses = [] } = JSON.parse(manifest) as Manifest
  const names = [license, ...licenses].flatMap(
    (it) => (typeof it === 'object' ? it.type : it) ?? [],
  )
  return names.length === 0 ? 'see its licence file' : names.join(' OR ')
}

/** Sorted by name; a package of the same version in several places is there once. */
function table(keys: readonly string[]): string {
  const rows = keys.map((key) => {
    const [, name = '', version = ''] = /^(.+)@(.+)$/.exec(lock.packages[key]?.[0] ?? '') ?? []
    return `${`${name} ${version}`.padEnd(52)} ${licenceOf(key)}`
  })
  return [...new Set(rows)].sort().join('\n')
}

function servicePackages(): string[] {
  const { dependencies, optionalDependencies } = lock.workspaces[''] ?? {}
  return closure(Object.keys({ ...dependencies, ...optionalDependencies }))
}

/** Packages whose code is in the files that browsers load. */
function dashboardPackages(): string[] {
  const files = new Bun.Glob('src/web/**/*.{ts,tsx}').scanSync({ cwd: root })
  const imports = [...files]
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .flatMap((path) => {
      const transpiler = new Bun.Transpiler({ loader: path.endsWith('x') ? 'tsx' : 'ts' })
      return transpiler.scanImports(readFileSync(join(root, path), 'utf8'))
    })
    .flatMap(({ path }) => (path.startsWith('.') ? [] : pathOf(path).slice(0, 1)))
  return closure([...new Set([...imports, ...copiedPackages])])
}

/** Licence texts of the packages in the dashboard, each text once. */
export function dashboardLicences(): string {
  const users = new Map<string, string[]>()
  for (const key of dashboardPackages().sort()) {
    const folder = folderOf(key)
    const names = existsSync(folder) ? readdirSync(folder) : []
    for (const name of names.filter((it) => /^(licen[cs]e|copying|notice)/i.test(it)).sort()) {
      const text = readFileSync(join(folder, name), 'utf8').trim()
      users.set(text, [...(users.get(text) ?? []), lock.packages[key]?.[0] ?? key])
    }
  }
  return [...users]
    .map(([text, names]) => `${names.join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** The text of NOTICE. */
export function notice(): string {
  return `Larder is licensed under the Apache License 2.0, see LICENSE. Its container image also contains the
software below. Written by \`bun run generate:notice\` from bun.lock.

Packages of the service; their licences lie beside them in node_modules

${table(servicePackages())}

Packages of the dashboard and of the API reference; their licences are in dist/web/licences.txt

${table(dashboardPackages())}

The private database is PostgreSQL, licensed by licences/postgresql.txt, with these libraries

${postgresLibraries}
`
}

if (import.meta.main) await Bun.write('NOTICE', notice())
