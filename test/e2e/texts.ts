import { loaders, type Key, type Locale } from '../../src/web/locales/texts.ts'

export { fill } from '../../src/web/locales/texts.ts'

/** All texts of a language. */
async function textsOf(locale: Locale): Promise<Record<Key, string>> {
  const parts = await Promise.all(Object.values(loaders[locale]).map((load) => load()))
  return Object.assign({}, ...parts.map((part) => part.default))
}

export const en = await textsOf('en')
export const de = await textsOf('de')
