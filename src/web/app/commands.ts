import { useNavigate, type LinkProps } from '@tanstack/react-router'
import { useEvents } from '../api/event-queries.ts'
import {
  useBatch,
  useClients,
  useClientNames,
  useGames,
  useIsAccount,
  useOperations,
  useStatus,
} from '../api/queries.ts'
import { clientName } from '../format/clients.ts'
import { serviceName, titleOf } from '../format/services.ts'
import { chooseLocale, locale, t, type Key } from '../locales/translate.ts'
import { gameAddress } from './game-address.ts'
import { cacheSections } from './cache-sections.ts'
import { useSections } from './settings-sections.ts'
import { useCacheActions } from './cache-actions.ts'
import { operationName } from './operation-name.ts'
import { useDestinations } from './navigation.ts'
import { useOverlay } from './overlays.ts'
import { controlIds, controls } from './controls.ts'
import { chooseTheme } from './theme.ts'
import { useGuestLock } from './use-guest-lock.ts'
import { useSignOut } from './use-sign-out.ts'

type Place = NonNullable<LinkProps['to']>

/** Other names under which entries are found, by id; pages of the settings have their own. */
const synonyms: Readonly<Record<string, Key>> = {
  '/cache': 'words.cache',
  '/cache/games': 'words.games',
  '/cache/evicted': 'words.evicted',
  '/cache/integrity': 'words.integrity',
  '/cache/retention': 'words.retention',
  clear: 'words.clear',
  '/operations': 'words.operations',
  '/downloads': 'words.downloads',
  '/prefill': 'words.prefill',
  '/prefill/ready': 'words.ready',
}

export interface Command {
  id: string
  label: string
  note?: string
  words?: string
  group: string
  run: () => void
}

/** The largest games of a month; the palette's last entry searches for the rest. */
const gamesMax = 200
const eventsMax = 100
const month = { span: '30d' } as const

/** Games, clients, events and services with their own pages. */
function useThings(): Command[] {
  const navigate = useNavigate()
  const clients = useClients(month).data ?? []
  const services = useBatch(month).data?.services ?? []
  const names = useClientNames()
  const events = useEvents().data ?? []
  const games = useGames({ Sort: 'largest', PageSize: gamesMax }, month).data?.items ?? []
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

/** Everything the palette can currently reach. */
export function useCommands(): Command[] {
  const navigate = useNavigate()
  const isAccount = useIsAccount()
  const open = useOverlay()
  const signOut = useSignOut()
  const things = useThings()
  const { data: status } = useStatus()
  const { data: overview } = useOperations()
  const operations = [
    ...(overview?.running ?? []),
    ...(overview?.waiting ?? []),
    ...(overview?.recent ?? []),
  ]

  const shownSections = useSections()
  const shownDestinations = useDestinations()
  const cacheActions = useCacheActions()
  const lockGuests = useGuestLock(status?.guestAccessEnabled !== false)
  const pageOf = ({ to, label }: { to: Place; label: Key }, note?: Key): Command => ({
    id: to,
    label: t(label),
    ...(note !== undefined && { note: t(note) }),
    group: t('palette.page'),
    run: () => void navigate({ to }),
  })
  const pages = [
    ...shownDestinations.map((page) => pageOf(page)),
    ...(isAccount ? cacheSections : [])
      .filter(({ to }) => to !== '/cache')
      .map((page) => pageOf(page, 'nav.cache')),
    pageOf({ to: '/settings', label: 'nav.settings' }),
    ...shownSections.map((page) => ({ ...pageOf(page, 'nav.settings'), words: t(page.words) })),
    ...(isAccount ? [pageOf({ to: '/operations', label: 'nav.operations' })] : []),
  ]
  const settings = useSettings(pages, isAccount)
  const accountActions = [
    {
      id: 'clear',
      label: t('palette.clear'),
      run: () => void navigate({ to: '/cache', hash: 'clear' }),
    },
    {
      id: 'new-account',
      label: t('accounts.add'),
      run: () => void navigate({ to: '/settings/accounts', search: { open: 'new' } }),
    },
    {
      id: 'new-group',
      label: t('palette.newGroup'),
      run: () => void navigate({ to: '/settings/clients', search: { open: 'new' } }),
    },
    {
      id: 'new-event',
      label: t('palette.newEvent'),
      run: () => void navigate({ to: '/events', search: { open: 'new' } }),
    },
    ...(status?.sessionType === 'admin'
      ? [
          {
            id: 'new-target',
            label: t('palette.newTarget'),
            run: () => void navigate({ to: '/settings/notifications', search: { open: 'new' } }),
          },
        ]
      : []),
    {
      id: 'guest-sessions',
      label: t('palette.guestSessions'),
      run: () => void navigate({ to: '/settings/sessions', search: { type: 'guest' } }),
    },
    {
      id: 'guest-lock',
      label: t(status?.guestAccessEnabled === false ? 'palette.unlock' : 'palette.lock'),
      run: lockGuests,
    },
  ]
  const actions: Command[] = [
    ...(isAccount ? [...accountActions, ...cacheActions] : []),
    { id: 'shortcuts', label: t('shortcuts.title'), run: () => open('shortcuts') },
    { id: 'dark', label: t('palette.dark'), run: () => chooseTheme('dark') },
    { id: 'light', label: t('palette.light'), run: () => chooseTheme('light') },
    { id: 'graphite', label: t('palette.graphite'), run: () => chooseTheme('graphite') },
    { id: 'system', label: t('palette.system'), run: () => chooseTheme('system') },
    {
      id: 'language',
      label: t('palette.language'),
      run: () => chooseLocale(locale() === 'en' ? 'de' : 'en'),
    },
    ...(status?.authenticationEnabled === true
      ? [{ id: 'sign-out', label: t('action.signOut'), run: signOut }]
      : []),
  ].map((action) => ({ ...action, group: t('palette.action') }))
  return [
    ...[...pages, ...actions].map((command) => {
      const words = synonyms[command.id]
      return words === undefined ? command : { ...command, words: t(words) }
    }),
    ...settings,
    ...operations.map((operation): Command => ({
      id: `operation ${operation.id}`,
      label: operationName(operation),
      group: t('palette.operation'),
      run: () => void navigate({ to: '/operations/$id', params: { id: operation.id } }),
    })),
    ...things,
  ]
}
