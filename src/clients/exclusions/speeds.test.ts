import { expect, test } from 'bun:test'
import { emptySpeeds } from '../../engines/logs/contract.ts'
import type { GameSpeed } from '../../engines/logs/wire.ts'
import { withoutClients } from './speeds.ts'

const game = (clientIp: string, bytesPerSecond: number, requestCount: number): GameSpeed => ({
  depotId: 0,
  gameName: null,
  gameAppId: null,
  betaAppId: null,
  service: 'steam',
  clientIp,
  bytesPerSecond,
  totalBytes: bytesPerSecond * 2,
  requestCount,
  cacheHitBytes: bytesPerSecond * 2,
  cacheMissBytes: 0,
  cacheHitPercent: 100,
  isEvicted: false,
})

const client = (clientIp: string, bytesPerSecond: number) => ({
  clientIp,
  bytesPerSecond,
  totalBytes: bytesPerSecond * 2,
  activeGames: 1,
  cacheHitBytes: bytesPerSecond * 2,
  cacheMissBytes: 0,
})

const snapshot = {
  ...emptySpeeds(new Date(0)),
  gameSpeeds: [game('10.0.0.1', 100, 5), game('10.0.0.2', 50, 3), game('10.0.0.2', 10, 2)],
  clientSpeeds: [client('10.0.0.1', 100), client('10.0.0.2', 60)],
  totalBytesPerSecond: 160,
  entriesInWindow: 10,
  hasActiveDownloads: true,
}

test('a hidden client is in no list and no sum', () => {
  expect(withoutClients(snapshot, ['10.0.0.1'])).toEqual({
    ...snapshot,
    gameSpeeds: snapshot.gameSpeeds.slice(1),
    clientSpeeds: snapshot.clientSpeeds.slice(1),
    totalBytesPerSecond: 60,
    entriesInWindow: 5,
  })
})

test('with all clients hidden, nothing is active', () => {
  expect(withoutClients(snapshot, ['10.0.0.2', '10.0.0.1'])).toEqual(emptySpeeds(new Date(0)))
})

test('without hidden clients the snapshot is unchanged', () => {
  expect(withoutClients(snapshot, ['10.0.0.9'])).toBe(snapshot)
  expect(withoutClients(snapshot, [])).toBe(snapshot)
})
