import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/lib/clock.ts'
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

/** Questions to the user that wait for an encrypted credential; each is valid once. */
export interface Challenges {
  /** Rejects with LoginError after five minutes, or with the signal's reason. */
  ask(question: Question, signal: AbortSignal): Promise<string>
  /** Publishes a challenge that takes no credential. */
  show(question: Question): void
  /** False: no challenge waits for it. */
  provide(credential: EncryptedCredential): boolean
}

interface Pending {
  keys: KeyPair
  resolve: (text: string) => void
  reject: (error: unknown) => void
}

export function createChallenges({ credentialInfo, publish, clock }: ChallengeParts): Challenges {
  const pending = new Map<string, Pending>()

  function announce(question: Question, keys: KeyPair): string {
    const isDeviceCode = question.credentialType === 'device-code'
    const lifeMs = isDeviceCode ? timeLimitsMs.deviceCode : timeLimitsMs.challenge
    const now = clock.now()
    const challenge: Challenge = {
      challengeId: randomBytes(16).toString('hex'),
      email: null,
      authUrl: null,
      userCode: null,
      ...question,
      serverPublicKey: keys.publicKey,
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + lifeMs).toISOString(),
    }
    publish('credential-challenge', challengeData(challenge))
    return challenge.challengeId
  }

  return {
    async ask(question, signal) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      const keys = createKeyPair()
      const id = announce(question, keys)
      pending.set(id, { keys, resolve, reject })
      const abort = () => reject(signal.reason)
      signal.addEventListener('abort', abort)
      const unanswered = new LoginError('the question was not answered in time')
      const late = setTimeout(() => reject(unanswered), timeLimitsMs.challenge)
      try {
        return await promise
      } finally {
        clearTimeout(late)
        signal.removeEventListener('abort', abort)
        pending.delete(id)
      }
    },
    show: (question) => void announce(question, createKeyPair()),
    provide(credential) {
      const challenge = pending.get(credential.challengeId)
      if (challenge === undefined) return false
      // Valid once, also if it cannot be read.
      pending.delete(credential.challengeId)
      try {
        const own = challenge.keys
        challenge.resolve(decryptCredential(credential, { own, info: credentialInfo }))
      } catch (error) {
        if (!(error instanceof CredentialError)) throw error
        challenge.reject(new LoginError(error.message))
      }
      return true
    },
  }
}
