import { useNavigate, type NavigateOptions } from '@tanstack/react-router'
import { useEvents } from '../api/event-queries.ts'
import {
  useBatch,
  useClients,
  useClientNames,
  useGames,
  useOperations,
  useStatus,
} from '../api/queries.ts'
import { clientName, platformOf, serviceName, titleOf } from '../format/services.ts'
import { daysSearch, type Days } from './days.ts'
import { chooseLocale, locale, t, type Values } from '../locales/translate.ts'
import { gameAddress } from './game-address.ts'
import { operationName } from './operation-name.ts'
import {
  actionEntries,
  actionIds,
  pageEntries,
  verbs,
  type ActionId,
  type Place,
} from './palette-entries.ts'
import { useReaders } from './readers.ts'
import { useStarts } from './starts.ts'
import { useOverlay } from './overlays.ts'
import { controlIds, controls } from './controls.ts'
import { chooseTheme } from './theme.ts'
import { useSignOut } from './use-sign-out.ts'
import { useQueryClient } from '@tanstack/react-query'
import { api, unwrap, keys } from '../api/client.ts'
import { notifyError, notify } from '../components/toast.tsx'

type Verb = keyof typeof verbs

export interface Command {
  id: string
  label: string
  note?: string
  words?: string
  /** The client that it opens. */
  ip?: string
  group: string
  run: () => void
}

/** The largest games of a month; the palette's last entry searches for the rest. */
const gamesMax = 200
const eventsMax = 100
const month = { span: '30d' } as const

const useLargestGames = () =>
  useGames({ Sort: 'largest', PageSize: gamesMax }, month).data?.items ?? []

/** Games, clients, events and services with their own pages. */
function useThings(): Command[] {
  const navigate = useNavigate()
  const clients = useClients(month).data ?? []
  const services = useBatch(month).data?.services ?? []
  const names = useClientNames()
  const events = useEvents().data ?? []
  const games = useLargestGames()
  return [
    ...games.map((game): Command => ({
      id: `game ${game.id}`,
      label: titleOf(game.appName),
      note: serviceName(game.service),
      group: t('palette.game'),
      run: () => {
        const params = gameAddress(game)
        void navigate({ to: '/games/$service/$id', params })
      },
    })),
    ...clients.map((client): Command => ({
      id: `client ${client.clientIp}`,
      label: clientName(client.clientIp, client.displayName, names),
      note: client.clientIp,
      ip: client.clientIp,
      group: t('palette.client'),
      run: () => void navigate({ to: '/clients/$ip', params: { ip: client.clientIp } }),
    })),
    ...events.slice(0, eventsMax).map((event): Command => ({
      id: `event ${event.id}`,
      label: event.name,
      group: t('palette.event'),
      run: () => void navigate({ to: '/events/$id', params: { id: String(event.id) } }),
    })),
    ...services.map(({ service }): Command => ({
      id: `service ${service}`,
      label: serviceName(service),
      group: t('palette.service'),
      run: () => void navigate({ to: '/services/$service', params: { service } }),
    })),
  ]
}

/** Settings on the pages that are listed; those outside of the settings take an account. */
function useSettings(pages: readonly Command[], isAccount: boolean): Command[] {
  const navigate = useNavigate()
  const names = new Map(pages.map(({ id, label }) => [id, label]))
  const isOpen = (to: Place) => (to.startsWith('/settings') ? names.has(to) : isAccount)
  return controlIds
    .filter((id) => isOpen(controls[id].to))
    .map((id): Command => {
      const { to } = controls[id]
      return {
        id: `setting ${id}`,
        label: t(id),
        note: names.get(to) ?? t('nav.prefill'),
        words: `${t(`${id}.effect`)} ${t(`${id}.words`)}`,
        group: t('controls.setting'),
        run: () => void navigate({ to, hash: id }),
      }
    })
}

/** What happens at each action. */
function useRuns(): Record<ActionId, () => void> {
  const navigate = useNavigate()
  const open = useOverlay()
  const signOut = useSignOut()
  const { data: status } = useStatus()
  const lockGuests = useGuestLock(status?.guestAccessEnabled !== false)
  const show = (days: Days) => void navigate({ to: '/', search: daysSearch(days, new Date()) })
  return {
    ...useStarts(),
    clear: () => void navigate({ to: '/cache', hash: 'clear' }),
    'new-account': () => void navigate({ to: '/settings/accounts', search: { open: 'new' } }),
    'new-group': () => void navigate({ to: '/settings/clients', search: { open: 'new' } }),
    'new-event': () => void navigate({ to: '/events', search: { open: 'new' } }),
    'new-target': () => void navigate({ to: '/settings/notifications', search: { open: 'new' } }),
    'guest-sessions': () => void navigate({ to: '/settings/sessions', search: { type: 'guest' } }),
    'guest-lock': lockGuests,
    today: () => show('today'),
    yesterday: () => show('yesterday'),
    'this-month': () => show('month'),
    reference: () => void window.open('/reference'),
    shortcuts: () => open('shortcuts'),
    dark: () => chooseTheme('dark'),
    light: () => chooseTheme('light'),
    graphite: () => chooseTheme('graphite'),
    system: () => chooseTheme('system'),
    language: () => chooseLocale(locale() === 'en' ? 'de' : 'en'),
    'sign-out': signOut,
  }
}

