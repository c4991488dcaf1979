import type { Core } from '../../core/core.ts'
import { AppError } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { excludedClients } from '../exclusions/service.ts'
import { GroupStore } from '../groups/store.ts'
import type { HostNames } from '../host-names/contract.ts'
import type { Devices } from './contract.ts'
import { kindOfName, kindOfServices, type DeviceKind } from './guess.ts'
import type { ClientDevice } from './model.ts'
import { chosenKinds, usedServices, writeKind } from './store.ts'

/** Clients in an answer, and kinds that can be chosen. */
export const devicesMax = 1000
/** Long enough for a console that is used now and then. */
const serviceDays = 90
const dayMs = 86_400_000
/** Services of months do not change within minutes, and every page with names asks. */
const servicesKeptMs = 5 * 60_000

type DeviceParts = Pick<Core, 'state' | 'history' | 'clock' | 'hub'> & { names: HostNames }

/** Kinds of devices in `state.sqlite`, and guesses from names and the history. */
export function createDevices({ state, history, clock, hub, names }: DeviceParts): Devices {
  const groups = new GroupStore(state)

  /** Nicknames of single addresses: a group's name says nothing about each of its members. */
  const nicknames = () =>
    new Map(
      groups
        .all()
        .flatMap(({ memberIps: [ip, ...others], nickname }) =>
          ip === undefined || others.length > 0 ? [] : [[ip, nickname]],
        ),
    )

  let kept: { at: number; services: ReadonlyMap<string, string[]> } | null = null
  async function readServices(): Promise<ReadonlyMap<string, string[]>> {
    const at = clock.now().getTime()
    if (kept !== null && Math.abs(at - kept.at) < servicesKeptMs) return kept.services
    const since = new Date(at - serviceDays * dayMs)
    const rows = await history.read((_db, sql) => usedServices(sql, since, devicesMax))
    kept = { at, services: new Map(rows.map((row) => [row.ip, row.services])) }
    return kept.services
  }

  async function list(): Promise<ClientDevice[]> {
    const services = await readServices()
    const [chosen, named] = [chosenKinds(state), nicknames()]
    const hidden = new Set(excludedClients(state).hidden)
    const guess = (ip: string): Omit<ClientDevice, 'clientIp'> | null => {
      const given = chosen.get(ip)
      if (given !== undefined) return { kind: given, basis: 'chosen' }
      const texts = [named.get(ip), names.isOn() ? names.labelOf(ip) : null]
      const byName = texts.map((text) => kindOfName(text ?? '')).find((kind) => kind !== null)
      if (byName !== undefined) return { kind: byName, basis: 'name' }
      const kind = kindOfServices(services.get(ip) ?? [])
      return kind === null ? null : { kind, basis: 'services' }
    }
    return [...new Set([...chosen.keys(), ...named.keys(), ...services.keys()])].flatMap((ip) => {
      const device = hidden.has(ip) ? null : guess(ip)
      return device === null ? [] : [{ clientIp: ip, ...device }]
    })
  }

  function choose(address: string, kind: DeviceKind | null): void {
    const ip = normalAddress(address)
    if (ip === null) throw new AppError('invalid', 'Not an IPv4 or IPv6 address')
    const chosen = chosenKinds(state)
    if (kind !== null && !chosen.has(ip) && chosen.size >= devicesMax) {
      throw new AppError('conflict', `${devicesMax} clients have a chosen kind already`)
    }
    writeKind(state, ip, kind)
    hub.publish('ClientDevicesChanged', null)
  }

  return { list, choose }
}
