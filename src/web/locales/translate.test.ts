import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { logRetentionReasons } from '../../engines/logs/log-retention/log-retention-reasons.ts'
import { fill } from './texts.ts'
import { pickLocale } from './translate.ts'

type Texts = Record<string, string>

/** By part: the file in this folder. */
async function read(locale: string): Promise<Map<string, Texts>> {
  const names = [...new Glob(`${locale}*.json`).scanSync(import.meta.dir)].sort()
  const texts = await Promise.all(
    names.map((name) => Bun.file(`${import.meta.dir}/${name}`).json() as Promise<Texts>),
  )
  return new Map(names.map((name, index) => [name.slice(locale.length), texts[index] ?? {}]))
}
const english = await read('en')
const german = await read('de')
const en: Texts = Object.assign({}, ...english.values())
const de: Texts = Object.assign({}, ...german.values())

const placeholders = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => String(name))
    .sort((a, b) => a.localeCompare(b))

describe('dictionaries', () => {
  test('have the same parts with the same keys', () => {
    const keysOf = (parts: Map<string, Texts>) =>
      [...parts].map(([part, texts]) => ({ part, keys: Object.keys(texts).sort() }))
    expect(english.size).toBeGreaterThan(2)
    expect(keysOf(german)).toEqual(keysOf(english))
  })

  test('have no duplicate texts', () => {
    const keys = [...english.values()].flatMap((texts) => Object.keys(texts))
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  test('name every reason why a log is kept', () => {
    const missing = Object.keys(logRetentionReasons).filter((name) => !(`logs.why.${name}` in en))
    expect(missing).toEqual([])
  })

  test('have the same placeholders and no empty texts', () => {
    for (const [key, text] of Object.entries(en)) {
      const other = de[key] ?? ''
      expect(text.trim()).not.toBe('')
      expect(other.trim()).not.toBe('')
      expect({ key, names: placeholders(other) }).toEqual({ key, names: placeholders(text) })
    }
  })

  test('every text is used somewhere', async () => {
    const parts = await Promise.all(
      [...new Glob('**/*.{ts,tsx}').scanSync(`${import.meta.dir}/..`)].map((path) =>
        Bun.file(`${import.meta.dir}/../${path}`).text(),
      ),
    )
    const code = parts.join('\n')
    // Keys of tables end with a value: `t(`role.${name}`)`.
    const tables = new Set([...code.matchAll(/`([a-z][\w.-]*\.)\$\{/gi)].map(([, start]) => start))
    const unused = Object.keys(en).filter((key) => {
      const base = key.replace(/(\.(one|other|effect|words)|OnHost)$/, '')
      const start = key.slice(0, key.lastIndexOf('.') + 1)
      return !code.includes(`'${key}'`) && !code.includes(`'${base}'`) && !tables.has(start)
    })
    expect(unused).toEqual([])
  })
})

test('fills known placeholders and keeps the rest visible', () => {
  expect(fill('{a} of {b}', { a: 1, b: 'x' })).toBe('1 of x')
  expect(fill('{a}', {})).toBe('{a}')
})

test("the chosen language wins, then the browser's in order, then English", () => {
  expect(pickLocale('de', ['en-GB'])).toBe('de')
  expect(pickLocale(null, ['fr-FR', 'de-AT', 'en'])).toBe('de')
  expect(pickLocale('xx', [])).toBe('en')
})
