import { expect, test } from 'bun:test'
import cache from '../locales/en.cache.json'
import logs from '../locales/en.logs.json'
import main from '../locales/en.json'
import type { Key } from '../locales/translate.ts'
import { remedyKey } from './remedies.ts'

const texts: Record<string, string> = { ...main, ...cache, ...logs }
/** What exists only where Larder runs in a container. */
const ofContainers = /PUID|PGID|:ro|(in|to) (the|this) container|mounted? (the|it|the folder) /i

test('outside of a container, no remedy asks for what only a container has', () => {
  const isForContainers = (key: string) => ofContainers.test(texts[key] ?? '')
  const remedies = Object.keys(texts).filter(isForContainers) as Key[] // keys of the dictionaries
  expect(remedies.length).toBeGreaterThan(8)
  const left = remedies.filter((key) => isForContainers(remedyKey(key, false)))
  // Given only in a container.
  expect(left).toEqual(['logs.hintPid'])
  expect(remedies.filter((key) => remedyKey(key, true) !== key)).toEqual([])
})
