export const locales = ['en', 'de'] as const
export type Locale = (typeof locales)[number]
export type Texts = Record<string, string>

/** Texts not needed by the first screen are loaded with the first page that uses them. */
export const loaders = {
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
/** The ends of the keys that begin with a text, which name what is said. */
export type EndOf<Start extends string> = Key extends infer K
  ? K extends `${Start}.${infer End}`
    ? End
    : never
  : never
/** Keys that exist in a singular and a plural form. */
export type CountKey = Key extends infer K
  ? K extends `${infer Base}.other`
    ? Base
    : never
  : never
export type Values = Record<string, string | number>

/** Replaces `{name}` with values. */
export function fill(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
