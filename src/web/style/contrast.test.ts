import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const css = await Bun.file(join(import.meta.dir, 'tokens.css')).text()

/** Variables of one block of the style sheet, `--name` without the dashes. */
function tokensOf(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`)
  const block = css.slice(start, css.indexOf('}', start))
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6,8})/g)].map(([, name, value]) => [name, value]),
  )
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.039_28 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** As `color-mix(in srgb, …)`. */
function mixed(one: string, other: string, percent: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [a, b] = [one, other].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16))
    return Math.round(((a ?? 0) * percent + (b ?? 0) * (100 - percent)) / 100)
  })
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
const rules = await Bun.file(join(import.meta.dir, 'app.css')).text()
/** Percent of a platform's colour in a tile's initials and in its ground. */
const [, groundPercent, inkPercent] =
  /\.artwork \{[^}]*\(in srgb, var\(--hue\) (\d+)%[^}]*\}\s*\.artwork > span \{[^}]*\(in srgb, var\(--hue\) (\d+)%/
    .exec(rules)
    ?.map(Number) ?? []

test('no rule mixes two colours: the bundler drops all but the first', () => {
  const blocks = rules.split('}').filter((block) => block.split('color-mix(').length > 2)
  expect(blocks).toEqual([])
})

const dark = tokensOf("[data-theme='graphite']")
const light = { ...dark, ...tokensOf("[data-theme='light']") }

describe.each([
  ['dark', dark],
  ['light', light],
])('%s theme', (_name, tokens) => {
  const ratio = (ink: string, ground: string) => contrast(tokens[ink] ?? '', tokens[ground] ?? '')

  test('has every token, and no more than 25', () => {
    expect(Object.keys(tokens).sort()).toEqual(Object.keys(dark).sort())
    expect(Object.keys(tokens).length).toBeGreaterThan(15)
    expect(Object.keys(tokens).length).toBeLessThanOrEqual(25)
  })

  test('text is readable on every surface (AA, 4.5)', () => {
    for (const ink of ['text', 'dim', 'cache', 'bad']) {
      for (const ground of ['bg', 'panel', 'raise']) {
        expect({ ink, ground, isReadable: ratio(ink, ground) >= 4.5 }).toEqual({
          ink,
          ground,
          isReadable: true,
        })
      }
    }
    expect(ratio('on-accent', 'cache')).toBeGreaterThanOrEqual(4.5)
  })

  test('initials are readable on the tile of each platform (AA, 4.5)', () => {
    for (const platform of ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'other']) {
      const hue = tokens[platform] ?? ''
      const ink = mixed(hue, tokens['text'] ?? '', inkPercent ?? 0)
      const isReadable =
        contrast(ink, mixed(hue, tokens['panel'] ?? '', groundPercent ?? 100)) >= 4.5
      expect({ platform, isReadable }).toEqual({ platform, isReadable: true })
    }
  })

  test('data and borders of inputs stand out (3)', () => {
    for (const ink of ['cache', 'fetched', 'edge']) {
      expect({ ink, stands: ratio(ink, 'panel') >= 3 }).toEqual({ ink, stands: true })
    }
  })
})
