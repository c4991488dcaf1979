import { createHmac, timingSafeEqual } from 'node:crypto'
import { readCookie } from '../../core/http/cookies.ts'
import { randomText } from '../../core/lib/secret-file.ts'

/** How long a browser is remembered after signing in. */
const keptMs = 365 * 24 * 3_600_000
const idBytes = 16

/** One cookie per account, so that users sharing a browser do not displace each other. */
const cookieOf = (accountId: string): string => `Svc.Device.${accountId.slice(0, 8)}`

/**
 * Browsers that have signed in to an account before. Each has its own count of wrong passwords, so
 * that attempts from elsewhere do not lock out the account's users. The cookie alone grants
 * nothing.
 */
export class KnownDevices {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** Id of the device, or null when this browser never signed in to the account. */
  find(request: Request, accountId: string): string | null {
    const value = readCookie(request, cookieOf(accountId))
    if (value === null) return null
    const [id = ''] = value.split('.', 1)
    const [given, wanted] = [value, this.#valueOf(id, accountId)].map((text) => Buffer.from(text))
    if (given === undefined || wanted === undefined) return null
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? id : null
  }

  /** The cookie for a browser that just signed in; a known one keeps its id. */
  remember(request: Request, accountId: string, now: Date) {
    const id = this.find(request, accountId) ?? randomText(idBytes)
    const expires = new Date(now.getTime() + keptMs)
    return { cookie: cookieOf(accountId), value: this.#valueOf(id, accountId), expires }
  }

  #valueOf(id: string, accountId: string): string {
    const proof = createHmac('sha256', `device ${this.#secret}`).update(`${accountId} ${id}`)
    return `${id}.${proof.digest('base64url')}`
  }
}
