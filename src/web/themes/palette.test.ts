import { describe, expect, test } from 'bun:test'
import { contrast, over, readColour } from './colour.ts'
import { shadowKeys, themeKeys } from './keys.ts'
import { isDarkTheme, paletteOf, tokens, weaknessesOf } from './palette.ts'

const dark = {
  primaryColor: '#5eead4',
  bgPrimary: '#0e1013',
  bgSecondary: '#15181d',
  textPrimary: '#e8eaee',
}
const light = {
  primaryColor: '#0b7f6f',
  bgPrimary: '#f6f7f9',
  bgSecondary: '#ffffff',
  textPrimary: '#12151a',
}

test('the format has 202 keys, two of them shadows', () => {
  expect(themeKeys.size).toBe(202)
  for (const key of shadowKeys) expect(themeKeys.has(key)).toBe(true)
})

describe('colours', () => {
  test.each([
    ['#f0f', { r: 255, g: 0, b: 255, a: 1 }],
    ['#11223380', { r: 17, g: 34, b: 51, a: 0.5 }],
    ['rgb(1, 2, 3)', { r: 1, g: 2, b: 3, a: 1 }],
    ['rgba(10 20 30 / 50%)', { r: 10, g: 20, b: 30, a: 0.5 }],
    ['hsl(120deg, 100%, 25%)', { r: 0, g: 128, b: 0, a: 1 }],
    ['rebeccapurple', { r: 102, g: 51, b: 153, a: 1 }],
    [' #ABCDEF ', { r: 171, g: 205, b: 239, a: 1 }],
  ])('%s is valid', (text, colour) => {
    const read = readColour(text)
    expect(read === null ? null : { ...read, a: Math.round(read.a * 100) / 100 }).toEqual(colour)
  })

  test.each([
    'inherit',
    'url(https://example.org/x.png)',
    'var(--bg)',
    'red; background: url(x)',
    '#12',
    'rgb(1,2,3',
    'rgb(1,2,3) url(x)',
    'expression(alert(1))',
    'image-set("x")',
    '',
    `rgb(${' '.repeat(200)}1,2,3)`,
  ])('%p is invalid', (text) => expect(readColour(text)).toBeNull())

  test('values of other types are invalid', () => {
    for (const value of [null, undefined, 7, true, ['#fff'], {}]) {
      expect(readColour(value)).toBeNull()
    }
  })

  test('contrast of black and white, and of a colour with itself', () => {
    const [black, white] = [readColour('#000'), readColour('#fff')]
    if (black === null || white === null) throw new Error('not read')
    expect(contrast(black, white)).toBeCloseTo(21)
    expect(contrast(white, black)).toBeCloseTo(21)
    expect(contrast(white, white)).toBe(1)
    expect(over({ ...white, a: 0.5 }, black)).toEqual({ r: 128, g: 128, b: 128, a: 1 })
  })
})

describe('mapping', () => {
  test('four colours are enough; the rest comes from the built-in dark palette', () => {
    const palette = paletteOf(dark)
    expect(palette).toMatchObject({
      bg: '#0e1013',
      panel: '#15181d',
      cache: '#5eead4',
      text: '#e8eaee',
      line: '#262b33',
      dim: '#9aa2b1',
      bad: '#ff8a7a',
      veil: '#000000a6',
    })
    expect(Object.keys(palette).sort()).toEqual([...tokens].sort())
    expect(weaknessesOf(palette)).toEqual([])
  })

  test('a light theme falls back to the light palette', () => {
    expect(isDarkTheme(light)).toBe(false)
    const palette = paletteOf(light)
    expect(palette).toMatchObject({ line: '#e2e6ec', dim: '#566070', 'on-accent': '#ffffff' })
    expect(weaknessesOf(palette)).toEqual([])
  })

  test('a specific key takes precedence over a general one', () => {
    const palette = paletteOf({
      ...dark,
      cardBg: '#202020',
      warning: '#aa0000',
      chartCacheMissColor: '#bb0000',
      error: '#ff0000',
      errorText: '#ff9999',
    })
    expect(palette.panel).toBe('#202020')
    expect(palette.fetched).toBe('#bb0000')
    expect(palette['fetched-ink']).toBe('#aa0000')
    expect(palette.bad).toBe('#ff9999')
  })

  test('surfaces are opaque, the backdrop is not', () => {
    const palette = paletteOf({ ...dark, cardBg: 'rgba(255,255,255,0.1)', bgOverlay: '#00000080' })
    expect(palette.panel).toBe('#26282b')
    expect(palette.veil).toBe('#00000080')
  })

  test('text on the accent stays readable', () => {
    expect(paletteOf({ ...dark, buttonText: '#66eedd' })['on-accent']).toBe('#000000')
    expect(paletteOf({ ...light, buttonText: '#0b7f70' })['on-accent']).toBe('#ffffff')
    expect(paletteOf({ ...light, buttonText: '#fefefe' })['on-accent']).toBe('#fefefe')
  })

  test('an invalid colour counts as missing', () => {
    expect(paletteOf({ ...dark, cardBg: 'url(x)' }).panel).toBe('#15181d')
  })

  test('poorly readable pairs are reported', () => {
    const weak = weaknessesOf(paletteOf({ ...dark, textPrimary: '#555555' }))
    expect(weak.map(({ token, ground }) => `${token} ${ground}`)).toEqual(['text panel', 'text bg'])
    expect(weak[0]?.ratio).toBeLessThan(4.5)
  })
})
