import {
  CalendarDays,
  Download,
  CloudDownload,
  Gamepad2,
  HardDrive,
  LayoutDashboard,
  MonitorSmartphone,
  type LucideIcon,
} from 'lucide-react'
import { useIsAccount, useStatus } from '../api/queries.ts'
import type { Key } from '../locales/translate.ts'

export interface Destination {
  to: '/' | '/downloads' | '/games' | '/clients' | '/events' | '/prefill' | '/cache'
  label: Key
  icon: LucideIcon
  /** Shown to account holders only, or also to guests who were granted a prefill. */
  forAccounts: boolean | 'orGranted'
  /** On phones it is listed in the "More" menu. */
  isBehindMore?: boolean
}

/** All pages of the navigation, the tab bar and the palette. */
export const destinations: readonly Destination[] = [
  { to: '/', label: 'nav.overview', icon: LayoutDashboard, forAccounts: false },
  { to: '/downloads', label: 'nav.downloads', icon: Download, forAccounts: false },
  { to: '/games', label: 'nav.games', icon: Gamepad2, forAccounts: false },
  {
    to: '/clients',
    label: 'nav.clients',
    icon: MonitorSmartphone,
    forAccounts: true,
  },
  {
    to: '/events',
    label: 'nav.events',
    icon: CalendarDays,
    forAccounts: false,
    isBehindMore: true,
  },
  {
    to: '/prefill',
    label: 'nav.prefill',
    icon: CloudDownload,
    forAccounts: 'orGranted',
    isBehindMore: true,
  },
  { to: '/cache', label: 'nav.cache', icon: HardDrive, forAccounts: true, isBehindMore: true },
]

/** The destinations that the signed-in user may see. */
export function useDestinations(): readonly Destination[] {
  const isAccount = useIsAccount()
  const isGranted = useStatus().data?.prefillEnabled === true
  return destinations.filter(
    ({ forAccounts }) =>
      isAccount || forAccounts === false || (forAccounts === 'orGranted' && isGranted),
  )
}
