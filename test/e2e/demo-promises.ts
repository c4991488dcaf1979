/** What the demo promises, for a file that starts it: its start takes long. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import type { Visitor } from '../../src/demo/visitor.ts'
import { processesNaming } from '../lab/processes.ts'
import type { Demo } from '../support/demo-process.ts'
import { eventually } from '../support/eventually.ts'

/** A row of the downloads grouped by game; form given by the contract. */
interface GameRow {
  id: string
  service: string
  appName: string
}

/** Services whose downloads are games; nothing tells what the others' are. */
const platforms = new Set(['steam', 'epicgames', 'blizzard', 'riot', 'xbox'])
const gamesOfDemo = 19

const gamesOf = async (owner: Visitor, more: string): Promise<GameRow[]> => {
  const path = `/api/downloads/retro?GroupByGame=true&Sort=largest&${more}`
  return (await owner.read<{ items: GameRow[] }>(path)).items
}

interface Started {
  demo: Demo
  owner: Visitor
}

/** Tests of its first minute. */
export function testFilledDemo(started: () => Started): void {
  test('the demo shows every game but one with its name within a minute', async () => {
    const { owner } = started()
    const isNamed = ({ id, appName }: GameRow) =>
      !id.endsWith('-unknown') && !appName.startsWith('Unknown Game')
    let games: GameRow[] = []
    const isComplete = async () => {
      const rows = await gamesOf(owner, 'PageSize=100')
      games = rows.filter(({ service }) => platforms.has(service))
      // Nothing knows what one depot belongs to.
      return games.filter(isNamed).length === gamesOfDemo && games.length === gamesOfDemo + 1
    }
    await eventually(isComplete, 'every game has its name', 60_000)
    const invented = ['Lantern Orchard', 'Paper Comets', 'Copper Meridian', 'Glasswing Valley']
    expect(games.map(({ appName }) => appName)).toEqual(expect.arrayContaining(invented))
  })

  test('the demo accepts the printed credentials, and shows a month', async () => {
    const { owner } = started()
    const served = async () => {
      const response = await owner.request('GET', '/api/stats/dashboard')
      if (response.status !== 200) return 0
      // Form given by the contract.
      return ((await response.json()) as { totalServed: number }).totalServed
    }
    // About 290 GB; less means that the import is still running.
    await eventually(async () => (await served()) > 250e9, 'the history is imported')
    const isBusy = async () =>
      (await owner.read<{ totalBytesPerSecond: number }>('/api/Speeds/current'))
        .totalBytesPerSecond > 0
    await eventually(isBusy, 'something is downloading')
    const nowSeconds = Math.floor(Date.now() / 1000)
    for (const days of [1, 7, 30]) {
      const since = `StartTime=${nowSeconds - days * 86_400}&EndTime=${nowSeconds}`
      const shown = await gamesOf(owner, `PageSize=7&${since}`)
      expect(shown.filter(({ service }) => !platforms.has(service))).toEqual([])
    }
  })
}

/** Tests after which it is gone. */
export function testEndOfDemo(started: () => Started): void {
  test('the demo is restarted, at the same address, by a restore', async () => {
    const { owner } = started()
    interface Backups {
      snapshots: { name: string }[]
      lastRestore: { problem: string | null } | null
    }
    const backups = () => owner.read<Backups>('/api/ext/backups')
    await owner.write('POST', '/api/ext/backups')
    await eventually(async () => (await backups()).snapshots.length > 0, 'a snapshot is there')
    const { snapshots } = await backups()
    await owner.write('POST', `/api/ext/backups/${snapshots[0]?.name}/restore`)
    const isRestored = async () => {
      const answer = await owner.request('GET', '/api/ext/backups').catch(() => null)
      if (answer === null || !answer.ok) return false
      // Our own endpoint.
      return ((await answer.json()) as Backups).lastRestore?.problem === null
    }
    await eventually(isRestored, 'the snapshot is restored')
  })

  test('the demo leaves nothing behind', async () => {
    const { demo } = started()
    expect(existsSync(demo.root)).toBe(true)
    demo.process.kill('SIGINT')
    expect(await demo.process.exited).toBe(0)
    expect(existsSync(demo.root)).toBe(false)
    expect(processesNaming(demo.root)).toEqual([])
  })
}
