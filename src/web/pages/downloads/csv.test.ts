import { expect, test } from 'bun:test'
import type { DownloadRow } from '../../api/wire.ts'
import { csvField, csvHead, csvLines } from './csv.ts'

test('fields survive commas, quotes, line ends and formulas', () => {
  expect(csvField('plain')).toBe('plain')
  expect(csvField('a,b')).toBe('"a,b"')
  expect(csvField('the "best"')).toBe('"the ""best"""')
  expect(csvField('two\nlines')).toBe('"two\nlines"')
  expect(csvField('=HYPERLINK("x")')).toBe(`"'=HYPERLINK(""x"")"`)
  expect(csvField(-5)).toBe('-5')
})

test('a row has as many fields as the head', () => {
  const row: DownloadRow = {
    id: '1',
    startTimeUtc: '2026-11-21T00:00:00Z',
    endTimeUtc: '2026-11-21T00:01:00Z',
    depotId: null,
    appName: 'Half, Life',
    service: 'steam',
    datasource: 'default',
    clientIp: '10.0.0.1',
    averageBytesPerSecond: 1.6,
    cacheHitBytes: 1,
    cacheMissBytes: 2,
    cacheHitPercent: 33.3,
    totalBytes: 3,
    requestCount: 1,
    downloadIds: [1],
    clientIps: ['10.0.0.1', '10.0.0.2'],
    isEvicted: false,
  }
  const text = csvLines([row])
  expect(text).toBe(
    '"Half, Life",steam,10.0.0.1 10.0.0.2,2026-11-21T00:00:00Z,2026-11-21T00:01:00Z,1,3,1,2,33.3,2,,default\r\n',
  )
  expect(csvHead().split(',')).toHaveLength(13)
})
