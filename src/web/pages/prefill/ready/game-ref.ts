import { platformFacts } from '../../../../platforms/platforms.ts'
import type { GameRef } from '../../../format/image-address.ts'
import type { NewGame } from './queries.ts'

/** A game of a platform as its page and its image have it. */
export function gameRef({ platform, appId, name }: NewGame): GameRef {
  const [service] = platformFacts[platform].services
  if (platform === 'alpha') return { service, id: `app-${appId}` }
  if (platform === 'beta') return { service, id: `beta-${appId}` }
  return { service, id: `name-${name.toLowerCase()}` }
}
