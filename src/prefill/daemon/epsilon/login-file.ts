import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { DeviceKey } from '../../../engines/epsilon-connection/device.ts'
import { writeSecretFile } from '../../../core/lib/secret-file.ts'

const Login = Type.Object({
  refreshToken: Type.String({ minLength: 1 }),
  displayName: Type.Union([Type.String(), Type.Null()]),
  /** When the token was issued. */
  savedAt: Type.String(),
  device: DeviceKey,
})
export type EpsilonLogin = Static<typeof Login>

/** The sign-in of a daemon on disk, readable for its user only. */
export function epsilonLoginFile(folder: string) {
  const path = join(folder, 'epsilonLogin.json')
  return {
    /** Null: none, or unreadable. */
    read(): EpsilonLogin | null {
      try {
        const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
        return Value.Check(Login, value) ? value : null
      } catch {
        return null
      }
    },
    /** Replaces it in one step: a process that is killed leaves the old one or the new one. */
    write: (login: EpsilonLogin) => writeSecretFile(path, JSON.stringify(login)),
    remove() {
      rmSync(path, { force: true })
      // Of a process that was killed while it wrote.
      rmSync(`${path}.new`, { force: true })
    },
  }
}

export type LoginFile = ReturnType<typeof epsilonLoginFile>
