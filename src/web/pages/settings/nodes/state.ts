import type { Static } from '@sinclair/typebox'
import type { NodeModel } from '../../../../nodes/model.ts'
import type { Tone } from '../../../components/figures.tsx'
import { sinceText } from '../../../format/since.ts'
import { t, type Key } from '../../../locales/translate.ts'

export type Node = Static<typeof NodeModel>

interface NodeFacts {
  tone: Tone
  facts: string[]
  /** What to do, where something has to be done. */
  remedy: Key | null
}

const tones = {
  invited: 'quiet',
  connected: 'good',
  away: 'bad',
  refused: 'bad',
  revoked: 'quiet',
} as const satisfies Record<Node['state'], Tone>

function remedyOf({ state, refusal, tokenExpiresAtUtc }: Node, now: Date): Key | null {
  if (state === 'away') return 'nodes.awayText'
  if (refusal !== null) return `nodes.${refusal}`
  if (tokenExpiresAtUtc === null) return null
  return new Date(tokenExpiresAtUtc) > now ? 'nodes.hasToken' : 'nodes.tokenExpired'
}

/** One node in words. */
export function nodeFacts(node: Node, now: Date): NodeFacts {
  const { state, sinceUtc, version, address } = node
  const facts = [
    t(`nodes.state.${state}`),
    sinceText(new Date(sinceUtc), now),
    ...(version === null ? [] : [`Larder ${version}`]),
    ...(address === null ? [] : [address]),
  ]
  return { tone: tones[state], facts, remedy: remedyOf(node, now) }
}
