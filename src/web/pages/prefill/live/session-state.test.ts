import { expect, test } from 'bun:test'
import { secondsLeft, shownState, stageOf } from '../session/progress.ts'
import type { CredentialChallenge, DaemonSession, HubEvent, Progress } from '../wire.ts'
import { afterEvent, noSession, shown, withAnswer, type SessionView } from './session-state.ts'

const sessionId = '00112233aabbccdd'
// Only these members matter here.
const session = {
  id: sessionId,
  status: 'Active',
  authState: 'NotAuthenticated',
  isPrefilling: false,
  containerName: 'gamma-prefill-1',
  username: 'anna',
} as DaemonSession
const progress = (part: Partial<Progress>) =>
  ({
    currentAppId: null,
    currentAppName: null,
    result: null,
    bytesDownloaded: 0,
    ...part,
  }) as Progress

type Name = HubEvent['event']

/** The view after one more event of the session; only members that matter are given. */
const next = (view: SessionView, event: Name, data: object): SessionView =>
  afterEvent(view, { event, data: { sessionId, ...data } } as HubEvent)

/** The view after some events of one session. */
function after(...events: [event: Name, data: object][]): SessionView {
  let view = shown(noSession, session)
  for (const [event, data] of events) view = next(view, event, data)
  return view
}
const kinds = ({ lines }: SessionView) => lines.map(({ kind }) => kind)
const challenge = { challengeId: 'a', credentialType: 'password' }

test('a sign-in shows its question once, and its end', () => {
  const asked = after(
    ['AuthStateChanged', { authState: 'LoggingIn' }],
    ['CredentialChallenge', { challenge }],
    ['CredentialChallenge', { challenge }],
  )
  expect(asked.challenge).toMatchObject(challenge)
  expect(kinds(asked)).toEqual(['session', 'loginNeeded'])
  const isIn = next(asked, 'AuthStateChanged', { authState: 'Authenticated' })
  expect(isIn.challenge).toBeNull()
  expect(isIn.lines.at(-1)).toMatchObject({ kind: 'loggedIn', subject: 'anna' })
})

test('the same question again means that its answer was refused', () => {
  const answered = withAnswer(after(['CredentialChallenge', { challenge }]), {
    ...challenge,
  } as CredentialChallenge)
  expect(answered.challenge).toBeNull()
  const ask = (data: object) => next(answered, 'CredentialChallenge', data)
  const again = ask({ challenge: { ...challenge, challengeId: 'b' } })
  expect(again.isAskedAgain).toBe(true)
  const other = ask({ challenge: { challengeId: 'b', credentialType: '2fa' } })
  expect(other.isAskedAgain).toBe(false)
})

test('a refused sign-in keeps the reason', () => {
  const status = { message: 'Login failed: wrong password' }
  const view = after(['CredentialChallenge', { challenge }], ['StatusChanged', { status }])
  expect(view.loginProblem).toBe('wrong password')
  expect(view.lines.at(-1)?.kind).toBe('loginFailed')
})

test('a run lists every game with what became of it', () => {
  const game = (id: string, part: Partial<Progress>): [Name, object] => [
    'PrefillProgress',
    { progress: progress({ currentAppId: id, currentAppName: `Game ${id}`, ...part }) },
  ]
  const view = after(
    ['PrefillStateChanged', { state: 'started' }],
    game('1', { state: 'downloading' }),
    game('1', { state: 'downloading', bytesDownloaded: 5 }),
    game('1', { state: 'app_completed', result: 'Success', bytesDownloaded: 9 }),
    game('2', { state: 'already_cached', result: 'AlreadyUpToDate' }),
    game('3', { state: 'downloading' }),
    game('3', {
      state: 'app_completed',
      result: 'Failed',
      currentAppName: null,
      errorMessage: 'no space',
    }),
    game('4', { state: 'downloading' }),
    ['PrefillStateChanged', { state: 'cancelled', durationSeconds: 7, errorMessage: null }],
  )
  expect(view.games.map(({ id, state, bytes }) => [id, state, bytes])).toEqual([
    ['1', 'done', 9],
    ['2', 'cached', 0],
    ['3', 'failed', 0],
    ['4', 'failed', 0],
  ])
  expect(view.games[2]).toMatchObject({ name: 'Game 3', reason: 'no space' })
  expect(view.outcome).toEqual({ state: 'cancelled', seconds: 7, text: null })
  expect(view.session?.isPrefilling).toBe(false)
  expect(kinds(view).slice(1)).toEqual([
    'started',
    'game',
    'gameDone',
    'gameCached',
    'game',
    'gameFailed',
    'game',
    'cancelled',
  ])
})

test('a run that failed without a progress says why', () => {
  const failure = { state: 'failed', durationSeconds: 0, errorMessage: 'not now' }
  const view = after(
    ['PrefillStateChanged', { state: 'started' }],
    ['PrefillStateChanged', failure],
  )
  expect(view.outcome).toEqual({ state: 'failed', seconds: 0, text: 'not now' })
  expect(view.lines.at(-1)).toMatchObject({ kind: 'failed', subject: 'not now' })
})

test('the next run begins with an empty list', () => {
  const view = after(
    ['PrefillProgress', { progress: progress({ currentAppId: '1', state: 'downloading' }) }],
    ['PrefillStateChanged', { state: 'completed', durationSeconds: 1 }],
    ['PrefillStateChanged', { state: 'started' }],
  )
  expect(view).toMatchObject({ games: [], outcome: null, progress: null })
})

test('the end of the session says why; events of other sessions change nothing', () => {
  const view = after(['SessionEnded', { reason: 'Session expired' }])
  expect(view).toMatchObject({ session: null, ended: 'Session expired' })
  const other = after(['SessionEnded', { sessionId: 'other', reason: 'x' }])
  expect(other.session).toEqual(session)
})

test('a run in which games failed is not shown as a success', () => {
  expect(shownState('completed', 0)).toBe('completed')
  expect(shownState('completed', 1)).toBe('partly')
  expect(shownState('cancelled', 1)).toBe('cancelled')
})

test('time left and the position among all games', () => {
  expect(secondsLeft({ totalBytes: 300, bytesDownloaded: 100, bytesPerSecond: 50 })).toBe(4)
  expect(secondsLeft({ totalBytes: 0, bytesDownloaded: 0, bytesPerSecond: 50 })).toBeNull()
  expect(secondsLeft({ totalBytes: 9, bytesDownloaded: 1, bytesPerSecond: 0 })).toBeNull()
  const counts = { totalApps: 3, updatedApps: 1, alreadyUpToDate: 0, failedApps: 0 }
  expect(stageOf(counts)).toEqual({ done: '2', total: '3' })
  expect(stageOf({ ...counts, updatedApps: 3 })).toEqual({ done: '3', total: '3' })
  expect(stageOf({ ...counts, totalApps: 0 })).toBeNull()
})
