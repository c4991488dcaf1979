import { beforeAll, expect, test } from 'bun:test'
import { treeProblem, withMore } from '../../../engines/cache/index/problems.ts'
import type { Phrase } from '../../../core/lib/phrases.ts'
import de from '../../locales/de.cache.json'
import { setTexts } from '../../locales/translate.ts'
import { isDoubtful, problemText } from './problem.ts'

const path = '/cache'
const all: Phrase[] = [
  treeProblem('collapsed', { left: 15, before: 200_000 }),
  treeProblem('denied', { path }),
  treeProblem('empty', { path }),
  treeProblem('fileUnread', { first: 'abc: EIO' }),
  treeProblem('filesUnread', { count: 1200, first: 'abc: EIO' }),
  treeProblem('flat'),
  treeProblem('foreign', { path }),
  treeProblem('layout', { levels: 'levels=1' }),
  treeProblem('missing', { path }),
  treeProblem('notDirectory', { path }),
  treeProblem('unreadable', { path, code: 'EIO' }),
  treeProblem('unresponsive', { path }),
  treeProblem('unwritten', { reason: 'disk full' }),
]
const stateOf = ({ text, key, values }: Phrase) => ({
  problem: text,
  problemKey: key,
  problemContext: values,
})

beforeAll(() => setTexts(de))

test("a failed walk is explained in the user's language, with its values", () => {
  const texts = all.map((phrase) => problemText(stateOf(phrase)) ?? '')
  expect(new Set(texts).size).toBe(all.length)
  expect(texts.filter((text, at) => text === all[at]?.text || /[{}]/.test(text))).toEqual([])
  expect(texts[0]).toContain('200')
  const [, denied] = all
  if (denied === undefined) throw new Error('no such problem')
  const more = problemText(stateOf(withMore(denied, 3)))
  expect([withMore(denied, 3).text, more]).toEqual([
    `${denied.text}, and 3 more`,
    de['index.problemMore'].replace('{told}', texts[1] ?? '').replace('{count}', '3'),
  ])
})

test("an unknown problem is shown in the server's words", () => {
  const own = { problem: 'new', problemKey: 'new', problemContext: {} }
  expect(problemText(own)).toBe('new')
  expect(problemText({ problem: 'old', problemKey: null, problemContext: null })).toBe('old')
  expect(problemText({ problem: null, problemKey: null, problemContext: null })).toBeNull()
})

test('only problems that need human judgement can be confirmed as intended', () => {
  const judged = all.filter((phrase) => isDoubtful(stateOf(phrase))).map(({ key }) => key)
  expect(judged).toEqual(['collapsed', 'empty'])
})
