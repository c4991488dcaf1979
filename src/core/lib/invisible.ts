/**
 * Characters that do not show, end a line, or turn the direction of the text. The joiner of emojis is
 * none of them.
 */
export const invisible = /(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
