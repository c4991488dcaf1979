import { partOf } from './stand-ins/serve-locally.ts'
import { AlphaCmStandIn, serverDirectory } from './alpha-cm-stand-in.ts'
import { chunkId, encodeManifest, type PracticeChunk } from './alpha-manifest.ts'
import { AlphaPics, type Tree } from './alpha-pics.ts'
import { AlphaStandIn } from './stand-ins/alpha.ts'
import { atEnd } from './cleanup.ts'

const code = '18446744073709551614'

/** Steam's web side for a prefill: servers, sign-in, charts, and content. */
export class AlphaContentSite extends AlphaStandIn {
  endpoints: string[] = []
  /** Hosts that are named as content servers, and what they are. */
  servers: object[] = []
  /** The most played games. */
  ranks: number[] = []
  /** Content requests that arrived, in order. */
  readonly requests: string[] = []
  /** Depots of the requests for chunks, and the servers that were named. */
  readonly chunkCalls: { depotId: number; host: string }[] = []
  /** Regions for which servers were asked. */
  readonly cellIds: (string | null)[] = []
  /** Status that a server answers a request for a chunk with; null: it has the chunk. */
  chunkStatus: (call: { depotId: number; host: string }) => number | null = () => null
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>()

  /** Makes a depot's manifest and chunks available. */
  publish(depotId: number, manifestId: string, files: PracticeChunk[][]): void {
    const path = `/depot/${depotId}/manifest/${manifestId}/5/${code}`
    this.#files.set(path, Uint8Array.from(encodeManifest(files)))
    for (const chunk of files.flat()) {
      this.#files.set(`/depot/${depotId}/chunk/${chunkId(chunk)}`, new Uint8Array(chunk.bytes))
    }
  }

  protected override async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/ISteamDirectory/GetCMListForConnect/v1/') {
      return serverDirectory(this.endpoints)
    }
    if (pathname === '/IContentServerDirectoryService/GetServersForSteamPipe/v1/') {
      this.cellIds.push(searchParams.get('cell_id'))
      return Response.json({ response: { servers: this.servers } })
    }
    if (pathname === '/ISteamChartsService/GetMostPlayedGames/v1/') {
      const ranks = this.ranks.map((appid, index) => ({ rank: index + 1, appid }))
      return Response.json({ response: { ranks } })
    }
    if (!pathname.startsWith('/depot/')) return super.answer(request)
    this.requests.push(pathname)
    const found = this.#files.get(pathname)
    if (found === undefined) return new Response('', { status: 404 })
    if (!pathname.includes('/chunk/')) return new Response(found)
    const host = request.headers.get('host') ?? ''
    const call = { depotId: Number(pathname.split('/')[2]), host }
    this.chunkCalls.push(call)
    const status = this.chunkStatus(call)
    if (status !== null) return new Response('', { status })
    return partOf(found.length, request.headers.get('range'))
  }
}

const depot = (manifestId: string, more: Tree = {}): Tree => ({
  manifests: { public: { gid: manifestId } },
  ...more,
})

export const now = Math.floor(Date.now() / 1000)

/**
 * An account with two games, a DLC and a tool. Game 1000 has depots for two systems, one of a DLC,
 * one that is borrowed from 2000, and some that its client does not download.
 */
function fill(pics: AlphaPics): void {
  const game = (name: string, more: Tree = {}): Tree => ({ name, type: 'game', ...more })
  const { apps, packages } = pics
  apps.set(1000, {
    name: 'Alpha Quest',
    info: {
      common: game('Alpha Quest', { oslist: 'windows,linux' }),
      extended: { listofdlc: '1100,1200' },
      depots: {
        1001: depot('11'),
        1002: depot('12', { config: { oslist: 'windows' } }),
        1003: depot('13', { config: { oslist: 'linux' } }),
        1004: depot('14', { dlcappid: '1100' }),
        1005: depot('15', { dlcappid: '1200' }),
        1006: depot('16', { config: { osarch: '32' } }),
        1007: depot('17', { config: { language: 'german' } }),
        1008: depot('18', { config: { lowviolence: '1' } }),
        1009: depot('19'),
        2001: { depotfromapp: '2000' },
        228983: depot('20', { depotfromapp: '228980' }),
        branches: { public: { buildid: '1' } },
      },
    },
  })
  apps.set(1100, { name: 'Quest: More', info: { common: { name: 'Quest: More', type: 'dlc' } } })
  apps.set(2000, {
    name: 'Bolts',
    info: { common: game('Bolts'), depots: { 2001: depot('21') } },
  })
  apps.set(3000, { name: 'Server Tool', info: { common: { name: 'Server Tool', type: 'tool' } } })
  apps.set(4000, { name: 'Mac Only', info: { common: game('Mac Only', { oslist: 'macos' }) } })
  const owned = { createdAt: now - 400 * 86_400 }
  packages.set(1, { ...owned, apps: [1000, 1100], depots: [1001, 1002, 1003, 1004, 1006, 1007] })
  packages.set(2, { createdAt: now - 86_400, apps: [2000], depots: [2001, 1008] })
  packages.set(3, { ...owned, apps: [3000, 4000, 480], depots: [] })
  packages.set(4, { ...owned, flags: 8, apps: [1200], depots: [1005] })
  packages.set(5, {
    ...owned,
    apps: [5000],
    depots: [],
    extended: { freeweekend: 1, expirytime: now - 1000 },
  })
  pics.recentMinutes.set(2000, 90)
}

const chunk = (name: string, bytes = 50_000): PracticeChunk => ({ name, bytes })

/** Chunks of what game 1000 downloads; the second depot shares one with itself. */
export const questChunks = {
  1001: [[chunk('a1'), chunk('a2')], [chunk('a3', 1000)]],
  1002: [[chunk('b1'), chunk('b2')], [chunk('b1')]],
  1004: [[chunk('c1', 70)]],
  2001: [[chunk('d1')]],
}

/** A content server as the directory names it. */
export const server = (host: string, load: number) => ({
  type: 'CDN',
  host,
  weighted_load: load,
  https_support: 'optional',
})

/** All of Steam that a prefill talks to, filled; ends with the file's tests. */
export function alphaStandIns() {
  const site = new AlphaContentSite()
  const pics = new AlphaPics()
  const cm = new AlphaCmStandIn()
  cm.pics = pics
  site.endpoints = [cm.endpoint]
  site.servers = [
    server(new URL(site.url).host, 10),
    { type: 'CDN', host: 'one-game.example.test', weighted_load: 1, allowed_app_ids: [7] },
    { type: 'OpenCache', host: 'open.example.test', weighted_load: 1 },
  ]
  fill(pics)
  const manifests = { 1001: '11', 1002: '12', 1004: '14', 2001: '21' }
  for (const [depotId, manifestId] of Object.entries(manifests)) {
    const files = questChunks[Number(depotId) as keyof typeof questChunks]
    const holder = { 1004: 1100, 2001: 2000 }[Number(depotId)] ?? 1000
    site.publish(Number(depotId), manifestId, files)
    pics.manifestCodes.set(`${holder} ${manifestId}`, code)
  }
  atEnd(async () => {
    await Promise.all([site.stop(), cm.stop()])
  })
  const environment = { Alpha__WebApiBaseUrl: site.url, Alpha__CmListBaseUrl: site.url }
  return { site, pics, cm, environment, code }
}
