import { beforeAll, expect, test } from 'bun:test'
import { fetchProblems } from '../../../../cache/doctor/refetch.ts'
import de from '../../../locales/de.corruption.json'
import { setTexts } from '../../../locales/translate.ts'
import { fetchProblemText } from './words.ts'

beforeAll(() => setTexts(de))

const fetched = {
  status: 206,
  bytes: 1,
  expectedBytes: 2,
  isWhole: false,
  cacheStatus: null,
} as const

test("an aborted fetch is explained in the user's language", () => {
  const texts = Object.entries(fetchProblems).map(([problemKey, problem]) =>
    fetchProblemText({ ...fetched, problem, problemKey }),
  )
  expect(texts).toContain(de['doctor.fetch.brokeOff'])
  // Each cause has its own text, none the server's.
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts.filter((text) => Object.values<string>(fetchProblems).includes(text))).toEqual([])
  expect(fetchProblemText({ ...fetched, problem: 'new', problemKey: 'new' })).toBe('new')
})
