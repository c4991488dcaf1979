import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { drain, file, ingest, restart, withIngest } from '../../../test/support/ingest-fixture.ts'
import { firstSecond, logLine } from '../../../test/support/log-lines.ts'

withIngest()

describe('positions in batches', () => {
  const startMs = Date.now()
  let depot = 0
  beforeEach(() => {
    setSystemTime(startMs)
    ingest.outbox.link.save({ installation: 'this', epoch: 1, seq: 0, batchId: null })
  })
  afterEach(() => {
    setSystemTime()
  })

  /** Each line is a download of its own. */
  async function open(count: number, at = firstSecond): Promise<void> {
    const lines = Array.from({ length: count }, () =>
      logLine({ at, path: `/depot/${++depot}/chunk/aa` }),
    )
    appendFileSync(file('access.log'), lines.join(''))
    await drain()
  }

  /** Downloads that the next batch reports as open and as ended. */
  function nextPositions() {
    const batch = ingest.outbox.next()
    if (batch?.link === undefined) return null
    ingest.outbox.acknowledge(batch)
    const { positions } = batch.link
    if (positions === null) return 'none'
    const changes = positions.changes.filter(({ kind }) => kind === 'open')
    const ended = changes.filter(({ fields }) => fields === null).length
    return { opened: changes.length - ended, ended, isPartial: positions.isPartial }
  }

  test('full batches have them now and then, the last one all that is missing', async () => {
    for (const count of [5000, 5000, 1]) await open(count)
    // A batch that is not full is sealed a second after the one before.
    setSystemTime(startMs + 2000)
    expect([nextPositions(), nextPositions(), nextPositions(), nextPositions()]).toEqual([
      { opened: 5000, ended: 0, isPartial: false },
      'none',
      { opened: 5000, ended: 0, isPartial: true },
      { opened: 1, ended: 0, isPartial: false },
    ])
  })

  test('batches of a backlog have them as seldom as full ones, its end has all', async () => {
    await open(1)
    expect(nextPositions()).toEqual({ opened: 1, ended: 0, isPartial: false })
    await open(2)
    ingest.outbox.sealWhenFull(true)
    setSystemTime(startMs + 1500)
    expect(nextPositions()).toBeNull()
    setSystemTime(startMs + 2500)
    expect(nextPositions()).toBe('none')
    ingest.outbox.sealRest()
    setSystemTime(startMs + 4000)
    expect(nextPositions()).toEqual({ opened: 2, ended: 0, isPartial: false })
  })

  test('a batch with positions has the state of every open download, once', async () => {
    const sums = () => {
      const batch = ingest.outbox.next()
      if (batch === null) return null
      ingest.outbox.acknowledge(batch)
      const requests = (rows: { requests: number }[]) =>
        rows.reduce((sum, row) => sum + row.requests, 0)
      return {
        downloads: batch.downloads.length,
        sent: requests(batch.downloads),
        new: requests(batch.traffic),
      }
    }
    const more = (at: number) =>
      appendFileSync(file('access.log'), logLine({ at, path: '/depot/1/chunk/aa' }))
    const found: unknown[] = []
    for (const second of [1, 2, 3]) {
      more(firstSecond + second)
      more(firstSecond + second)
      await drain()
      if (second === 2) restart()
      setSystemTime(startMs + second * 1000)
      found.push(sums(), sums())
    }
    // It ends; its last state is already there.
    await open(1, firstSecond + 86_400)
    setSystemTime(startMs + 5000)
    found.push(sums(), sums())
    expect(found).toEqual([
      { downloads: 1, sent: 2, new: 2 },
      null,
      { downloads: 1, sent: 4, new: 2 },
      null,
      { downloads: 1, sent: 6, new: 2 },
      null,
      { downloads: 1, sent: 1, new: 1 },
      null,
    ])
  })

  test('the state of an open download has its objects', async () => {
    const paths = ['bb', 'aa', 'bb'].map((name) => `/depot/1/chunk/${name}`)
    appendFileSync(file('access.log'), paths.map((path) => logLine({ path })).join(''))
    await drain()
    const keys = ingest.outbox.next()?.downloads.flatMap(({ objectKeys }) => objectKeys)
    expect(keys?.toSorted()).toEqual(['0 /depot/1/chunk/aa', '0 /depot/1/chunk/bb'])
  })

  test('with the positions of all downloads, states that were handed over are not sent again', async () => {
    await open(2)
    const first = ingest.outbox.next()
    if (first === null) throw new Error('nothing was sealed')
    ingest.outbox.acknowledge(first)
    ingest.outbox.link.continueWith({ installation: 'this', epoch: 2, seq: 1, batchId: null })
    setSystemTime(startMs + 6000)
    const second = ingest.outbox.next()
    const kinds = second?.link?.positions?.changes.map(({ kind }) => kind)
    expect(kinds?.filter((kind) => kind === 'open')).toHaveLength(2)
    expect([first.downloads, second?.downloads].map((rows) => rows?.length)).toEqual([2, 0])
  })

  test('a download that began and ended since the last ones is left out', async () => {
    await open(1)
    expect(nextPositions()).toEqual({ opened: 1, ended: 0, isPartial: false })
    await open(1500, firstSecond + 60)
    await open(1, firstSecond + 86_400)
    setSystemTime(startMs + 2000)
    expect([nextPositions(), nextPositions()]).toEqual([
      'none',
      { opened: 1, ended: 1, isPartial: false },
    ])
  })

  test('at the end of a backlog nothing waits for the next second', async () => {
    await open(1)
    expect(nextPositions()).toEqual({ opened: 1, ended: 0, isPartial: false })
    await open(1)
    expect(nextPositions()).toBeNull()
    for (const reason of ['a backlog grows', null]) ingest.holdReading(reason)
    await open(1)
    expect(nextPositions()).toEqual({ opened: 2, ended: 0, isPartial: false })
  })

  test('many are divided, without a wait in between', async () => {
    await open(6000)
    expect([nextPositions(), nextPositions(), nextPositions()]).toEqual([
      { opened: 5000, ended: 0, isPartial: true },
      { opened: 1000, ended: 0, isPartial: false },
      null,
    ])
  })
})
