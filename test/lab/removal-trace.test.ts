import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCacheTree } from '../support/cache-tree.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { filesOf, listFiles, type FoundFile } from './cache-files.ts'

const root = tempFolder('removal-trace')
const cachePath = join(root, 'cache')
const victim = join(import.meta.dir, '../support/victims/cache-removal.ts')
const fileCount = 5000
const titles = 100
const depot = 1007

/** Runs a step as a process of its own; returns its output. */
function run(step: 'walk' | 'remove', ...tracer: string[]): Record<string, unknown> {
  const command = [...tracer, process.execPath, victim, step, root, cachePath, `alpha:${depot}`]
  const { exitCode, stdout, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
  return JSON.parse(stdout.toString())
}

interface Call {
  name: string
  path: string
  /** Opened as a directory, or only to resolve it. */
  isDirectory: boolean
  isOk: boolean
}

/**
 * System calls with a path below the cache, as printed by `strace -y`, which resolves open
 * descriptors: names relative to an open folder are expanded.
 */
function callsOf(trace: string): Call[] {
  const folders = new Map<string, string>()
  const written = (path: string) =>
    path.replace(/^\/proc\/self\/fd\/(\d+)(?=\/.)/, (own, file) => folders.get(file) ?? own)
  return trace.split('\n').flatMap((line) => {
    const name = /^\d+ +(\w+)\(/.exec(line)?.[1]
    const text = /"([^"]*)"/.exec(line)?.[1]
    const path = text === undefined ? undefined : written(text)
    const [, file, folder] = / = (\d+)<([^>]*)>$/.exec(line) ?? []
    if (file !== undefined && folder !== undefined) folders.set(file, folder)
    if (name === undefined || path === undefined || !`${path}/`.startsWith(`${cachePath}/`))
      return []
    return [
      { name, path, isDirectory: /O_DIRECTORY|O_PATH/.test(line), isOk: !line.includes('= -1 ') },
    ]
  })
}

test("opens and unlinks only the game's files among 5000", () => {
  mkdirSync(cachePath)
  makeCacheTree(cachePath, fileCount, { titles })
  const before = filesOf(cachePath)
  const own = before.filter(({ key }) => key.startsWith(`steam/depot/${depot}/`))
  expect(own).toHaveLength(fileCount / titles)
  expect(run('walk')).toMatchObject({ state: 'complete', files: fileCount })
  const file = join(root, 'trace')
  const tracer = ['strace', '-f', '-y', '-qq', '-s', '400', '-e', 'trace=%file', '-o', file]
  expect(run('remove', ...tracer)).toMatchObject({
    state: 'complete',
    filesDeleted: own.length,
    bytesFreed: own.reduce((sum, { bytes }) => sum + bytes, 0),
  })
  const calls = callsOf(readFileSync(file, 'utf8'))
  const paths = own.map(({ path }) => path).toSorted()
  const named = (...names: string[]) => calls.filter(({ name }) => names.includes(name))
  const unlinked = named('unlink', 'unlinkat')
  expect(unlinked.map(({ path }) => path).toSorted()).toEqual(paths)
  expect(unlinked.every(({ isOk }) => isOk)).toBe(true)
  const opened = named('open', 'openat', 'openat2').filter(({ isDirectory }) => !isDirectory)
  expect(opened.map(({ path }) => path).toSorted()).toEqual(paths)
  // All other calls only inspect folders and the path to them.
  const readCalls =
    /^(open(at2?)?|unlink(at)?|l?stat|newfstatat|statx|readlink(at)?|f?access(at2?)?|getcwd|statfs)$/
  expect(calls.filter(({ name }) => !readCalls.test(name))).toEqual([])
  const others = new Set(before.filter((one) => !own.includes(one)).map(({ path }) => path))
  expect(calls.filter(({ path }) => others.has(path))).toEqual([])
  const versionsOf = (files: FoundFile[]) => files.map(({ path, version }) => `${path} ${version}`)
  const kept = before.filter(({ path }) => others.has(path))
  expect(versionsOf(listFiles(cachePath)).toSorted()).toEqual(versionsOf(kept).toSorted())
}, 600_000)
