import { useState } from 'react'
import { Dot } from '../../../components/figures.tsx'
import { t, tn, type Key } from '../../../locales/translate.ts'
import type { Finding } from '../../../themes/read-theme.ts'

const texts: Record<Finding['kind'], Key> = {
  size: 'findings.size',
  syntax: 'findings.syntax',
  missing: 'findings.missing',
  colour: 'findings.colour',
  unknown: 'findings.unknown',
  style: 'findings.style',
  contrast: 'findings.contrast',
  builtIn: 'findings.builtIn',
  extension: 'findings.extension',
}

/** Findings about a theme file, each with its location. */
export function Findings({
  findings,
  isFolded = false,
}: {
  findings: readonly Finding[]
  isFolded?: boolean
}) {
  const [isOpen, setIsOpen] = useState(!isFolded)
  if (findings.length === 0) return null
  if (!isOpen) {
    return (
      <button
        type="button"
        className="text-small text-dim underline underline-offset-3 hover:text-text"
        onClick={() => setIsOpen(true)}
      >
        {tn('findings.count', findings.length)}
      </button>
    )
  }
  return (
    <ul className="space-y-1 text-small">
      {findings.map(({ kind, blocks, subject, line }) => (
        <li key={`${kind} ${subject}`} className="flex gap-2">
          <span className="mt-1.5 flex">
            <Dot tone={blocks ? 'bad' : 'attention'} />
          </span>
          <span className="min-w-0 break-words">
            {t(texts[kind], { subject })}
            {line !== null && <span className="text-dim"> · {t('findings.line', { line })}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
