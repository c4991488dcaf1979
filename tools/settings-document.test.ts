import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { settingsDocument } from './settings-document.ts'

const root = join(import.meta.dir, '..')

test('docs/settings.md is what `bun run generate:settings` writes', async () => {
  expect(await Bun.file(join(root, 'docs/settings.md')).text()).toBe(settingsDocument())
})

test('holds the addresses of outside services with their public defaults', () => {
  const text = settingsDocument()
  for (const [name, address] of [
    ['Alpha__CmListBaseUrl', 'https://api.steampowered.com'],
    ['Alpha__StoreBaseUrl', 'https://store.steampowered.com'],
    ['Alpha__WebApiBaseUrl', 'https://api.steampowered.com'],
    ['Gamma__VersionsBaseUrl', 'http://us.patch.battle.net:1119'],
    ['Delta__PatchlineBaseUrl', 'https://clientconfig.rpg.riotgames.com'],
    ['Delta__SieveBaseUrl', 'https://sieve.services.riotcdn.net'],
  ] as const) {
    const row = text.split('\n').find((line) => line.includes(`\`${name}\``)) ?? ''
    expect(row).toContain(address)
  }
})
