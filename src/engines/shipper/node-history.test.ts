import { beforeEach, describe, expect, test } from 'bun:test'
import { freshDatabase, openTestClient } from '../../../test/support/postgres.ts'
import { downloadRow, trafficRow } from '../../../test/support/shipped-rows.ts'
import { describeTitle } from '../titles/titles.ts'
import { downloadIdStep, type DownloadRow, type ShipBatch } from './contract.ts'
import { sqlHistory, type HistoryAccess } from './history-access.ts'
import { LinkBroken, wholeHistory } from './link.ts'
import { answerCall, HistoryCalls, type HistoryCall } from './service-history.ts'
import { RowsRefused } from './ship.ts'

/** Slots of the service and of two nodes; each has one datasource. */
const slots = [0, 1, 2] as const
type Slot = (typeof slots)[number]
let own: HistoryAccess

const start = Date.UTC(2026, 10, 21, 10, 0) / 1000
const nameOf = (slot: Slot) => `cache-${slot}`
const sent: string[] = []

const over = (slot: Slot): HistoryAccess =>
  sqlHistory(
    sql,
    slot === 0 ? wholeHistory : { slot, datasources: [nameOf(slot)] },
    (titleKey, service) => describeTitle(titleKey, service),
  )

/** A node's history: every call and answer goes over a wire. */
function connectedTo(access: HistoryAccess) {
  const calls = new HistoryCalls(({ id, call }) => {
    sent.push(call.name)
    const there = JSON.parse(JSON.stringify(call)) as HistoryCall
    void answerCall(access, there).then((answer) =>
      calls.answered({ id, answer: JSON.parse(JSON.stringify(answer)) }),
    )
  })
  calls.connected()
  return calls
}

const accessOf = (slot: Slot) =>
  slot === 0 ? Promise.resolve(over(0)) : connectedTo(over(slot)).open(() => {})

const factsOf = (slot: Slot) => ({
  datasource: nameOf(slot),
  hitBytes: 100 + slot,
  requests: 1 + slot,
})
const row = (slot: Slot, change: Partial<DownloadRow> = {}) =>
  downloadRow({
    ...factsOf(slot),
    id: 1000 * downloadIdStep + slot,
    startedAt: start,
    endedAt: start + 60,
    objectKeys: ['0 /depot/441/chunk/aa'],
    ...change,
  })
const trafficOf = (slot: Slot) =>
  trafficRow({ ...factsOf(slot), downloads: 1, firstAt: start, lastAt: start + 60 })

/** Batch `seq` of a slot, with a position that only this slot has. */
function batchOf(slot: Slot, seq: number, epoch: number): ShipBatch {
  const fields = JSON.stringify({ id: 7, slot, seq })
  const changes = [
    { kind: 'member', id: 7, fields },
    { kind: 'open', id: row(slot).id, fields: JSON.stringify({ id: row(slot).id, slot }) },
  ] as const
  const positions = { facts: JSON.stringify({ slot }), changes: [...changes], isPartial: false }
  return {
    batchId: crypto.randomUUID(),
    downloads: [row(slot, { revision: seq })],
    traffic: [trafficOf(slot)],
    link: { installation: nameOf(slot), epoch, seq, positions },
  }
}

const epochs = new Map<Slot, number>()
async function begin(slot: Slot): Promise<void> {
  const access = await accessOf(slot)
  const begun = { installation: nameOf(slot), seq: 0, batchId: null }
  const { epoch } = await access.beginLink(begun)
  epochs.set(slot, epoch)
}
const ship = async (slot: Slot, seq: number) =>
  (await accessOf(slot)).ship(batchOf(slot, seq, epochs.get(slot) ?? 0))

const sql = openTestClient(await freshDatabase())
beforeEach(async () => {
  own = over(0)
  await own.empty({ installation: nameOf(0), forgetsTitles: true })
  for (const slot of slots) await begin(slot)
})