const addressPattern = /^((\d{1,3}\.){3}\d{1,3}|[\da-f]*:[\da-f:.]+)$/i

/** What can be done with the thing that is typed last, such as `remove rust` or `client 10.0.0.9`. */
function useArguments(wanted: string): Command[] {
  const navigate = useNavigate()
  const games = useLargestGames()
  const readers = useReaders()
  const words = wanted.trim().split(/\s+/)
  const last = words.at(-1) ?? ''
  const of = (verb: Verb, values: Values, to: NavigateOptions): Command[] => {
    const { label, words: others, reader } = verbs[verb]
    const text = t(label, values)
    const run = () => void navigate(to)
    return readers[reader]
      ? [{ id: text, label: text, words: t(others), group: t('palette.action'), run }]
      : []
  }
  const clients = addressPattern.test(last)
    ? of('client', { address: last }, { to: '/clients/$ip', params: { ip: last } })
    : []
  if (words.length < 2) return clients
  const depots = /^\d{1,10}$/.test(last)
    ? of('name', { id: last }, { to: '/cache/unnamed', search: { title: `alpha:${last}` } })
    : []
  const doable = games.flatMap(({ appName, service }) => {
    const search = titleOf(appName)
    const game = { game: search }
    const platform = platformOf(service)
    const remove = of('remove', game, { to: '/cache/games', search: { search } })
    if (platform === 'other') return remove
    return [...of('prefill', game, { to: '/prefill', search: { search, platform } }), ...remove]
  })
  return [...clients, ...depots, ...doable]
}

/** Everything the palette can currently reach. */
export function useCommands(wanted: string): Command[] {
  const navigate = useNavigate()
  const readers = useReaders()
  const things = useThings()
  const runs = useRuns()
  const typed = useArguments(wanted)
  const { data: status } = useStatus()
  const { data: overview } = useOperations()
  const operations = [
    ...(overview?.running ?? []),
    ...(overview?.waiting ?? []),
    ...(overview?.recent ?? []),
  ]
  const pages = pageEntries
    .filter(({ reader }) => readers[reader])
    .map(({ to, label, note, words }): Command => ({
      id: to,
      label: t(label),
      ...(note !== undefined && { note: t(note) }),
      ...(words !== undefined && { words: t(words) }),
      group: t('palette.page'),
      run: () => void navigate({ to }),
    }))
  const settings = useSettings(pages, readers.account)
  const isLocked = status?.guestAccessEnabled === false
  const actions = actionIds
    .filter((id) => readers[actionEntries[id].reader])
    .filter((id) => id !== 'sign-out' || status?.authenticationEnabled === true)
    .map((id): Command => ({
      id,
      label: t(id === 'guest-lock' && isLocked ? 'palette.unlock' : actionEntries[id].label),
      words: t(actionEntries[id].words),
      group: t('palette.action'),
      run: runs[id],
    }))
  return [
    ...pages,
    ...actions,
    ...settings,
    ...operations.map((operation): Command => ({
      id: `operation ${operation.id}`,
      label: operationName(operation),
      group: t('palette.operation'),
      run: () => void navigate({ to: '/operations/$id', params: { id: operation.id } }),
    })),
    ...things,
    ...typed,
  ]
}

/** Locks or unlocks guest mode for new guests; the toast offers undo. */
function useGuestLock(locks: boolean): () => void {
  const queries = useQueryClient()
  const set = async (isLocked: boolean) => {
    await unwrap(api.auth.guest.config.lock.post({ isLocked }))
    await Promise.all([
      queries.invalidateQueries({ queryKey: keys.guests }),
      queries.invalidateQueries({ queryKey: keys.status }),
    ])
  }
  const fail = (error: Error) => notifyError(error.message)
  return () => {
    const done = t(locks ? 'guests.wasLocked' : 'guests.wasOpened')
    set(locks).then(() => notify(done, () => void set(!locks).catch(fail)), fail)
  }
}
