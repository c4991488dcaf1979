import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EpsilonStandIn, type StandInTitle } from './stand-ins/epsilon.ts'
import { atEnd } from './cleanup.ts'
import type { DaemonClient } from './daemon-client.ts'
import { loginEnd, statesOf } from './daemon-login.ts'
import { tempFolder } from './temp-folder.ts'
import { testDaemon } from './test-daemon.ts'

const guid = (digit: number) => `${digit}2345678-90ab-cdef-1234-567890abcdef`
const megabyte = 1024 * 1024
export const meteor = '9METEOR00001'
export const comet = '9COMET000002'
/** Bytes of all files of `meteor`. */
export const meteorBytes = 2 * megabyte + 500_000 + 3000
/** Paths of its files; that of the larger one names its version. */
export const meteorPaths = (version: string) => [
  `/9/${guid(1)}/${guid(2)}/${version}.${guid(3)}/meteor.msixvc`,
  `/filestreamingservice/files/${guid(4)}`,
]

/** One game with two packages, and one that was played last and has none. */
export function practiceTitles(version = '1.0.0.0'): StandInTitle[] {
  const [path = '', streamed = ''] = meteorPaths(version)
  const main = { path, bytes: 2 * megabyte + 500_000, root: 'http://assets1.xboxlive.com' }
  const note = { name: 'meteor.phf', root: 'http://assets1.xboxlive.com', path: '/9/meteor.phf' }
  const addOn = {
    name: 'addon.appx',
    root: 'http://tlu.dl.delivery.mp.microsoft.com',
    path: `${streamed}?P1=1&P2=2`,
    bytes: 3000,
  }
  return [
    {
      productId: meteor,
      name: 'Meteor',
      version,
      playedAt: '2026-10-01T10:00:00.1234567Z',
      packages: {
        'content-1': [
          { name: 'meteor.msixvc', ...main, roots: ['http://assets2.xboxlive.com'] },
          note,
        ],
        'content-2': [addOn],
      },
    },
    { productId: comet, name: 'Comet', playedAt: '2026-11-01T10:00:00Z' },
  ]
}

/** A stand-in for Microsoft and Xbox, and daemons that use it. */
export function epsilonDaemons() {
  const xbox = new EpsilonStandIn()
  atEnd(() => xbox.stop())
  xbox.titles = practiceTitles()
  xbox.interval = 0
  const folder = tempFolder('epsilon')
  const path = join(folder, 'config', 'epsilonLogin.json')
  return {
    xbox,
    folder,
    login: {
      path,
      read: () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>,
      mode: () => statSync(path).mode & 0o777,
      /** As an earlier process left it. */
      write(refreshToken = xbox.refreshToken) {
        const savedAt = new Date().toISOString()
        const device = { id: crypto.randomUUID(), pkcs8: '' }
        mkdirSync(join(folder, 'config'), { recursive: true })
        writeFileSync(path, JSON.stringify({ refreshToken, displayName: 'Ada', savedAt, device }))
      },
    },
    start: () =>
      testDaemon({
        platform: 'epsilon',
        folder,
        cachePort: xbox.port,
        environment: xbox.environment,
      }),
  }
}

/** Starts a login and waits for its end. */
export async function logIn(client: DaemonClient) {
  const before = statesOf(client).length
  const { success } = await client.ask('login')
  if (!success) throw new Error('the login did not start')
  return loginEnd(client, before + 1)
}
