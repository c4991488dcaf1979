import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeSecretFile } from '../../core/lib/secret-file.ts'
import type { DaemonFiles } from '../protocol/apps.ts'

const Selection = Type.Array(Type.Union([Type.String(), Type.Number()]), { maxItems: 100_000 })
const Prefilled = Type.Record(
  Type.String(),
  Type.Object({ versions: Type.Array(Type.String()), bytes: Type.Number() }),
)

/** A version of an app that was downloaded completely. */
export interface PrefilledApp {
  versions: string[]
  bytes: number
}

/** What a daemon keeps on disk. */
export interface DaemonStore {
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

export function createStore({ configPath, cachePath }: { configPath: string; cachePath: string }) {
  // The name that other implementations of the protocol use, so that either can take over.
  const selectionPath = join(configPath, 'selectedAppsToPrefill.json')
  const prefilledPath = join(configPath, 'prefilledVersions.json')
  const readPrefilled = () => readJson(prefilledPath, Prefilled) ?? {}

  const store: DaemonStore = {
    selected: () => (readJson(selectionPath, Selection) ?? []).map(String),
    select: (ids) => writeSecretFile(selectionPath, JSON.stringify(ids)),
    prefilled(appId) {
      const all = readPrefilled()
      return Object.hasOwn(all, appId) ? (all[appId] ?? null) : null
    },
    setPrefilled(appId, app) {
      const entries = Object.entries(readPrefilled()).filter(([id]) => id !== appId)
      writeSecretFile(prefilledPath, JSON.stringify(Object.fromEntries([...entries, [appId, app]])))
    },
    journalPath(appId) {
      // Ids come from outside and are no file names.
      const name = createHash('sha256').update(appId).digest('hex').slice(0, 32)
      return join(cachePath, `${name}.journal`)
    },
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
