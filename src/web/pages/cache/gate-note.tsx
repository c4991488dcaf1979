import { useRemedies } from '../../app/remedies.ts'
import { Dot } from '../../components/figures.tsx'
import { t } from '../../locales/translate.ts'
import { isHarmless, type Gate } from './gates.ts'

interface GateNoteProps {
  gates: readonly Gate[]
  /** What they disable. */
  consequence: string
}

/** Explains why buttons are disabled, with the remedy. */
export function GateNote({ gates, consequence }: GateNoteProps) {
  const remedyText = useRemedies()
  if (gates.length === 0) return null
  return (
    <section aria-label={consequence} className="card mb-3.5 px-[18px] py-3">
      <p className="flex items-center gap-2 font-medium">
        <Dot tone={gates.every(isHarmless) ? 'quiet' : 'attention'} />
        {consequence}
      </p>
      <ul className="mt-1.5 space-y-1.5 text-[13px]">
        {gates.map(({ datasource, title, remedy, values }) => (
          <li key={`${datasource} ${title}`} className="max-w-[92ch] break-words">
            {t(title, values)} <span className="text-dim">{remedyText(remedy, values)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
