import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import de from './de.json'
import en from './en.json'
import { fill, pickLocale } from './translate.ts'

const placeholders = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => String(name))
    .sort((a, b) => a.localeCompare(b))

describe('dictionaries', () => {
  test('have the same keys', () => {
    expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort())
  })

  test('fill the same placeholders and leave nothing empty', () => {
    for (const [key, text] of Object.entries(en)) {
      const other = de[key as keyof typeof de] // the test above: the keys are the same
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
    const unused = Object.keys(en).filter((key) => {
      const base = key.replace(/\.(one|other)$/, '')
      return !code.includes(`'${key}'`) && !code.includes(`'${base}'`)
    })
    expect(unused).toEqual([])
  })
})

test('fills what it is given and keeps the rest visible', () => {
  expect(fill('{a} of {b}', { a: 1, b: 'x' })).toBe('1 of x')
  expect(fill('{a}', {})).toBe('{a}')
})

test('the chosen language wins, then the wanted ones in order, then English', () => {
  expect(pickLocale('de', ['en-GB'])).toBe('de')
  expect(pickLocale(null, ['fr-FR', 'de-AT', 'en'])).toBe('de')
  expect(pickLocale('xx', [])).toBe('en')
})
