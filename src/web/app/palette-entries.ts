import type { LinkProps } from '@tanstack/react-router'
import { prefillTabs } from '../pages/prefill/prefill-page.tsx'
import type { Key } from '../locales/translate.ts'
import { cacheSections } from './cache-sections.ts'
import { destinations } from './navigation.ts'
import type { Reader } from './readers.ts'
import { sections } from './settings-sections.ts'

export type Place = NonNullable<LinkProps['to']>

interface Entry {
  label: Key
  /** Other names under which it is found, separated by commas. */
  words?: Key | undefined
  /** Who may open or do it. */
  reader: Reader
}

export interface PageEntry extends Entry {
  to: Place
  /** The page above it. */
  note?: Key
}

/** Pages of the settings have words of their own. */
const wordsOf: Partial<Record<Place, Key>> = {
  '/': 'words.overview',
  '/downloads': 'words.downloads',
  '/games': 'words.library',
  '/clients': 'words.clientList',
  '/events': 'words.events',
  '/prefill': 'words.prefill',
  '/prefill/ready': 'words.ready',
  '/prefill/schedules': 'words.prefillSchedules',
  '/prefill/sessions': 'words.prefillSessions',
  '/cache': 'words.cache',
  '/cache/games': 'words.games',
  '/cache/unnamed': 'words.unnamed',
  '/cache/evicted': 'words.evicted',
  '/cache/integrity': 'words.integrity',
  '/cache/retention': 'words.retention',
}
const named = (page: Omit<PageEntry, 'words'>): PageEntry => ({
  ...page,
  words: wordsOf[page.to],
})

/** All pages of the palette; pages of one thing come with the things. */
export const pageEntries: readonly PageEntry[] = [
  ...destinations.map(({ to, label, reader }) => named({ to, label, reader })),
  // The first of each is a destination.
  ...cacheSections.slice(1).map((tab) => named({ ...tab, note: 'nav.cache', reader: 'account' })),
  ...prefillTabs.slice(1).map((tab) => named({ ...tab, note: 'nav.prefill', reader: 'account' })),
  { to: '/settings', label: 'nav.settings', words: 'words.settings', reader: 'everyone' },
  ...sections.map(({ to, label, words, reader }): PageEntry => {
    const note = 'nav.settings'
    return { to, label, words, reader, note }
  }),
  { to: '/operations', label: 'nav.operations', words: 'words.operations', reader: 'account' },
]

/** Everything that can be done from anywhere; `commands.ts` does it. */
export const actionEntries = {
  clear: { label: 'palette.clear', words: 'words.clear', reader: 'account' },
  'new-account': { label: 'accounts.add', words: 'words.newAccount', reader: 'account' },
  'new-group': { label: 'palette.newGroup', words: 'words.newGroup', reader: 'account' },
  'new-event': { label: 'palette.newEvent', words: 'words.newEvent', reader: 'account' },
  'new-target': { label: 'palette.newTarget', words: 'words.newTarget', reader: 'admin' },
  'guest-sessions': {
    label: 'palette.guestSessions',
    words: 'words.guestSessions',
    reader: 'account',
  },
  'guest-lock': { label: 'palette.lock', words: 'words.guestLock', reader: 'account' },
  'cache-scan': { label: 'palette.scanCache', words: 'words.scanCache', reader: 'account' },
  'cache-detect': { label: 'palette.detect', words: 'words.detect', reader: 'account' },
  'cache-evicted': { label: 'palette.scanEvicted', words: 'words.scanEvicted', reader: 'account' },
  'cache-check': {
    label: 'corruption.paletteCheck',
    words: 'words.checkCache',
    reader: 'account',
  },
  'cache-misses': {
    label: 'corruption.paletteMisses',
    words: 'words.checkMisses',
    reader: 'account',
  },
  'run-schedules': { label: 'palette.runAll', words: 'words.runAll', reader: 'account' },
  backup: { label: 'palette.backup', words: 'words.makeBackup', reader: 'admin' },
  today: { label: 'palette.today', words: 'words.today', reader: 'everyone' },
  yesterday: { label: 'palette.yesterday', words: 'words.yesterday', reader: 'everyone' },
  'this-month': { label: 'palette.thisMonth', words: 'words.thisMonth', reader: 'everyone' },
  reference: { label: 'palette.reference', words: 'words.reference', reader: 'admin' },
  shortcuts: { label: 'shortcuts.title', words: 'words.shortcuts', reader: 'everyone' },
  dark: { label: 'palette.dark', words: 'words.themes', reader: 'everyone' },
  light: { label: 'palette.light', words: 'words.themes', reader: 'everyone' },
  graphite: { label: 'palette.graphite', words: 'words.themes', reader: 'everyone' },
  system: { label: 'palette.system', words: 'words.themes', reader: 'everyone' },
  language: { label: 'palette.language', words: 'words.language', reader: 'everyone' },
  'sign-out': { label: 'action.signOut', words: 'words.signOut', reader: 'everyone' },
} as const satisfies Record<string, Entry>

export type ActionId = keyof typeof actionEntries
// The keys of the literal above.
export const actionIds = Object.keys(actionEntries) as ActionId[]

/**
 * What can be done with a thing that is typed after it, such as `prefill valorant`: offered only
 * then, as every game would have such entries.
 */
export const verbs = {
  prefill: { label: 'palette.prefillGame', words: 'words.prefill', reader: 'account' },
  remove: { label: 'palette.removeGame', words: 'words.games', reader: 'account' },
  client: { label: 'palette.openClient', words: 'words.clientList', reader: 'account' },
  name: { label: 'palette.nameDepot', words: 'words.unnamed', reader: 'account' },
} as const satisfies Record<string, Entry>
