import type { Static } from '@sinclair/typebox'
import type { RouteDeps } from '../../../deps.ts'
import { AppError, fieldErrors } from '../../../http/errors.ts'
import { passwordFault, usernameFault, usernameKey } from '../accounts/credential-rules.ts'
import { hashPassword } from '../accounts/password.ts'
import type { OwnerBody } from './model.ts'

/** Throws 400 that names the first broken rule of each field. */
export function ownerCredentials(body: Static<typeof OwnerBody>) {
  const username = (body.username ?? '').trim()
  const password = body.password ?? ''
  const faults = [usernameFault(username), passwordFault(password, username)]
  const broken = faults.filter((fault) => fault !== null)
  if (broken.length > 0) throw fieldErrors(broken)
  return { username, password }
}

/** Throws 401 unless the body holds the installation key. */
export function requireKey({ control }: RouteDeps, apiKey: string | null | undefined): void {
  if (control.key.matches(apiKey)) return
  throw new AppError('badCredentials', 'The installation key is missing or wrong', {
    extra: { stageKey: 'errors.accountSetup.apiKeyRequired' },
  })
}

const accountExists = () =>
  new AppError('conflict', 'There is an account already', {
    extra: { stageKey: 'errors.accountSetup.accountExists' },
  })

/** Creates the owner. Only while the installation has no account; two at once cannot both win. */
export async function createOwner(deps: RouteDeps, body: Static<typeof OwnerBody>): Promise<void> {
  const { username, password } = ownerCredentials(body)
  requireKey(deps, body.apiKey)
  const { accounts, audit } = deps.control
  if (accounts.exists()) throw accountExists()
  const id = crypto.randomUUID()
  const isFirst = accounts.insertFirst({
    id,
    username,
    usernameKey: usernameKey(username),
    passwordHash: await hashPassword(password),
    role: 'admin',
    isOwner: true,
    isDisabled: false,
    createdAt: deps.clock.now(),
    lastLoginAt: null,
  })
  if (!isFirst) throw accountExists()
  audit.note('AccountCreated', { targetAccountId: id })
}
