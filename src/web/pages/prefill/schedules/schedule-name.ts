import { t } from '../../../locales/translate.ts'

/** The service's own name of a first schedule is translated; names that people gave are not. */
export const scheduleName = (name: string): string =>
  name === 'Default' ? t('prefill.scheduleDefault') : name
