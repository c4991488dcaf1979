import { expect, test } from 'bun:test'
import { builtInPalettes, tokens, weaknessesOf } from './palette.ts'

const style = async (name: string) =>
  await Bun.file(new URL(`../style/${name}.css`, import.meta.url)).text()

/** Variables of one rule of a style sheet. */
function rule(css: string, selector: string): Record<string, string> {
  const body = css.split(`${selector} {`)[1]?.split('}')[0] ?? ''
  const found = [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value.trim()]))
}

test('the palettes match the style sheets', async () => {
  const css = await style('tokens')
  const dark = rule(css, ':root')
  const light = rule(css, ":root[data-theme='light']")
  const graphite = rule(await style('preferences'), ":root[data-theme='graphite']")
  expect(dark).toEqual(builtInPalettes.dark)
  expect({ ...dark, ...light }).toEqual(builtInPalettes.light)
  expect({ ...dark, ...graphite }).toEqual(builtInPalettes.graphite)
  expect(Object.keys(dark).sort()).toEqual([...tokens].sort())
})

test('there are at most 25 tokens', () => expect(tokens.length).toBeLessThanOrEqual(25))

test.each(Object.entries(builtInPalettes))('%s is readable', (_, palette) => {
  expect(weaknessesOf(palette)).toEqual([])
})
