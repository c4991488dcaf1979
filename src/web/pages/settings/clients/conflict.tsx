import { Button } from '../../../components/button.tsx'
import { Dot } from '../../../components/figures.tsx'
import { t } from '../../../locales/translate.ts'
import { changesOf, type Draft } from './draft.ts'

interface ConflictProps {
  /** The state that the panel started from. */
  base: Draft
  /** The state of the group now. */
  current: Draft
  isBusy: boolean
  onReload: () => void
}

/** The group was changed elsewhere since the panel read it: what changed, and the way to reload. */
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
