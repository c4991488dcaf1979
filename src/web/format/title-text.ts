import { t } from '../locales/translate.ts'

/** Display form of a title's key: `alpha:441` is a depot; for others the most telling part. */
export function titleText(titleKey: string): string {
  const colon = titleKey.indexOf(':')
  const rest = titleKey.slice(colon + 1)
  return titleKey.startsWith('alpha:') ? t('game.depot', { id: rest }) : rest
}
