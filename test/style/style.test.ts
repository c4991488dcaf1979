import { describe, expect, test } from 'bun:test'
import { sources, type Source } from './sources.ts'

const code = sources('{src,db,tools,test}/**/*.{ts,tsx}')
const product = code.filter(
  ({ path }) =>
    /^(src|db)\//.test(path) && !/\.test\.tsx?$/.test(path) && !path.startsWith('src/demo/'),
)

const where = (list: Source[], pattern: RegExp, allowed: RegExp = /(?!)/) =>
  list.flatMap(({ path, lines }) =>
    allowed.test(path)
      ? []
      : lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  )

describe('style', () => {
  test('there are source files', () => expect(product.length).toBeGreaterThan(30))

  test('files are at most 400 lines, tests too', () => {
    expect(code.filter(({ lines }) => lines.length > 401).map(({ path }) => path)).toEqual([])
  })

  test('lines are at most 110 columns (the formatter leaves long strings alone)', () => {
    const allowed = /src\/engines\/titles\/|src\/web\//
    expect(where(product, /^.{111,}$/, allowed)).toEqual([])
  })

  test('the environment is read in one place', () => {
    const allowed = /^src\/(main|core\/config|prefill\/daemon\/main)\.ts$|^src\/demo\//
    expect(where(product, /process\.env|Bun\.env|import\.meta\.env/, allowed)).toEqual([])
  })

  test('files of the program are found in one place, because the bundle moves the code', () => {
    const allowed = /^src\/core\/lib\/program-files\.ts$/
    expect(where(product, /import\.meta\.(dir|path|url|file)/, allowed)).toEqual([])
  })

  test('only the logger writes to the console', () => {
    expect(where(product, /\bconsole\.\w+\(/)).toEqual([])
  })

  test('Elysia is known to routes, groups, http, live and the app only', () => {
    const allowed =
      /^src\/(app\.ts|core\/(http|live)\/)|\/(routes|index|[a-z-]*routes|[a-z-]*model)\.ts$|^src\/web\//
    expect(where(product, /from '(elysia|@elysiajs\/[a-z]+)'/, allowed)).toEqual([])
  })

  test('no marks of unfinished work, no silenced checks', () => {
    expect(where(code, /\b(TODO|FIXME|XXX)\b/, /^test\/style\//)).toEqual([])
    expect(where(code, /@ts-(ignore|expect-error|nocheck)/, /^test\/style\//)).toEqual([])
    expect(where(code, /\b(test|it|describe)\.(skip|todo|only)\b/, /^test\/style\//)).toEqual([])
  })

  test('the scheme of cache keys is written in one file', () => {
    const stated = product.filter(({ lines }) => /'lancache-\w+'|'::noslice'/.test(lines.join()))
    expect(stated.map(({ path }) => path)).toEqual(['src/engines/cache/format/key-scheme.ts'])
  })

  test('names say what a file is about', () => {
    const vague = /(^|\/)(utils?|helpers?|managers?|misc|common)(\.|\/)/i
    expect(code.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([])
  })

  test('file names are kebab-case', () => {
    const kebab = /^[a-z0-9]+([.-][a-z0-9]+)*\.tsx?$/
    const names = code.filter(({ path }) => !kebab.test(path.split('/').at(-1) ?? ''))
    expect(names.map(({ path }) => path)).toEqual([])
  })

  test('an async function is never a SQLite transaction (it would commit at the first await)', () => {
    const sqlite = product.filter(({ path }) => !/^db\/history\/|\/shipper\//.test(path))
    expect(where(sqlite, /\.transaction\(\s*async/)).toEqual([])
  })

  test('identifiers use the neutral platform keys', () => {
    const names =
      /\b(const|function|let|class|type|interface) \w*(steam|epicgames|battlenet|blizzard|riot|xbox)\w*/i
    expect(where(product, names)).toEqual([])
  })
})

describe('dependencies', () => {
  test('versions are exact', async () => {
    const manifest = (await Bun.file('package.json').json()) as Record<
      string,
      Record<string, string>
    >
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies']
    const loose = kinds.flatMap((kind) =>
      Object.entries(manifest[kind] ?? {}).filter(([, version]) => !/^\d/.test(version)),
    )
    expect(loose).toEqual([])
  })

  test('every dependency is in the table of docs/dependencies.md', async () => {
    const manifest = (await Bun.file('package.json').json()) as Record<
      string,
      Record<string, string>
    >
    const reasons = await Bun.file('docs/dependencies.md').text()
    const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    )
    expect(names.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([])
  })
})
