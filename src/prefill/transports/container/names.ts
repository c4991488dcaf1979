import { serviceFacts } from '../../../platforms/service-facts.ts'
import type { AccountSlot } from '../contract.ts'

/** One persistent container per account; every other session has one of its own. */
export function containerName(
  { platform, accountId }: AccountSlot,
  sessionId: string | null,
): string {
  const persistent = accountId === null ? 'persistent' : `persistent-${accountId}`
  return `${serviceFacts[platform].containerPrefix}${sessionId ?? persistent}`
}

/** Volume that keeps the login of an account's container. */
export const volumeName = ({ platform, accountId }: AccountSlot, installation: string): string => {
  const account = accountId === null ? platform : `${platform}-${accountId}`
  return `larder-${installation.slice(0, 8)}-${account}-config`
}

/** Labels of our containers; the installation keeps two services on one engine apart. */
export const labels = {
  installation: 'larder.prefill.installation',
  persistent: 'larder.prefill.persistent',
  service: 'larder.prefill.service',
  account: 'larder.prefill.account',
  sessionId: 'larder.prefill.session-id',
  userId: 'larder.prefill.user-id',
  cacheSource: 'larder.prefill.cache-source',
} as const
