/** Plain values that a text is completed with. */
export type PhraseValues = Record<string, string | number>

/** A text for people: in English, and as key and values for pages in other languages. */
export interface Phrase<Key extends string = string> {
  text: string
  key: Key
  values: PhraseValues
}

type Missing<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Missing<Rest>
  : never
/** The values that a text with `{name}` in it has to be given. */
export type PhraseNeeds<Text extends string> = [Missing<Text>] extends [never]
  ? []
  : [values: Record<Missing<Text>, string | number>]

/** Texts by key; `{name}` stands for a value, and each value has to be given. */
export const phraseBook =
  <const Texts extends Record<string, string>>(texts: Texts) =>
  <Key extends keyof Texts & string>(key: Key, ...rest: PhraseNeeds<Texts[Key]>): Phrase<Key> => {
    const values: PhraseValues = rest[0] ?? {}
    const text = String(texts[key]).replace(/\{(\w+)\}/g, (_, name: string) =>
      String(values[name] ?? ''),
    )
    return { text, key, values }
  }
