import { idOf, textOf, tree } from '../../../engines/alpha-connection/key-values.ts'
import type { AlphaClient } from './client.ts'

/** `ELicenseFlags`. */
const [expiredFlag, borrowedFlag] = [8, 16_384]
/** Packages of one account; the largest known libraries stay far below. */
const packagesMax = 100_000

const idsIn = (value: unknown): number[] =>
  Object.values(tree(value))
    .map((id) => idOf(String(id)))
    .filter((id) => id > 0)

/** A free weekend that is over. */
function isOver(extended: unknown, nowSeconds: number): boolean {
  const { freeweekend, expirytime } = tree(extended)
  return String(freeweekend) === '1' && Number(textOf(String(expirytime))) < nowSeconds
}

/** Reads an account's packages: apps and depots of all licenses that are in force. */
export async function readOwnership(client: AlphaClient, signal: AbortSignal) {
  const licenses = (await client.licenses(signal)).filter(
    ({ flags }) => (flags & expiredFlag) === 0,
  )
  const createdAt = new Map<number, number>()
  const own = new Set<number>()
  for (const { package_id: id, time_created, flags } of licenses.slice(0, packagesMax)) {
    const isBorrowed = (flags & borrowedFlag) !== 0
    if (!isBorrowed) own.add(id)
    // The account did not buy what it borrows.
    createdAt.set(id, Math.max(createdAt.get(id) ?? 0, isBorrowed ? 0 : time_created))
  }
  const apps = new Set<number>()
  const depots = new Set<number>()
  const boughtAt = new Map<number, number>()
  const ownApps = new Set<number>()
  for (const info of await client.packages([...createdAt.keys()], signal)) {
    const { packageid, appids, depotids, extended } = tree(info)
    if (isOver(extended, Date.now() / 1000)) continue
    const packageId = idOf(String(packageid))
    const at = createdAt.get(packageId) ?? 0
    for (const id of idsIn(depotids)) depots.add(id)
    for (const id of idsIn(appids)) {
      apps.add(id)
      if (own.has(packageId)) ownApps.add(id)
      boughtAt.set(id, Math.max(boughtAt.get(id) ?? 0, at))
    }
  }
  return {
    apps,
    depots,
    /** Apps that belong to another account, which shares them with its family. */
    borrowed: apps.difference(ownApps),
    /** When the newest license with an app was created, Unix seconds. */
    boughtAt,
  }
}
/** What an account has. */
export type Ownership = Awaited<ReturnType<typeof readOwnership>>
