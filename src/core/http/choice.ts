import { AppError } from './errors.ts'

/** The value that a text names, in any case; undefined when there is none. */
export function choiceOf<Value extends string>(
  values: readonly Value[],
  text: string | null | undefined,
): Value | undefined {
  const wanted = text?.toLowerCase()
  return values.find((value) => value.toLowerCase() === wanted)
}

/** The same for a member that has to name a value; throws `invalid` with the values. */
export function requireChoice<Value extends string>(
  values: readonly Value[],
  text: string | null | undefined,
  member: string,
): Value {
  const value = choiceOf(values, text)
  if (value !== undefined) return value
  const received =
    text === undefined || text === null ? '' : `, not ${JSON.stringify(text.slice(0, 100))}`
  throw new AppError('invalid', `${member} must be one of ${values.join(', ')}${received}`)
}
