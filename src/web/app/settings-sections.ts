import {
  Archive,
  CalendarClock,
  Bell,
  ChartSpline,
  Database,
  DatabaseZap,
  DoorOpen,
  FileText,
  Info,
  LayoutTemplate,
  KeyRound,
  Lock,
  LogIn,
  MonitorCheck,
  MonitorSmartphone,
  Palette,
  Network,
  Plug,
  Radar,
  ScrollText,
  SlidersHorizontal,
  Terminal,
  UserKey,
  Users,
  type LucideIcon,
} from 'lucide-react'
import { useReaders, type Reader } from './readers.ts'

const groups = ['you', 'cache', 'platforms', 'people', 'outside', 'system'] as const
type Group = (typeof groups)[number]

/**
 * The pages under `/settings` by the ends of their paths: group, icon, and who may read them. Their
 * names are the texts `settings.<page>`, other names under which people search `words.<page>`.
 */
const pages = {
  preferences: ['you', SlidersHorizontal, 'everyone'],
  themes: ['you', Palette, 'everyone'],
  password: ['you', Lock, 'account'],
  datasources: ['cache', Database, 'account'],
  nodes: ['cache', Network, 'admin'],
  logs: ['cache', FileText, 'account'],
  'platform-accounts': ['platforms', UserKey, 'account'],
  keys: ['platforms', KeyRound, 'account'],
  integrations: ['platforms', Plug, 'account'],
  clients: ['people', MonitorSmartphone, 'account'],
  accounts: ['people', Users, 'account'],
  sessions: ['people', MonitorCheck, 'account'],
  guests: ['people', DoorOpen, 'account'],
  'sign-in': ['people', LogIn, 'owner'],
  audit: ['people', ScrollText, 'owner'],
  notifications: ['outside', Bell, 'admin'],
  metrics: ['outside', ChartSpline, 'account'],
  widgets: ['outside', LayoutTemplate, 'admin'],
  'status-check': ['system', Radar, 'account'],
  version: ['system', Info, 'account'],
  schedules: ['system', CalendarClock, 'account'],
  backup: ['system', Archive, 'admin'],
  database: ['system', DatabaseZap, 'account'],
  log: ['system', Terminal, 'admin'],
} as const satisfies Record<string, readonly [Group, LucideIcon, Reader]>

export type SectionName = keyof typeof pages

/** The source of their navigation, index and palette entries. */
// The keys of an object literal are its members' names.
export const sections = (Object.keys(pages) as SectionName[]).map((name) => {
  const [group, icon, reader]: readonly [Group, LucideIcon, Reader] = pages[name]
  const texts = { label: `settings.${name}`, words: `words.${name}` } as const
  return { name, to: `/settings/${name}` as const, ...texts, group, icon, reader }
})
type Section = (typeof sections)[number]

/** The groups in their order, each with its pages among these. */
export const grouped = (shown: readonly Section[]) =>
  groups
    .map((group) => ({
      label: `settings.group.${group}` as const,
      entries: shown.filter((section) => section.group === group),
    }))
    .filter(({ entries }) => entries.length > 0)

/** Pages available to the user. */
export function useSections(): readonly Section[] {
  const readers = useReaders()
  return sections.filter(({ reader }) => readers[reader])
}
