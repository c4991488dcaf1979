import { boundedAnswer } from '../../core/lib/outside.ts'
import { Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { ClientInfo } from '../sessions/model.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Logger } from '../../core/lib/log.ts'

/** Location of an address, as far as the external service knows it. */
export type Place = Omit<ClientInfo, 'success'>

export const nowhere: Place = Object.freeze({
  publicIp: null,
  countryCode: null,
  country: null,
  region: null,
  city: null,
  timezone: null,
  isp: null,
})

const requestTimeoutMs = 4000
const keptMs = 24 * 3_600_000
/** How long a failed lookup is not retried. */
const failureKeptMs = 10 * 60_000
const placesMax = 1000
const textCharsMax = 100
const answerBytesMax = 64 * 1024

const text = Type.Optional(Type.String())
const Answer = Type.Object({
  success: Type.Literal(true),
  ip: Type.String(),
  country: text,
  country_code: text,
  region: text,
  city: text,
  timezone: Type.Optional(Type.Object({ id: text })),
  connection: Type.Optional(Type.Object({ isp: text })),
})
const isAnswer = TypeCompiler.Compile(Answer)

const short = (value: string | undefined): string | null =>
  value === undefined || value === '' ? null : value.slice(0, textCharsMax)

export type GeoLookup = ReturnType<typeof createGeoLookup>

/** Looks up locations of addresses with an external service. Created only when enabled. */
export function createGeoLookup(url: string, { clock, log }: { clock: Clock; log: Logger }) {
  const places = new Map<string, { place: Promise<Place | null>; untilMs: number }>()
  const baseUrl = url.replace(/\/+$/, '')

  async function ask(address: string): Promise<Place | null> {
    try {
      const response = await fetch(`${baseUrl}/${encodeURIComponent(address)}`, {
        signal: AbortSignal.timeout(requestTimeoutMs),
        redirect: 'error',
        headers: { Accept: 'application/json' },
      })
      const answer: unknown = await boundedAnswer(response, 'the look-up', answerBytesMax).json()
      if (!isAnswer.Check(answer)) throw new Error('the answer has an unexpected form')
      return {
        publicIp: short(answer.ip),
        countryCode: short(answer.country_code),
        country: short(answer.country),
        region: short(answer.region),
        city: short(answer.city),
        timezone: short(answer.timezone?.id),
        isp: short(answer.connection?.isp),
      }
    } catch (error) {
      log.warn({ reason: String(error) }, 'could not look up the location of an address')
      return null
    }
  }

  return {
    /** Without an address: the location of this machine. Never throws. */
    async find(address: string | null): Promise<Place> {
      const key = address ?? ''
      const nowMs = clock.elapsedMs()
      const known = places.get(key)
      if (known !== undefined && known.untilMs > nowMs) return (await known.place) ?? nowhere
      if (places.size >= placesMax) places.clear()
      const entry = { place: ask(key), untilMs: nowMs + keptMs }
      places.set(key, entry)
      const place = await entry.place
      if (place === null) entry.untilMs = nowMs + failureKeptMs
      return place ?? nowhere
    },
  }
}
