import { serverAddressText, type ServerAddress } from '../../core/lib/cache-network.ts'
import type { RunRequest } from './model.ts'
import type { RunSchedule } from './run.ts'
import type { Platform } from '../../platforms/platforms.ts'
import { serviceFacts } from '../../platforms/service-facts.ts'
import {
  appIdsText,
  cachedDepotsText,
  readAppIds,
  readCacheStatus,
  readDaemonFiles,
  readOwnedGames,
  readSelectedAppsStatus,
  type CachedDepot,
  type CacheStatus,
  type DaemonFiles,
  type OwnedGame,
  type SelectedAppsStatus,
} from '../protocol/apps.ts'
import { commandLimitMs, type Command } from '../protocol/commands.ts'
import { encryptCredential } from '../protocol/credentials.ts'
import type { DaemonResponse } from '../protocol/envelopes.ts'
import {
  readChallenge,
  readStatus,
  type Challenge,
  type DaemonStatus,
  type StoredLogin,
} from '../protocol/login.ts'
import { readRunReport, type Progress, type RunReport } from '../protocol/progress.ts'
import type {
  CommandParameters,
  ConnectDaemon,
  ConnectionListeners,
  DaemonConnection,
  RunningDaemon,
} from '../transports/contract.ts'

/** The daemon refused a command; its text may be shown. */
export class DaemonRefused extends Error {
  readonly requiresLogin: boolean

  constructor(text: string, requiresLogin: boolean) {
    super(text)
    this.requiresLogin = requiresLogin
  }
}

const usualSystems = ['windows', 'linux', 'macos']
/** `shutdown` does not end the daemon, so its answer is not worth a longer wait. */
const shutdownMs = 2000

/** Commands that must be answered while a long one runs. */
const controls: ReadonlySet<Command> = new Set([
  'status',
  'cancel-login',
  'cancel-prefill',
  'provide-credential',
  'shutdown',
  'set-bandwidth',
])

/** Where a run requests content, and what is known to be there. */
interface RunSource {
  known: readonly CachedDepot[]
  /** Null: the cache of the daemon. */
  cache: ServerAddress | null
  /** What `lastRun` says of the run; null: a published image, which keeps nothing. */
  about: { run: string; schedule: RunSchedule } | null
}

function runParameters(
  platform: Platform,
  request: RunRequest,
  { known, cache, about }: RunSource,
): CommandParameters {
  const isAlpha = platform === 'alpha'
  const { topForm } = serviceFacts[platform]
  const flag = (isSet: boolean) => (isSet ? 'true' : null)
  const count = (value: number | null) => (value === null ? null : String(value))
  const isIncremental = isAlpha && !request.force && known.length > 0
  return {
    all: flag(request.all),
    recent: flag(request.recent),
    recently_purchased: flag(isAlpha && request.recentlyPurchased),
    force: flag(request.force),
    top: topForm === 'count' ? count(request.top) : flag(topForm !== null && request.top !== null),
    os: isAlpha ? (request.operatingSystems ?? usualSystems).join(',') : null,
    maxConcurrency: isAlpha ? count(request.maxConcurrency) : null,
    cachedDepots: isIncremental ? cachedDepotsText(known) : null,
    cache: cacheText(cache),
    run: about?.run ?? null,
    scheduleId: about?.schedule?.id ?? null,
    scheduleName: about?.schedule?.name ?? null,
  }
}

const cacheText = (cache: ServerAddress | null) =>
  cache === null ? null : serverAddressText(cache)

type Ask = (type: Command, parameters: CommandParameters) => Promise<DaemonResponse>

/** Page by page: a run may have twenty thousand games. */
async function readLastRun(ask: Ask): Promise<RunReport> {
  const events: Progress[] = []
  for (;;) {
    const from = String(events.length)
    const page = readRunReport((await ask('get-last-run', { from })).data)
    events.push(...page.events)
    if (page.isWhole || page.events.length === 0) return { ...page, events }
  }
}

interface StatusSubject {
  list?: readonly string[] | null
  cache?: ServerAddress | null
}

export type DaemonClient = ReturnType<typeof clientOf>

interface Lines {
  main: DaemonConnection
  /** The same as `main` where the daemon takes several commands at a time. */
  control: DaemonConnection
}

/**
 * Commands of one daemon. All reject with ConnectionLost, CommandTimeout or MessageError, and, unless
 * they return the response, with DaemonRefused.
 */
