import { phraseBook, type Phrase } from '../../core/lib/phrases.ts'
import { reasons } from '../reasons.ts'
import { platformFacts, type Platform } from '../../platforms/platforms.ts'
import type { PlatformState } from './model.ts'

/** What to do; the settings are environment variables of this service. */
const problemText = phraseBook({
  busy: 'The daemon prefills for another session: start your run when that one has ended.',
  unreachable:
    'The daemon cannot be reached: check the address in {setting}__Transport and the network.',
  refused: 'Nothing listens there: start the daemon, or correct {setting}__Transport.',
  denied: `${reasons.socketDenied}, and give it a secret.`,
  secret:
    'The daemon refuses the secret: set {setting}__Secret to the value of its PREFILL_SOCKET_SECRET.',
  silent: 'The daemon accepts connections but does not answer: restart it.',
  unknown: 'What answers there is no prefill daemon: correct {setting}__Transport.',
  noRuntime:
    'There is no container engine: mount its socket into Larder’s container, or set DOCKER_HOST.',
})

/** What stands in the way of a platform's prefill, and what to do about it. */
export function problemOf(platform: Platform, state: PlatformState['state']): Phrase | null {
  const setting = `Prefill__${platformFacts[platform].name}`
  if (state === 'ready') return null
  if (state === 'busy' || state === 'denied' || state === 'silent' || state === 'noRuntime') {
    return problemText(state)
  }
  return problemText(state, { setting })
}
