import type { ClientGroup } from '../../../api/client-queries.ts'
import type { Key } from '../../../locales/translate.ts'

/** What can be changed of a group. */
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

/** Limits of the server, so that a mistake is told while typing. */
const nicknameMax = 100
export const descriptionMax = 500
const nicknamePattern = /^[a-zA-Z0-9\s\-_]+$/

/** Why the server would refuse the nickname; null when it would not. */
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

/** The list with one entry at another place; places beyond the ends are the ends. */
export function moved(list: readonly string[], from: number, to: number): string[] {
  const rest = list.filter((_, index) => index !== from)
  const entry = list[from]
  if (entry === undefined) return [...list]
  rest.splice(Math.max(0, Math.min(rest.length, to)), 0, entry)
  return rest
}

/** What is different between two states of a group. */
export interface Changes {
  nickname: string | null
  description: string | null
  separateMemberRows: boolean | null
  added: string[]
  removed: string[]
  /** The same addresses in another order. */
  isReordered: boolean
}

export function changesOf(before: Draft, after: Draft): Changes {
  const added = after.memberIps.filter((ip) => !before.memberIps.includes(ip))
  const removed = before.memberIps.filter((ip) => !after.memberIps.includes(ip))
  const isText = before.nickname.trim() !== after.nickname.trim()
  const isRows = before.separateMemberRows !== after.separateMemberRows
  return {
    nickname: isText ? after.nickname.trim() : null,
    description:
      before.description.trim() === after.description.trim() ? null : after.description.trim(),
    separateMemberRows: isRows ? after.separateMemberRows : null,
    added,
    removed,
    isReordered: added.length + removed.length === 0 && !sameMembers(before, after),
  }
}

/** Both changes put together where they do not touch the same thing; `mine` wins where they do. */
export function merged(base: Draft, mine: Draft, theirs: Draft): Draft {
  const own = changesOf(base, mine)
  const members = theirs.memberIps.filter((ip) => !own.removed.includes(ip))
  const isOrderMine = own.isReordered && sameMembers(base, theirs)
  return {
    nickname: own.nickname ?? theirs.nickname,
    description: own.description ?? theirs.description,
    separateMemberRows: own.separateMemberRows ?? theirs.separateMemberRows,
    memberIps: isOrderMine
      ? mine.memberIps
      : [...members, ...own.added.filter((ip) => !members.includes(ip))],
  }
}

/** Addresses out of a text that somebody typed or pasted: commas, blanks and lines part them. */
export const entriesOf = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((entry) => entry !== '')),
]

/** Not whether it is a valid one: that is the server's answer. Names have a letter that no address has. */
export const looksLikeAddress = (text: string): boolean =>
  text.includes(':') || /^[\d.]+$/.test(text)
