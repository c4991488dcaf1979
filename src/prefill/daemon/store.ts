import { serverAddressText, type ServerAddress } from '../../core/lib/cache-network.ts'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeSecretFile, writeSharedFile } from '../../core/lib/secret-file.ts'
import type { DaemonFiles } from '../protocol/apps.ts'
import type { DaemonSettings } from './settings.ts'

const Selection = Type.Array(Type.Union([Type.String(), Type.Number()]), { maxItems: 100_000 })
const Prefilled = Type.Object({ versions: Type.Array(Type.String()), bytes: Type.Number() })
/** A version of an app that was downloaded completely. */
export type PrefilledApp = Static<typeof Prefilled>

export interface DaemonStore {
  /** The same, with the versions and journals of this cache; null: of the usual one. */
  of(cache: ServerAddress | null): DaemonStore
  selected(): string[]
  select(ids: readonly string[]): void
  prefilled(appId: string): PrefilledApp | null
  setPrefilled(appId: string, app: PrefilledApp): void
  /** Path of an app's journal, which need not exist. */
  journalPath(appId: string): string
  /** Journals of interrupted runs; `isClearing` deletes them. */
  files(isClearing: boolean): DaemonFiles
}

/** A JSON file of this form; null: missing, unreadable or of another form. */
export function readJson<T extends TSchema>(path: string, schema: T): Static<T> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Value.Check(schema, value) ? value : null
  } catch {
    // Missing or unreadable: as if nothing was stored.
    return null
  }
}

const journalPattern = /^[0-9a-f]{32}\.journal$/

/** Ids come from outside and are no file names. */
const fileName = (appId: string) => createHash('sha256').update(appId).digest('hex').slice(0, 32)

export function createStore(
  settings: Pick<DaemonSettings, 'configPath' | 'versionsPath' | 'cachePath'>,
  /** Sets its journals apart from those of others. */
  cache = '',
) {
  const { configPath, versionsPath, cachePath } = settings
  // The name that other implementations of the protocol use, so that either can take over.
  const selectionPath = join(configPath, 'selectedAppsToPrefill.json')
  // A file per app: daemons that share the folder do not overwrite what another one noted.
  const versionPath = (appId: string) => join(versionsPath, 'versions', `${fileName(appId)}.json`)

  const store: DaemonStore = {
    of(address) {
      if (address === null) return store
      const own = serverAddressText(address)
      const path = join(versionsPath, 'caches', fileName(own))
      return createStore({ ...settings, versionsPath: path }, own)
    },
    selected: () => (readJson(selectionPath, Selection) ?? []).map(String),
    select: (ids) => writeSecretFile(selectionPath, JSON.stringify(ids)),
    prefilled: (appId) => readJson(versionPath(appId), Prefilled),
    setPrefilled: (appId, app) => writeSharedFile(versionPath(appId), JSON.stringify(app)),
    journalPath: (appId) => join(cachePath, `${fileName(cache + appId)}.journal`),
    files(isClearing) {
      let fileCount = 0
      let bytesCleared = 0
      mkdirSync(cachePath, { recursive: true, mode: 0o700 })
      const names = readdirSync(cachePath, { withFileTypes: true }).filter(
        (entry) => entry.isFile() && journalPattern.test(entry.name),
      )
      for (const { name } of names) {
        const path = join(cachePath, name)
        fileCount++
        bytesCleared += statSync(path, { throwIfNoEntry: false })?.size ?? 0
        if (isClearing) rmSync(path, { force: true })
      }
      return { fileCount, bytesCleared, message: null }
    },
  }
  return store
}
