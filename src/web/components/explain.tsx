import { Info } from 'lucide-react'
import { Suspense, useState } from 'react'
import { t } from '../locales/translate.ts'
import type { Explained } from './explained.ts'
import { lazyPart } from '../app/lazy-part.ts'

const ExplainPanel = lazyPart(
  async () => (await import('./explain-panel.tsx')).ExplainPanel,
  'reports',
)

/** Opens a figure's formula, source and scope. */
export function Explain(explained: Explained) {
  const [isOpen, setIsOpen] = useState(false)
  const label = t('explain.open', { name: explained.name })
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={label}
        title={label}
        data-figure={explained.number}
        onClick={() => setIsOpen(true)}
        className="explain"
      >
        <Info size={13} />
      </button>
      {isOpen && (
        <Suspense>
          <ExplainPanel explained={explained} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
