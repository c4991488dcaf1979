import { EngineAway } from '../host.ts'
import { awayText, isHere, placeOf, type NodeHosts } from '../remote/hosts.ts'
import type { LogScan } from './contract.ts'
import type { CountRequest } from './count-contract.ts'

/** Reads the logs of nodes there, and those of this machine here. */
export function joinLogScans(local: LogScan, hosts: NodeHosts): LogScan {
  /** The log scan of a request's folder, and the request as it is there. */
  function at<Request extends { logPath: string; cachePath?: string }>(request: Request) {
    const place = placeOf(hosts, request.logPath)
    if (place === null) return { scan: local, request }
    const cachePath = placeOf(hosts, request.cachePath ?? '')?.path
    const own = { ...request, logPath: place.path, ...(cachePath !== undefined && { cachePath }) }
    return { scan: place.host.logScan, request: own }
  }
  const scanOf = (logPath: string) => placeOf(hosts, logPath)?.host.logScan ?? local

  async function countLines(request: CountRequest, signal: AbortSignal) {
    const parts = Map.groupBy(request.sources, ({ logPath }) => scanOf(logPath))
    const counts = await Promise.all(
      [...parts].map(([scan, sources]) => {
        const own = sources.map((source) => ({ ...source, ...at(source).request }))
        return scan.countLines({ ...request, sources: own }, signal)
      }),
    )
    if (counts.includes(null)) return null
    const counted = new Map(
      counts.flatMap((list) => list ?? []).map((one) => [one.datasource, one]),
    )
    return request.sources.flatMap(({ name }) => counted.get(name) ?? [])
  }

  /** A question about one log. */
  const asked =
    <Request extends { logPath: string }, Answer>(
      ask: (scan: LogScan, request: Request) => Promise<Answer>,
    ) =>
    async (request: Request) => {
      const host = placeOf(hosts, request.logPath)?.host
      if (host !== undefined && !isHere(host)) throw new EngineAway(awayText(host))
      const there = at(request)
      return ask(there.scan, there.request)
    }

  return {
    repeatedMisses: (request, run) =>
      asked((scan, own: typeof request) => scan.repeatedMisses(own, run))(request),
    repeats: asked((scan, request) => scan.repeats(request)),
    hosts: asked((scan, request) => scan.hosts(request)),
    download: asked((scan, request) => scan.download(request)),
    traffic: asked((scan, request) => scan.traffic(request)),
    samples: asked((scan, request) => scan.samples(request)),
    countLines,
    forceKill() {
      for (const scan of [local, ...hosts.all().map((host) => host.logScan)]) scan.forceKill()
    },
    stop: () => local.stop(),
  }
}
