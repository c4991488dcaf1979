import { ExternalLink } from 'lucide-react'
import { useEventName } from '../api/event-queries.ts'
import { periodOf, type Range } from '../app/range.ts'
import { useNow } from '../app/clock.ts'
import { momentText } from '../format/times.ts'
import { t } from '../locales/translate.ts'
import { explanations, type Explained, type Explanation } from './explained.ts'
import { SidePanel } from './side-panel.tsx'

interface ExplainPanelProps {
  explained: Explained
  onClose: () => void
}

/** A figure's formula, source and scope, with a link to the definitions of all terms. */
export function ExplainPanel({ explained, onClose }: ExplainPanelProps) {
  const { formula, source, scope, leftOut }: Explanation = explanations[explained.number]
  return (
    <SidePanel title={explained.name} isOpen onClose={onClose}>
      <dl className="space-y-3">
        <Fact name={t('explain.formula')}>{t(formula)}</Fact>
        <Fact name={t('explain.source')}>{t(source)}</Fact>
        <Fact name={t('explain.range')}>
          {scope === 'asked' && explained.range !== undefined ? (
            <RangeText range={explained.range} />
          ) : (
            t(scope === 'now' ? 'explain.now' : 'explain.always')
          )}
        </Fact>
        {leftOut.length > 0 && (
          <Fact name={t('explain.leftOut')}>{leftOut.map((key) => t(key)).join(' · ')}</Fact>
        )}
      </dl>
      <a href="/numbers.txt" target="_blank" className="link mt-5 flex items-center gap-1.5">
        {t('explain.definitions')}
        <ExternalLink size={13} aria-hidden="true" />
      </a>
    </SidePanel>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt className="text-small text-dim">{name}</dt>
    <dd>{children}</dd>
  </div>
)

function RangeText({ range }: { range: Range }) {
  const now = useNow(60_000)
  const event = useEventName(range.event)
  const period = periodOf(range, now)
  const moment = (second: number) => momentText(new Date(second * 1000), now)
  const times =
    period === null
      ? t('explain.always')
      : `${moment(period.startTime)} – ${moment(period.endTime)}`
  return <span className="figure">{event === '' ? times : `${times} · ${event}`}</span>
}
