import type { Platform } from '../../../platforms/platforms.ts'
import { serviceFacts } from '../../../platforms/service-facts.ts'

/** One persistent container per platform; every other session has one of its own. */
export const containerName = (platform: Platform, sessionId: string | null): string =>
  `${serviceFacts[platform].containerPrefix}${sessionId ?? 'persistent'}`

/** Volume that keeps the login of a platform's persistent container. */
export const volumeName = (platform: Platform, installation: string): string =>
  `larder-${installation.slice(0, 8)}-${platform}-config`

/** Labels of our containers; the installation keeps two services on one engine apart. */
export const labels = {
  installation: 'larder.prefill.installation',
  persistent: 'larder.prefill.persistent',
  service: 'larder.prefill.service',
  sessionId: 'larder.prefill.session-id',
  userId: 'larder.prefill.user-id',
  cacheSource: 'larder.prefill.cache-source',
} as const
