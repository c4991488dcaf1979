import { clsx } from 'clsx'
import { useState, type ReactNode } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { Card, StateLine } from '../../../components/card.tsx'
import { Segments, Button, Choice, choices, optionsOf } from '../../../components/form-controls.tsx'
import { sinceText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { useJobs } from '../../../app/use-jobs.ts'
import { useSave } from '../../../app/use-save.ts'
import { useGates } from '../use-gates.ts'
import { useCurrentScan, type Method } from './queries.ts'

const lookbacks = [1, 7, 30, 90, 365]
const thresholds = [3, 5, 10]

interface MethodCardProps {
  method: Method
  isShown: boolean
  onShow: () => void
}

/** A detection method: what it proves, its last result and its start button. */
export function MethodCard({ method, isShown, onShow }: MethodCardProps) {
  const isStructural = method === 'structural'
  const [mode, setMode] = useState<'incremental' | 'full'>('incremental')
  const [threshold, setThreshold] = useState(3)
  const [days, setDays] = useState(30)
  const { isBusy: isRunning } = useJobs(['corruptionDetection'])
  const gates = useGates()
  const { save, isBusy } = useSave({ stale: [keys.operations] })
  const start = () => {
    const query = isStructural
      ? { detectionMethod: method, scanMode: mode }
      : { detectionMethod: method, threshold, lookbackDays: days }
    const done = t('corruption.started')
    save({ run: () => unwrap(api.cache.corruption.detect.post(undefined, { query })), done })
    onShow()
  }
  return (
    <Card
      title={t(isStructural ? 'corruption.structural' : 'corruption.missed')}
      className={clsx(isShown && 'border-edge')}
      action={
        <button type="button" aria-pressed={isShown} className="link" onClick={onShow}>
          {t(isShown ? 'corruption.shown' : 'corruption.show')}
        </button>
      }
    >
      <p className="mb-3 max-w-[64ch] text-[13px] text-dim">
        {t(isStructural ? 'corruption.structuralText' : 'corruption.missedText')}
      </p>
      {isStructural && (
        <p className="mb-3 max-w-[64ch] text-small text-dim">
          {t(mode === 'full' ? 'corruption.fullText' : 'corruption.incrementalText')}
        </p>
      )}
      <div className="mt-auto">
        <div className="mb-3 text-[13px]">
          <LastResult method={method} />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {isStructural ? (
            <Segments
              label={t('corruption.mode')}
              value={mode}
              options={choices({ incremental: 'corruption.incremental', full: 'corruption.full' })}
              onChange={setMode}
            />
          ) : (
            <>
              <Labelled text={t('corruption.threshold')}>
                <Choice
                  label={t('corruption.threshold')}
                  value={threshold}
                  options={optionsOf(thresholds, (count) => tn('corruption.times', count))}
                  onChange={setThreshold}
                />
              </Labelled>
              <Labelled text={t('corruption.lookback')}>
                <Choice
                  label={t('corruption.lookback')}
                  value={days}
                  options={optionsOf(lookbacks, (count) => tn('corruption.days', count))}
                  onChange={setDays}
                />
              </Labelled>
            </>
          )}
          <Button
            className="primary ml-auto h-[34px]"
            // Without the cache's key scheme nothing can be checked.
            disabled={isBusy || isRunning || gates.keys.length > 0}
            onClick={start}
          >
            {t(isStructural ? 'corruption.startCheck' : 'corruption.startSearch')}
          </Button>
        </div>
      </div>
    </Card>
  )
}

/** A label in front of a list of choices; screen readers use the same name. */
const Labelled = ({ text, children }: { text: string; children: ReactNode }) => (
  <span className="flex items-center gap-2">
    <span aria-hidden="true" className="text-small text-dim">
      {text}
    </span>
    {children}
  </span>
)

function LastResult({ method }: { method: Method }) {
  const { data: scan } = useCurrentScan(method)
  const now = useNow(15_000)
  if (scan === undefined) return <span className="text-dim">{t('state.loading')}</span>
  if (scan === null) return <StateLine tone="quiet">{t('corruption.never')}</StateLine>
  const time = sinceText(new Date(scan.completedAt), now)
  const found = scan.total === 0 ? t('corruption.foundNone') : tn('corruption.found', scan.total)
  return (
    <StateLine tone={scan.total === 0 ? 'good' : 'attention'}>
      {found} <span className="figure text-dim">· {time}</span>
    </StateLine>
  )
}
