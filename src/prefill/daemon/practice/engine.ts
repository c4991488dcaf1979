/*
 * The practice engine (platform `test`, or `PREFILL_PRACTICE_ORIGIN` for any platform) takes
 * catalogue, content and login from an origin that a test runs.
 */
import { Type, type Static } from '@sinclair/typebox'
import { pause } from '../../../core/lib/pause.ts'
import { createOutside } from '../../../core/lib/outside.ts'
import { askJson } from '../../../core/lib/outside-json.ts'
import { credentialTypes } from '../../protocol/login.ts'
import type { DaemonFacts } from '../../../platforms/service-facts.ts'
import { LoginError, type Engine, type EngineLogin, type SignedIn } from '../engine.ts'

const Step = Type.Object({
  credentialType: Type.Union(credentialTypes.map((type) => Type.Literal(type))),
  email: Type.Optional(Type.String()),
  authUrl: Type.Optional(Type.String()),
  userCode: Type.Optional(Type.String()),
  /** The right credential; asked up to three times. Absent: any. */
  expected: Type.Optional(Type.String()),
})

const Game = Type.Object({
  appId: Type.String(),
  name: Type.String(),
  version: Type.String(),
  /** Number of minutes; above zero counts as recently played. */
  minutes: Type.Optional(Type.Number()),
  objects: Type.Array(Type.Object({ path: Type.String(), bytes: Type.Number() })),
  /** Names of the accounts that own it; absent: all. */
  owners: Type.Optional(Type.Array(Type.String())),
  /** Cannot be downloaded, for this reason. */
  unavailable: Type.Optional(Type.String()),
})

/** What a practice origin answers to `/practice.json`. */
export const PracticeCatalogue = Type.Object({
  /** Hosts of the content. */
  hosts: Type.Array(Type.String(), { minItems: 1 }),
  games: Type.Array(Game),
  login: Type.Optional(
    Type.Object({
      displayName: Type.String(),
      steps: Type.Array(Step),
      /** The token of a stored sign-in that is accepted. */
      refreshToken: Type.Optional(Type.String()),
    }),
  ),
})
export type PracticeCatalogue = Static<typeof PracticeCatalogue>

const wrongMax = 3
const validMs = 86_400_000
const pollMs = 100
const timeoutMs = 10_000

/** Reads the catalogue anew each time, so that a test can change it. */
function catalogueReader(origin: string) {
  const outside = createOutside({ gapMs: 0, pauseMs: 100 })
  const url = `${origin}/practice.json`
  return async (signal: AbortSignal): Promise<PracticeCatalogue> => {
    const { value } = await askJson(outside, { url, timeoutMs, signal }, PracticeCatalogue)
    if (value === null) throw new Error('the practice origin sent no catalogue')
    return value
  }
}

/** Asks until the answer is right. Rejects with LoginError after three wrong ones. */
async function askFor(expected: string | undefined, ask: () => Promise<string>): Promise<string> {
  for (let asked = 1; ; asked++) {
    const answer = await ask()
    if (expected === undefined || answer === expected) return answer
    if (asked === wrongMax) throw new LoginError('the credential is wrong')
  }
}

function practiceLogin(
  origin: string,
  catalogue: (signal: AbortSignal) => Promise<PracticeCatalogue>,
): EngineLogin {
  let signedIn: SignedIn | null = null
  return {
    get signedIn() {
      return signedIn
    },
    restore: () => Promise.resolve(false),
    async signIn({ ask, show, signal }) {
      const { login = { displayName: 'practice', steps: [] } } = await catalogue(signal)
      let username: string | null = null
      for (const { expected, ...question } of login.steps) {
        if (question.credentialType === 'device-code') {
          show(question)
          while (!(await fetch(`${origin}/approved`, { signal })).ok) await pause(pollMs, signal)
          continue
        }
        const answer = await askFor(expected, () => ask(question))
        if (question.credentialType === 'username') username = answer
      }
      const authExpiryUtc = new Date(Date.now() + validMs).toISOString()
      signedIn = { displayName: login.displayName, username, authExpiryUtc }
    },
    async signInWith(stored, signal) {
      const { login } = await catalogue(signal)
      const isRight = login !== undefined && stored.refreshToken === login.refreshToken
      if (!isRight) throw new LoginError('the stored sign-in was refused')
      signedIn = {
        displayName: login.displayName,
        username: stored.username ?? null,
        authExpiryUtc: new Date(Date.now() + validMs).toISOString(),
      }
    },
    forget: () => void (signedIn = null),
    signOut() {
      signedIn = null
      return Promise.resolve()
    },
  }
}

/**
 * An engine for tests: its catalogue, its content and the steps of its login come from an origin
 * that the test runs. Content is requested like that of any platform.
 */
export function createPracticeEngine(origin: string, wire: DaemonFacts): Engine {
  const read = catalogueReader(origin)
  const login = wire.needsLogin ? practiceLogin(origin, read) : null
  async function catalogue(signal: AbortSignal) {
    const { hosts, games } = await read(signal)
    const name = login?.signedIn?.username ?? ''
    return { hosts, games: games.filter(({ owners }) => owners?.includes(name) ?? true) }
  }
  async function find(appId: string, signal: AbortSignal) {
    const { games, hosts } = await catalogue(signal)
    const game = games.find((one) => one.appId === appId)
    if (game === undefined) throw new Error(`there is no app ${appId}`)
    return { ...game, hosts }
  }
  return {
    wire,
    login,
    userAgent: 'Larder-Practice/1',
    parallel: 8,
    bypassesCache: false,
    async games(signal) {
      const { games } = await catalogue(signal)
      return games.map(({ appId, name, minutes = 0 }) => ({
        appId,
        name,
        imageUrl: null,
        minutesPlayedLast2Weeks: minutes,
      }))
    },
    async choose({ all, top }, signal) {
      const { games } = await catalogue(signal)
      const played = games.filter(({ minutes = 0 }) => minutes > 0)
      const chosen = all ? games : top === null ? played : games.slice(0, top)
      return chosen.map(({ appId }) => appId)
    },
    async version(appId, signal) {
      const { name, version } = await find(appId, signal)
      return { name, versions: [version] }
    },
    async plan(appId, { signal }) {
      const { objects, hosts, unavailable } = await find(appId, signal)
      return {
        totalBytes: objects.reduce((sum, { bytes }) => sum + bytes, 0),
        objects: objects.map(({ path, bytes }) => ({ hosts, target: path, bytes })),
        depots: [],
        unavailable:
          unavailable === undefined ? null : { isUnsupportedOs: false, reason: unavailable },
      }
    },
  }
}
