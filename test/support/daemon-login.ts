import { encryptCredential } from '../../src/prefill/protocol/credentials.ts'
import {
  readAuthState,
  readChallenge,
  type AuthState,
  type Challenge,
} from '../../src/prefill/protocol/login.ts'
import type { Platform } from '../../src/platforms/platforms.ts'
import { serviceFacts } from '../../src/platforms/service-facts.ts'
import type { DaemonClient } from './daemon-client.ts'
import { eventually } from './eventually.ts'

/** The questions that a client of a daemon received so far. */
export const challengesOf = (client: DaemonClient): Challenge[] =>
  client.events
    .filter(({ type }) => type === 'credential-challenge')
    .map(({ data }) => readChallenge(data))

/** How its logins ended so far. */
export const statesOf = (client: DaemonClient) =>
  client.events.filter(({ type }) => type === 'auth-state').map(({ data }) => readAuthState(data))

export interface Given {
  /** Number of the question, from 1. */
  count: number
  text: string
}

export async function challenge(client: DaemonClient, count: number): Promise<Challenge> {
  await eventually(() => challengesOf(client).length >= count, `challenge ${count}`)
  return challengesOf(client)[count - 1] as Challenge
}

/** Answers a question. */
export async function provide(client: DaemonClient, platform: Platform, { count, text }: Given) {
  const asked = await challenge(client, count)
  const info = serviceFacts[platform].credentialInfo
  return client.ask('provide-credential', { ...encryptCredential(text, { ...asked, info }) })
}

/** How the last login ends, or the one of a number. */
export async function loginEnd(client: DaemonClient, count = 1) {
  await eventually(() => statesOf(client).length >= count, 'the login ends')
  return statesOf(client).at(-1) as AuthState
}

/** Waits until a daemon has taken up what it has stored. */
export const restored = (client: DaemonClient) =>
  eventually(async () => {
    const { data } = await client.ask('status')
    return (data as { isLoggedIn: boolean }).isLoggedIn
  }, 'signed in with what is stored')
