import { lazy, type ComponentType } from 'react'
import { loadTexts, type Part } from '../locales/translate.ts'

/** A component as its own chunk, which is shown when the texts that it needs are there too. */
export const lazyPart = <Props>(
  load: () => Promise<ComponentType<Props>>,
  ...parts: readonly Part[]
) =>
  lazy(async () => {
    const [component] = await Promise.all([load(), ...parts.map(loadTexts)])
    return { default: component }
  })
