/** Plain values that complete a text. */
export type PhraseValues = Record<string, string | number>

/** A text in English, and as key and values for translated pages. */
export interface Phrase<Key extends string = string> {
  text: string
  key: Key
  values: PhraseValues
}

type Missing<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Missing<Rest>
  : never
/** The values that a text with `{name}` placeholders requires. */
export type PhraseNeeds<Text extends string> = [Missing<Text>] extends [never]
  ? []
  : [values: Record<Missing<Text>, string | number>]

/** Replaces `{name}` with values. */
export const filled = (text: string, values: PhraseValues): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Texts by key; each `{name}` placeholder requires a value. */
export const phraseBook =
  <const Texts extends Record<string, string>>(texts: Texts) =>
  <Key extends keyof Texts & string>(key: Key, ...rest: PhraseNeeds<Texts[Key]>): Phrase<Key> => {
    const values: PhraseValues = rest[0] ?? {}
    return { text: filled(String(texts[key]), values), key, values }
  }
