import { expect, test } from 'bun:test'
import { describeTitle } from '../../titles/titles.ts'
import { SpeedWindow } from './speed-window.ts'

test('a title that only the catalogue knows has its name and its id', () => {
  const speeds = new SpeedWindow()
  const named = { gameName: 'Fox and Hound', betaAppId: 'Fox' }
  speeds.describeWith((key, service) => ({ ...describeTitle(key, service), ...named }))
  const nowMs = Date.parse('2026-03-01T12:00:00Z')
  speeds.prepare(nowMs)
  // The window uses nothing else of them.
  const group = {
    client: { address: '10.0.0.1', isPrefill: false },
    tag: { service: 'epicgames', platform: 'beta' },
    title: { key: 'beta:/Builds/Fox', id: 1 },
  } as unknown as Parameters<SpeedWindow['add']>[0]
  speeds.add(group, nowMs / 1000, 1000, 0)
  expect(speeds.snapshot(nowMs).gameSpeeds).toMatchObject([{ ...named, gameAppId: null }])
})
