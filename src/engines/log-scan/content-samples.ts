import { latin1 } from '../titles/bytes.ts'
import { cacheHit, cacheMiss } from '../logs/lines/line.ts'
import { targetText } from '../logs/lines/object-keys.ts'
import type { ContentSample, SamplesOutcome, TailRequest } from './tail-contract.ts'
import { TailReader } from './tails.ts'

const servicesMax = 50
const hostsPerService = 3
const urlMax = 2000
/** A host name as it is requested; anything else is not asked anywhere. */
const plainHost = /^[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?$/

/** The last requests that delivered content, for three host names of each service. */
export async function findSamples(request: TailRequest): Promise<SamplesOutcome> {
  const reader = new TailReader(request)
  const services = new Map<string, Map<string, ContentSample>>()
  await reader.read((line, buffer) => {
    const { status, bytes, cache, timeS } = line
    const isContent = (status === 200 || status === 206) && bytes > 0
    if (!isContent || (cache !== cacheHit && cache !== cacheMiss)) return
    const host = latin1(buffer, line.host.from, line.host.to).toLowerCase()
    if (!plainHost.test(host) || !host.includes('.')) return
    const { service } = line.tag
    const hosts = services.get(service) ?? new Map<string, ContentSample>()
    if (!services.has(service) && services.size >= servicesMax) return
    services.set(service, hosts)
    if ((hosts.get(host)?.timeS ?? 0) > timeS) return
    // The latest host is the last one of the map.
    hosts.delete(host)
    const path = targetText(line, buffer).slice(0, urlMax)
    hosts.set(host, { service, host, path, timeS, isHit: cache === cacheHit, status, bytes })
    const [oldest] = hosts.size > hostsPerService ? hosts.keys() : []
    if (oldest !== undefined) hosts.delete(oldest)
  })
  const samples = [...services.values()].flatMap((hosts) => [...hosts.values()].toReversed())
  return { ...reader.coverage, scannedBytes: reader.bytesRead, samples }
}
