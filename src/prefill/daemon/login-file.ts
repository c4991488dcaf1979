import { rmSync } from 'node:fs'
import type { Static, TSchema } from '@sinclair/typebox'
import { writeSecretFile } from '../../core/lib/secret-file.ts'
import { readJson } from './store.ts'

/** The sign-in of a daemon on disk, readable for its user only. */
export interface LoginFile<T> {
  /** Null: none, or unreadable. */
  read(): T | null
  /** Replaces it in one step: a process that is killed leaves the old one or the new one. */
  write(login: T): void
  remove(): void
}

export const loginFile = <T extends TSchema>(path: string, schema: T): LoginFile<Static<T>> => ({
  read: () => readJson(path, schema),
  write: (login) => writeSecretFile(path, JSON.stringify(login)),
  remove() {
    // The second one is what a killed process may have left of a write.
    for (const file of [path, `${path}.new`]) rmSync(file, { force: true })
  },
})
