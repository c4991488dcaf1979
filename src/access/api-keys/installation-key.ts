import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from '../../core/lib/log.ts'
import { keepSecret, randomText, writeSecretFile } from '../../core/lib/secret-file.ts'

const prefix = 'larder_'
const keyBytes = 32
const keyCharsMax = 512

const makeKey = () => `${prefix}${randomText(keyBytes)}`
const digest = (text: string) => createHash('sha256').update(text).digest()

/** The installation key: proves access to the machine that Larder runs on. */
export class InstallationKey {
  readonly #path: string
  readonly #log: Logger
  #key: string
  /** The key file did not exist before this start. */
  readonly isNew: boolean

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
    const { secret, isNew } = keepSecret(path, makeKey)
    this.#key = secret
    this.isNew = isNew
    if (isNew) this.#announce('created')
    else log.info({ path }, `installation key ends in ${this.hint()}`)
  }

  value(): string {
    return this.#key
  }

  /** Last four characters: enough to recognise a key, useless otherwise. */
  hint(): string {
    return this.#key.slice(-4)
  }

  /** Constant time for every wrong key. */
  matches(candidate: string | null | undefined): boolean {
    if (candidate === null || candidate === undefined) return false
    if (candidate === '' || candidate.length > keyCharsMax) return false
    return timingSafeEqual(digest(candidate), digest(this.#key))
  }

  rotate(): string {
    const fresh = makeKey()
    writeSecretFile(this.#path, fresh)
    this.#key = fresh
    this.#announce('rotated')
    return fresh
  }

  /** The only two moments at which the whole key is logged. */
  #announce(how: 'created' | 'rotated'): void {
    this.#log.info({ path: this.#path }, `installation key ${how}: ${this.#key}`)
  }
}

/** The key of a request: `X-Api-Key`, or `Authorization: Bearer` where that is allowed. */
export function presentedKey(request: Request, options: { bearer: boolean }): string | null {
  const key = request.headers.get('x-api-key')?.trim() ?? ''
  if (key !== '') return key
  const authorization = options.bearer ? (request.headers.get('authorization') ?? '') : ''
  return /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1] ?? null
}
