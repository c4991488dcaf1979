import { betaGames } from '../../src/demo/account-games.ts'
import { practiceChunks } from '../../src/demo/beta-manifest.ts'
import { BetaStandIn } from '../../src/demo/beta-stand-in.ts'
import { platformFacts } from '../../src/prefill/platforms.ts'
import { encryptCredential } from '../../src/prefill/protocol/credentials.ts'
import { readAuthState, readChallenge } from '../../src/prefill/protocol/login.ts'
import { atEnd } from './cleanup.ts'
import type { DaemonClient } from './daemon-client.ts'
import { eventually } from './eventually.ts'

/** A stand-in for Epic Games with two games and an add-on that has no build. */
export function betaContent(): BetaStandIn {
  const epic = new BetaStandIn()
  atEnd(() => epic.stop())
  epic.assets = [
    { ...betaGames.lantern, build: { chunks: practiceChunks(40, 1) } },
    { ...betaGames.comets, build: { chunks: practiceChunks(30, 2), jsonVersion: 18 } },
    { appName: 'AddOn', title: 'An add-on' },
    { appName: 'UE_5', title: 'Unreal Engine', namespace: 'ue' },
  ]
  return epic
}

const eventsOf = (client: DaemonClient, wanted: string) =>
  client.events.filter(({ type }) => type === wanted).map(({ data }) => data)

/** Answers the next challenge, and resolves to it. */
export async function answerChallenge(client: DaemonClient, text: string) {
  await eventually(() => eventsOf(client, 'credential-challenge').length > 0, 'a challenge')
  const challenge = readChallenge(eventsOf(client, 'credential-challenge')[0])
  const info = platformFacts.beta.credentialInfo
  const sealed = encryptCredential(text, { ...challenge, info })
  await client.ask('provide-credential', { ...sealed })
  return challenge
}

/** Starts a login with a command; resolves to its end. Without a text nothing is asked. */
export async function logIn(client: DaemonClient, text: string | null, command = 'login') {
  client.events.length = 0
  await client.ask(command)
  if (text !== null) await answerChallenge(client, text)
  await eventually(() => eventsOf(client, 'auth-state').length > 0, 'the login ends')
  return readAuthState(eventsOf(client, 'auth-state')[0])
}
