import { expect, spyOn, test } from 'bun:test'
import { parseTheme } from './parse.ts'

const lines = '#\n'.repeat(50_000)
const themeOf = (colours: number) =>
  `${lines}[colors]\n${Array.from({ length: colours }, (_, n) => `key${n} = "#fff"\n`).join('')}`

test('the lines of a file are not searched for each of its colours', () => {
  const split = spyOn(String.prototype, 'split')
  parseTheme(themeOf(900), 'toml')
  const wholeFiles = split.mock.contexts.filter((text) => String(text).length > lines.length)
  split.mockRestore()
  expect(wholeFiles.length).toBeLessThan(10)
})
