import { t } from '../../../locales/translate.ts'

/** A title's key as people read it: `alpha:441` is a depot, of the others the part that says most. */
export function titleText(titleKey: string): string {
  const colon = titleKey.indexOf(':')
  const rest = titleKey.slice(colon + 1)
  return titleKey.startsWith('alpha:') ? t('game.depot', { id: rest }) : rest
}
