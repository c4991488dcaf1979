import { resolve } from 'node:path'
import { perPlatform, platformFacts, type Platform } from '../../platforms/platforms.ts'
import { SettingError, type SettingsReader } from './settings-reader.ts'

/** Where the daemon of a platform comes from. */
export type TransportChoice =
  | { kind: 'builtin' }
  | { kind: 'container' }
  | { kind: 'outside'; address: OutsideAddress; secret: string | null }

type OutsideAddress = { kind: 'unix'; path: string } | { kind: 'tcp'; host: string; port: number }

function outsideAddress(name: string, text: string): OutsideAddress {
  const url = URL.parse(text)
  if (url?.protocol === 'unix:' && url.host === '' && url.pathname.length > 1) {
    return { kind: 'unix', path: decodeURIComponent(url.pathname) }
  }
  const isPlain = url?.protocol === 'tcp:' && /^\/?$/.test(url.pathname) && url.username === ''
  if (isPlain && url.hostname !== '' && url.port !== '') {
    return { kind: 'tcp', host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) }
  }
  const allowed = 'builtin, container, tcp://host:port, unix:///path'
  throw new SettingError(`${name}: ${JSON.stringify(text)} is not valid; allowed: ${allowed}`)
}

function transport(read: SettingsReader, platform: Platform): TransportChoice {
  const prefix = `Prefill__${platformFacts[platform].name}` as const
  const name = `${prefix}__Transport` as const
  const text = read.text(name) ?? 'builtin'
  const secret = read.secret(`${prefix}__Secret`)
  const plain = text.toLowerCase()
  if (plain !== 'builtin' && plain !== 'container') {
    return { kind: 'outside', address: outsideAddress(name, text), secret }
  }
  if (secret === null) return { kind: plain }
  throw new SettingError(`${prefix}__Secret: is only for daemons outside of Larder; see ${name}`)
}

/** Prefill sessions, and where their daemons come from. */
export function prefillSettings(read: SettingsReader, dataPath: string) {
  const seconds = { min: 10, max: 86_400 }
  return {
    transports: perPlatform((platform) => transport(read, platform)),
    /** Folders of sessions. */
    basePath: resolve(read.text('Prefill__DaemonBasePath') ?? `${dataPath}/prefill`),
    sessionMinutes: read.integer('Prefill__SessionTimeoutMinutes', 120, { min: 1, max: 10_080 }),
    stallSeconds: read.integer('Prefill__StallTimeoutSeconds', 180, seconds),
    abandonedLoginSeconds: read.integer('Prefill__AbandonedLoginTimeoutSeconds', 900, seconds),
  }
}
