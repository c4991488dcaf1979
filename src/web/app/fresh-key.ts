import { createValue } from './value.ts'

/**
 * Keeps a new installation key until it was noted down: replacing the key ends every session, so it
 * is shown on the sign-in page. Never stored in the browser.
 */
export const freshKey = createValue<string | null>(null)
