import { expect, test } from 'bun:test'
import { defaultsOf } from './defaults.tsx'

test('a run begins with the defaults of the service, within the limit of the session', () => {
  const answer = {
    operatingSystems: ['linux', 'windows', 'amiga'],
    maxConcurrency: 'auto',
    serverThreadCount: 256,
    maxThreadLimit: null,
    betaDefaultPrefillMaxConcurrency: 'auto',
  }
  const operatingSystems = ['windows', 'linux']
  const connections = (part: object) => defaultsOf({ ...answer, ...part }).connections
  expect(defaultsOf(answer)).toEqual({ operatingSystems, connections: null } as never)
  expect(connections({ maxConcurrency: '16' })).toBe(16)
  expect(connections({ maxConcurrency: 'max' })).toBe(256)
  expect(connections({ maxConcurrency: 'max', maxThreadLimit: 8 })).toBe(8)
})
