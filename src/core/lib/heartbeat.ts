import http from 'node:http'

/** A cache's address, verified by its heartbeat. */
export interface ProxyAddress {
  host: string
  port: number
  /** The name that the proxy reports. */
  name: string
}

/** Identifies our own requests, which are not counted. */
export const probeAgent = 'Larder-Probe/1'
const heartbeatPath = '/lancache-heartbeat'
const heartbeatMs = 2000
const nameMax = 100

/** Null unless a cache answers there with its heartbeat. Never follows a redirect. */
export function heartbeat(
  host: string,
  port: number,
  /** Appears in the log of the cache, with the address that it sees. */
  query?: string,
): Promise<ProxyAddress | null> {
  return new Promise((resolve) => {
    const path = query === undefined ? heartbeatPath : `${heartbeatPath}?${query}`
    const target = { host, port, path, method: 'GET', agent: false as const }
    const headers = { host: 'lancache', 'user-agent': probeAgent }
    const request = http.request({ ...target, headers, timeout: heartbeatMs }, (response) => {
      response.resume()
      const name = response.headers['x-lancache-processed-by']
      const isCache = response.statusCode === 204 && typeof name === 'string' && name !== ''
      resolve(isCache ? { host, port, name: name.slice(0, nameMax) } : null)
      request.destroy()
    })
    const limit = setTimeout(() => request.destroy(), heartbeatMs)
    request.on('error', () => resolve(null))
    request.on('close', () => {
      clearTimeout(limit)
      resolve(null)
    })
    request.end()
  })
}
