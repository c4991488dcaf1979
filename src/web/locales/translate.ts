export const locales = ['en', 'de'] as const
export type Locale = (typeof locales)[number]
/** By itself, as a choice. */
export const languageNames: Record<Locale, string> = { en: 'English', de: 'Deutsch' }
type Texts = Record<string, string>

/** Texts not needed by the first screen are loaded with the first page that uses them. */
const loaders = {
  en: {
    main: () => import('./en.json'),
    access: () => import('./en.access.json'),
    cache: () => import('./en.cache.json'),
    clients: () => import('./en.clients.json'),
    controls: () => import('./en.controls.json'),
    corruption: () => import('./en.corruption.json'),
    events: () => import('./en.events.json'),
    logs: () => import('./en.logs.json'),
    monitoring: () => import('./en.monitoring.json'),
    prefill: () => import('./en.prefill.json'),
    reports: () => import('./en.reports.json'),
    settings: () => import('./en.settings.json'),
    work: () => import('./en.work.json'),
  },
  de: {
    main: () => import('./de.json'),
    access: () => import('./de.access.json'),
    cache: () => import('./de.cache.json'),
    clients: () => import('./de.clients.json'),
    controls: () => import('./de.controls.json'),
    corruption: () => import('./de.corruption.json'),
    events: () => import('./de.events.json'),
    logs: () => import('./de.logs.json'),
    monitoring: () => import('./de.monitoring.json'),
    prefill: () => import('./de.prefill.json'),
    reports: () => import('./de.reports.json'),
    settings: () => import('./de.settings.json'),
    work: () => import('./de.work.json'),
  },
} satisfies Record<Locale, Record<string, () => Promise<{ default: Texts }>>>

type English = typeof loaders.en
export type Part = keyof English
type TextsOf<P extends Part> = P extends Part ? Awaited<ReturnType<English[P]>>['default'] : never
export type Key =
  TextsOf<Part> extends infer T ? (T extends unknown ? keyof T & string : never) : never
/** Keys that exist in a singular and a plural form. */
export type CountKey = Key extends infer K
  ? K extends `${infer Base}.other`
    ? Base
    : never
  : never
export type Values = Record<string, string | number>

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

/** Replaces `{name}` with values. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

export function t(key: Key, values: Values = {}): string {
  return fill(dictionary[key] ?? key, values)
}

/** The plural form for a number; `{count}` is replaced with the number. */
export function tn(key: CountKey, count: number, values: Values = {}): string {
  const form = `${key}.${plurals.select(count)}`
  const text = dictionary[form] ?? dictionary[`${key}.other`] ?? key // an unknown form falls back
  const shown = new Intl.NumberFormat(regional).format(count)
  return fill(text, { count: shown, ...values })
}
