/** Why a session ended, as a key that pages translate. */
export const sessionEnds = {
  accountDeleted: 'The account was deleted',
  accountDisabled: 'The account was disabled',
  accountsDeleted: 'All accounts were deleted',
  databaseWiped: 'The database was reset',
  deleted: 'The session was deleted',
  guestsEnded: 'Guest sessions were ended',
  keyReplaced: 'The installation key was replaced',
  over: 'The session is over',
  passwordChanged: 'The password was changed',
  passwordRecovered: 'The password was recovered',
  revoked: 'The session was ended',
  roleChanged: 'The role was changed',
  setUpAnew: 'The installation was set up again',
  signedIn: 'Signed in again',
  signedOut: 'Signed out',
} as const

export type SessionEnd = keyof typeof sessionEnds

/** Close reason for a session's sockets: `<key>: <text>`; at most 123 bytes. */
export const closeReason = (end: SessionEnd): string => `${end}: ${sessionEnds[end]}`
