import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Static, TSchema } from '@sinclair/typebox'
import { writeSecretFile } from '../../core/lib/secret-file.ts'
import { readJson } from './store.ts'

/** In the config folder. */
const names = {
  alpha: 'account.json',
  beta: 'betaSignIn.json',
  epsilon: 'epsilonLogin.json',
} as const

/** The sign-in of a daemon on disk, readable for its user only. */
export interface LoginFile<T> {
  /** Null: none, or unreadable. */
  read(): T | null
  /** Replaces it in one step: a process that is killed leaves the old one or the new one. */
  write(login: T): void
  remove(): void
}

export function loginFile<T extends TSchema>(
  configPath: string,
  platform: keyof typeof names,
  schema: T,
): LoginFile<Static<T>> {
  const path = join(configPath, names[platform])
  return {
    read: () => readJson(path, schema),
    write: (login) => writeSecretFile(path, JSON.stringify(login)),
    remove: () => void removeLoginFiles(configPath),
  }
}

/** False: there was none. */
export function removeLoginFiles(configPath: string): boolean {
  // The second one is what a killed process may have left of a write.
  const files = Object.values(names).flatMap((name) => [name, `${name}.new`])
  const found = files.map((name) => join(configPath, name)).filter((path) => existsSync(path))
  for (const path of found) rmSync(path, { force: true })
  return found.length > 0
}
