import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from '../../core/lib/log.ts'
import { keepSecret, randomText, writeSecretFile } from '../../core/lib/secret-file.ts'

const prefix = 'larder_'
const keyBytes = 32
const keyCharsMax = 512

const makeKey = () => `${prefix}${randomText(keyBytes)}`
const digest = (text: string) => createHash('sha256').update(text).digest()

export type InstallationKey = ReturnType<typeof createInstallationKey>

/** The installation key: proves access to the machine that Larder runs on. */
export function createInstallationKey(path: string, log: Logger) {
  const { secret, isNew } = keepSecret(path, makeKey)
  let key: string = secret

  /** Last four characters: enough to recognise a key, useless otherwise. */
  const hint = (): string => key.slice(-4)

  /** The only two moments at which the whole key is logged. */
  function announce(how: 'created' | 'rotated'): void {
    log.info({ path }, `installation key ${how}: ${key}`)
  }

  if (isNew) announce('created')
  else log.info({ path }, `installation key ends in ${hint()}`)

  return {
    isNew,
    hint,
    value: (): string => key,

    /** Constant time for every wrong key. */
    matches(candidate: string | null | undefined): boolean {
      if (candidate === null || candidate === undefined) return false
      if (candidate === '' || candidate.length > keyCharsMax) return false
      return timingSafeEqual(digest(candidate), digest(key))
    },

    rotate(): string {
      const fresh = makeKey()
      writeSecretFile(path, fresh)
      key = fresh
      announce('rotated')
      return fresh
    },
  }
}

/** The key of a request: `X-Api-Key`, or `Authorization: Bearer` where that is allowed. */
export function presentedKey(request: Request, options: { bearer: boolean }): string | null {
  const key = request.headers.get('x-api-key')?.trim() ?? ''
  if (key !== '') return key
  const authorization = options.bearer ? (request.headers.get('authorization') ?? '') : ''
  return /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1] ?? null
}
