import { expect, test } from 'bun:test'
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

test('a small file is a theme', async () => {
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

test('a broken file names its line', async () => {
  const { theme, findings } = await readTheme(`${minimal}warning = "#fff\n`, 'toml')
  expect(theme).toBeNull()
  expect(findings).toHaveLength(1)
  expect(findings[0]).toMatchObject({ kind: 'syntax', blocks: true, line: 12 })
  const json = await readTheme('{"name": }', 'json')
  expect(json.findings[0]).toMatchObject({ kind: 'syntax', blocks: true })
})

test('what is missing or no colour is named with its place', async () => {
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

test('an optional colour that cannot be read does not block, nor do unknown keys', async () => {
  const text = `${minimal}cardBg = "javascript:x"\n"odd.(key" = "#fff"\ninfo = ""\n`
  const { theme, findings } = await readTheme(text, 'toml')
  expect(theme?.palette.panel).toBe('#15181d')
  expect(findings).toEqual([
    { kind: 'colour', blocks: false, subject: 'colors.cardBg', line: 12 },
    { kind: 'unknown', blocks: false, subject: 'colors.odd.(key', line: 13 },
  ])
})

test('style sheets of a file are reported and not applied', async () => {
  const text = `${minimal}\n[custom]\n"--bg" = "url(//x)"\n[css]\ncontent = """body{display:none}"""\n`
  const { theme, findings } = await readTheme(text, 'toml')
  expect(JSON.stringify(theme)).not.toContain('url')
  expect(findings.map(({ kind, subject, line }) => [kind, subject, line])).toEqual([
    ['style', '[css]', 15],
    ['style', '[custom]', 13],
  ])
})

test('text that is hard to read is told', async () => {
  const { theme, findings } = await readTheme(minimal.replace('#e8eaee', '#333333'), 'toml')
  expect(theme).not.toBeNull()
  expect(findings.every(({ kind, blocks }) => kind === 'contrast' && !blocks)).toBe(true)
  expect(findings.length).toBeGreaterThan(0)
})

test('JSON themes carry the description at the top or in meta', async () => {
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

test('a huge file is not even read', async () => {
  const { findings } = await readTheme('#'.repeat(themeBytesMax + 1), 'toml')
  expect(findings).toEqual([{ kind: 'size', blocks: true, subject: '', line: null }])
})

test('many faults are cut', async () => {
  const odd = Array.from({ length: 100 }, (_, index) => `odd${index} = "x"`).join('\n')
  expect((await readTheme(minimal + odd, 'toml')).findings).toHaveLength(30)
})
