import { expect, test } from 'bun:test'
import cache from '../locales/en.cache.json'
import logs from '../locales/en.logs.json'
import work from '../locales/en.work.json'
import { remedy, setTexts, type Key } from '../locales/translate.ts'

const texts: Record<string, string> = { ...cache, ...logs, ...work }
/** What exists only where Larder runs in a container. */
const ofContainers = /PUID|PGID|:ro|(in|to) (the|this) container|mounted? (the|it|the folder) /i

test('outside of a container, no remedy asks for what only a container has', () => {
  setTexts(texts)
  const remedies = Object.entries(texts).filter(([, text]) => ofContainers.test(text))
  expect(remedies.length).toBeGreaterThan(8)
  const keys = remedies.map(([key]) => key as Key) // keys of the dictionaries
  // Given only in a container.
  expect(keys.filter((key) => ofContainers.test(remedy(key, false)))).toEqual([
    'logs.hint.enablePidHost',
  ])
  expect(keys.map((key) => remedy(key, true))).toEqual(remedies.map(([, text]) => text))
  setTexts({})
})
