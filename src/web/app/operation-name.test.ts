import { beforeAll, expect, test } from 'bun:test'
import { named, nameTexts } from '../../core/operations/names.ts'
import de from '../locales/de.work.json'
import en from '../locales/en.work.json'
import { setTexts } from '../locales/translate.ts'
import { operationName } from './operation-name.ts'

beforeAll(() => setTexts(de))

test("job names are translated, with the service's display name", () => {
  expect(operationName(named('gameRemoval', { game: 'Portal 2' }))).toBe('Portal 2 entfernen')
  expect(operationName(named('corruptionRemoval', { service: 'steam' }))).toBe(
    'Beschädigte Dateien von Steam entfernen',
  )
  expect(operationName(named('evictedRemoval', { kind: 'service', key: 'riot' }))).toContain('Riot')
  expect(operationName(named('evictedRemoval', { kind: 'alpha', key: '620' }))).toContain('620')
})

test("a name with an unknown key keeps the server's text", () => {
  const name = { name: 'Something new', nameContext: {} }
  expect(operationName({ ...name, nameKey: 'somethingNew' })).toBe('Something new')
  expect(operationName({ ...name, nameKey: null })).toBe('Something new')
})

test('every name of the server has a text with the same values', () => {
  const values = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
  const texts: Record<string, string> = en
  for (const [key, text] of Object.entries(nameTexts)) {
    const known = new Set(values(text))
    const shown = texts[`job.${key}`]
    expect({ key, isThere: shown !== undefined }).toEqual({ key, isThere: true })
    expect(values(shown ?? '').filter((name) => !known.has(name))).toEqual([])
    expect(operationName({ name: '-', nameKey: key, nameContext: {} })).not.toBe('-')
  }
})
