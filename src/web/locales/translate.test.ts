import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import deMain from './de.json'
import deSettings from './de.settings.json'
import enMain from './en.json'
import enSettings from './en.settings.json'
import { fill, pickLocale } from './translate.ts'

const en = { ...enMain, ...enSettings }
const de = { ...deMain, ...deSettings }

const placeholders = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => String(name))
    .sort((a, b) => a.localeCompare(b))

describe('dictionaries', () => {
  test('have the same keys', () => {
    expect(Object.keys(deMain).sort()).toEqual(Object.keys(enMain).sort())
    expect(Object.keys(deSettings).sort()).toEqual(Object.keys(enSettings).sort())
  })

  test('say nothing twice', () => {
    expect(Object.keys(enSettings).filter((key) => key in enMain)).toEqual([])
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
