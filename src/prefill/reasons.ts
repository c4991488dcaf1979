/** Why sessions and runs end, as stored and sent. The dashboard translates these texts. */
export const reasons = {
  allFailed: 'No game could be prefilled',
  banned: 'Banned by admin',
  connectionLost: 'Socket connection lost unexpectedly',
  editOver: 'Edit session cleaned up',
  ended: 'Ended by user',
  expired: 'Session expired',
  interrupted: 'Larder was restarted during this prefill',
  loginsCleared: 'Logins cleared',
  notStarted: 'Prefill failed to start',
  orphaned: 'App restarted - session orphaned',
  permissionEnded: 'Prefill permission ended',
  prefillFailed: 'Prefill failed',
  replaced: 'Replaced',
  serviceStopped: 'Larder was stopped',
  socketDenied:
    'Larder’s user may not use the daemon’s socket: start the daemon with PREFILL_SOCKET_MODE=666 and a secret, or with 660 if Larder’s user is in the daemon’s group',
  signedOut: 'Signed out of Larder',
  stopped: 'Stopped',
  superseded: 'Superseded by new prefill operation',
  terminated: 'Terminated by admin',
} as const
export type ReasonText = (typeof reasons)[keyof typeof reasons]
