import type { MappingRow, StoredMapping } from '../store.ts'

/** Facts about a list as a whole; null members are missing. */
export interface ListFacts {
  lastUpdated: string | null
  nextUpdateDue: string | null
  lastChangeNumber: number
}

/** One depot of a list: its mappings, and the names that come with them. */
export interface ListedDepot {
  rows: MappingRow[]
  depotName: string | null
  appNames: [appId: number, name: string][]
}

/** More apps of one depot are certainly a damaged list. */
const appsMax = 5000
const namesMax = 500
const idMax = 4_294_967_295

const isId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= idMax

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, namesMax) : null

/** The member of an object whatever the case of its name. */
function membersOf(value: unknown): (name: string) => unknown {
  if (typeof value !== 'object' || value === null) return () => undefined
  const members = new Map(Object.entries(value).map(([key, member]) => [key.toLowerCase(), member]))
  return (name) => members.get(name)
}

/** A member of `depotMappings`; null: not usable. */
export function listedDepot(key: string, value: unknown, nowMs: number): ListedDepot | null {
  const depotId = Number(key)
  const member = membersOf(value)
  const ids = member('appids')
  const appIds = (Array.isArray(ids) ? ids : []).slice(0, appsMax)
  const names = member('appnames')
  const ownerId = member('ownerid') ?? appIds[0]
  if (!isId(depotId) || !appIds.some(isId)) return null
  const discoveredAt = Date.parse(text(member('discoveredat')) ?? '')
  const base = {
    depotId,
    source: text(member('source')) ?? 'import',
    discoveredAt: Number.isNaN(discoveredAt) ? nowMs : discoveredAt,
  }
  const rows = appIds.filter(isId).map((appId) => ({ ...base, appId, isOwner: appId === ownerId }))
  const appNames = appIds.flatMap((appId, index): [number, string][] => {
    const name = text(Array.isArray(names) ? names[index] : null)
    return isId(appId) && name !== null ? [[appId, name]] : []
  })
  return { rows, depotName: text(member('depotname')), appNames }
}

/** Takes one member of `metadata` into the facts. */
export function noteFact(facts: ListFacts, key: string, value: unknown): void {
  const name = key.toLowerCase()
  if (name === 'lastupdated') facts.lastUpdated = text(value)
  if (name === 'nextupdatedue') facts.nextUpdateDue = text(value)
  if (name === 'lastchangenumber' && isId(value)) facts.lastChangeNumber = value
}

/** One depot in the form of the list, with its key. `rows` are its mappings, the owner first. */
export function depotText(rows: StoredMapping[]): string {
  const [first] = rows
  if (first === undefined) return ''
  const value = {
    ownerId: rows.find(({ isOwner }) => isOwner)?.appId ?? null,
    depotName: first.depotName,
    appIds: rows.map(({ appId }) => appId),
    appNames: rows.map(({ appId, appName }) => appName ?? `Steam App ${appId}`),
    source: first.source,
    discoveredAt: new Date(first.discoveredAt).toISOString(),
  }
  return `${JSON.stringify(String(first.depotId))}:${JSON.stringify(value)}`
}
