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
    'The daemon’s socket is closed to Larder’s user: set PREFILL_SOCKET_MODE of the daemon to 666',
  signedOut: 'Signed out of Larder',
  stopped: 'Stopped',
  superseded: 'Superseded by new prefill operation',
  terminated: 'Terminated by admin',
} as const
export type ReasonText = (typeof reasons)[keyof typeof reasons]
