import { expect, spyOn, test } from 'bun:test'
import { readTheme, themeBytesMax } from './read-theme.ts'

const minimal = `[meta]
name = "Night shift"
id = "night-shift"
author = "Anna"
sharpCorners = true

[colors]
primaryColor = "#5eead4"
bgPrimary = "#0e1013"
bgSecondary = "#15181d"
textPrimary = "#e8eaee"
`

test('a minimal file is a valid theme', async () => {
  const { theme, findings } = await readTheme(minimal, 'toml')
  expect(findings).toEqual([])
  expect(theme).toMatchObject({
    id: 'night-shift',
    name: 'Night shift',
    author: 'Anna',
    description: '',
    isDark: true,
    sharpCorners: true,
  })
  expect(theme?.palette.cache).toBe('#5eead4')
})

test('a syntax error is reported with its line', async () => {
  const { theme, findings } = await readTheme(`${minimal}warning = "#fff\n`, 'toml')
  expect(theme).toBeNull()
  expect(findings).toHaveLength(1)
  expect(findings[0]).toMatchObject({ kind: 'syntax', blocks: true, line: 12 })
  const json = await readTheme('{"name": }', 'json')
  expect(json.findings[0]).toMatchObject({ kind: 'syntax', blocks: true })
})

test('missing keys and invalid colours are reported with their location', async () => {
  const text = '[meta]\nname = "X"\n[colors]\nprimaryColor = "url(//x)"\nbgPrimary = 7\n'
  const { theme, findings } = await readTheme(text, 'toml')
  expect(theme).toBeNull()
  expect(findings.filter(({ blocks }) => blocks)).toEqual([
    { kind: 'missing', blocks: true, subject: 'meta.id', line: null },
    { kind: 'missing', blocks: true, subject: 'colors.bgSecondary', line: null },
    { kind: 'missing', blocks: true, subject: 'colors.textPrimary', line: null },
    { kind: 'colour', blocks: true, subject: 'colors.primaryColor', line: 4 },
    { kind: 'colour', blocks: true, subject: 'colors.bgPrimary', line: 5 },
  ])
})

test('invalid optional colours and unknown keys do not block', async () => {
  const text = `${minimal}cardBg = "javascript:x"\n"odd.(key" = "#fff"\ninfo = ""\n`
  const { theme, findings } = await readTheme(text, 'toml')
  expect(theme?.palette.panel).toBe('#15181d')
  expect(findings).toEqual([
    { kind: 'colour', blocks: false, subject: 'colors.cardBg', line: 12 },
    { kind: 'unknown', blocks: false, subject: 'colors.odd.(key', line: 13 },
  ])
})

test("a file's style sheets are reported and not applied", async () => {
  const text = `${minimal}\n[custom]\n"--bg" = "url(//x)"\n[css]\ncontent = """body{display:none}"""\n`
  const { theme, findings } = await readTheme(text, 'toml')
  expect(JSON.stringify(theme)).not.toContain('url')
  expect(findings.map(({ kind, subject, line }) => [kind, subject, line])).toEqual([
    ['style', '[css]', 15],
    ['style', '[custom]', 13],
  ])
})

test('poorly readable text is reported', async () => {
  const { theme, findings } = await readTheme(minimal.replace('#e8eaee', '#333333'), 'toml')
  expect(theme).not.toBeNull()
  expect(findings.every(({ kind, blocks }) => kind === 'contrast' && !blocks)).toBe(true)
  expect(findings.length).toBeGreaterThan(0)
})

test('JSON themes have metadata at the top level or in meta', async () => {
  const colors = {
    primaryColor: '#5eead4',
    bgPrimary: '#000',
    bgSecondary: '#111',
    textPrimary: '#fff',
  }
  const top = await readTheme(JSON.stringify({ name: 'Top', colors }), 'json')
  expect(top.theme).toMatchObject({ name: 'Top', id: 'Top' })
  const meta = await readTheme(JSON.stringify({ meta: { name: 'Meta', id: 'm' }, colors }), 'json')
  expect(meta.theme).toMatchObject({ name: 'Meta', id: 'm' })
  expect((await readTheme('[1]', 'json')).theme).toBeNull()
})

test('an oversized file is not parsed', async () => {
  const { findings } = await readTheme('#'.repeat(themeBytesMax + 1), 'toml')
  expect(findings).toEqual([{ kind: 'size', blocks: true, subject: '', line: null }])
})

test('the number of findings is limited', async () => {
  const odd = Array.from({ length: 100 }, (_, index) => `odd${index} = "x"`).join('\n')
  expect((await readTheme(minimal + odd, 'toml')).findings).toHaveLength(30)
})

test('the lines of a file are not searched for each of its colours', async () => {
  const colours = Array.from({ length: 900 }, (_, index) => `odd${index} = "x"\n`)
  const text = minimal + colours.join('') + '#\n'.repeat(50_000)
  const split = spyOn(String.prototype, 'split')
  await readTheme(text, 'toml')
  const wholeFiles = split.mock.contexts.filter((whole) => String(whole) === text)
  split.mockRestore()
  expect(wholeFiles.length).toBeLessThan(10)
})
