import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { platformFacts, platforms } from '../../src/platforms/platforms.ts'
import { root, sources } from './sources.ts'

const table = 'src/platforms/platforms.ts'

/** Files that name every platform for a reason; CONTRIBUTING lists those that a new platform needs. */
const exceptions: Readonly<Record<string, string>> = {
  'src/access/guest/service.ts': "members of other platforms in alpha's documented answer",
  'src/core/http/documents/operation-ids.ts': 'documented names of operations',
  'src/core/lib/environment-variables.ts': 'texts: what each variable is for',
  'src/core/lib/platform-addresses.ts': 'addresses of each platform, which have nothing in common',
  'src/demo/titles.ts': 'invented downloads',
  'src/engines/titles/titles.ts': 'calls the code that reads the titles of each platform',
  'src/prefill/daemon/engines.ts':
    'loads the engine of each platform; fails to compile when one is missing',
  'src/platforms/service-facts.ts': 'columns that the first load of the dashboard has no room for',
  'src/web/themes/palette.ts': 'colours',
}

const written = (word: string) => word.replaceAll('.', String.raw`\.`)
const everyOf = (words: readonly string[], flags: string) => {
  const patterns = words.map((word) => new RegExp(String.raw`\b${written(word)}\b`, flags))
  return (text: string) => patterns.every((pattern) => pattern.test(text))
}
const namesKeys = everyOf(platforms, 'i')
const namesTitles = everyOf(
  platforms.map((platform) => platformFacts[platform].title),
  '',
)

test('one file names all platforms; each other one has its reason', () => {
  const naming = sources('{src,db,tools}/**/*.{ts,tsx}')
    .filter(({ path }) => !/\.test\.tsx?$/.test(path))
    .filter(({ text }) => namesKeys(text) || namesTitles(text))
    .map(({ path }) => path)
  expect(naming.sort()).toEqual([table, ...Object.keys(exceptions)].sort())
})

test('every platform has the folders that its row promises', () => {
  const folders = platforms.flatMap((platform) => [
    `src/prefill/daemon/${platform}/engine.ts`,
    `src/engines/titles/${platform}/title.ts`,
  ])
  expect(folders.filter((path) => !existsSync(`${root}/${path}`))).toEqual([])
})
