import { expect, test } from 'bun:test'
import { describeTitle } from '../../titles/titles.ts'
import { SpeedWindow } from './speed-window.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')

type Group = Parameters<SpeedWindow['add']>[0]

// The window uses nothing else of them.
const groupOf = (service: string, platform: string, key: string) =>
  ({
    client: { address: '10.0.0.1', isPrefill: false },
    tag: { service, platform },
    title: { key, id: 1 },
  }) as unknown as Group

test('a title that only the catalogue knows has its name and its id', () => {
  const speeds = new SpeedWindow()
  const named = { gameName: 'Fox and Hound', betaAppId: 'Fox' }
  speeds.describeWith((key, service) => ({ ...describeTitle(key, service), ...named }))
  speeds.prepare(nowMs)
  speeds.add(groupOf('epicgames', 'beta', 'beta:/Builds/Fox'), nowMs / 1000, 1000, 0)
  expect(speeds.snapshot(nowMs).gameSpeeds).toMatchObject([{ ...named, gameAppId: null }])
})

test("a client's row of Battle.net has the name of its largest game", () => {
  const speeds = new SpeedWindow()
  const nameAfter = (folder: string, ...bytes: number[]) => {
    const group = groupOf('blizzard', 'gamma', `gamma:${folder}`)
    for (const one of bytes) speeds.add(group, nowMs / 1000, one, 0)
    return speeds.snapshot(nowMs).gameSpeeds.map(({ gameName }) => gameName)
  }
  speeds.prepare(nowMs)
  expect(nameAfter('shared', 5000)).toEqual(['Battle.net (shared)'])
  expect(nameAfter('fenris', 1000)).toEqual(['Diablo IV'])
  expect(nameAfter('wow', 10, 10, 10)).toEqual(['Diablo IV'])
})
