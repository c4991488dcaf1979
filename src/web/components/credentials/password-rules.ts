export const passwordLengthMin = 12
export const passwordLengthMax = 256
const classesMin = 3

const classes = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{Ll}\p{Lu}\p{Nd}]/u]

/** The server's rules, checked while typing. */
export function checkPassword(password: string, username: string) {
  const met = classes.filter((pattern) => pattern.test(password)).length
  return {
    isLongEnough: password.length >= passwordLengthMin && password.length <= passwordLengthMax,
    hasThreeClasses: met >= classesMin,
    differsFromName: password !== '' && password.toLowerCase() !== username.trim().toLowerCase(),
  }
}
export type PasswordRules = ReturnType<typeof checkPassword>

export const isAcceptable = (rules: PasswordRules): boolean =>
  rules.isLongEnough && rules.hasThreeClasses && rules.differsFromName
