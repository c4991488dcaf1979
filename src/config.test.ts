import { describe, expect, test } from 'bun:test'
import { readConfig } from './config.ts'
import { SettingError } from './lib/settings-reader.ts'

const alpha = (environment: Record<string, string>) => readConfig(environment).alpha

describe('how Steam is reached', () => {
  test('by default at its own address', () => {
    expect(alpha({})).toEqual({
      webApiBaseUrl: 'https://api.steampowered.com',
      isOwnWebApi: false,
      phoneWaitSeconds: 120,
    })
  })

  test.each([
    ['http://steam.test:8080', 'http://steam.test:8080', true],
    [' https://proxy.test/steam// ', 'https://proxy.test/steam', true],
    ['https://api.steampowered.com/', 'https://api.steampowered.com', false],
  ])('at %p', (text, webApiBaseUrl, isOwnWebApi) => {
    expect(alpha({ Alpha__WebApiBaseUrl: text })).toMatchObject({ webApiBaseUrl, isOwnWebApi })
  })

  test.each([
    'steam.test',
    'ftp://steam.test',
    'https://user:secret@steam.test',
    'https://steam.test/?key=secret',
    'https://steam.test/#x',
  ])('not at %p, and the line does not repeat it', (text) => {
    let shown = ''
    try {
      alpha({ Alpha__WebApiBaseUrl: text })
    } catch (error) {
      expect(error).toBeInstanceOf(SettingError)
      shown = String(error)
    }
    expect(shown).toContain('Alpha__WebApiBaseUrl')
    expect(shown).not.toContain('secret')
  })
})
