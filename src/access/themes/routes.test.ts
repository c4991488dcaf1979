import { describe, expect, spyOn, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testApp } from '../../../test/support/app.ts'
import { Browser, signInAs } from '../../../test/support/sign-in.ts'
import { ThemeStore } from './store.ts'
import { json } from '../../../test/support/answers.ts'

const app = await testApp()
const user = await signInAs(app, 'user')

const folder = () => join(app.config.dataPath, 'themes')
const theme = '[meta]\nname = "Night"\nid = "night"\n[colors]\nprimaryColor = "#fff"\n'

function upload(browser: Browser, name: string, content: string | Uint8Array<ArrayBuffer>) {
  const form = new FormData()
  form.append('file', new File([content], name))
  return browser.post('/api/themes/upload', form)
}

describe('uploading', () => {
  test('a TOML theme is listed, served unchanged, and replaces one of the same name', async () => {
    expect(await json(await upload(user, 'My Night!.TOML', theme))).toMatchObject([
      200,
      { success: true, themeId: 'my-night-', message: expect.stringContaining('colors.bgPrimary') },
    ])
    expect(await json(await new Browser(app).get('/api/themes'))).toEqual([
      200,
      [
        {
          id: 'my-night-',
          name: 'Night',
          description: 'Custom theme',
          author: 'Custom',
          version: '1.0.0',
          isDefault: false,
          format: 'toml',
        },
      ],
    ])
    const raw = await new Browser(app).get('/api/themes/my-night-')
    expect(raw.headers.get('Content-Type')).toBe('application/toml')
    expect(await raw.text()).toBe(theme)
    const changed = theme.replace('#fff', '#000')
    await upload(user, 'my night!.toml', changed)
    expect(await (await user.get('/api/themes/my-night-')).text()).toBe(changed)
  })

  test('a JSON theme gets a unique name', async () => {
    const text = JSON.stringify({ name: 'Day Light', author: 'Ada', colors: {} })
    const ids: unknown[] = []
    for (let n = 0; n < 3; n++) ids.push((await json(await upload(user, 'x.json', text)))[1])
    expect(ids).toMatchObject([
      { themeId: 'day-light' },
      { themeId: 'day-light-1' },
      { themeId: 'day-light-2' },
    ])
    const raw = await user.get('/api/themes/day-light-2')
    expect(raw.headers.get('Content-Type')).toBe('application/json')
    expect(await raw.text()).toBe(text)
  })

  test('concurrent uploads of the same name each get an id', async () => {
    const text = JSON.stringify({ name: 'Rush', colors: {} })
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(user, 'x.json', text)))
    const ids = await Promise.all(answers.map((answer) => json(answer)))
    const themeIds = ids.map(([, body]) => (body as { themeId: string }).themeId)
    expect(new Set(themeIds)).toEqual(new Set(['rush', 'rush-1', 'rush-2', 'rush-3']))
  })

  test.each([
    ['no ending', 'theme', theme],
    ['another ending', 'theme.css', theme],
    ['a built-in name', 'Dark-Default.toml', theme],
    ['no letters', '!!!.toml', theme],
    ['empty', 'a.toml', ''],
    ['over 1 MB', 'a.toml', `${theme}# ${'x'.repeat(1_048_576)}`],
    ['not text', 'a.toml', new Uint8Array([0xff, 0xfe, 0x00])],
    ['not TOML', 'a.toml', '= broken'],
    ['foreign style', 'a.toml', `${theme}[css]\ncontent = "@import 'https://e.example'"`],
    ['not JSON', 'a.json', '{'],
    ['JSON without colours', 'a.json', '{"name":"a"}'],
  ])('%s: 400', async (_, name, content) => {
    const before = readdirSync(folder())
    expect(await json(await upload(user, name, content))).toMatchObject([
      400,
      { error: expect.any(String) },
    ])
    expect(readdirSync(folder())).toEqual(before)
  })

  test('no file, or text instead of one: 400', async () => {
    const form = new FormData()
    expect((await user.post('/api/themes/upload', form)).status).toBe(400)
    form.append('file', 'text')
    expect((await user.post('/api/themes/upload', form)).status).toBe(400)
    expect((await user.post('/api/themes/upload', { file: 'text' })).status).toBe(415)
  })

  test('a file name cannot escape the folder', async () => {
    await upload(user, '../../security/api_key.toml', theme)
    expect(readdirSync(folder())).toContain('api_key.toml')
    expect(readdirSync(join(app.config.dataPath, 'security'))).not.toContain('api_key.toml')
  })
})

