import { t } from '../locales/translate.ts'
import { chooseTheme, tryTheme, type Preview } from './theme.ts'
import { Button } from '../components/form-controls.tsx'

/** Shown while a theme is previewed; offers to keep it or to stop. */
export function PreviewBanner({ preview: { name, theme } }: { preview: Preview }) {
  // A file that is not uploaded yet has no id and can only be previewed.
  const canKeep = typeof theme === 'string' || theme.id !== ''
  const keep = () => {
    if (typeof theme === 'string') chooseTheme(theme)
    else chooseTheme(theme.id, theme)
  }
  return (
    <div
      role="status"
      className="sticky top-0 z-30 flex flex-wrap items-center gap-2.5 border-b border-line bg-raise px-4 py-2 md:px-6"
    >
      <p className="mr-auto text-[13px]">{t('themes.previewing', { name })}</p>
      {canKeep && (
        <Button className="h-8" onClick={keep}>
          {t('themes.keep')}
        </Button>
      )}
      <Button className="h-8" onClick={() => tryTheme(null)}>
        {t('themes.stop')}
      </Button>
    </div>
  )
}
