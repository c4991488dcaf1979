import { alphaStandIns, questChunks } from './alpha-content-site.ts'
import { chunkId } from './alpha-manifest.ts'
import type { DaemonClient } from './daemon-client.ts'
import { loginEnd, provide } from './daemon-login.ts'
import { testDaemon } from './test-daemon.ts'

export const password = 'secret-pässword'

/** A stand-in for Steam with an account, and daemons that use it. */
export function alphaDaemons() {
  const standIns = alphaStandIns()
  const { site, environment } = standIns
  site.accounts.set('ada', { password, guards: ['device'], code: 'CODE1' })
  const cachePort = Number(new URL(site.url).port)
  const daemon = (folder?: string) =>
    testDaemon({
      platform: 'alpha',
      cachePort,
      environment,
      ...(folder !== undefined && { folder }),
    })
  return { ...standIns, daemon }
}

/** Answers question after question, as a person would, from the number that is given. */
export async function answer(client: DaemonClient, texts: string[], from = 1) {
  for (const [index, text] of texts.entries()) {
    await provide(client, 'alpha', { count: from + index, text })
  }
}

export async function signIn(client: DaemonClient): Promise<void> {
  await client.ask('login')
  await answer(client, ['ada', password, 'CODE1'])
  const { state } = (await loginEnd(client)) ?? {}
  if (state !== 'logged-in') throw new Error(`the login ended as ${state}`)
}

/** Selects games and downloads them. */
export async function prefill(
  client: DaemonClient,
  appIds: number[],
  more: Record<string, string> = {},
) {
  await client.ask('set-selected-apps', { appIds: JSON.stringify(appIds) })
  await client.ask('prefill', more)
}

/** Paths of the chunks of depots of game 1000, each once. */
export const objectsOf = (depots: readonly (keyof typeof questChunks)[]) =>
  depots.flatMap((depotId) =>
    [...new Set(questChunks[depotId].flat().map(chunkId))].map(
      (id) => `/depot/${depotId}/chunk/${id}`,
    ),
  )
