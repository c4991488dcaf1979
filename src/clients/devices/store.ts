import { eq } from 'drizzle-orm'
import type { Sql } from 'postgres'
import type { StateDatabase } from '../../../db/state/open.ts'
import { clientDevice } from '../../../db/state/schema/clients.ts'
import type { DeviceKind } from './guess.ts'

type State = Pick<StateDatabase, 'db'>

/** Chosen kinds by address. */
export const chosenKinds = ({ db }: State): Map<string, DeviceKind> =>
  new Map(
    db
      .select()
      .from(clientDevice)
      .all()
      .map(({ ip, kind }) => [ip, kind]),
  )

/** Null removes the choice. */
export function writeKind({ db }: State, ip: string, kind: DeviceKind | null): void {
  if (kind === null) db.delete(clientDevice).where(eq(clientDevice.ip, ip)).run()
  else {
    db.insert(clientDevice)
      .values({ ip, kind })
      .onConflictDoUpdate({ target: clientDevice.ip, set: { kind } })
      .run()
  }
}

export interface UsedServices {
  ip: string
  services: string[]
}

/** Services that clients used since then, for those with the most bytes. */
export const usedServices = (sql: Sql, since: Date, limit: number): Promise<UsedServices[]> =>
  sql<UsedServices[]>`
    SELECT client AS ip, to_json(array_agg(DISTINCT service)) AS services FROM client_service_day
    WHERE bucket_at >= to_timestamp(${since.getTime() / 1000}) AND NOT is_prefill
    GROUP BY client ORDER BY sum(hit_bytes + miss_bytes) DESC, client LIMIT ${limit}`
