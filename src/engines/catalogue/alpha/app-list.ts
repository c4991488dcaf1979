import { JsonMembers } from '../../../core/lib/json-members.ts'
import { OutsideError, type Outside } from '../../../core/lib/outside.ts'

const pageMs = 60_000
/** The list of all apps has about 15 MB. */
const listBytesMax = 256 * 1024 * 1024
const pageSize = 50_000
const pagesMax = 20
/** More apps than these are certainly a wrong answer. */
const appsMax = pageSize * pagesMax

export interface AppListParts {
  outside: Outside
  baseUrl: string
  key: string | null
  signal: AbortSignal
}

/** Steam's Web API lists no apps: it needs a key, or refuses this one. */
export class NoAppList extends Error {}

/** Reads the ids of one answer; `depth` is that of the apps. */
async function idsOf(
  { outside, key, signal }: AppListParts,
  { url, depth }: { url: string; depth: number },
) {
  const headers: Record<string, string> = key === null ? {} : { 'x-webapi-key': key }
  return outside.get(
    { url, headers, signal, timeoutMs: pageMs, bytesMax: listBytesMax },
    async (response) => {
      const ids: number[] = []
      const members = new JsonMembers(depth, (_keys, value) => {
        const id = (value as { appid?: unknown } | null)?.appid
        if (Number.isSafeInteger(id) && ids.length < appsMax) ids.push(id as number)
      })
      const decoder = new TextDecoder()
      for await (const chunk of response.body ?? []) {
        members.write(decoder.decode(chunk, { stream: true }))
      }
      members.end()
      return ids
    },
  )
}

/** All app ids by the list that needs no key; null when Steam does not offer it. */
async function publicList(parts: AppListParts): Promise<number[] | null> {
  try {
    const url = `${parts.baseUrl}/ISteamApps/GetAppList/v2/`
    const ids = await idsOf({ ...parts, key: null }, { url, depth: 3 })
    return ids.length > 0 ? ids : null
  } catch (error) {
    if (error instanceof OutsideError) return null
    throw error
  }
}

/**
 * All ids of Steam's apps above `after`, ascending: by the public list, or else by the store's,
 * which needs a key and comes in pages. Throws NoAppList when neither answers.
 */
export async function appIds(parts: AppListParts, after: number): Promise<number[]> {
  const found = new Set((await publicList(parts)) ?? [])
  if (found.size === 0) {
    if (parts.key === null) {
      throw new NoAppList('The list of all Steam apps needs a Steam Web API key')
    }
    let last = after
    for (let page = 0; page < pagesMax; page++) {
      const query = `?max_results=${pageSize}&last_appid=${last}`
      const url = `${parts.baseUrl}/IStoreService/GetAppList/v1/${query}`
      const ids = await idsOf(parts, { url, depth: 3 }).catch((cause: unknown) => {
        if (!(cause instanceof OutsideError)) throw cause
        throw new NoAppList(`The list of all Steam apps is not available: ${cause.message}`)
      })
      for (const id of ids) found.add(id)
      last = Math.max(last, ...ids.slice(-1))
      if (ids.length < pageSize) break
    }
  }
  return [...found].filter((id) => id > after).sort((a, b) => a - b)
}
