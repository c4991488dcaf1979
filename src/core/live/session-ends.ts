/** Why a session ended, by a key that pages say in the reader's language. */
export const sessionEnds = {
  accountDeleted: 'The account was deleted',
  accountDisabled: 'The account was disabled',
  accountsDeleted: 'All accounts were deleted',
  deleted: 'The session was deleted',
  guestsEnded: 'Guest sessions were ended',
  keyReplaced: 'The installation key was replaced',
  over: 'The session is over',
  passwordChanged: 'The password was changed',
  passwordRecovered: 'The password was recovered',
  revoked: 'The session was ended',
  roleChanged: 'The role was changed',
  setUpAnew: 'The installation was set up anew',
  signedIn: 'Signed in anew',
  signedOut: 'Signed out',
} as const

export type SessionEnd = keyof typeof sessionEnds

/** With what the sockets of a session are closed: `<key>: <text>`; 123 bytes are allowed. */
export const closeReason = (end: SessionEnd): string => `${end}: ${sessionEnds[end]}`
