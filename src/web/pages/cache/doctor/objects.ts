import type { Suspect } from './queries.ts'

/** One object with the slices and clients that repeated requests were for. */
export interface SuspectObject {
  key: string
  /** Its most suspicious request. */
  first: Suspect
  /** In ascending order; empty when stored whole. */
  slices: readonly number[]
  clients: readonly string[]
  asked: number
  lastSeenUtc: string
}

const keyOf = ({ datasource, tag, path }: Suspect) => `${datasource} ${tag} ${path}`

/** Every object once, in the order of the requests given, most suspicious first. */
export function objectsOf(suspects: readonly Suspect[]): SuspectObject[] {
  const groups = new Map<string, Suspect[]>()
  for (const suspect of suspects) {
    const key = keyOf(suspect)
    groups.set(key, [...(groups.get(key) ?? []), suspect])
  }
  return [...groups].flatMap(([key, requests]) => {
    const [first] = requests
    if (first === undefined) return []
    const slices = new Set(requests.flatMap(({ slice }) => (slice === null ? [] : [slice])))
    return {
      key,
      first,
      slices: [...slices].sort((a, b) => a - b),
      clients: [...new Set(requests.map(({ client }) => client))],
      asked: requests.reduce((sum, { asked }) => sum + asked, 0),
      lastSeenUtc:
        requests
          .map((request) => request.lastSeenUtc)
          .toSorted()
          .at(-1) ?? '',
    }
  })
}
