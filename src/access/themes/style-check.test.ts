import { describe, expect, test } from 'bun:test'
import { parseTheme, ThemeFault } from './parse.ts'
import { styleFault } from './style-check.ts'

describe('styleFault', () => {
  test.each([
    '',
    ':root { --gap: 4px } .card:hover { box-shadow: 0 0 3px rgba(1, 2, 3, 0.5) }',
    '.a { background: url(data:image/png;base64,iVBORw0KGgo=) }',
    '.a { background: url("data:image/svg+xml;utf8,<svg/>") }',
    '.a { mask: url(#shape) }',
    '/* by somebody, https://example.org */ .a { color: red }',
    '@media (max-width: 600px) { .a { display: none } }',
  ])('%s is accepted', (css) => expect(styleFault(css)).toBeNull())

  test.each([
    '@import "https://evil.example/x.css";',
    '@IMPORT url(x.css)',
    '.a { background: url(https://evil.example/pixel) }',
    ".a { background: url('//evil.example/pixel') }",
    '.a { background: url(  "pixel.png" ) }',
    '.a { background: \\75 rl(https://evil.example) }',
    '.a { background: \\000075\\000072\\00006c(https://evil.example) }',
    '@\\69mport "x.css"',
    '.a { content: "/*" } .b { background: url(http://evil.example) } .c { content: "*/" }',
    '.a { background: image-set("data:image/png,x" 1x, "https://evil.example" 2x) }',
    '.a { background: url(data:text/html,x) }',
    '@font-face { src: url(https://evil.example/f.woff2) }',
    '.a { width: expression(alert(1)) }',
    '</style><script>alert(1)</script>',
  ])('%s is rejected', (css) => expect(styleFault(css)).not.toBeNull())
})

const colours = `
[colors]
primaryColor = "#3b82f6"
bgPrimary = "rgb(1 2 3 / 50%)"
bgSecondary = "rgba(10, 20, 30, 0.5)"
textPrimary = "white"
checkboxShadow = "0 0 0 3px rgba(1, 2, 3, 0.1)"
`
const meta = '[meta]\nname = "Night"\nid = "night"\n'

describe('parseTheme', () => {
  test('reads the metadata', () => {
    expect(parseTheme(`${meta}author = "Ada"\nisDark = true\n${colours}`, 'toml')).toEqual({
      name: 'Night',
      description: null,
      author: 'Ada',
      version: null,
      missing: [],
    })
    const json = '{"name":"Night","version":"2.0","colors":{"primaryColor":"#fff"}}'
    expect(parseTheme(json, 'json')).toMatchObject({
      name: 'Night',
      version: '2.0',
      missing: ['colors.bgPrimary', 'colors.bgSecondary', 'colors.textPrimary'],
    })
  })

  test.each([
    ['toml', `${meta}\n[colors]\n primaryColor = #fff\n`, 'line 6, column 17'],
    ['toml', '[meta]\nname = "x', 'line 2'],
    ['toml', meta, 'colors is missing'],
    ['toml', `${meta}isDark = "yes"\n${colours}`, 'meta.isDark (line 4)'],
    ['toml', `${meta}[colors]\nbgHover = "red; }"`, 'colors.bgHover (line 5)'],
    ['toml', `${meta}[colors]\nbgHover = "url(x)"`, 'colors.bgHover (line 5)'],
    ['toml', `${meta}[colors]\nbgHover = 7`, 'colors.bgHover (line 5)'],
    ['toml', `${meta}${colours}[custom]\n"--x" = "url(//e)"`, 'custom.--x'],
    ['toml', `${meta}${colours}[css]\ncontent = "@import 'x'"`, 'css.content'],
    ['json', '{"name":"x"', 'not valid JSON'],
    ['json', '{"colors":{}}', 'name is missing'],
    ['json', '{"name":"x","colors":[]}', 'colors is not a section'],
    ['json', '[]', 'does not contain a theme'],
  ] as const)('%s fault %#', (format, text, expected) => {
    expect(() => parseTheme(text, format)).toThrow(ThemeFault)
    expect(() => parseTheme(text, format)).toThrow(expected)
  })
})
