export interface FieldFault {
  /** PascalCase, as in error bodies. */
  field: 'Username' | 'Password' | 'ApiKey'
  message: string
}

const usernameCharsMax = 64
const passwordCharsMin = 12
const passwordCharsMax = 256
const classesMin = 3

const classes = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{Ll}\p{Lu}\p{Nd}]/u]

/** Number of character classes used: lower case, upper case, digits, others. */
export const characterClasses = (text: string): number =>
  classes.filter((pattern) => pattern.test(text)).length

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e]/u

/** Null when the name is valid. Expects a trimmed name. */
export function usernameFault(username: string): FieldFault | null {
  const fault = (message: string): FieldFault => ({ field: 'Username', message })
  if (username === '') return fault('A username is required')
  if (username.length > usernameCharsMax) {
    return fault(`A username has at most ${usernameCharsMax} characters`)
  }
  if (controlCharacters.test(username)) {
    return fault('A username has no control or invisible characters')
  }
  return null
}

/** Null when the password is acceptable. */
export function passwordFault(password: string, username: string): FieldFault | null {
  const fault = (message: string): FieldFault => ({ field: 'Password', message })
  if (password.length < passwordCharsMin) {
    return fault(`A password has at least ${passwordCharsMin} characters`)
  }
  if (password.length > passwordCharsMax) {
    return fault(`A password has at most ${passwordCharsMax} characters`)
  }
  if (characterClasses(password) < classesMin) {
    return fault('A password needs three of: lower case, upper case, digits, other characters')
  }
  if (password.toLowerCase() === username.toLowerCase()) {
    return fault('The password must differ from the username')
  }
  return null
}

/** User names are unique ignoring case. */
export const usernameKey = (username: string): string => username.normalize('NFC').toLowerCase()
