/** Runs before the first paint and follows the system while no theme was chosen. */
const light = matchMedia('(prefers-color-scheme: light)')

function stored(): string | null {
  try {
    return localStorage.getItem('larder.theme')
  } catch {
    // Storage may be blocked; then the system's theme stays.
    return null
  }
}

function apply(): void {
  const chosen = stored()
  const theme = chosen === 'dark' || chosen === 'light' ? chosen : light.matches ? 'light' : 'dark'
  document.documentElement.dataset['theme'] = theme
}

apply()
light.addEventListener('change', apply)
