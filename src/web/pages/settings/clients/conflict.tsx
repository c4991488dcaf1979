import { Button } from '../../../components/button.tsx'
import { Dot } from '../../../components/figures.tsx'
import { t } from '../../../locales/translate.ts'
import { changesOf, type Draft } from '../../../app/clients/draft.ts'

interface ConflictProps {
  /** The state that editing started from. */
  base: Draft
  /** The group's current state. */
  current: Draft
  isBusy: boolean
  onReload: () => void
}

/** The group was changed elsewhere while being edited: shows the changes, with a reload button. */
export function Conflict({ base, current, isBusy, onReload }: ConflictProps) {
  return (
    <section
      role="alert"
      aria-label={t('conflict.title')}
      className="rounded-control border border-fetched bg-raise p-3.5"
    >
      <p className="mb-2 flex items-center gap-2 font-medium">
        <Dot tone="attention" />
        {t('conflict.title')}
      </p>
      <ul className="list-disc pl-5 text-small">
        {changesOf(base, current).map(([key, values]) => (
          <li key={key} className="break-words">
            {t(key, values)}
          </li>
        ))}
      </ul>
      <Button className="mt-3" disabled={isBusy} onClick={onReload}>
        {t('conflict.reload')}
      </Button>
    </section>
  )
}
