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

describe('the proxy that objects are fetched through', () => {
  test.each([
    ['10.0.0.5', { host: '10.0.0.5', port: 80 }],
    ['cache.lan:8080', { host: 'cache.lan', port: 8080 }],
    ['[fd00::1]:81', { host: 'fd00::1', port: 81 }],
  ])('at %p', (text, proxy) => {
    expect(readConfig({ Doctor__ProxyAddress: text }).doctor).toEqual({ proxy })
  })

  test('is found by itself when nothing is set', () => {
    expect(readConfig({}).doctor).toEqual({ proxy: null })
  })

  test.each(['http://10.0.0.5', 'user@10.0.0.5', '10.0.0.5/path', 'a:99999'])(
    'not at %p',
    (text) => {
      expect(() => readConfig({ Doctor__ProxyAddress: text })).toThrow('Doctor__ProxyAddress')
    },
  )
})
