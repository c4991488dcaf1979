import type { Config } from '../../core/config.ts'
import { isPrivateAddress } from '../../core/lib/address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { within } from '../../core/lib/within.ts'
import type { Hub } from '../../core/live/contract.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { ResolverChain } from './chain.ts'
import type { AddressesReason, HostNames, HostnamesReason, Outcome } from './contract.ts'
import { Lookups } from './lookups.ts'

/** Time limit of one query to a resolver, and of waiting for names in one request. */
const usualLimits = { queryMs: 2000, budgetMs: 3000 }
/** Addresses looked up per request. */
export const lookedUpMax = 256

interface NamesDeps {
  config: Pick<Config, 'dns'>
  clock: Clock
  settings: Settings
  hub: Pick<Hub, 'publish'>
}

/** The reason given for addresses without a name. */
function reasonOf(outcomes: readonly (Outcome | null)[], isCut: boolean): HostnamesReason {
  const has = (kind: Outcome['kind']) => outcomes.some((outcome) => outcome?.kind === kind)
  if (has('noResolver')) return 'noResolver'
  if (outcomes.includes(null)) return 'stillLooking'
  if (isCut) return 'tooManyClients'
  if (has('none')) return has('name') ? 'someUnnamed' : 'noRecords'
  return has('failed') ? 'resolverTimeout' : 'none'
}

/** Looks up client names while the setting allows it. */
export function createNames(deps: NamesDeps, limits = usualLimits): HostNames {
  const { config, clock, settings, hub } = deps
  const { queryMs, budgetMs } = limits
  const chain = new ResolverChain(config.dns, { clock, queryMs })
  const announce = () => hub.publish('ClientHostnamesChanged', null)
  /** A name was found, or a caller was told that lookups are pending. */
  let isAwaited = false

  async function ask(address: string): Promise<Outcome> {
    const outcome = await chain.nameOf(address)
    if (outcome.kind === 'name') isAwaited = true
    return outcome
  }
  const lookups = new Lookups(ask, {
    clock,
    onIdle() {
      if (isAwaited) announce()
      isAwaited = false
    },
  })
  const isOn = () => settings.get('clients.hasHostnames')

  /** Null when not known in time. */
  async function outcomesOf(addresses: readonly string[]): Promise<(Outcome | null)[]> {
    const searches = addresses.map((address) => lookups.find(address) ?? Promise.resolve(null))
    await within(Promise.all(searches), budgetMs, [])
    return addresses.map((address) => lookups.known(address))
  }

  return {
    isOn,
    isShownTo: ({ role }) =>
      isOn() && (role !== 'guest' || settings.get('clients.showsHostnamesToGuests')),
    switchTo(state) {
      settings.set('clients.hasHostnames', state.isOn)
      lookups.forget()
      chain.forget()
      announce()
    },
    labelOf(address) {
      const outcome = isOn() ? lookups.known(address) : null
      return outcome?.kind === 'name' ? (outcome.name.split('.')[0] ?? null) : null
    },
    prepare(addresses) {
      if (!isOn()) return
      const unknown = addresses
        .filter((address) => isPrivateAddress(address) && lookups.known(address) === null)
        .slice(0, lookedUpMax)
      if (unknown.length === 0 || !chain.prepare(unknown)) return
      for (const address of unknown) void lookups.find(address)
    },
    async lookUp(addresses) {
      const near = addresses.filter(isPrivateAddress)
      const asked = near.slice(0, lookedUpMax)
      if (asked.length === 0) return { names: new Map(), reason: 'noClients' }
      if (!chain.prepare(asked)) return { names: new Map(), reason: 'noResolver' }
      const outcomes = await outcomesOf(asked)
      const reason = reasonOf(outcomes, asked.length < near.length)
      if (reason === 'stillLooking') {
        // They may have ended in the meantime.
        if (lookups.isIdle) announce()
        else isAwaited = true
      }
      const names = new Map<string, string>()
      for (const [index, outcome] of outcomes.entries()) {
        if (outcome?.kind === 'name') names.set(asked[index] ?? '', outcome.name)
      }
      return { names, reason }
    },
    async resolve(hostname) {
      chain.prepare([])
      const late = { addresses: [] as string[], reason: 'resolverTimeout' as AddressesReason }
      return within(chain.addressesOf(hostname), budgetMs, late)
    },
  }
}
