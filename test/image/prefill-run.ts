import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Visitor } from '../../src/demo/visitor.ts'
import type { Larder } from '../lab/larder.ts'
import { startProxy } from '../lab/proxy.ts'
import { hubClient } from '../support/hub-client.ts'
import { practiceGame, type practiceOrigin } from '../support/practice-origin.ts'

/** A guest with a grant and a session of gamma. */
export async function guestOf({ url }: Larder, owner: Visitor) {
  const visitor = new Visitor(url)
  await visitor.write('GET', '/api/auth/status')
  await visitor.write('POST', '/api/auth/guest')
  const { sessionId: userId } = await visitor.read<{ sessionId: string }>('/api/auth/status')
  const path = `/api/auth/guest/prefill/toggle/${userId}?service=gamma`
  await owner.write('POST', path, { enabled: true })
  const cookies = new Map(
    visitor.cookieHeader.split('; ').map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=')
      return [name, value.join('=')]
    }),
  )
  const hub = await hubClient(new URL(url).host, { cookies }, 'gamma')
  const { id } = await hub.call<{ id: string }>('CreateSessionAsync')
  return { visitor, sessionId: id }
}

/** As if the time of the grants were over; the shortest one lasts an hour. */
export function expireGrants(dataPath: string): void {
  using db = new Database(join(dataPath, 'state.sqlite'))
  db.run('PRAGMA busy_timeout = 10000')
  db.run('UPDATE guest_grant SET expires_at = ?', [Date.now()])
}

export const objectCount = 200

/** Two games of 200 objects on a host that a real nginx caches. */
export async function cachedGames(origin: ReturnType<typeof practiceOrigin>, root: string) {
  const { games, hosts } = origin.state
  const host = 'cdn.example.test'
  const size = { objects: objectCount, bytes: 300_000 }
  const [run, other] = [practiceGame('run', size), practiceGame('guest', size)]
  Object.assign(origin.state, { hosts: [host], games: [run, other] })
  const proxy = await startProxy(join(root, 'proxy'))
  const lines = (game: string) =>
    readFileSync(join(proxy.plainLogs, 'access.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(`/${game}/`))
  return {
    address: `127.0.0.1:${proxy.port}`,
    /** Requests of daemons. */
    requested: (game: string) =>
      lines(game).filter((line) => line.includes('Larder-Practice')).length,
    /** Answers that the cache had to fetch. */
    originRequests: (game: string) => lines(game).filter((line) => line.includes('"MISS"')).length,
    states: async (game: string) => {
      const found = new Set<string | null>()
      for (const { path } of origin.state.games.find(({ appId }) => appId === game)?.objects ??
        []) {
        const url = `http://127.0.0.1:${proxy.port}${path}`
        const response = await fetch(url, { headers: { host } })
        await response.arrayBuffer()
        found.add(response.headers.get('x-upstream-cache-status'))
      }
      return found
    },
    stop: async () => {
      Object.assign(origin.state, { games, hosts })
      await proxy.stop()
    },
  }
}
