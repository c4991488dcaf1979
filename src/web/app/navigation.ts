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
import type { Key } from '../locales/translate.ts'
import { useReaders, type Reader } from './readers.ts'

export interface Destination {
  to: '/' | '/downloads' | '/games' | '/clients' | '/events' | '/prefill' | '/cache'
  label: Key
  icon: LucideIcon
  reader: Reader
  /** On phones it is listed in the "More" menu. */
  isBehindMore?: boolean
}

/** All pages of the navigation, the tab bar and the palette. */
export const destinations: readonly Destination[] = [
  { to: '/', label: 'nav.overview', icon: LayoutDashboard, reader: 'everyone' },
  { to: '/downloads', label: 'nav.downloads', icon: Download, reader: 'everyone' },
  { to: '/games', label: 'nav.games', icon: Gamepad2, reader: 'everyone' },
  {
    to: '/clients',
    label: 'nav.clients',
    icon: MonitorSmartphone,
    reader: 'account',
  },
  {
    to: '/events',
    label: 'nav.events',
    icon: CalendarDays,
    reader: 'everyone',
    isBehindMore: true,
  },
  {
    to: '/prefill',
    label: 'nav.prefill',
    icon: CloudDownload,
    reader: 'prefill',
    isBehindMore: true,
  },
  { to: '/cache', label: 'nav.cache', icon: HardDrive, reader: 'account', isBehindMore: true },
]

/** The destinations that the signed-in user may see. */
export function useDestinations(): readonly Destination[] {
  const readers = useReaders()
  return destinations.filter(({ reader }) => readers[reader])
}