function clientOf(platform: Platform, { main, control }: Lines) {
  const send = (type: Command, parameters: CommandParameters = {}, limitMs?: number) =>
    (controls.has(type) ? control : main).request(
      type,
      parameters,
      limitMs ?? commandLimitMs(type, platform),
    )

  async function ask(type: Command, parameters: CommandParameters = {}): Promise<DaemonResponse> {
    const answer = await send(type, parameters)
    if (answer.success) return answer
    const text = answer.error ?? answer.message ?? 'The daemon refused the command'
    throw new DaemonRefused(text, answer.requiresLogin)
  }

  const encrypted = (challenge: Challenge, text: string) => ({
    ...encryptCredential(text, {
      challengeId: challenge.challengeId,
      serverPublicKey: challenge.serverPublicKey,
      info: serviceFacts[platform].credentialInfo,
    }),
  })

  return {
    status: async (): Promise<DaemonStatus> => readStatus((await ask('status')).data),
    login: () => ask('login'),
    logout: () => ask('logout'),
    cancelLogin: () => ask('cancel-login'),
    /** The credential leaves this process encrypted for this challenge only. */
    provideCredential: (challenge: Challenge, credential: string) =>
      ask('provide-credential', encrypted(challenge, credential)),
    /** Hands over a stored sign-in (alpha); answers when the daemon is signed in. */
    provideStored: async (stored: StoredLogin) => {
      const challenge = readChallenge((await ask('get-auto-login-challenge')).data)
      await ask('provide-auto-login', encrypted(challenge, JSON.stringify(stored)))
    },
    ownedGames: async (): Promise<OwnedGame[]> =>
      readOwnedGames((await ask('get-owned-games')).data),
    selectedApps: async (): Promise<string[]> => readAppIds((await ask('get-selected-apps')).data),
    selectApps: (appIds: readonly string[]) =>
      ask('set-selected-apps', { appIds: appIdsText(appIds) }),
    /** Of the selection in the usual cache, unless told; published images know only that. */
    selectedAppsStatus: async (
      systems: readonly string[] | null,
      { list = null, cache = null }: StatusSubject = {},
    ): Promise<SelectedAppsStatus> => {
      const os = platform === 'alpha' && systems !== null ? systems.join(',') : null
      const appIds = list === null ? null : appIdsText(list)
      const about = { os, appIds, cache: cacheText(cache) }
      return readSelectedAppsStatus((await ask('get-selected-apps-status', about)).data)
    },
    depotStatus: async (depots: readonly CachedDepot[]): Promise<CacheStatus> =>
      readCacheStatus(
        (await ask('check-cache-status', { cachedDepots: cachedDepotsText(depots) })).data,
      ),
    appStatus: async (appIds: readonly string[]): Promise<CacheStatus> =>
      readCacheStatus((await ask('check-cache-status', { appIds: appIdsText(appIds) })).data),
    /** Answers at the start, or with older images at the end of the run. */
    prefill: (request: RunRequest, from: RunSource) =>
      send('prefill', runParameters(platform, request, from)),
    /** What the daemon has kept of its last run. Only our own daemons know it. */
    lastRun: () => readLastRun(ask),
    cancelPrefill: () => send('cancel-prefill'),
    /** Only our own daemons know it; published images are never sent it. */
    setBandwidth: (limit: { bytesPerSecond: number | null; isPaused: boolean }) =>
      ask('set-bandwidth', {
        bytesPerSecond: String(limit.bytesPerSecond ?? 0),
        paused: String(limit.isPaused),
      }),
    clearCache: async (): Promise<DaemonFiles> => readDaemonFiles((await ask('clear-cache')).data),
    shutdown: () => send('shutdown', {}, shutdownMs),
    close() {
      main.close()
      control.close()
    },
  }
}

/**
 * Connects to a daemon, twice where it reads one command at a time. Events are heard once; either
 * connection's loss is the loss of the daemon. Rejects with ConnectionLost.
 */
export async function connectClient(
  connect: ConnectDaemon,
  daemon: RunningDaemon,
  { listeners, signal }: { listeners: ConnectionListeners; signal: AbortSignal },
): Promise<DaemonClient> {
  const { platform } = daemon
  let isLost = false
  const onLost: ConnectionListeners['onLost'] = (lost) => {
    if (isLost) return
    isLost = true
    listeners.onLost(lost)
  }
  const main = await connect(daemon, { ...listeners, onLost }, signal)
  if (!serviceFacts[platform].isOneAtATime) return clientOf(platform, { main, control: main })
  try {
    const control = await connect(daemon, { onEvent() {}, onLost }, signal)
    return clientOf(platform, { main, control })
  } catch (error) {
    main.close()
    throw error
  }
}
