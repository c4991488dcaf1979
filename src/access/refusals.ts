import { AppError, type Refusal } from '../core/http/errors.ts'

/** Refusals about accounts, passwords and set-up, by the key that clients rely on. */
const staged = {
  'errors.accounts.notFound': ['notFound', 'Account not found'],
  'errors.accounts.roleNotAssignable': ['invalid', 'The role must be admin or user'],
  'errors.accounts.adminRoleRequiresMainAdmin': ['refused', 'Only the owner can appoint admins'],
  'errors.accounts.credentialsRejected': ['invalid', 'The username or password is not allowed'],
  'errors.accounts.usernameTaken': ['conflict', 'This username is taken'],
  'errors.accounts.mainAdminProtected': ['refused', 'The owner account cannot be changed here'],
  'errors.accounts.selfProtected': ['refused', 'You cannot do this to your own account'],
  'errors.accounts.wipeRequiresMainAdmin': ['refused', 'Only the owner can delete all accounts'],
  'errors.password.accountRequired': ['refused', 'You are not signed in with an account'],
  'errors.password.locked': ['refused', 'Too many wrong passwords; try again in 15 minutes'],
  'errors.password.incorrect': ['badCredentials', 'The current password is wrong'],
  'errors.password.rejected': ['invalid', 'The new password is not allowed'],
  'errors.login.invalidCredentials': ['badCredentials', 'The key, username or password is wrong'],
  'errors.accountSetup.apiKeyRequired': [
    'badCredentials',
    'The installation key is missing or wrong',
  ],
  'errors.accountSetup.claimWindowClosed': ['refused', 'The owner was created already; sign in'],
  'errors.accountSetup.recoveryWindowClosed': [
    'refused',
    'Recovery is not open; run the recovery script on the host first',
  ],
  'errors.accountSetup.accountExists': ['conflict', 'The owner account already exists'],
  'errors.accountSetup.mainAdminNotFound': ['notFound', 'This is not the name of the owner'],
} as const satisfies Record<string, readonly [Refusal, string]>

export type StageKey = keyof typeof staged

/** A refusal with its `stageKey`; `text` makes the message more specific. */
export function stagedRefusal(stageKey: StageKey, text?: string): AppError {
  const [refusal, usual] = staged[stageKey]
  return new AppError(refusal, text ?? usual, { extra: { stageKey } })
}
