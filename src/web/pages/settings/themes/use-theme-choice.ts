import { isBuiltIn } from '../../../app/appearance.ts'
import { chosenTheme, chooseTheme } from '../../../app/theme.ts'
import { complain, say } from '../../../components/toast.tsx'
import { t } from '../../../locales/translate.ts'
import { loadTheme } from '../../../themes/load-theme.ts'
import { refusalText } from '../../../api/refusal-text.ts'

async function apply(theme: string): Promise<boolean> {
  if (theme === 'system' || isBuiltIn(theme)) {
    chooseTheme(theme)
    return true
  }
  const loaded = await loadTheme(theme)
  if (loaded !== null) chooseTheme(theme, loaded)
  return loaded !== null
}

/** Chooses a theme, with undo; reports when its file cannot be used. */
export function useThemeChoice(): (theme: string) => Promise<void> {
  return async (theme) => {
    const before = chosenTheme()
    try {
      if (!(await apply(theme))) complain(t('themes.unusable'))
      else if (theme !== before) say(t('themes.chosen'), () => void apply(before).catch(() => {}))
    } catch (error) {
      complain(error instanceof Error ? refusalText(error) : String(error))
    }
  }
}
