import { expect, test } from 'bun:test'
import { parseTheme } from './parse.ts'

const lines = '#\n'.repeat(50_000)
const themeOf = (colours: number) =>
  `${lines}[colors]\n${Array.from({ length: colours }, (_, n) => `key${n} = "#fff"\n`).join('')}`

function msOf(text: string): number {
  const startMs = performance.now()
  parseTheme(text, 'toml')
  return performance.now() - startMs
}

test('many colours in a file of many lines take hardly longer than few', () => {
  msOf(themeOf(1))
  const [few, many] = [msOf(themeOf(1)), msOf(themeOf(900))]
  // Searching the line of every colour took 150 times as long.
  expect(many).toBeLessThan(40 * few)
})
