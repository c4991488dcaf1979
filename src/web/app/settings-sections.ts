import {
  Archive,
  CalendarClock,
  Bell,
  ChartSpline,
  Database,
  DatabaseZap,
  DoorOpen,
  FileText,
  LayoutTemplate,
  KeyRound,
  Lock,
  MonitorCheck,
  MonitorSmartphone,
  Palette,
  Plug,
  Radar,
  ScrollText,
  SlidersHorizontal,
  Terminal,
  Users,
  type LucideIcon,
} from 'lucide-react'
import { useIsAccount, useStatus } from '../api/queries.ts'
import type { Key } from '../locales/translate.ts'

type Reader = 'everyone' | 'account' | 'admin' | 'owner'

export interface Section {
  to:
    | '/settings/preferences'
    | '/settings/themes'
    | '/settings/password'
    | '/settings/accounts'
    | '/settings/sessions'
    | '/settings/guests'
    | '/settings/keys'
    | '/settings/audit'
    | '/settings/clients'
    | '/settings/logs'
    | '/settings/datasources'
    | '/settings/integrations'
    | '/settings/schedules'
    | '/settings/status-check'
    | '/settings/metrics'
    | '/settings/notifications'
    | '/settings/widgets'
    | '/settings/log'
    | '/settings/backup'
    | '/settings/database'
  label: Key
  /** Other names under which people search for its settings. */
  words: Key
  group: 'you' | 'access' | 'network' | 'monitoring'
  icon: LucideIcon
  reader: Reader
}

/** The pages under `/settings`; the source of their navigation, index and palette entries. */
export const sections: readonly Section[] = [
  {
    to: '/settings/preferences',
    label: 'settings.preferences',
    words: 'words.preferences',
    group: 'you',
    icon: SlidersHorizontal,
    reader: 'everyone',
  },
  {
    to: '/settings/themes',
    label: 'settings.themes',
    words: 'words.themes',
    group: 'you',
    icon: Palette,
    reader: 'everyone',
  },
  {
    to: '/settings/password',
    label: 'settings.password',
    words: 'words.password',
    group: 'you',
    icon: Lock,
    reader: 'account',
  },
  {
    to: '/settings/accounts',
    label: 'settings.accounts',
    words: 'words.accounts',
    group: 'access',
    icon: Users,
    reader: 'account',
  },
  {
    to: '/settings/sessions',
    label: 'settings.sessions',
    words: 'words.sessions',
    group: 'access',
    icon: MonitorCheck,
    reader: 'account',
  },
  {
    to: '/settings/guests',
    label: 'settings.guests',
    words: 'words.guests',
    group: 'access',
    icon: DoorOpen,
    reader: 'account',
  },
  {
    to: '/settings/keys',
    label: 'settings.keys',
    words: 'words.keys',
    group: 'access',
    icon: KeyRound,
    reader: 'account',
  },
  {
    to: '/settings/audit',
    label: 'settings.audit',
    words: 'words.audit',
    group: 'access',
    icon: ScrollText,
    reader: 'owner',
  },
  {
    to: '/settings/clients',
    label: 'settings.clients',
    words: 'words.clients',
    group: 'network',
    icon: MonitorSmartphone,
    reader: 'account',
  },
  {
    to: '/settings/logs',
    label: 'settings.logs',
    words: 'words.logs',
    group: 'network',
    icon: FileText,
    reader: 'account',
  },
  {
    to: '/settings/datasources',
    label: 'settings.datasources',
    words: 'words.datasources',
    group: 'network',
    icon: Database,
    reader: 'account',
  },
  {
    to: '/settings/integrations',
    label: 'settings.integrations',
    words: 'words.integrations',
    group: 'network',
    icon: Plug,
    reader: 'account',
  },
  {
    to: '/settings/schedules',
    label: 'settings.schedules',
    words: 'words.schedules',
    group: 'network',
    icon: CalendarClock,
    reader: 'account',
  },
  {
    to: '/settings/backup',
    label: 'settings.backup',
    words: 'words.backup',
    group: 'network',
    icon: Archive,
    reader: 'admin',
  },
  {
    to: '/settings/database',
    label: 'settings.database',
    words: 'words.database',
    group: 'network',
    icon: DatabaseZap,
    reader: 'account',
  },
  {
    to: '/settings/status-check',
    label: 'settings.statusCheck',
    words: 'words.statusCheck',
    group: 'network',
    icon: Radar,
    reader: 'account',
  },
  {
    to: '/settings/notifications',
    label: 'settings.notifications',
    words: 'words.notifications',
    group: 'monitoring',
    icon: Bell,
    reader: 'admin',
  },
  {
    to: '/settings/metrics',
    label: 'settings.metrics',
    words: 'words.metrics',
    group: 'monitoring',
    icon: ChartSpline,
    reader: 'account',
  },
  {
    to: '/settings/widgets',
    label: 'settings.widgets',
    words: 'words.widgets',
    group: 'monitoring',
    icon: LayoutTemplate,
    reader: 'admin',
  },
  {
    to: '/settings/log',
    label: 'settings.log',
    words: 'words.log',
    group: 'monitoring',
    icon: Terminal,
    reader: 'admin',
  },
]

const groupLabels: Record<Section['group'], Key> = {
  you: 'settings.groupYou',
  access: 'settings.groupAccess',
  network: 'settings.groupNetwork',
  monitoring: 'settings.groupMonitoring',
}

/** The groups in their order, each with its pages among these. */
export const grouped = (shown: readonly Section[]) =>
  (['you', 'access', 'network', 'monitoring'] as const)
    .map((group) => ({
      label: groupLabels[group],
      entries: shown.filter((section) => section.group === group),
    }))
    .filter(({ entries }) => entries.length > 0)

/** Pages available to the user. */
export function useSections(): readonly Section[] {
  const isAccount = useIsAccount()
  const status = useStatus().data
  const readers: Record<Reader, boolean> = {
    everyone: true,
    account: isAccount,
    admin: status?.sessionType === 'admin',
    owner: status?.isMainAdmin === true,
  }
  return sections.filter(({ reader }) => readers[reader])
}