describe('reading', () => {
  test.each([
    '../security/api_key',
    '..%2f..%2fsecurity%2fapi_key.txt',
    '%2e%2e%2fsecurity%2fapi_key',
    'no-such-theme',
    '...',
  ])('%s is 404 or the dashboard, never another file', async (id) => {
    const response = await new Browser(app).get(`/api/themes/${id}`)
    expect(await response.text()).not.toContain(app.key)
    expect([200, 404]).toContain(response.status)
  })

  test('links are not followed', async () => {
    mkdirSync(folder(), { recursive: true })
    symlinkSync(join(app.config.dataPath, 'security/api_key.txt'), join(folder(), 'link.toml'))
    expect((await user.get('/api/themes/link')).status).toBe(404)
    expect(JSON.stringify(await json(await user.get('/api/themes')))).not.toContain('"link"')
  })

  test('a broken file placed by hand is listed by its name', async () => {
    writeFileSync(join(folder(), 'by-hand.toml'), '= broken')
    const [, list] = await json(await user.get('/api/themes'))
    expect(list).toContainEqual(expect.objectContaining({ id: 'by-hand', name: 'by-hand' }))
  })

  test('the list reads only files that changed', async () => {
    writeFileSync(join(folder(), 'by-hand.toml'), theme)
    await user.get('/api/themes')
    using read = spyOn(ThemeStore.prototype, 'read')
    await user.get('/api/themes')
    expect(read).not.toHaveBeenCalled()
    writeFileSync(join(folder(), 'by-hand.toml'), theme.replace('Night', 'Midnight'))
    const [, list] = await json(await user.get('/api/themes'))
    expect(list).toContainEqual(expect.objectContaining({ id: 'by-hand', name: 'Midnight' }))
    expect(read.mock.calls).toEqual([['by-hand', 'toml']])
  })
})

describe('the guest theme', () => {
  const path = '/api/themes/preferences/guest'
  test('is a built-in or an uploaded theme', async () => {
    expect(await json(await new Browser(app).get(path))).toEqual([
      200,
      { themeId: 'dark-default', success: false, message: null },
    ])
    expect((await user.put(path, { themeId: ' ' })).status).toBe(400)
    expect((await user.put(path, {})).status).toBe(400)
    expect((await user.put(path, { themeId: 'unheard-of' })).status).toBe(404)
    expect(await json(await user.put(path, { themeId: 'DAY-light' }))).toMatchObject([
      200,
      { themeId: 'day-light', success: true },
    ])
  })

  test('falls back to the default when its file is deleted', async () => {
    await user.put(path, { themeId: 'day-light' })
    expect((await user.delete('/api/themes/day-light')).status).toBe(200)
    expect((await json(await user.get(path)))[1]).toMatchObject({ themeId: 'dark-default' })
  })
})

describe('deleting', () => {
  test('names the deleted files', async () => {
    await upload(user, 'twin.toml', theme)
    writeFileSync(join(folder(), 'twin.json'), '{"name":"twin","colors":{}}')
    expect(await json(await user.delete('/api/themes/twin'))).toMatchObject([
      200,
      { success: true, filesDeleted: ['twin.json', 'twin.toml'], errors: [] },
    ])
    expect(await json(await user.delete('/api/themes/twin'))).toMatchObject([
      404,
      { error: 'Theme not found', availableThemes: expect.arrayContaining(['graphite']) },
    ])
    expect((await user.delete('/api/themes/graphite')).status).toBe(400)
  })

  test('cleaning up deletes all uploaded themes and nothing else', async () => {
    await upload(user, 'one.toml', theme)
    expect(await json(await user.post('/api/themes/cleanup'))).toMatchObject([
      200,
      {
        success: true,
        deletedThemes: expect.arrayContaining(['one', 'day-light-1']),
        errors: [],
        remainingThemes: ['dark-default', 'light-default', 'graphite'],
      },
    ])
    expect(await json(await user.get('/api/themes'))).toEqual([200, []])
    expect(readdirSync(folder())).toEqual(['link.toml'])
  })
})
