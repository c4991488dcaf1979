import { expect, test } from 'bun:test'
import { describeTitle } from '../../titles/titles.ts'
import { SpeedWindow } from './speed-window.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')

/** The window uses nothing else of them. */
const groupOf = (service: string, platform: string, key: string) =>
  ({
    client: { address: '10.0.0.1', isPrefill: false },
    tag: { service, platform },
    title: { key, day: 1 },
  }) as unknown as Parameters<SpeedWindow['add']>[0]

test('a title that only the catalogue knows has its name and its id', () => {
  const speeds = new SpeedWindow()
  const named = { gameName: 'Fox and Hound', betaAppId: 'Fox' }
  speeds.describeWith((key, service) => ({ ...describeTitle(key, service), ...named }))
  speeds.prepare(nowMs)
  speeds.add(groupOf('epicgames', 'beta', 'beta:/Builds/Fox'), nowMs / 1000, 1000, 0)
  expect(speeds.snapshot(nowMs).gameSpeeds).toMatchObject([{ ...named, gameAppId: null }])
})

test('a client of Battle.net has the name of its game, however often shared files are requested', () => {
  const speeds = new SpeedWindow()
  speeds.prepare(nowMs)
  const add = (key: string) => speeds.add(groupOf('blizzard', 'gamma', key), nowMs / 1000, 10, 0)
  const name = () => speeds.snapshot(nowMs).gameSpeeds.map(({ gameName }) => gameName)
  for (let request = 0; request < 5; request++) add('gamma:shared')
  expect(name()).toEqual(['Battle.net (shared)'])
  add('gamma:fenris')
  expect(name()).toEqual(['Diablo IV'])
})
