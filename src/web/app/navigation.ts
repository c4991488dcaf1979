import {
  Download,
  Gamepad2,
  LayoutDashboard,
  MonitorSmartphone,
  type LucideIcon,
} from 'lucide-react'
import type { Key } from '../locales/translate.ts'

export interface Destination {
  to: '/' | '/downloads' | '/games' | '/clients'
  label: Key
  icon: LucideIcon
  /** Shown to account holders only. */
  forAccounts: boolean
}

/** Every page that exists; the navigation, the tab bar and the palette are made of it. */
export const destinations: readonly Destination[] = [
  { to: '/', label: 'nav.overview', icon: LayoutDashboard, forAccounts: false },
  { to: '/downloads', label: 'nav.downloads', icon: Download, forAccounts: false },
  { to: '/games', label: 'nav.games', icon: Gamepad2, forAccounts: false },
  { to: '/clients', label: 'nav.clients', icon: MonitorSmartphone, forAccounts: true },
]
