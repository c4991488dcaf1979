import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/lib/clock.ts'
import { orAborted } from '../../core/lib/pause.ts'
import { orLate } from '../../core/lib/within.ts'
import { timeLimitsMs } from '../protocol/commands.ts'
import {
  CredentialError,
  createKeyPair,
  decryptCredential,
  type EncryptedCredential,
  type KeyPair,
} from '../protocol/credentials.ts'
import type { EventType } from '../protocol/envelopes.ts'
import { challengeData, type Challenge } from '../protocol/login.ts'
import { LoginError, type Question } from './engine.ts'

export interface ChallengeParts {
  /** HKDF info of the platform. */
  credentialInfo: string
  publish: (type: EventType, data: object) => void
  clock: Clock
}

interface Pending {
  keys: KeyPair
  resolve: (text: string) => void
  reject: (error: unknown) => void
}

function challengeOf(question: Question, keys: KeyPair, now: Date): Challenge {
  const isDeviceCode = question.credentialType === 'device-code'
  const lifeMs = isDeviceCode ? timeLimitsMs.deviceCode : timeLimitsMs.challenge
  return {
    challengeId: randomBytes(16).toString('hex'),
    email: null,
    authUrl: null,
    userCode: null,
    ...question,
    serverPublicKey: keys.publicKey,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + lifeMs).toISOString(),
  }
}

/** Throws LoginError. */
function decrypted(credential: EncryptedCredential, own: { own: KeyPair; info: string }): string {
  try {
    return decryptCredential(credential, own)
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    throw new LoginError(error.message)
  }
}

export type Challenges = ReturnType<typeof createChallenges>

/** Questions to the user that wait for an encrypted credential; each is valid once. */
export function createChallenges({ credentialInfo, publish, clock }: ChallengeParts) {
  const pending = new Map<string, Pending>()

  let issued: { challenge: Challenge; keys: KeyPair } | null = null

  function announce(question: Question, keys: KeyPair): string {
    const challenge = challengeOf(question, keys, clock.now())
    publish('credential-challenge', challengeData(challenge))
    return challenge.challengeId
  }

  return {
    /** Rejects with LoginError after five minutes, or with the signal's reason. */
    async ask(question: Question, signal: AbortSignal): Promise<string> {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const keys = createKeyPair()
      const id = announce(question, keys)
      pending.set(id, { keys, resolve, reject })
      try {
        const answer = await orLate(orAborted(promise, signal), timeLimitsMs.challenge, null)
        if (answer === null) throw new LoginError('the question was not answered in time')
        return answer
      } finally {
        pending.delete(id)
      }
    },
    /** Publishes a challenge that takes no credential. */
    show: (question: Question): void => void announce(question, createKeyPair()),
    /** False: no challenge waits for it. */
    provide(credential: EncryptedCredential): boolean {
      const challenge = pending.get(credential.challengeId)
      if (challenge === undefined) return false
      // Valid once, also if it cannot be read.
      pending.delete(credential.challengeId)
      try {
        challenge.resolve(decrypted(credential, { own: challenge.keys, info: credentialInfo }))
      } catch (error) {
        challenge.reject(error)
      }
      return true
    },
    /** A challenge that is answered with, not published; it replaces the last one. */
    issue(question: Question): Challenge {
      const keys = createKeyPair()
      issued = { challenge: challengeOf(question, keys, clock.now()), keys }
      return issued.challenge
    },
    /** The credential for the issued challenge. Throws LoginError. */
    take(credential: EncryptedCredential): string {
      const known = issued
      const isKnown = known?.challenge.challengeId === credential.challengeId
      if (known === null || !isKnown || Date.parse(known.challenge.expiresAt) < +clock.now()) {
        throw new LoginError('No matching login challenge is pending for this credential')
      }
      issued = null
      return decrypted(credential, { own: known.keys, info: credentialInfo })
    },
  }
}
