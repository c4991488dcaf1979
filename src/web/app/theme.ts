import { useSyncExternalStore } from 'react'
import {
  isBuiltIn,
  paint,
  readStored,
  storageKeys,
  type BuiltInTheme,
  type Shape,
  type StoredTheme,
} from './look.ts'

/** Choices that need no gallery. */
export const themes = ['system', 'dark', 'light'] as const
export type Theme = (typeof themes)[number]

/** What is being tried without having been chosen. */
export interface Preview {
  name: string
  theme: BuiltInTheme | StoredTheme
}

let preview: Preview | null = null
const listeners = new Set<() => void>()
let chosenListener: (theme: string) => void = () => {}

const tell = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** The theme the person chose: `system`, a built-in one or the id of an uploaded one. */
export const chosenTheme = (): string => readStored(storageKeys.theme) ?? 'system'
export const useChosenTheme = (): string => useSyncExternalStore(subscribe, chosenTheme)
export const usePreview = (): Preview | null => useSyncExternalStore(subscribe, () => preview)

/** Stores and applies a theme without telling the server: it came from there. */
export function adoptTheme(theme: string, uploaded: StoredTheme | null = null): void {
  if (theme === 'system') localStorage.removeItem(storageKeys.theme)
  else localStorage.setItem(storageKeys.theme, theme)
  if (uploaded === null) localStorage.removeItem(storageKeys.palette)
  else localStorage.setItem(storageKeys.palette, JSON.stringify(uploaded))
  preview = null
  paint()
  tell()
}

/** The choice of the person: stored here, applied at once, and kept with the session. */
export function chooseTheme(theme: string, uploaded: StoredTheme | null = null): void {
  adoptTheme(theme, uploaded)
  chosenListener(theme)
}

/** Who stores choices with the session; the answer ends that. */
export function onThemeChosen(listener: (theme: string) => void): () => void {
  chosenListener = listener
  return () => {
    chosenListener = () => {}
  }
}

/** Shows a theme until it is chosen or the preview stops; a reload ends it as well. */
export function tryTheme(next: Preview | null): void {
  preview = next
  paint(next?.theme ?? null)
  tell()
}

export function adoptShape(shape: Shape): void {
  localStorage.setItem(storageKeys.shape, JSON.stringify(shape))
  paint(preview?.theme ?? null)
}

/** Ids of built-in themes as the server knows them. */
const serverIds: Record<BuiltInTheme, string> = {
  dark: 'dark-default',
  light: 'light-default',
  graphite: 'graphite',
}

/** Null stands for "no choice": the look of the system. */
export const serverThemeId = (theme: string): string | null =>
  theme === 'system' ? null : isBuiltIn(theme) ? serverIds[theme] : theme

export function themeOfServer(id: string | null): string {
  if (id === null) return 'system'
  const known = Object.entries(serverIds).find(([, serverId]) => serverId === id)
  return known?.[0] ?? id
}
