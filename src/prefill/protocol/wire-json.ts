// The runtime has both; the compiler's library does not know them yet.
declare global {
  interface JSON {
    rawJSON(text: string): object
  }
}

const longDigits = /\d{16}/
const wholeNumber = /^-?\d+$/

/**
 * Parses JSON. Whole numbers beyond 2^53, such as manifest ids, become texts with all their digits.
 * Throws SyntaxError.
 */
export function parseWireJson(text: string): unknown {
  if (!longDigits.test(text)) return JSON.parse(text) as unknown
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source ?? ''
    const isCut = typeof value === 'number' && !Number.isSafeInteger(value)
    return isCut && wholeNumber.test(source) ? source : value
  }) as unknown
}

/** A whole number of any size, to be written without quotes. Throws SyntaxError for anything else. */
export function wireNumber(digits: string): object {
  if (!wholeNumber.test(digits)) throw new SyntaxError('not a whole number')
  return JSON.rawJSON(BigInt(digits).toString())
}
