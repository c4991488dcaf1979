/*
 * Texts of the service have keys. A phrase (`phrases.ts`) is the English text, its key and its
 * plain values. Names of jobs, reasons and causes are defined once in a table; answers carry all
 * three. The dashboard translates keys it knows and shows the English text of all others. A test
 * keeps both tables complete. Why a cache tree could not be read is stored as text in its row and
 * as a phrase in `meta` of the index (`problem:<root>`); the phrase counts only while both agree.
 * Sockets of an ended session are closed with the reason `<key>: <text>`.
 */
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

export const filled = (text: string, values: PhraseValues): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Texts by key; each `{name}` placeholder requires a value. */
export const phraseBook =
  <const Texts extends Record<string, string>>(texts: Texts) =>
  <Key extends keyof Texts & string>(key: Key, ...rest: PhraseNeeds<Texts[Key]>): Phrase<Key> => {
    const values: PhraseValues = rest[0] ?? {}
    return { text: filled(String(texts[key]), values), key, values }
  }
