import type { Key } from '../../../locales/translate.ts'

/** What Steam's answer to a sign-in requires. */
export interface LoginReport {
  success: boolean
  message: string | null
  requiresTwoFactor: boolean
  requiresEmailCode: boolean
  sessionExpired: boolean
}

/** `device`: the authenticator's code; `email`: the emailed one. */
export type LoginStep = 'credentials' | 'device' | 'email' | 'done'

/** The step after an answer, and why a step is repeated. */
export function nextStep(
  report: LoginReport,
  sentCode: boolean,
): { step: LoginStep; note: Key | null } {
  if (report.success) return { step: 'done', note: null }
  if (report.sessionExpired) return { step: 'device', note: 'steam.expired' }
  const note = sentCode ? 'steam.wrongCode' : null
  if (report.requiresEmailCode) return { step: 'email', note }
  if (report.requiresTwoFactor) return { step: 'device', note }
  return { step: 'credentials', note: null }
}

/** Codes are five letters and digits; Steam ignores case. */
export const cleanCode = (text: string): string =>
  text
    .replaceAll(/[^a-z0-9]/gi, '')
    .slice(0, 10)
    .toUpperCase()
