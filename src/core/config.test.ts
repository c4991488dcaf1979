import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { readConfig } from './config.ts'
import { SettingError } from './lib/settings-reader.ts'

const alpha = (environment: Record<string, string>) => readConfig(environment).alpha

describe('the connection to Steam', () => {
  test("uses Steam's own address by default", () => {
    expect(alpha({})).toEqual({
      webApiBaseUrl: 'https://api.steampowered.com',
      isOwnWebApi: false,
      cmListBaseUrl: 'https://api.steampowered.com',
      storeBaseUrl: 'https://store.steampowered.com',
      depotListUrl: null,
      phoneWaitSeconds: 120,
    })
  })

  test.each([
    ['http://steam.test:8080', 'http://steam.test:8080', true],
    [' https://proxy.test/steam// ', 'https://proxy.test/steam', true],
    ['https://api.steampowered.com/', 'https://api.steampowered.com', false],
  ])('accepts %p', (text, webApiBaseUrl, isOwnWebApi) => {
    expect(alpha({ Alpha__WebApiBaseUrl: text })).toMatchObject({ webApiBaseUrl, isOwnWebApi })
  })

  test.each([
    'steam.test',
    'ftp://steam.test',
    'https://user:secret@steam.test',
    'https://steam.test/?key=secret',
    'https://steam.test/#x',
  ])('rejects %p without repeating it in the message', (text) => {
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

describe('the proxy used for object requests', () => {
  test.each([
    ['10.0.0.5', { host: '10.0.0.5', port: 80 }],
    ['cache.lan:8080', { host: 'cache.lan', port: 8080 }],
    ['[fd00::1]:81', { host: 'fd00::1', port: 81 }],
  ])('accepts %p', (text, proxy) => {
    expect(readConfig({ Doctor__ProxyAddress: text }).doctor).toEqual({ proxy })
  })

  test('is discovered when nothing is set', () => {
    expect(readConfig({}).doctor).toEqual({ proxy: null })
  })

  test.each(['http://10.0.0.5', 'user@10.0.0.5', '10.0.0.5/path', 'a:99999'])(
    'rejects %p',
    (text) => {
      expect(() => readConfig({ Doctor__ProxyAddress: text })).toThrow('Doctor__ProxyAddress')
    },
  )
})

describe('rejected folders', () => {
  const source = (cache: string, logs: string) => ({
    DATA_PATH: '/srv/larder',
    LanCache__CachePath: cache,
    LanCache__LogPath: logs,
  })

  test.each([
    ['the root as cache', '/', '/srv/logs', 'LanCache__CachePath'],
    ['the root behind dots', '/srv/..', '/srv/logs', 'LanCache__CachePath'],
    ['the root as logs', '/srv/cache', '/', 'LanCache__LogPath'],
    ['data in the cache', '/srv', '/logs', 'DATA_PATH'],
    ['a cache in the data', '/srv/larder/cache', '/logs', 'LanCache__CachePath'],
    ['logs in the data', '/srv/cache', '/srv/larder/logs', 'LanCache__LogPath'],
    ['data and logs in one folder', '/srv/cache', '/srv/larder', 'DATA_PATH'],
  ])('%s stops the start with a message that names the setting', (_, cache, logs, setting) => {
    expect(() => readConfig(source(cache, logs))).toThrow(SettingError)
    expect(() => readConfig(source(cache, logs))).toThrow(setting)
  })

  test('a listed datasource is named by its own setting', () => {
    const environment = {
      DATA_PATH: '/srv/cache/data',
      LanCache__DataSources__3__Name: 'three',
      LanCache__DataSources__3__LogPath: '/srv/logs',
      LanCache__DataSources__3__CachePath: '/srv/cache',
    }
    expect(() => readConfig(environment)).toThrow('LanCache__DataSources__3__CachePath')
  })

  test('follows links as far as the path exists', () => {
    const root = tempFolder('config')
    for (const name of ['data', 'logs']) mkdirSync(join(root, name))
    symlinkSync('data', join(root, 'link'))
    const environment = {
      DATA_PATH: join(root, 'data'),
      LanCache__LogPath: join(root, 'logs'),
      LanCache__CachePath: join(root, 'link', 'not-there-yet'),
    }
    expect(() => readConfig(environment)).toThrow('LanCache__CachePath')
    expect(() =>
      readConfig({ ...environment, LanCache__CachePath: join(root, 'cache') }),
    ).not.toThrow()
  })

  test('treats neighbours with a common name prefix as separate', () => {
    expect(readConfig(source('/srv/larder-cache', '/srv/larder2')).datasources).toHaveLength(1)
  })

  test('logs in a cache do not stop the start: only clearing is refused', () => {
    expect(readConfig(source('/srv/cache', '/srv/cache/logs')).datasources).toHaveLength(1)
  })
})

describe('variables without effect', () => {
  const unusedOf = (environment: Record<string, string>) => readConfig(environment).unusedVariables
  const sources = {
    LanCache__DataSources__0__Name: 'one',
    LanCache__DataSources__0__LogPath: '/srv/one/logs',
    LanCache__DataSources__0__CachePath: '/srv/one/cache',
  }

  test('are misspelt ones, whatever their case', () => {
    const environment = {
      LANCACHE__LOGPATH: '/logs',
      Security__AllowedHost: 'a.test',
      Other__Path: '/',
    }
    expect(unusedOf(environment)).toEqual(['LANCACHE__LOGPATH', 'Security__AllowedHost'])
    expect(unusedOf({ Prefill__Beta__Transport: 'builtin', PATH: '/bin' })).toEqual([])
  })

  test('are those that a list of datasources replaces, and those of a datasource that is off', () => {
    expect(unusedOf(sources)).toEqual([])
    const off = {
      LanCache__DataSources__1__Enabled: 'false',
      LanCache__DataSources__1__Name: 'two',
    }
    expect(unusedOf({ ...sources, ...off })).toEqual(['LanCache__DataSources__1__Name'])
    expect(unusedOf({ ...sources, LanCache__LogPath: '/logs' })).toEqual(['LanCache__LogPath'])
  })
})
