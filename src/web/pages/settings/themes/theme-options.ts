import type { ThemeInfo } from '../../../api/access-queries.ts'
import { t } from '../../../locales/translate.ts'

/** Themes by their server ids, as options. */
export const themeOptions = (
  uploaded: readonly ThemeInfo[],
): { value: string; label: string }[] => [
  { value: 'dark-default', label: t('theme.dark') },
  { value: 'light-default', label: t('theme.light') },
  { value: 'graphite', label: t('theme.graphite') },
  ...uploaded.map(({ id, name }) => ({ value: id, label: name })),
]
