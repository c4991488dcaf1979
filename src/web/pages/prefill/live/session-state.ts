import type { EndOf } from '../../../locales/translate.ts'
import type { CredentialChallenge, DaemonSession, HubEvent, Progress, RunState } from '../wire.ts'

/** Lines of the activity log that are kept. */
const linesMax = 300
/** Games of one run that are listed. */
const gamesMax = 2000

export type GameState = 'running' | 'done' | 'cached' | 'failed'

export interface GameLine {
  id: string
  name: string
  state: GameState
  bytes: number
  /** Why it failed, in the daemon's words. */
  reason: string | null
}

/** Kinds of lines in the activity log. */
export type LineKind = EndOf<'prefill.line'>

export interface Line {
  at: number
  kind: LineKind
  /** A game, a reason, or the kind of a question. */
  subject: string
}

/** Everything that a page shows of one session. */
export interface SessionView {
  session: DaemonSession | null
  challenge: CredentialChallenge | null
  /** Kind of the question that was answered last. */
  answered: string | null
  /** The same question came again: its answer was refused. */
  isAskedAgain: boolean
  /** Why the last sign-in failed. */
  loginProblem: string | null
  progress: Progress | null
  /** Games of the current or last run, in the order of their start. */
  games: readonly GameLine[]
  outcome: { state: RunState; seconds: number | null; text: string | null } | null
  lines: readonly Line[]
  /** Why the session is over. */
  ended: string | null
}

export const noSession: SessionView = {
  session: null,
  challenge: null,
  answered: null,
  isAskedAgain: false,
  loginProblem: null,
  progress: null,
  games: [],
  outcome: null,
  lines: [],
  ended: null,
}

const say = (view: SessionView, kind: LineKind, subject = ''): SessionView => ({
  ...view,
  lines: [...view.lines, { at: Date.now(), kind, subject }].slice(-linesMax),
})

/** A session as it was just read; keeps the log of the same one. */
export function shown(view: SessionView, session: DaemonSession | null): SessionView {
  if (session === null) return { ...noSession, lines: view.lines, ended: view.ended }
  if (view.session?.id === session.id) return withSession(view, session)
  return say({ ...noSession, session, lines: view.lines }, 'session', session.containerName)
}

const noQuestion = { challenge: null, answered: null, isAskedAgain: false, loginProblem: null }

function withSession(view: SessionView, session: DaemonSession): SessionView {
  const isLoggedIn = session.authState === 'Authenticated'
  return { ...view, session, ...(isLoggedIn ? noQuestion : {}) }
}

function withAuth(view: SessionView, authState: string): SessionView {
  if (view.session === null || view.session.authState === authState) return view
  const next = withSession(view, { ...view.session, authState })
  if (authState === 'Authenticated') return say(next, 'loggedIn', view.session.username ?? '')
  return authState === 'NotAuthenticated' ? { ...next, challenge: null, answered: null } : next
}

const failedPattern = /^login failed:\s*/i

function withStatus(view: SessionView, message: string | null): SessionView {
  if (message === null || !failedPattern.test(message)) return view
  const loginProblem = message.replace(failedPattern, '')
  return say({ ...view, loginProblem }, 'loginFailed', loginProblem)
}

/** The same challenge arrives as an answer and as an event. */
export function withChallenge(view: SessionView, challenge: CredentialChallenge): SessionView {
  if (view.challenge?.challengeId === challenge.challengeId) return view
  const { credentialType } = challenge
  const isAskedAgain = view.answered === credentialType
  return say(
    { ...view, challenge, isAskedAgain, loginProblem: null },
    'loginNeeded',
    credentialType,
  )
}

/** The question is answered; the next one comes as an event. */
export function withAnswer(
  view: SessionView,
  { challengeId, credentialType }: CredentialChallenge,
) {
  if (view.challenge?.challengeId !== challengeId) return view
  return { ...view, challenge: null, answered: credentialType }
}

const endStates: Readonly<Record<string, GameState>> = {
  app_completed: 'done',
  already_cached: 'cached',
}

function gameOf(progress: Progress, games: readonly GameLine[]): GameLine | null {
  const { currentAppId: id, currentAppName, result, state } = progress
  if (id === null || id === '') return null
  const known = games.find((game) => game.id === id)
  const ended = result === 'Failed' ? 'failed' : endStates[state]
  const name = currentAppName ?? known?.name ?? id
  const reason = ended === 'failed' ? progress.errorMessage : null
  return { id, name, state: ended ?? 'running', bytes: progress.bytesDownloaded, reason }
}

const gameKinds: Readonly<Record<GameState, LineKind>> = {
  running: 'game',
  done: 'gameDone',
  cached: 'gameCached',
  failed: 'gameFailed',
}

function withProgress(view: SessionView, progress: Progress): SessionView {
  const game = gameOf(progress, view.games)
  const next = { ...view, progress }
  if (game === null) return next
  const known = view.games.find(({ id }) => id === game.id)
  // The next game has begun: whatever was said last of the one before is final.
  const games = view.games.map((one) => (one.id === game.id ? game : one))
  if (known === undefined && games.length < gamesMax) games.push(game)
  const isNews = known === undefined || known.state !== game.state
  return isNews ? say({ ...next, games }, gameKinds[game.state], game.name) : { ...next, games }
}

/** A game that was never reported as finished stops with its run. */
const stopped = (games: readonly GameLine[], state: RunState) =>
  games.map((game) => {
    if (game.state !== 'running') return game
    return { ...game, state: state === 'completed' ? ('done' as const) : ('failed' as const) }
  })

type RunChange = Extract<HubEvent, { event: 'PrefillStateChanged' }>['data']

function withRun(view: SessionView, change: RunChange): SessionView {
  const { state, durationSeconds: seconds, errorMessage } = change
  const { session } = view
  const isPrefilling = state === 'started'
  const next = { ...view, session: session === null ? null : { ...session, isPrefilling } }
  if (isPrefilling) {
    return say({ ...next, games: [], progress: null, outcome: null }, 'started')
  }
  const games = stopped(view.games, state)
  const outcome = { state, seconds, text: errorMessage }
  return say({ ...next, games, outcome }, state, errorMessage ?? '')
}

/** The view after an event of the platform's hub. */
export function afterEvent(view: SessionView, { event, data }: HubEvent): SessionView {
  const own = view.session?.id
  if (own === undefined || ('sessionId' in data ? data.sessionId : data.id) !== own) return view
  switch (event) {
    case 'SessionSubscribed':
    case 'DaemonSessionUpdated':
      return withSession(view, data)
    case 'AuthStateChanged':
      return withAuth(view, data.authState)
    case 'CredentialChallenge':
      return withChallenge(view, data.challenge)
    case 'StatusChanged':
      return withStatus(view, data.status.message)
    case 'PrefillStateChanged':
      return withRun(view, data)
    case 'PrefillProgress':
      return withProgress(view, data.progress)
    case 'DaemonSessionTerminated':
    case 'SessionEnded': {
      const ended = data.reason
      return { ...say(view, 'ended', ended), session: null, challenge: null, ended }
    }
    case 'DaemonSessionCreated':
    case 'PrefillHistoryUpdated':
      break
  }
  return view
}
