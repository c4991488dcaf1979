import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd } from './cleanup.ts'
import { practiceGame, practiceOrigin } from './practice-origin.ts'
import { tempFolder } from './temp-folder.ts'

const parent = join(import.meta.dir, 'prefill-parent.ts')

/** A service in a process of its own, on this folder. */
export async function prefillService(root: string, origin: string, environment?: object) {
  const more = environment === undefined ? [] : [JSON.stringify(environment)]
  const child = Bun.spawn([process.execPath, parent, root, origin, ...more], { stdout: 'pipe' })
  const exited = child.exited
  // Not by force: its daemons would go on.
  atEnd(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const { value } = await child.stdout.getReader().read()
  const host = `127.0.0.1:${new TextDecoder().decode(value).trim()}`
  const send = (method: string, path: string, body?: object, headers = {}) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } }
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) }
    return fetch(`http://${host}${path}`, sent)
  }
  return {
    host,
    send,
    // Its form is given by the test.
    call: async <T>(...request: Parameters<typeof send>): Promise<T> =>
      (await (await send(...request)).json()) as T,
    /** Begins to clear the cache, which lasts until the service ends. */
    clear: () => child.kill('SIGUSR2'),
    async end(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal)
      await exited
    },
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch {
    return false
  }
}

export const persistentPath = '/api/system/prefill/persistent'

/** A folder of the service, and an origin with these games. */
export function restartFixture(games = [practiceGame('a', { objects: 2 }), practiceGame('b')]) {
  const root = tempFolder('restart')
  for (const name of ['data', 'logs', 'cache']) mkdirSync(join(root, name))
  const origin = practiceOrigin({ games })
  const folder = join(root, 'data', 'prefill', 'sessions')
  const pidOf = (id: string) =>
    (JSON.parse(readFileSync(join(folder, id, 'process.json'), 'utf8')) as { pid: number }).pid
  /** Sessions of the runs whose requests are recognised, and whether they go on. */
  const runs = () => {
    using db = new Database(join(root, 'data', 'state.sqlite'), { readonly: true })
    return db.query('select session_id, ended_at is null from prefill_run order by id').values()
  }
  return { root, origin, folder, pidOf, runs }
}
