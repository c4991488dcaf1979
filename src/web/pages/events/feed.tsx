import { t } from '../../locales/translate.ts'

/** The address that a calendar program reads. */
export function Feed() {
  return <p>{t('events.feed')}</p>
}
