import { AppError } from './errors.ts'

/** A trimmed name from a request; throws `invalid` for an unusable one. */
export function nameText(value: string | undefined, member: string): string {
  const text = value?.trim() ?? ''
  if (text === '') throw new AppError('invalid', `${member} is missing`)
  // Postgres cannot store such a text: every query with it would fail.
  if (text.includes('\0')) throw new AppError('invalid', `${member} contains a null character`)
  return text
}
