import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeSecretFile } from '../../core/lib/secret-file.ts'
import { platforms } from '../../platforms/platforms.ts'

const Note = Type.Object({
  platform: Type.Union(platforms.map((platform) => Type.Literal(platform))),
  accountId: Type.Union([Type.String({ pattern: '^[0-9a-f]{8}$' }), Type.Null()]),
  sessionId: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  userId: Type.String(),
  isPersistent: Type.Boolean(),
  pid: Type.Integer({ minimum: 2 }),
  /** Start of the process in ticks since boot: a reused process id has another one. */
  startTicks: Type.String(),
})
/** What a later process needs to find a daemon again; holds no secret. */
export type DaemonNote = Static<typeof Note>

const notePath = (folder: string) => join(folder, 'process.json')
/** Sessions whose folders are checked after a restart. */
const foldersMax = 1000

/** Start of a process in ticks since boot; null when there is none. */
export function startTicksOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name may contain spaces and brackets; field 22 is the 20th after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : (fields[19] ?? null)
  } catch {
    return null
  }
}

/** The folders of sessions below `<base>/sessions`, open to our own user only. */
export function sessionFolders(basePath: string) {
  const root = join(basePath, 'sessions')
  const folderOf = (sessionId: string) => join(root, sessionId)

  function read(sessionId: string): DaemonNote | null {
    try {
      const text = readFileSync(notePath(folderOf(sessionId)), 'utf8')
      const note: unknown = JSON.parse(text)
      return Value.Check(Note, note) && note.sessionId === sessionId ? note : null
    } catch {
      return null
    }
  }

  return {
    folderOf,
    create(sessionId: string): string {
      mkdirSync(root, { recursive: true, mode: 0o700 })
      const folder = folderOf(sessionId)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    write: (note: DaemonNote) =>
      writeSecretFile(notePath(folderOf(note.sessionId)), JSON.stringify(note)),
    remove: (sessionId: string) => rmSync(folderOf(sessionId), { recursive: true, force: true }),
    /** Notes of earlier processes; folders without a readable note are not ours. */
    notes(): DaemonNote[] {
      try {
        const names = readdirSync(root).filter((name) => /^[0-9a-f]{16}$/.test(name))
        return names.slice(0, foldersMax).flatMap((name) => read(name) ?? [])
      } catch {
        return []
      }
    },
  }
}
