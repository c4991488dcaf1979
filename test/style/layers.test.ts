import { expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { sources, type Source } from './sources.ts'

/**
 * The layers, lowest first; a file imports from its own folder and from lower layers.
 */
const layers = [
  ['src/platforms'],
  ['src/core/lib'],
  ['src/core/config.ts', 'src/core/caller.ts'],
  ['db'],
  ['src/engines'],
  ['src/core/live'],
  ['src/core/settings', 'src/core/secrets'],
  ['src/core/operations'],
  ['src/core/schedules'],
  ['src/core/core.ts'],
  ['src/core/create.ts', 'src/core/data-facts.ts'],
  ['src/core/http'],
  ['src/core/process'],
  ['src/nodes'],
  ['src/catalogue'],
  ['src/clients'],
  ['src/downloads'],
  ['src/cache'],
  ['src/prefill/protocol'],
  ['src/prefill/daemon'],
  ['src/access', 'src/system', 'src/prefill'],
  ['src/dashboard', 'src/party'],
  ['src/app.ts'],
  ['src/service.ts', 'src/node', 'src/web'],
  ['src/run.ts', 'src/demo'],
  ['src/main.ts'],
]
const groups = [
  'access',
  'cache',
  'catalogue',
  'clients',
  'downloads',
  'nodes',
  'party',
  'prefill',
  'system',
]

const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** The folder of a file and its layer. */
function placeOf(path: string) {
  const layer = layers.findIndex((folders) => folders.some((folder) => isIn(path, folder)))
  return { layer, folder: layers[layer]?.find((folder) => isIn(path, folder)) }
}

const groupOf = (path: string) => groups.find((group) => path.startsWith(`src/${group}/`))

/** Files that a file imports, type imports included. */
function importsOf({ path, text }: Source): string[] {
  const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)]
  return found.map(([, target]) => normalize(join(dirname(path), target ?? '')))
}

const files = sources('{src,db}/**/*.{ts,tsx}').filter(({ path }) => !/\.test\.tsx?$/.test(path))
const graph = new Map(files.map((file) => [file.path, importsOf(file)]))
const arrows = [...graph].flatMap(([from, targets]) =>
  targets.filter((to) => graph.has(to)).map((to) => ({ from, to })),
)

test('every file belongs to a layer', () => {
  expect(arrows.length).toBeGreaterThan(3000)
  expect([...graph.keys()].filter((path) => placeOf(path).layer === -1)).toEqual([])
})

test('imports between folders run downwards', () => {
  const upwards = arrows.filter(({ from, to }) => {
    const [above, below] = [placeOf(from), placeOf(to)]
    return above.folder !== below.folder && above.layer <= below.layer
  })
  expect(upwards.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
})

test('only the demonstration uses what tests use', () => {
  const users = [...graph].filter(([, targets]) => targets.some((to) => isIn(to, 'test')))
  expect(users.map(([from]) => from).filter((path) => !isIn(path, 'src/demo'))).toEqual([])
  expect(users.length).toBeGreaterThan(0)
})

test('no file of a group is ranked into the core', () => {
  const ranks = layers.flatMap((folders, rank) => folders.map((folder) => ({ folder, rank })))
  const core = ranks.filter(({ folder }) => isIn(folder, 'src/core')).map(({ rank }) => rank)
  const top = Math.max(...core)
  const below = ranks.filter(
    ({ folder, rank }) => groups.some((one) => isIn(folder, `src/${one}`)) && rank <= top,
  )
  expect(below.map(({ folder }) => folder)).toEqual([])
})

test('what pages of the dashboard share lies outside of them; only the shell knows pages', () => {
  const pageOf = (path: string) => /^src\/web\/pages\/([^/]+)\//.exec(path)?.[1]
  const past = arrows.filter(({ from, to }) => {
    const page = pageOf(to)
    return page !== undefined && page !== pageOf(from) && !isIn(from, 'src/web/app')
  })
  expect(past.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
})

test('a group is entered through its contract', () => {
  const past = arrows.filter(({ from, to }) => {
    const [own, other] = [groupOf(from), groupOf(to)]
    if (other === undefined || own === undefined || own === other) return false
    return to !== `src/${other}/contract.ts`
  })
  expect(past.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
})

/** Files that reach themselves, as Tarjan's strongly connected components. */
function circles(): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  function visit(path: string): number {
    const own = order.size
    order.set(path, own)
    low.set(path, own)
    stack.push(path)
    for (const next of graph.get(path) ?? []) {
      if (!graph.has(next)) continue
      const reached = order.has(next)
        ? stack.includes(next)
          ? order.get(next)
          : undefined
        : visit(next)
      if (reached !== undefined) low.set(path, Math.min(low.get(path) ?? own, reached))
    }
    const lowest = low.get(path) ?? own
    if (lowest === own) {
      const circle = stack.splice(stack.indexOf(path))
      if (circle.length > 1) found.push(circle)
    }
    return lowest
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return found
}

test('no file imports itself over others', () => {
  expect(circles()).toEqual([])
})

test('only types of the app and the table of platforms reach the dashboard', () => {
  const taken = files
    .filter(({ path }) => path.startsWith('src/web/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(import .*) from '(\.[^']+)'/gm)]
        .filter(([, what, target]) => {
          const to = normalize(join(dirname(path), target ?? ''))
          const isShared = to.startsWith('src/web/') || to.startsWith('src/platforms/')
          return graph.has(to) && !isShared && !what?.startsWith('import type')
        })
        .map(([line]) => `${path}: ${line}`),
    )
  expect(taken).toEqual([])
})

/** Files that a file loads when it runs: imports without those of types. */
function loadsOf({ path, text }: Source): string[] {
  const found = [...text.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)]
  return found.map(([, target = '']) =>
    target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
  )
}

test('worker threads load no TypeBox, which takes them megabytes and a tenth of a second', () => {
  const loads = new Map(files.map((file) => [file.path, loadsOf(file)]))
  const users = [...loads.keys()].filter((path) => {
    // It checks the manifest of a backup, and ends when it is done.
    if (!path.endsWith('.worker.ts') || path.endsWith('/backup.worker.ts')) return false
    const reached = new Set([path])
    for (const file of reached) for (const next of loads.get(file) ?? []) reached.add(next)
    return reached.has('@sinclair/typebox')
  })
  expect(users).toEqual([])
})
