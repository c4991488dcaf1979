/*
 * `prefill/accounts`: a platform can have several accounts, each with a persistent session, a daemon
 * and a stored sign-in of its own (`transports`). The first one is the persistent session of the
 * documented API, has the platform's key as its id and always exists; the others are rows of
 * `state.sqlite`. Epic Games and Microsoft replace a token with every use, so accounts never share
 * one. Child processes of a platform share the versions that were downloaded; a container keeps its own
 * and asks the cache once more.
 */
import type { Caller } from '../../core/caller.ts'
import { AppError } from '../../core/http/errors.ts'
import {
  accountPlatforms,
  hasAccounts,
  isPlatform,
  platformFacts,
  type AccountPlatform,
} from '../../platforms/platforms.ts'
import type { PrefillParts } from '../parts.ts'
import { firstOf, type Gated } from '../persistent/gates.ts'
import { createLoginSteps } from '../persistent/login-calls.ts'
import type { LoginAnswer, Logout, PersistentSession } from '../persistent/model.ts'
import type { Persistent } from '../persistent/persistent.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { LiveSession } from '../sessions/state.ts'
import { accountKey, type AccountSlot } from '../transports/contract.ts'
import { furtherAccountsMax, type AccountCredential, type PrefillAccount } from './model.ts'

interface Parts extends PrefillParts {
  sessions: Sessions
  persistent: Persistent
  gated: Gated
}

interface Slot extends AccountSlot {
  platform: AccountPlatform
}

function stateOf(
  { status, login, needsRelogin }: LiveSession,
  { isAuthenticated }: PersistentSession,
): PrefillAccount['state'] {
  if (status !== 'Active') return 'failed'
  if (login.isActive && !login.isSilent) return 'signingIn'
  if (!isAuthenticated) return 'signedOut'
  return needsRelogin ? 'expired' : 'signedIn'
}

/** Sign-ins of accounts. All throw AppError `notFound` for an account without a running session. */
function loginCalls(parts: Parts, current: (id: string) => LiveSession) {
  const { sessions, gated } = parts
  const steps = createLoginSteps(parts)
  return {
    async login(caller: Caller, id: string): Promise<LoginAnswer> {
      const session = await steps.valid(caller, current(id))
      return steps.begun(session, await steps.begin(session))
    },

    /** Null: no question yet. */
    challenge: async (id: string, timeoutSeconds?: number): Promise<LoginAnswer | null> =>
      steps.challenge(current(id), timeoutSeconds),

    async credential(id: string, answer: AccountCredential): Promise<void> {
      const session = current(id)
      await gated(session, () => steps.provide(session, answer))
    },

    cancelLogin: async (id: string): Promise<void> => sessions.logins.cancel(current(id)),

    async logout(id: string): Promise<Logout> {
      const session = current(id)
      return gated(session, () => steps.logout(session))
    },
  }
}

function createReader({ transports, sessions, persistent }: Parts) {
  const { accounts } = sessions.stores
  const isFull = (platform: AccountPlatform) => accounts.slots(platform).length > furtherAccountsMax

  async function view(slot: Slot): Promise<PrefillAccount> {
    const { platform, accountId } = slot
    const session = sessions.persistentOf(platform, accountId)
    const known = session === null ? null : await persistent.view(session)
    return {
      id: accountKey(slot),
      platform,
      isFirst: accountId === null,
      name: known?.username ?? null,
      state: session === null || known === null ? 'notStarted' : stateOf(session, known),
      problem: session?.errorMessage ?? session?.login.failure ?? null,
      expiresAtUtc: known?.isAuthenticated === true ? known.authExpiresAtUtc : null,
      isPrefilling: known?.isPrefilling ?? false,
      sessionId: session?.id ?? null,
      games: session?.games?.names.size ?? null,
      canAdd: !transports[platform].isShared && !isFull(platform),
    }
  }

  return {
    isFull,
    view,
    /** By platform; the first account of each, then the others. */
    list(): Promise<PrefillAccount[]> {
      const slots = accountPlatforms.flatMap((platform) =>
        accounts.slots(platform).map((slot) => ({ ...slot, platform })),
      )
      return Promise.all(slots.map(view))
    },
    /** Throws AppError `notFound`. */
    slotOf(id: string): Slot {
      const slot = isPlatform(id) ? firstOf(id) : accounts.find(id)
      if (slot === null || !hasAccounts(slot.platform)) {
        throw new AppError('notFound', 'Account not found')
      }
      return { ...slot, platform: slot.platform }
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>

/** Accounts of all platforms. Calls with an id throw AppError `notFound` for an unknown one. */
export function createAccounts(parts: Parts) {
  const { hub, transports, sessions, persistent, gated } = parts
  const { accounts } = sessions.stores
  const reader = createReader(parts)
  const changed = ({ platform }: Slot) => hub.publish('PrefillAccountsUpdated', { platform })

  /** Throws AppError `conflict` for a daemon that Larder does not start. */
  function checkOwn(platform: AccountPlatform): void {
    if (!transports[platform].isShared) return
    const { title } = platformFacts[platform]
    const text = `Larder does not run the daemon of ${title}, which has one account only`
    throw new AppError('conflict', text)
  }

  async function start(slot: Slot): Promise<PrefillAccount> {
    if (slot.accountId !== null) checkOwn(slot.platform)
    await gated(slot, () => persistent.start(slot))
    return reader.view(slot)
  }

  return {
    list: (): Promise<PrefillAccount[]> => reader.list(),

    /** Adds an account and starts its session; one that cannot be started is not added. */
    async add(platform: AccountPlatform): Promise<PrefillAccount> {
      checkOwn(platform)
      if (reader.isFull(platform)) {
        const { title } = platformFacts[platform]
        const text = `${title} has ${furtherAccountsMax + 1} accounts already; remove one first`
        throw new AppError('conflict', text)
      }
      const slot = { ...accounts.add(platform), platform }
      try {
        return await start(slot)
      } catch (error) {
        await persistent.remove(null, slot).catch(() => null)
        accounts.remove(accountKey(slot))
        throw error
      } finally {
        changed(slot)
      }
    },

    start: async (id: string): Promise<PrefillAccount> => start(reader.slotOf(id)),

    /** Signs out, and deletes everything that Larder has of the account. Throws AppError. */
    async remove(caller: Caller, id: string): Promise<void> {
      const slot = reader.slotOf(id)
      if (slot.accountId === null) {
        throw new AppError('conflict', 'The first account of a platform stays; sign it out instead')
      }
      await gated(slot, async () => {
        const outcome = await persistent.remove(caller, slot)
        if (outcome === 'InUse' || outcome === 'DockerUnavailable') {
          throw new AppError('conflict', `The sign-in of the account was not deleted: ${outcome}`)
        }
        accounts.remove(id)
      })
      changed(slot)
    },

    ...loginCalls(parts, (id) => persistent.current(reader.slotOf(id), null)),
  }
}