const sums = async () => {
  const rows = await sql<{ datasource: string; requests: string }[]>`
    select datasource, sum(requests) as requests from traffic group by 1 order by 1`
  return Object.fromEntries(rows.map(({ datasource, requests }) => [datasource, Number(requests)]))
}

describe('log engines of one history', () => {
  test('keep their links and positions apart, whatever the order of their batches', async () => {
    await ship(1, 1)
    await ship(0, 1)
    await ship(2, 1)
    await ship(1, 2)
    await ship(2, 2)
    await ship(1, 3)
    const sides = await Promise.all(slots.map(async (slot) => (await accessOf(slot)).side()))
    expect(sides.map(({ link }) => [link?.installation, link?.seq])).toEqual([
      ['cache-0', 1],
      ['cache-1', 3],
      ['cache-2', 2],
    ])
    expect(await sums()).toEqual({ 'cache-0': 1, 'cache-1': 6, 'cache-2': 6 })
    for (const slot of slots) {
      const positions = await (await accessOf(slot)).takePositions(nameOf(slot))
      expect(positions?.facts).toBe(JSON.stringify({ slot }))
      expect(positions?.rows.map(({ fields }) => JSON.parse(fields).slot)).toEqual([slot, slot])
      expect([...(positions?.samples ?? [])]).toEqual([[row(slot).id, row(slot).objectKeys]])
    }
    const downloads = await sql`select id from downloads order by id`
    expect(downloads.map(({ id }) => Number(id))).toEqual(slots.map((slot) => row(slot).id))
  })

  test('a node takes over counters of its own datasources only', async () => {
    for (const slot of slots) await ship(slot, 1)
    const counters = (await (await accessOf(1)).takePositions(nameOf(1)))?.counters
    expect(counters?.map(({ datasource }) => datasource)).toEqual(['cache-1'])
  })

  test('a node that begins anew leaves all others as they are', async () => {
    for (const slot of slots) await ship(slot, 1)
    await begin(1)
    expect((await over(1).side()).link).toMatchObject({ seq: 0, isComplete: false })
    expect(await over(1).takePositions(nameOf(1))).toBeNull()
    for (const slot of [0, 2] as const) {
      expect((await over(slot).takePositions(nameOf(slot)))?.rows).toHaveLength(2)
    }
  })

  test('after the history was emptied, a node is refused until it begins anew', async () => {
    for (const slot of slots) await ship(slot, 1)
    await own.empty({ installation: nameOf(0), forgetsTitles: false })
    expect(ship(1, 2)).rejects.toThrow(LinkBroken)
    expect(await (await accessOf(1)).side()).toEqual({ link: null, hasData: false })
    const node = await accessOf(1)
    const { epoch } = await node.empty({ installation: nameOf(1), forgetsTitles: false })
    epochs.set(1, epoch)
    await ship(1, 1)
    expect(await sums()).toEqual({ 'cache-1': 2 })
  })
})

describe('calls of a node', () => {
  test('say which rows were refused, as the history does', async () => {
    const batch = batchOf(1, 1, epochs.get(1) ?? 0)
    const refused = { ...batch, downloads: [row(1, { startedAt: 1e20 })] }
    const access = await accessOf(1)
    const error: unknown = await access.ship(refused).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(RowsRefused)
    expect((error as RowsRefused).fault).toMatchObject({ isOfRow: true })
    await access.ship(batch)
  })

  test('fail without a connection, and when it ends', async () => {
    let closed = 0
    const calls = new HistoryCalls(() => {})
    const access = await calls.open(() => void closed++)
    expect(access.side()).rejects.toThrow('cannot be reached')
    calls.connected()
    const waiting = access.side()
    calls.lost()
    expect(waiting).rejects.toThrow('cannot be reached')
    expect(closed).toBe(2)
    // An answer that comes too late changes nothing.
    calls.answered({ id: 1, answer: { kind: 'done', value: null } })
  })
})
