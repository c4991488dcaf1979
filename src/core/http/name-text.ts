import { AppError } from './errors.ts'

/** A name of a request without the blanks around it; throws `invalid` when it cannot be one. */
export function nameText(value: string | undefined, member: string): string {
  const text = value?.trim() ?? ''
  if (text === '') throw new AppError('invalid', `${member} is missing`)
  // Postgres holds no such text: whatever asks for it would fail, now and each time again.
  if (text.includes('\0')) throw new AppError('invalid', `${member} holds a null character`)
  return text
}
