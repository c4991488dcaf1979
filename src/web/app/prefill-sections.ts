import type { Tab } from '../components/tabs.tsx'

/** The pages under `/prefill`, in the order of their tabs. */
export const prefillSections: readonly Tab[] = [
  { to: '/prefill', label: 'prefill.tabPlatforms' },
  { to: '/prefill/ready', label: 'prefill.tabReady' },
  { to: '/prefill/schedules', label: 'prefill.tabSchedules' },
  { to: '/prefill/sessions', label: 'prefill.tabSessions' },
]
