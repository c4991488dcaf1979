import pLimit from 'p-limit'
import { unavailable } from '../../core/http/errors.ts'

/** OWASP's smaller argon2id setting: 19 MiB, two passes; about 20 ms on a home server. */
const parameters = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Each computation takes 19 MiB, so only a few run at once and the queue is bounded. */
const runningMax = 4
const waitingMax = 64

const queue = pLimit(runningMax)

async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (queue.pendingCount >= waitingMax)
    throw unavailable('Too many sign-ins at once; try again in a few seconds')
  return queue(work)
}

export const hashPassword = (password: string): Promise<string> =>
  limited(() => Bun.password.hash(password, parameters))

/** Passwords are never longer than this, so longer input is not hashed. */
const inputCharsMax = 256

let decoy: Promise<string> | null = null

/**
 * Whether the password matches. Without a hash (unknown name) it does the same work, so that the
 * response time does not reveal whether the name exists.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  decoy ??= hashPassword(crypto.randomUUID())
  const against = hash ?? (await decoy)
  const input = password.slice(0, inputCharsMax)
  const fits = await limited(() => Bun.password.verify(input, against))
  return fits && hash !== null && password.length <= inputCharsMax
}

/** Computes the decoy in advance, so that the first unknown name takes no longer than the rest. */
export const prepareDecoy = (): void => void (decoy ??= hashPassword(crypto.randomUUID()))
