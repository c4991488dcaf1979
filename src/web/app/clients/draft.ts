import type { ClientGroup } from '../../api/client-queries.ts'
import type { Key, Values } from '../../locales/translate.ts'

/**
 * Whether a group only names one address. The service stores names with groups; the dashboard shows
 * such a group as a client with a name.
 */
export const isName = ({ memberIps }: Pick<ClientGroup, 'memberIps'>): boolean =>
  memberIps.length === 1

/** The editable part of a group. */
export interface Draft {
  nickname: string
  description: string
  separateMemberRows: boolean
  memberIps: readonly string[]
}

export const emptyDraft: Draft = {
  nickname: '',
  description: '',
  separateMemberRows: false,
  memberIps: [],
}

export const draftOf = (group: ClientGroup): Draft => ({
  nickname: group.nickname,
  description: group.description ?? '',
  separateMemberRows: group.separateMemberRows,
  memberIps: group.memberIps,
})

/** The server's limits, checked while typing. */
const nicknameMax = 100
export const descriptionMax = 500
const nicknamePattern = /^[a-zA-Z0-9\s\-_]+$/

/** Why the server would refuse the nickname; null if it would not. */
export function nicknameProblem(nickname: string, taken: readonly string[]): Key | null {
  const text = nickname.trim()
  if (text === '') return 'group.nameMissing'
  if (text.length > nicknameMax) return 'group.nameLong'
  if (!nicknamePattern.test(text)) return 'group.nameLetters'
  return taken.includes(text) ? 'group.nameTaken' : null
}

export const sameTexts = (a: Draft, b: Draft): boolean =>
  a.nickname.trim() === b.nickname.trim() &&
  a.description.trim() === b.description.trim() &&
  a.separateMemberRows === b.separateMemberRows

export const sameMembers = (a: Draft, b: Draft): boolean =>
  a.memberIps.join(' ') === b.memberIps.join(' ')

export const sameDraft = (a: Draft, b: Draft): boolean => sameTexts(a, b) && sameMembers(a, b)

/** The list with one entry moved; positions are clamped to the list. */
export function moved(list: readonly string[], from: number, to: number): string[] {
  const rest = list.filter((_, index) => index !== from)
  const entry = list[from]
  if (entry === undefined) return [...list]
  rest.splice(Math.max(0, Math.min(rest.length, to)), 0, entry)
  return rest
}

/** Differences between two states of a group, each as a text with values. */
export function changesOf(before: Draft, after: Draft): readonly (readonly [Key, Values?])[] {
  const [nickname, description] = [after.nickname.trim(), after.description.trim()]
  const added = after.memberIps.filter((ip) => !before.memberIps.includes(ip))
  const removed = before.memberIps.filter((ip) => !after.memberIps.includes(ip))
  const changes: [Key, Values?][] = []
  if (nickname !== before.nickname.trim()) {
    changes.push(['conflict.nickname', { name: nickname }])
  }
  if (description !== before.description.trim()) {
    const isRemoved = description === ''
    changes.push(
      isRemoved ? ['conflict.noDescription'] : ['conflict.description', { text: description }],
    )
  }
  if (after.separateMemberRows !== before.separateMemberRows) {
    changes.push([after.separateMemberRows ? 'conflict.separate' : 'conflict.together'])
  }
  if (added.length > 0) changes.push(['conflict.added', { ips: added.join(', ') }])
  if (removed.length > 0) changes.push(['conflict.removed', { ips: removed.join(', ') }])
  if (added.length + removed.length === 0 && !sameMembers(before, after)) {
    changes.push(['conflict.reordered'])
  }
  return changes
}

/** Addresses in a typed or pasted text, separated by commas, whitespace or lines. */
export const entriesOf = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((entry) => entry !== '')),
]

/**
 * Not a validation, which is up to the server: host names contain a letter that addresses never do.
 */
export const looksLikeAddress = (text: string): boolean =>
  text.includes(':') || /^[\d.]+$/.test(text)
