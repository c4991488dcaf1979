import { AppError } from '../core/http/errors.ts'

const searchCharsMin = 2

/** Throws `invalid` for a text that is too short. */
export function searchText(q: string): string {
  const text = q.trim()
  if (text.length >= searchCharsMin) return text
  throw new AppError('invalid', `Type at least ${searchCharsMin} characters of the name`)
}
