import {
  fill,
  loaders,
  locales,
  type CountKey,
  type EndOf,
  type Key,
  type Locale,
  type Part,
  type Texts,
  type Values,
} from './texts.ts'

export { locales, type CountKey, type EndOf, type Key, type Locale, type Part, type Values }

/** By itself, as a choice. */
export const languageNames: Record<Locale, string> = { en: 'English', de: 'Deutsch' }

const storageKey = 'larder.locale'
let dictionary: Texts = {}
let current: Locale = 'en'
let regional = 'en'
let plurals = new Intl.PluralRules('en')

/** The language of the texts. */
export const locale = (): Locale => current
/** The browser's regional variant of that language (`en-GB`), for numbers and dates. */
export const region = (): string => regional

/** Picks the first supported language; `chosen` takes precedence. */
export function pickLocale(chosen: string | null, wanted: readonly string[]): Locale {
  for (const tag of [chosen, ...wanted]) {
    const language = tag?.slice(0, 2).toLowerCase()
    const match = locales.find((known) => known === language)
    if (match !== undefined) return match
  }
  return 'en'
}

/** The language without a choice. */
export const browserLocale = (): Locale => pickLocale(null, navigator.languages)

/** Loads the texts; nothing is rendered before that. */
export async function startTranslation(): Promise<void> {
  current = pickLocale(localStorage.getItem(storageKey), navigator.languages)
  regional = navigator.languages.find((tag) => tag.startsWith(current)) ?? current
  plurals = new Intl.PluralRules(current)
  await loadTexts('main')
  document.documentElement.lang = current
}

/** Loads a part of the texts; repeated calls are free. */
export async function loadTexts(part: Part): Promise<void> {
  // Awaited first: two parts may be loading at the same time.
  const { default: texts } = await loaders[current][part]()
  dictionary = { ...dictionary, ...texts }
}

/** For tests, which have no browser. */
export const setTexts = (texts: Texts): void => void (dictionary = texts)

/** Stores another language and reloads the page. */
export function chooseLocale(next: Locale): void {
  localStorage.setItem(storageKey, next)
  location.reload()
}

export function t(key: Key, values: Values = {}): string {
  return fill(dictionary[key] ?? key, values)
}

/** A key that ends with a word of the service; null without a text for that word. */
export const known = (key: string): Key | null =>
  // The texts are those of the keys' type.
  Object.hasOwn(dictionary, key) ? (key as Key) : null

/** A remedy as it fits how Larder runs: outside of a container there is no mount, PUID or PGID. */
export function remedy(key: Key, isInContainer: boolean, values: Values = {}): string {
  const onHost = dictionary[`${key}OnHost`]
  return !isInContainer && onHost !== undefined ? fill(onHost, values) : t(key, values)
}

/** The plural form for a number; `{count}` is replaced with the number. */
export function tn(key: CountKey, count: number, values: Values = {}): string {
  const form = `${key}.${plurals.select(count)}`
  const text = dictionary[form] ?? dictionary[`${key}.other`] ?? key // an unknown form falls back
  const shown = new Intl.NumberFormat(regional).format(count)
  return fill(text, { count: shown, ...values })
}
