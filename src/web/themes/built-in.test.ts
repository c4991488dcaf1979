import { expect, test } from 'bun:test'
import { paletteOf, tokens, weaknessesOf, type Palette } from './palette.ts'

const style = async (name: string) =>
  await Bun.file(new URL(`../style/${name}.css`, import.meta.url)).text()

/** Variables of one rule of a style sheet. */
function rule(css: string, selector: string): Record<string, string> {
  const body = css.split(`${selector} {`)[1]?.split('}')[0] ?? ''
  const found = [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value.trim()]))
}

const css = await style('tokens')
const dark = rule(css, "[data-theme='graphite']")
const light = rule(css, "[data-theme='light']")
const graphite = { ...dark, ...rule(await style('preferences'), "[data-theme='graphite']") }

test('themes without colours have those of the style sheet', () => {
  expect(dark).toEqual(paletteOf({}))
  expect(light).toEqual(paletteOf({ textPrimary: light['text'], bgPrimary: light['bg'] }))
  expect(Object.keys(dark).sort()).toEqual([...tokens].sort())
})

test('there are at most 25 tokens', () => expect(tokens.length).toBeLessThanOrEqual(25))

test.each(Object.entries({ dark, light, graphite }))('%s is readable', (_, palette) => {
  expect(weaknessesOf(palette as Palette)).toEqual([])
})
