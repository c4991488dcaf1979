import type { Settings } from './settings.ts'

/** Id of this installation, created at the first start; the history is tied to it. */
export function installationOf(settings: Pick<Settings, 'get' | 'set'>): string {
  const known = settings.get('installation.id')
  if (known !== null) return known
  const made = crypto.randomUUID()
  settings.set('installation.id', made)
  return made
}

/** Whether the first-run set-up was ever completed, even if the owner has reopened it since. */
export const wasSetUp = (settings: Pick<Settings, 'get'>): boolean =>
  settings.get('setup.isCompleted') || settings.get('setup.wasCompleted')
