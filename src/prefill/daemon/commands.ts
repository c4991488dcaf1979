/*
 * Commands beyond the protocol: `set-bandwidth` (`bytesPerSecond`, `0` for no limit; `paused`),
 * and in `progress` and `status` the members `hitBytes`, `missBytes`, `isPaused`, `isPrefilling`.
 * `get-selected-apps-status` with `appIds` is about these instead of the selection. A published image
 * answers the command with an error, sends none of the members and ignores the parameter. `prefill`
 * with `cache` (`host:port`) requests content there, and notes apart what that cache has;
 * `get-selected-apps-status` with it answers for that cache. `prefill` with `run`, `scheduleId` and
 * `scheduleName` names the run, and `get-last-run` answers these and what is kept of the run
 * (`run-report.ts`), from the event number `from` on.
 */
import type { ServerAddress } from '../../core/lib/cache-network.ts'
import { parseAppIds } from '../protocol/apps.ts'
import type { Command } from '../protocol/commands.ts'
import type { EncryptedCredential } from '../protocol/credentials.ts'
import type { DaemonRequest, ResponseContent } from '../protocol/envelopes.ts'
import { wireId } from '../protocol/progress.ts'
import { cacheStatus, selectedAppsStatus } from './app-status.ts'
import type { Bandwidth } from './content/bandwidth.ts'
import type { CacheClient } from './content/cache-client.ts'
import type { Engine } from './engine.ts'
import type { Lane } from './lanes.ts'
import type { Logins } from './logins.ts'
import { cacheOf, CommandError, depotsOf, readRunRequest, systemsOf } from './run-request.ts'
import type { Runs } from './runs.ts'
import type { DaemonStore } from './store.ts'

export interface CommandParts {
  engine: Engine
  /** Null: the platform has no accounts. */
  logins: Logins | null
  runs: Runs
  store: DaemonStore
  bandwidth: Bandwidth
  /** Null: the usual cache. Rejects with CacheNotFound. */
  openClient: (cache: ServerAddress | null) => Promise<CacheClient>
}

interface Call {
  parameters: DaemonRequest['parameters']
  /** Aborts when the client is gone. */
  signal: AbortSignal
}
type Answer = Omit<ResponseContent, 'success'>

interface Entry {
  lane: Lane
  /** Allowed without a login. */
  isOpen?: boolean
  run(call: Call): Answer | Promise<Answer>
}
export type CommandTable = Partial<Record<Command, Entry>>

function credentialOf(parameters: Call['parameters']): EncryptedCredential {
  const text = (name: keyof EncryptedCredential) => {
    const value = parameters[name]
    if (value) return value
    throw new CommandError('Missing required credential parameters')
  }
  return {
    challengeId: text('challengeId'),
    clientPublicKey: text('clientPublicKey'),
    encryptedCredential: text('encryptedCredential'),
    nonce: text('nonce'),
    tag: text('tag'),
  }
}

/** A sign-in that the manager has stored; how it comes depends on the platform. */
function storedLoginCommands(logins: Logins, { autoLogin }: Engine['wire']): CommandTable {
  const provide = async ({ parameters }: Call): Promise<Answer> => ({
    message: await logins.provideStored(credentialOf(parameters)),
  })
  const isOpen = true
  if (autoLogin === 'event') {
    const run = () => ({ message: logins.startStored() })
    return { 'provide-auto-login': { lane: 'control', isOpen, run } }
  }
  if (autoLogin === 'answered') {
    const run = (call: Call) =>
      'challengeId' in call.parameters ? provide(call) : { data: logins.storedChallenge() }
    return { 'provide-auto-login': { lane: 'serialized', isOpen, run } }
  }
  return {
    'get-auto-login-challenge': {
      lane: 'control',
      isOpen,
      run: () => ({ data: logins.storedChallenge() }),
    },
    'provide-auto-login': { lane: 'serialized', isOpen, run: provide },
  }
}

function loginCommands({ engine, logins, runs }: CommandParts): CommandTable {
  const { login } = engine
  if (login === null || logins === null) return {}
  return {
    ...storedLoginCommands(logins, engine.wire),
    login: { lane: 'control', isOpen: true, run: () => ({ message: logins.start() }) },
    'cancel-login': {
      lane: 'control',
      isOpen: true,
      run() {
        logins.cancel()
        return { message: 'Login cancelled' }
      },
    },
    'provide-credential': {
      lane: 'control',
      isOpen: true,
      run({ parameters }) {
        if (logins.provide(credentialOf(parameters))) return { message: 'Credential received' }
        throw new CommandError('No matching login challenge is pending for this credential')
      },
    },
    logout: {
      lane: 'serialized',
      isOpen: true,
      async run() {
        logins.cancel()
        await runs.cancel()
        await login.signOut()
        return { message: 'Logged out' }
      },
    },
  }
}

