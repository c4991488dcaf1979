import { isAccountHolder, type Caller } from '../../../http/access.ts'
import { AppError } from '../../../http/errors.ts'
import { normalAddress } from '../../../lib/address.ts'
import { gameFocus } from '../games/service.ts'
import { everything, type Focus } from '../reports/focus.ts'
import { gameKeyAt, type GameKey } from '../reports/games.ts'
import { foldedService, serviceNames } from '../reports/numbers.ts'
import type { Reports } from '../reports/reports.ts'
import type { Scope } from '../reports/scope.ts'
import { origins, type NumberName } from './catalogue.ts'

/** A question about one figure, as a request asks it. */
export interface Question {
  scope: Scope
  client: string | undefined
  service: string | undefined
  game: string | undefined
  download: number | undefined
  caller: Caller
}

/** One thing that a figure is about. */
export type About =
  | { kind: 'everything' }
  | { kind: 'client'; client: string }
  | { kind: 'game'; key: GameKey }
  | { kind: 'service'; service: string }
  | { kind: 'download'; id: number }

/** The first part of a name: the page that the figure is from. */
export const originOf = (name: NumberName): (typeof origins)[number] => {
  const [first] = name.split('.')
  // Names of the catalogue begin with one of them.
  return origins.find((origin) => origin === first) ?? 'dashboard'
}

const needed = (text: string | undefined, what: string): string => {
  if (text !== undefined && text !== '') return text
  throw new AppError('invalid', what)
}

function clientAbout({ client, caller }: Question): About {
  if (!isAccountHolder(caller)) throw new AppError('forbidden')
  const text = needed(client, 'A number of a client needs client=<address>')
  const ip = normalAddress(text)
  if (ip === null) throw new AppError('invalid', 'A client is an IPv4 or IPv6 address')
  return { kind: 'client', client: ip }
}

/**
 * What a figure is about. Throws `invalid` when the question does not say which, and `forbidden`
 * for guests who ask about a client.
 */
export function aboutOf(name: NumberName, question: Question): About {
  const { service, game, download } = question
  const origin = originOf(name)
  if (origin === 'client') return clientAbout(question)
  if (origin === 'game') {
    const what = 'A number of a game needs service=<service> and game=<app id, beta id or name>'
    return { kind: 'game', key: gameKeyAt(needed(service, what), needed(game, what)) }
  }
  if (origin === 'service') {
    const text = needed(service, 'A number of a service needs service=<service>')
    return { kind: 'service', service: foldedService(text.toLowerCase()) }
  }
  if (origin === 'download') {
    if (download !== undefined) return { kind: 'download', id: download }
    throw new AppError('invalid', 'A number of a download needs download=<id>')
  }
  return { kind: 'everything' }
}

/** Which rows of the history a figure is about; null is all of them. */
export async function focusFor(reports: Reports, about: About): Promise<Focus | null> {
  if (about.kind === 'client') return { ...everything, client: about.client }
  if (about.kind === 'service') return { ...everything, services: serviceNames(about.service) }
  return about.kind === 'game' ? gameFocus(reports, about.key) : null
}
