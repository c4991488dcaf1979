import type { PrefillAccount } from '../../src/prefill/accounts/model.ts'
import type { HistoryEntry } from '../../src/prefill/administration/model.ts'
import type { LoginAnswer } from '../../src/prefill/persistent/model.ts'
import type { CredentialChallenge } from '../../src/prefill/sessions/model.ts'
import { testApp } from './app.ts'
import { eventually } from './eventually.ts'
import { practiceGame, practiceOrigin } from './practice-origin.ts'
import { signInOwner, type Browser } from './sign-in.ts'

const base = '/api/ext/prefill/accounts'

/** Calls for accounts that prefill. */
export function accountCalls(owner: Browser) {
  const json = async <T>(answer: Promise<Response>): Promise<T> =>
    (await (await answer).json()) as T
  const list = () => json<PrefillAccount[]>(owner.get(base))
  const add = (platform = 'alpha') => json<PrefillAccount>(owner.post(base, { platform }))
  const start = (id: string) => json<PrefillAccount>(owner.post(`${base}/${id}/start`))
  const account = async (id: string) => (await list()).find((one) => one.id === id)

  async function signIn(id: string, credential: string): Promise<void> {
    const answer = await json<LoginAnswer>(owner.post(`${base}/${id}/login`))
    const { challengeId } = answer as CredentialChallenge
    await owner.post(`${base}/${id}/login/credential`, { challengeId, credential })
    await eventually(async () => (await account(id))?.state === 'signedIn', `${id} is signed in`)
  }

  async function history(sessionId: string | null): Promise<string[]> {
    const path = `/api/prefill-admin/sessions/${sessionId}/history`
    const rows = await json<HistoryEntry[]>(owner.get(path))
    return rows.map(({ appId, status }) => `${appId} ${status}`).toSorted()
  }

  return { json, list, add, start, account, signIn, history }
}

/** Two accounts of Steam that own other games, and one in common; each has a daemon of its own. */
export async function household(...others: ReturnType<typeof practiceGame>[]) {
  const origin = practiceOrigin({
    games: [
      practiceGame('1', { owners: ['ada'] }),
      practiceGame('2', { owners: ['bob'] }),
      practiceGame('3', { owners: ['ada', 'bob'] }),
      ...others,
    ],
    login: { displayName: 'a player', steps: [{ credentialType: 'username' }] },
  })
  const environment = { Prefill__LancacheIp: `127.0.0.1:${origin.port}` }
  const app = await testApp({ practiceOrigin: origin.url, environment })
  app.settings.set('setup.isCompleted', true)
  const owner = await signInOwner(app)
  const calls = accountCalls(owner)
  const ada = await calls.start('alpha')
  const bob = await calls.add()
  await calls.signIn('alpha', 'ada')
  await calls.signIn(bob.id, 'bob')
  origin.content.length = 0
  return { app, owner, origin, ada, bob, ...calls }
}