function runCommands({ engine, runs, logins, bandwidth }: CommandParts): CommandTable {
  return {
    prefill: {
      lane: 'serialized',
      run({ parameters }) {
        if (runs.start(readRunRequest(parameters))) return { message: 'Prefill started' }
        throw new CommandError('A prefill is already in progress')
      },
    },
    'cancel-prefill': {
      lane: 'control',
      async run() {
        const hadOne = await runs.cancel()
        return { message: hadOne ? 'Prefill cancelled' : 'No prefill in progress' }
      },
    },
    shutdown: {
      lane: 'control',
      async run() {
        logins?.cancel()
        await runs.cancel()
        engine.login?.forget()
        return { message: 'Shutdown complete' }
      },
    },
    'get-last-run': {
      lane: 'control',
      isOpen: true,
      run: ({ parameters: { from = '' } }) => ({ data: runs.report(Number(from) || 0) }),
    },
    'set-bandwidth': {
      lane: 'control',
      isOpen: true,
      run({ parameters: { bytesPerSecond = '', paused = '' } }) {
        if (!/^\d{0,15}$/.test(bytesPerSecond) || !/^(true|false)?$/.test(paused)) {
          throw new CommandError('bytesPerSecond is a whole number, paused is true or false')
        }
        // A limit that ends with the pause would let all go on that wait for it.
        if (paused === 'true') bandwidth.setPaused(true)
        if (bytesPerSecond !== '') bandwidth.setLimit(Number(bytesPerSecond) || null)
        if (paused === 'false') bandwidth.setPaused(false)
        return { message: 'Bandwidth set' }
      },
    },
  }
}

function selectionCommands(parts: CommandParts): CommandTable {
  const { engine, store } = parts
  const isNumeric = engine.wire.hasNumericIds
  return {
    'get-selected-apps': {
      lane: 'concurrent',
      run: () => ({ data: store.selected().map((id) => wireId(id, isNumeric)) }),
    },
    'set-selected-apps': {
      lane: 'serialized',
      run({ parameters }) {
        const given = parseAppIds(parameters['appIds'] ?? '[]')
        const ids = isNumeric ? given.filter((id) => /^\d+$/.test(id)) : given
        if (given.length > 0 && ids.length === 0) throw new CommandError('No valid app ids')
        store.select([...new Set(ids)])
        return { message: 'Apps selected' }
      },
    },
    'get-selected-apps-status': {
      lane: 'concurrent',
      run: async ({ parameters, signal }) => {
        const { appIds: given } = parameters
        const appIds = given === undefined ? store.selected() : [...new Set(parseAppIds(given))]
        const asked = { appIds, systems: systemsOf(parameters) }
        const cache = cacheOf(parameters)
        const openClient = () => parts.openClient(cache)
        const own = { engine, store: store.of(cache), openClient }
        return { data: await selectedAppsStatus(own, asked, signal) }
      },
    },
    'check-cache-status': {
      lane: 'concurrent',
      run: async ({ parameters, signal }) => ({
        data: await cacheStatus(
          parts,
          { appIds: parseAppIds(parameters['appIds'] ?? '[]'), depots: depotsOf(parameters) },
          signal,
        ),
      }),
    },
  }
}

function statusData({ engine: { login }, runs, bandwidth }: CommandParts): object {
  const { displayName = null, username = null, authExpiryUtc = null } = login?.signedIn ?? {}
  return {
    isLoggedIn: login === null || login.signedIn !== null,
    isInitialized: true,
    authExpiryUtc,
    username,
    accountDisplayName: displayName,
    // Beyond the protocol, for a manager that finds a daemon again.
    isPrefilling: runs.isRunning,
    isPaused: bandwidth.isPaused,
  }
}

/** The commands of a daemon, as far as its platform has them. */
export function createCommands(parts: CommandParts): CommandTable {
  const { engine, store } = parts
  const { cdnInfo } = engine
  const isNumeric = engine.wire.hasNumericIds
  return {
    ...loginCommands(parts),
    ...runCommands(parts),
    ...selectionCommands(parts),
    status: {
      lane: 'control',
      isOpen: true,
      run: () => ({ data: statusData(parts) }),
    },
    'get-owned-games': {
      lane: 'concurrent',
      run: async ({ signal }) => ({
        data: (await engine.games(signal)).map((game) => ({
          ...game,
          appId: wireId(game.appId, isNumeric),
        })),
      }),
    },
    ...(cdnInfo !== undefined && {
      'get-cdn-info': {
        lane: 'concurrent' as const,
        run: async ({ parameters, signal }: Call) => ({
          data: await cdnInfo(parseAppIds(parameters['appIds'] ?? '[]'), signal),
        }),
      },
    }),
    'clear-cache': {
      lane: 'serialized',
      run: () => ({ data: { success: true, ...store.files(true) } }),
    },
    'get-cache-info': {
      lane: 'concurrent',
      run: () => ({ data: { success: true, ...store.files(false) } }),
    },
  }
}
