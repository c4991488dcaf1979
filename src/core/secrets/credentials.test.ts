import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openState, type StateDatabase } from '../../../db/state/open.ts'
import { credential } from '../../../db/state/schema/credentials.ts'
import { SealError, sealerAt } from '../lib/seal.ts'
import { createCredentials } from './credentials.ts'

let folder: string
let state: StateDatabase
const now = new Date('2026-03-01T12:00:00Z')
const keyPath = () => join(folder, 'security', 'seal.key')
const clock = { now: () => now, elapsedMs: () => 0 }
const open = () => createCredentials(state, sealerAt(keyPath()), clock)
const secret = 'eyJ0eXAiOiJKV1QiLCJhbGciOiJFZERTQSJ9.refresh.token'

beforeEach(() => {
  folder = tempFolder('credentials')
  state = openState(folder)
})
afterEach(() => {
  state.close()
})

/** All bytes below the data directory except the key file. */
const everything = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'seal.key')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))

describe('credentials', () => {
  test('are kept over a restart, replaced and deleted', () => {
    expect(open().read('alpha.refreshToken')).toEqual({ state: 'none' })
    open().keep('alpha.refreshToken', 'first', 'gordon')
    open().keep('alpha.refreshToken', secret, 'gordon')
    expect(open().read('alpha.refreshToken')).toEqual({
      state: 'kept',
      secret,
      label: 'gordon',
      updatedAt: now,
    })
    expect(open().label('alpha.refreshToken')).toBe('gordon')
    expect(open().forget('alpha.refreshToken')).toBe(true)
    expect(open().forget('alpha.refreshToken')).toBe(false)
    expect(open().label('alpha.refreshToken')).toBeNull()
  })

  test('are in no file in plain text', () => {
    open().keep('alpha.refreshToken', secret, 'gordon')
    state.sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const files = everything()
    expect(files.some((bytes) => bytes.includes('gordon'))).toBe(true)
    const forms = [secret, btoa(secret), Buffer.from(secret).toString('hex')]
    for (const form of forms) expect(files.some((bytes) => bytes.includes(form))).toBe(false)
  })

  test('are unreadable after the loss of the key file, and can be replaced', () => {
    open().keep('alpha.webApiKey', 'old key', 'label')
    rmSync(keyPath())
    expect(open().read('alpha.webApiKey')).toEqual({
      state: 'unreadable',
      label: 'label',
      reason: 'alpha.webApiKey: sealed with another key, or altered since',
    })
    open().keep('alpha.webApiKey', 'new key')
    expect(open().read('alpha.webApiKey')).toMatchObject({ secret: 'new key', label: null })
  })

  test('do not open under another name', () => {
    open().keep('alpha.webApiKey', 'a key')
    state.db.update(credential).set({ name: 'alpha.refreshToken' }).run()
    expect(open().read('alpha.refreshToken').state).toBe('unreadable')
  })

  test('are refused when they cannot be sealed, and nothing is stored', () => {
    const broken = createCredentials(state, sealerAt('/dev/null/seal.key'), clock)
    expect(() => broken.keep('alpha.webApiKey', secret)).toThrow(SealError)
    expect(broken.read('alpha.webApiKey')).toEqual({ state: 'none' })
  })
})
