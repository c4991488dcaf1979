import { betaGames, epsilonGames } from './account-games.ts'
import { chunkName } from './random.ts'

/** A title that the demo's clients download. */
export interface Title {
  /** Tag in the log line and in the cache key. */
  tag: string
  host: string
  userAgent: string
  /** Objects or slices of a full installation. */
  chunks: number
  /** Objects or slices of one update; every client with the title fetches it. */
  patchChunks: number
  /** Days between two updates. */
  patchDays: number
  /** Largest response, bytes. */
  chunkBytes: number
  /** Relative frequency. */
  weight: number
  target(chunk: number): string
  /** The request's range, or `-`. */
  range(chunk: number): string
}

type Size = Pick<Title, 'chunks' | 'patchChunks' | 'patchDays' | 'weight'>

const mebibyte = 1_048_576
const whole = () => '-'
const rangeOf = (bytes: number) => (chunk: number) =>
  `bytes=${chunk * bytes}-${(chunk + 1) * bytes - 1}`

const alpha = (depot: number, size: Size): Title => ({
  ...size,
  tag: 'steam',
  host: 'lancache.steamcontent.com',
  userAgent: 'Valve/Steam HTTP Client 1.0',
  chunkBytes: mebibyte,
  target: (chunk) => `/depot/${depot}/chunk/${chunkName(depot, chunk)}`,
  range: whole,
})

const beta = ({ basePath: build }: { basePath: string }, size: Size): Title => ({
  ...size,
  tag: 'epicgames',
  host: 'download.epicgames.com',
  userAgent: 'EpicGamesLauncher/17.2.0',
  chunkBytes: mebibyte,
  target: (chunk) => {
    const name = chunkName(build.length, chunk).toUpperCase()
    const folder = String(chunk % 100).padStart(2, '0')
    return `${build}/ChunksV4/${folder}/${name.slice(0, 16)}_${name.slice(0, 32)}.chunk`
  },
  range: whole,
})

const gamma = (product: string, size: Size): Title => ({
  ...size,
  tag: 'blizzard',
  host: 'level3.blizzard.com',
  userAgent: '-',
  chunkBytes: 524_288,
  target: (chunk) => {
    const name = chunkName(product.length + 100, Math.floor(chunk / 64)).slice(0, 32)
    return `/tpr/${product}/data/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`
  },
  range: (chunk) => rangeOf(524_288)(chunk % 64),
})

const delta = (product: string, size: Size): Title => ({
  ...size,
  tag: 'riot',
  host: `${product}.dyn.riotcdn.net`,
  userAgent: 'Riot Client',
  chunkBytes: 786_432,
  target: (chunk) => {
    const name = chunkName(product.length + 200, Math.floor(chunk / 8))
      .slice(0, 16)
      .toUpperCase()
    return `/channels/public/bundles/${name}.bundle`
  },
  range: (chunk) => rangeOf(786_432)(chunk % 8),
})

const epsilon = ({ path }: { path: string }, size: Size): Title => ({
  ...size,
  tag: 'xboxlive',
  host: 'assets1.xboxlive.com',
  userAgent: 'Microsoft-Delivery-Optimization/10.0',
  chunkBytes: mebibyte,
  target: () => path,
  range: rangeOf(mebibyte),
})

const other = (tag: string, host: string, path: string, size: Size): Title => ({
  ...size,
  tag,
  host,
  userAgent: 'Mozilla/5.0',
  chunkBytes: mebibyte,
  target: (chunk) => `${path}/${chunkName(tag.length + 300, chunk).slice(0, 24)}.bin`,
  range: whole,
})

/** A demo month should show many downloads rather than a few large ones. */
const chunkShare = 0.3

const size = (chunks: number, patchChunks: number, patchDays: number, weight: number): Size => ({
  chunks: Math.round(chunks * chunkShare),
  patchChunks: Math.round(patchChunks * chunkShare * 3),
  patchDays,
  weight,
})

/** All five platforms and other traffic of such a cache; sizes are scaled down. */
export const titles: readonly Title[] = [
  alpha(441, size(6000, 350, 7, 8)),
  alpha(2347771, size(9000, 420, 5, 10)),
  alpha(571, size(8000, 600, 6, 9)),
  alpha(1091501, size(14_000, 900, 14, 4)),
  alpha(1086941, size(15_000, 700, 10, 5)),
  alpha(1245621, size(9000, 300, 15, 4)),
  alpha(252491, size(5000, 500, 7, 5)),
  alpha(413151, size(600, 60, 20, 3)),
  alpha(621, size(3000, 20, 30, 2)),
  alpha(1158311, size(4000, 300, 11, 3)),
  // Nobody knows what it belongs to.
  alpha(2914771, size(1500, 60, 12, 2)),
  beta(betaGames.lantern, size(8000, 800, 7, 6)),
  beta(betaGames.comets, size(4000, 250, 9, 4)),
  gamma('fenris', size(9000, 500, 8, 4)),
  gamma('wow', size(11_000, 700, 7, 4)),
  gamma('pro', size(7000, 450, 9, 3)),
  delta('lol', size(5000, 400, 12, 5)),
  delta('valorant', size(7000, 500, 13, 5)),
  epsilon(epsilonGames.meridian, size(9000, 600, 11, 3)),
  epsilon(epsilonGames.glasswing, size(6000, 400, 13, 2)),
  // Without games that anything could name: less than any game has, so that rankings show games.
  other('wsus', 'dl.delivery.mp.microsoft.com', '/filestreamingservice/files', size(250, 20, 4, 4)),
  other('origin', 'origin-a.akamaihd.net', '/eamaster/s/shift', size(700, 20, 14, 1)),
  other('uplay', 'cdn.ubi.com', '/uplaypc/downloads/635', size(700, 20, 13, 1)),
  other('nintendo', 'atum.hac.lp1.d4c.nintendo.net', '/c/c', size(500, 20, 10, 1)),
  other('sony', 'gs2.ww.prod.dl.playstation.net', '/gs2/ppkgo/prod', size(800, 20, 9, 1)),
]
