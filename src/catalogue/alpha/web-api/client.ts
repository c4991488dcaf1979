/** Outcome of one probe of Steam's Web API. Contains neither keys nor addresses: safe to log. */
export type Probe =
  | 'works'
  /** Steam requires a key, or rejects this one. */
  | 'refused'
  /** The endpoint does not exist, or no longer. */
  | 'missing'
  | 'busy'
  | 'timeout'
  | 'unreachable'
  /** The response is not from Steam's Web API, for example a captive portal page. */
  | 'unexpected'

export interface WebApiOptions {
  /** Without a trailing slash. */
  baseUrl: string
  timeoutMs?: number
}

/** For the whole call, body included. */
const timeoutMsDefault = 10_000
/** The full list has megabytes; its beginning is enough to recognise it. */
const beginningBytesMax = 16 * 1024

const keyPattern = /^[0-9A-Fa-f]{32}$/

/** Steam's keys are 32 hexadecimal digits; nothing else is worth a request. */
export const isWebApiKey = (text: string): boolean => keyPattern.test(text)

const publicList = { path: '/ISteamApps/GetAppList/v2/', mark: /^\s*\{\s*"applist"\s*:/ }
const storeList = {
  path: '/IStoreService/GetAppList/v1/?max_results=1',
  mark: /^\s*\{\s*"response"\s*:/,
}

/** Reads at most the first bytes of a body and cancels the rest. */
async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    while (bytes < beginningBytesMax) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.length
    }
  } finally {
    await reader.cancel()
  }
  return Buffer.concat(chunks).subarray(0, beginningBytesMax).toString('utf8')
}

function judge(status: number): Probe | null {
  if (status === 200) return null
  if (status === 401 || status === 403) return 'refused'
  if (status === 404 || status === 410) return 'missing'
  if (status === 429 || status >= 500) return 'busy'
  return 'unexpected'
}

export type AlphaWebApi = ReturnType<typeof createAlphaWebApi>

/** The Steam Web API calls we use. */
export function createAlphaWebApi({ baseUrl, timeoutMs }: WebApiOptions) {
  async function probe(call: { path: string; mark: RegExp }, key: string | null): Promise<Probe> {
    // In a header rather than the URL: URLs end up in proxy logs.
    const headers = new Headers(key === null ? [] : [['x-webapi-key', key]])
    const signal = AbortSignal.timeout(timeoutMs ?? timeoutMsDefault)
    try {
      const response = await fetch(`${baseUrl}${call.path}`, { headers, signal, redirect: 'error' })
      const judged = judge(response.status)
      if (judged !== null) {
        await response.body?.cancel()
        return judged
      }
      return call.mark.test(await beginning(response)) ? 'works' : 'unexpected'
    } catch {
      // The error itself is dropped: it may contain the request, headers included.
      return signal.aborted ? 'timeout' : 'unreachable'
    }
  }
  return {
    /** The list of all apps, which needs no key. */
    probePublicList: (): Promise<Probe> => probe(publicList, null),
    /** The store's list, which needs a key. */
    probeStoreList: (key: string | null): Promise<Probe> => probe(storeList, key),
  }
}
