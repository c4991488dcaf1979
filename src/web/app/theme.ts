import {
  isBuiltIn,
  paint,
  readStored,
  storageKeys,
  type BuiltInTheme,
  type Shape,
  type StoredTheme,
} from './appearance.ts'
import { createValue } from './value.ts'

/** Choices available outside the gallery. */
export const themes = ['system', 'dark', 'light'] as const

/** A theme that is previewed but not chosen. */
export interface Preview {
  name: string
  theme: BuiltInTheme | StoredTheme
}

/** Also set when the chosen theme changes, so that both hooks update. */
const preview = createValue<Preview | null>(null)
let chosenListener: (theme: string) => void = () => {}

/** The user's theme: `system`, a built-in one or the id of an uploaded one. */
export const chosenTheme = (): string => readStored(storageKeys.theme) ?? 'system'
export const useChosenTheme = (): string => preview.usePart(chosenTheme)
export const usePreview = (): Preview | null => preview.use()

/** Stores and applies a theme received from the server. */
export function adoptTheme(theme: string, uploaded: StoredTheme | null = null): void {
  if (theme === 'system') localStorage.removeItem(storageKeys.theme)
  else localStorage.setItem(storageKeys.theme, theme)
  if (uploaded === null) localStorage.removeItem(storageKeys.palette)
  else localStorage.setItem(storageKeys.palette, JSON.stringify(uploaded))
  paint()
  preview.set(null)
}

/** Applies the user's choice immediately and saves it with the session. */
export function chooseTheme(theme: string, uploaded: StoredTheme | null = null): void {
  adoptTheme(theme, uploaded)
  chosenListener(theme)
}

/**
 * Registers the listener that saves choices with the session; returns a function that removes it.
 */
export function onThemeChosen(listener: (theme: string) => void): () => void {
  chosenListener = listener
  return () => {
    chosenListener = () => {}
  }
}

/** Previews a theme until it is chosen or the preview stops; a reload ends it too. */
export function tryTheme(next: Preview | null): void {
  paint(next?.theme ?? null)
  preview.set(next)
}

export function adoptShape(shape: Shape): void {
  localStorage.setItem(storageKeys.shape, JSON.stringify(shape))
  paint(preview.get()?.theme ?? null)
}

/** Server ids of the built-in themes. */
const serverIds: Record<BuiltInTheme, string> = {
  dark: 'dark-default',
  light: 'light-default',
  graphite: 'graphite',
}

/** Null means that the system's appearance applies. */
export const serverThemeId = (theme: string): string | null =>
  theme === 'system' ? null : isBuiltIn(theme) ? serverIds[theme] : theme

export function themeOfServer(id: string | null): string {
  if (id === null) return 'system'
  const known = Object.entries(serverIds).find(([, serverId]) => serverId === id)
  return known?.[0] ?? id
}
