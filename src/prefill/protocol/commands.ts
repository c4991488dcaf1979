import type { Platform } from '../../platforms/platforms.ts'

/** All commands of the protocol; the last two are Larder's own and unknown to published images. */
export const commands = [
  'auth',
  'status',
  'login',
  'logout',
  'cancel-login',
  'provide-credential',
  'get-auto-login-challenge',
  'provide-auto-login',
  'get-owned-games',
  'get-cdn-info',
  'get-selected-apps',
  'set-selected-apps',
  'get-selected-apps-status',
  'check-cache-status',
  'prefill',
  'cancel-prefill',
  'clear-cache',
  'get-cache-info',
  'shutdown',
  'set-bandwidth',
  'get-last-run',
] as const
export type Command = (typeof commands)[number]

const second = 1000
const minute = 60 * second

/** Limits that daemons are built against, where they differ from the usual one. */
const limitsMs: Partial<Record<Command, number>> = {
  auth: 10 * second,
  status: 10 * second,
  'cancel-login': 10 * second,
  'cancel-prefill': 10 * second,
  'set-bandwidth': 10 * second,
  'get-last-run': 10 * second,
  logout: 15 * second,
  'provide-credential': 30 * second,
  shutdown: 30 * second,
  login: 10 * minute,
  'get-owned-games': 10 * minute,
  'get-cdn-info': 10 * minute,
  prefill: 24 * 60 * minute,
}

/** How long to wait for the response to a command, in milliseconds. */
export function commandLimitMs(command: Command, platform: Platform): number {
  if (command === 'check-cache-status' && platform === 'alpha') return 10 * minute
  return limitsMs[command] ?? 5 * minute
}

/** Other time limits of the protocol, in milliseconds. */
export const timeLimitsMs = {
  /** From `login` to its first challenge. */
  firstChallenge: 30 * second,
  /** A challenge waits this long for its credential, except for a device code. */
  challenge: 5 * minute,
  deviceCode: 24 * 60 * minute,
  /** For the socket to appear, in each of three attempts. */
  connect: 30 * second,
  /** Before the second and the third attempt to connect. */
  connectPauses: [2 * second, 4 * second],
  /** Without progress after `cancel-prefill`, a run without a terminal event counts as ended. */
  silenceAfterCancel: 10 * second,
} as const
