import { betaGames } from '../../src/demo/account-games.ts'
import { practiceChunks } from './stand-ins/beta-manifest.ts'
import { BetaStandIn } from './stand-ins/beta.ts'
import { atEnd } from './cleanup.ts'
import type { DaemonClient } from './daemon-client.ts'
import { challengesOf, loginEnd, provide, statesOf } from './daemon-login.ts'

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

/** Starts a login with a command; resolves to its end. Without a text nothing is asked. */
export async function logIn(client: DaemonClient, text: string | null, command = 'login') {
  const [asked, ended] = [challengesOf(client).length, statesOf(client).length]
  await client.ask(command)
  if (text !== null) await provide(client, 'beta', { count: asked + 1, text })
  return loginEnd(client, ended + 1)
}
