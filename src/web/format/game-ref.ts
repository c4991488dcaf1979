import { platformFacts, type Platform } from '../../platforms/platforms.ts'
import type { GameRef } from './image-address.ts'

interface PlatformGame {
  platform: Platform
  appId: string
  name: string
}

/** A game of a platform as its page and its image have it. */
export function gameRef({ platform, appId, name }: PlatformGame): GameRef {
  const [service] = platformFacts[platform].services
  if (platform === 'alpha') return { service, id: `app-${appId}` }
  if (platform === 'beta') return { service, id: `beta-${appId}` }
  return { service, id: `name-${name.toLowerCase()}` }
}
