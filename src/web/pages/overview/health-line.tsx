import { Suspense, useState } from 'react'
import { useConfig, useIsAccount, useServiceStatus, type CacheInfo } from '../../api/queries.ts'
import { reasonText } from '../../api/refusal-text.ts'
import { useRemedies } from '../../app/remedies.ts'
import { Dot } from '../../components/figures.tsx'
import { loadTexts, t } from '../../locales/translate.ts'
import { consequenceOf, healthItems, type Text } from './health.ts'
import { lazyPart } from '../../app/lazy-part.ts'

const MismatchActions = lazyPart(
  async () => (await import('./mismatch-actions.tsx')).MismatchActions,
  'cache',
  'work',
)

const textOf = ({ key, values }: Text) => t(key, values)

const lineClass = 'min-h-[66px] md:min-h-[42px]'

/** State of the service; problems show their consequence and remedy. */
export function HealthLine({ cache }: { cache: CacheInfo | null }) {
  const { data: status } = useServiceStatus()
  const { data: config } = useConfig()
  const [isOpen, setIsOpen] = useState(false)
  const isAccount = useIsAccount()
  const remedyText = useRemedies()
  // Keeps its place; guests are not told.
  if (status === undefined) return isAccount ? <div className={`${lineClass} card`} /> : null
  const items = healthItems(status, cache, config)
  const worst = items.find(({ tone }) => tone === 'bad') ?? items.find(({ remedy }) => remedy)
  const consequence = worst === undefined ? null : consequenceOf(worst)
  return (
    <section aria-label={t('health.label')} className={`${lineClass} card px-[18px] py-2.5`}>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1.5">
        <ul className="flex flex-wrap items-center gap-x-5 gap-y-1.5">
          {items.map(({ id, tone, label }) => (
            <li
              key={id}
              className={
                tone === 'good' || tone === 'quiet'
                  ? 'flex items-center gap-2 text-[13px] text-dim'
                  : 'flex items-center gap-2 text-[13px]'
              }
            >
              <Dot tone={tone} />
              {textOf(label)}
            </li>
          ))}
        </ul>
        {worst?.remedy !== undefined && (
          <p className="ml-auto text-[13px]">
            {consequence !== null && `${t(consequence)} `}
            <button
              type="button"
              className="link"
              aria-expanded={isOpen}
              // Remedies are texts that the first screen does not need.
              onClick={() => void loadTexts('work').then(() => setIsOpen(!isOpen))}
            >
              {t(isOpen ? 'health.hideFix' : 'health.showFix')}
            </button>
          </p>
        )}
      </div>
      {isOpen && (
        <ul className="mt-2.5 space-y-2 border-t border-line pt-2.5 text-[13px]">
          {items
            .filter(({ remedy }) => remedy !== undefined)
            .map(({ id, tone, label, remedy, detail, choices }) => (
              <li key={id} className="max-w-[86ch]">
                <p className="flex items-center gap-2 font-medium">
                  <Dot tone={tone} />
                  {textOf(label)}
                </p>
                {remedy !== undefined && (
                  <p className="mt-0.5 text-dim">{remedyText(remedy.key, remedy.values)}</p>
                )}
                {detail !== null && (
                  <p className="mt-0.5 break-words text-dim">
                    {t('health.cause')} {reasonText(detail)}
                  </p>
                )}
                {choices !== undefined && (
                  <Suspense>
                    <MismatchActions choices={choices} />
                  </Suspense>
                )}
              </li>
            ))}
        </ul>
      )}
    </section>
  )
}
