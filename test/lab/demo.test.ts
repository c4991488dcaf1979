import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import type { Visitor } from '../../src/demo/visitor.ts'
import { startDemo, type Demo } from '../support/demo-process.ts'
import { processesNaming } from './processes.ts'
import { eventually } from '../support/eventually.ts'

let demo: Demo
/** One sign-in for all tests: only so many a minute are allowed. */
let visitor: Visitor

/** A row of the downloads grouped by game; form given by the contract. */
interface GameRow {
  id: string
  service: string
  appName: string
}

/** Services whose downloads are games; nothing tells what the others' are. */
const platforms = new Set(['steam', 'epicgames', 'blizzard', 'riot', 'xbox'])
const gamesOfDemo = 19

const gamesOf = async (visitor: Visitor, more: string): Promise<GameRow[]> => {
  const path = `/api/downloads/retro?GroupByGame=true&Sort=largest&${more}`
  return (await visitor.read<{ items: GameRow[] }>(path)).items
}

beforeAll(async () => {
  demo = await startDemo()
  visitor = await demo.owner()
})

describe('the demo', () => {
  test('shows every game but one with its name within a minute', async () => {
    const isNamed = ({ id, appName }: GameRow) =>
      !id.endsWith('-unknown') && !appName.startsWith('Unknown Game')
    let games: GameRow[] = []
    const isComplete = async () => {
      const rows = await gamesOf(visitor, 'PageSize=100')
      games = rows.filter(({ service }) => platforms.has(service))
      // Nothing knows what one depot belongs to.
      return games.filter(isNamed).length === gamesOfDemo && games.length === gamesOfDemo + 1
    }
    await eventually(isComplete, 'every game has its name', 60_000)
    const invented = ['Lantern Orchard', 'Paper Comets', 'Copper Meridian', 'Glasswing Valley']
    expect(games.map(({ appName }) => appName)).toEqual(expect.arrayContaining(invented))
  })

  test('accepts the printed credentials, and shows a month', async () => {
    const served = async () => {
      const response = await visitor.request('GET', '/api/stats/dashboard')
      if (response.status !== 200) return 0
      // Form given by the contract.
      return ((await response.json()) as { totalServed: number }).totalServed
    }
    // About 290 GB; less means that the import is still running.
    await eventually(async () => (await served()) > 250e9, 'the history is imported')
    const isBusy = async () =>
      (await visitor.read<{ totalBytesPerSecond: number }>('/api/Speeds/current'))
        .totalBytesPerSecond > 0
    await eventually(isBusy, 'something is downloading')
    const nowSeconds = Math.floor(Date.now() / 1000)
    for (const days of [1, 7, 30]) {
      const since = `StartTime=${nowSeconds - days * 86_400}&EndTime=${nowSeconds}`
      const shown = await gamesOf(visitor, `PageSize=7&${since}`)
      expect(shown.filter(({ service }) => !platforms.has(service))).toEqual([])
    }
  })

  test('is restarted, at the same address, by a restore', async () => {
    interface Backups {
      snapshots: { name: string }[]
      lastRestore: { problem: string | null } | null
    }
    const backups = () => visitor.read<Backups>('/api/ext/backups')
    await visitor.write('POST', '/api/ext/backups')
    await eventually(async () => (await backups()).snapshots.length > 0, 'a snapshot is there')
    const { snapshots } = await backups()
    await visitor.write('POST', `/api/ext/backups/${snapshots[0]?.name}/restore`)
    const isRestored = async () => {
      const answer = await visitor.request('GET', '/api/ext/backups').catch(() => null)
      if (answer === null || !answer.ok) return false
      // Our own endpoint.
      return ((await answer.json()) as Backups).lastRestore?.problem === null
    }
    await eventually(isRestored, 'the snapshot is restored')
  })

  test('leaves nothing behind', async () => {
    expect(existsSync(demo.root)).toBe(true)
    demo.process.kill('SIGINT')
    expect(await demo.process.exited).toBe(0)
    expect(existsSync(demo.root)).toBe(false)
    expect(processesNaming(demo.root)).toEqual([])
  })
})
