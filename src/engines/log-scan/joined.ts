import { placeOf, type NodeHosts } from '../remote/hosts.ts'
import type { LogScan } from './contract.ts'
import type { CountRequest, LineCountsOfSource } from './count-contract.ts'

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
    const counted = new Map<string, LineCountsOfSource>()
    for (const [scan, sources] of parts) {
      const own = sources.map((source) => ({ ...source, ...at(source).request }))
      const counts = await scan.countLines({ ...request, sources: own }, signal)
      if (counts === null) return null
      for (const one of counts) counted.set(one.datasource, one)
    }
    return request.sources.flatMap(({ name }) => counted.get(name) ?? [])
  }

  return {
    repeatedMisses(request, run) {
      const there = at(request)
      return there.scan.repeatedMisses(there.request, run)
    },
    repeats(request) {
      const there = at(request)
      return there.scan.repeats(there.request)
    },
    hosts(request) {
      const there = at(request)
      return there.scan.hosts(there.request)
    },
    download(request) {
      const there = at(request)
      return there.scan.download(there.request)
    },
    traffic(request) {
      const there = at(request)
      return there.scan.traffic(there.request)
    },
    samples(request) {
      const there = at(request)
      return there.scan.samples(there.request)
    },
    countLines,
    forceKill() {
      for (const scan of [local, ...hosts.all().map((host) => host.logScan)]) scan.forceKill()
    },
    stop: () => local.stop(),
  }
}
