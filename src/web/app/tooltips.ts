/** Removes an element's tooltip before the browser shows it; a reload restores them all. */
function hush({ target }: Event): void {
  const element = target instanceof Element ? target.closest('[title]') : null
  if (element === null) return
  const hint = element.getAttribute('title') ?? ''
  element.removeAttribute('title')
  const isNamed = element.hasAttribute('aria-label') || element.textContent.trim() !== ''
  if (!isNamed) element.setAttribute('aria-label', hint)
}

/** Turns tooltips off or on. */
export function setTooltips(areOff: boolean): void {
  if (areOff) document.addEventListener('mouseover', hush, true)
  else document.removeEventListener('mouseover', hush, true)
}
