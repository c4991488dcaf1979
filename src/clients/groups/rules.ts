import { AppError, fieldErrors } from '../../core/http/errors.ts'
import { normalAddress } from '../../core/lib/address.ts'
import { stampOf, type Stamp } from './stamp.ts'

export const nicknameCharsMax = 100
export const descriptionCharsMax = 500
/** Addresses per group. */
export const membersMax = 1000
/** Groups per installation. */
export const groupsMax = 1000

const nicknamePattern = /^[a-zA-Z0-9\s\-_]+$/
/** Faults listed in one answer. */
const faultsMax = 20

interface Fault {
  field: string
  message: string
}

interface Texts {
  nickname?: string | null | undefined
  description?: string | null | undefined
}

/** Trimmed nickname and description; throws a field validation. */
export function checkedTexts(body: Texts, others: Fault[] = []) {
  const nickname = body.nickname?.trim() ?? ''
  const description = body.description?.trim() ?? ''
  const faults: Fault[] = []
  const refuse = (field: string, message: string) => faults.push({ field, message })
  if (nickname === '') refuse('Nickname', 'The nickname is required')
  else if (nickname.length > nicknameCharsMax) {
    refuse('Nickname', `The nickname has at most ${nicknameCharsMax} characters`)
  } else if (!nicknamePattern.test(nickname)) {
    const allowed = 'letters a to z, digits, spaces, hyphens and underscores'
    refuse('Nickname', `The nickname can contain only ${allowed}`)
  }
  if (description.length > descriptionCharsMax) {
    refuse('Description', `The description has at most ${descriptionCharsMax} characters`)
  }
  if (faults.length + others.length > 0) throw fieldErrors([...faults, ...others])
  return { nickname, description: description === '' ? null : description }
}

/** Normalised addresses in order, without blanks and duplicates; faults name their index. */
export function checkedAddresses(list: readonly (string | null)[], field: string) {
  const ips = new Set<string>()
  const faults: Fault[] = []
  const invalidIps: string[] = []
  for (const [index, text] of list.entries()) {
    if (text === null || text.trim() === '') continue
    const ip = normalAddress(text)
    if (ip !== null) ips.add(ip)
    else if (faults.length < faultsMax) {
      faults.push({ field: `${field}[${index}]`, message: 'Not an IPv4 or IPv6 address' })
      invalidIps.push(text.slice(0, nicknameCharsMax))
    }
  }
  if (ips.size > membersMax) {
    faults.push({ field, message: `A group has at most ${membersMax} addresses` })
  }
  return { ips: [...ips], faults, invalidIps }
}

/**
 * The stamp that the caller expects the group to have; null to skip the check. Throws when it is no
 * timestamp.
 */
export function expectedStamp(text: string | null | undefined): Stamp | null {
  if (text === null || text === undefined) return null
  const stamp = stampOf(text)
  if (stamp === null) throw new AppError('invalid', 'expectedUpdatedAtUtc is not an ISO-8601 time')
  return stamp
}
