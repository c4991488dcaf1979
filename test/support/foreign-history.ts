import type { HistoryTarget } from '../../db/history/connect.ts'
import { atEnd } from './cleanup.ts'
import { openTestClient, testServer } from './postgres.ts'

/** When the first download of `foreignHistory` began, in Unix seconds; one follows each minute. */
export const foreignStart = Date.UTC(2025, 0, 1) / 1000

/** A database with the documented table of another service, and `rows` downloads in it. */
export async function foreignHistory(rows: number): Promise<HistoryTarget> {
  const { admin, target } = await testServer()
  const name = `foreign_${crypto.randomUUID().replaceAll('-', '')}`
  const place = target(name)
  await admin`create database ${admin(name)} owner ${admin(place.user)}`
  atEnd(async () => void (await admin`drop database if exists ${admin(name)} with (force)`))
  const sql = openTestClient(place)
  await sql.unsafe(`create table "Downloads" ("Id" serial primary key, "Service" text,
    "ClientIp" text, "StartTimeUtc" timestamptz, "EndTimeUtc" timestamptz,
    "CacheHitBytes" bigint, "CacheMissBytes" bigint, "IsActive" boolean, "DepotId" bigint,
    "GameAppId" bigint, "Datasource" text, "GameName" text, "LastUrl" text)`)
  await sql`insert into "Downloads" ("Service", "ClientIp", "StartTimeUtc", "EndTimeUtc",
      "CacheHitBytes", "CacheMissBytes", "IsActive", "DepotId", "GameAppId", "Datasource")
    select 'Steam', '10.0.' || n % 7 || '.9', to_timestamp(${foreignStart} + n * 60),
      to_timestamp(${foreignStart} + n * 60 + 30), 1000 + n, n, false, 700 + n % 3, 77,
      case when n % 2 = 0 then null else 'lan' end
    from generate_series(1, ${rows}) as n`
  await sql.end()
  return place
}

/** Bytes of all downloads of `foreignHistory`. */
export const foreignBytes = (rows: number): number => rows * (rows + 1) + rows * 1000

/** How an import names a database. */
export const connectionStringOf = ({ host, port, database, user, password }: HistoryTarget) =>
  `Host=${host};Port=${port};Database=${database};Username=${user};Password=${password}`
