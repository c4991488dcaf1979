import { Card } from '../../../components/card.tsx'
import { t, type Key } from '../../../locales/translate.ts'

const figures: readonly { figure: string; label: Key }[] = [
  { figure: 'saved', label: 'widgets.saved' },
  { figure: 'today', label: 'widgets.today' },
  { figure: 'ratio', label: 'widgets.ratio' },
  { figure: 'speed', label: 'widgets.speed' },
  { figure: 'free', label: 'widgets.free' },
]

/** The badges as they look now, and the addresses that widgets ask. */
export const PreviewCard = () => (
  <Card title={t('widgets.addresses')} note={t('widgets.addressesNote')}>
    <dl className="space-y-2 text-[13px]">
      <div>
        <dt className="font-mono">/api/widgets/summary</dt>
        <dd className="text-dim">{t('widgets.summaryPath')}</dd>
      </div>
      <div>
        <dt className="font-mono">/DownloadStats/GetTotalDownloadStats</dt>
        <dd className="text-dim">{t('widgets.totalsPath')}</dd>
      </div>
      <div>
        <dt className="font-mono">/api/widgets/badge.svg?figure=…</dt>
        <dd className="text-dim">{t('widgets.badgePath')}</dd>
      </div>
    </dl>
    <div className="mt-4 flex flex-wrap gap-3">
      {figures.map(({ figure, label }) => (
        <figure key={figure}>
          <img alt={t(label)} className="h-5" src={`/api/widgets/badge.svg?figure=${figure}`} />
          <figcaption className="mt-1 font-mono text-tiny text-dim">{figure}</figcaption>
        </figure>
      ))}
    </div>
  </Card>
)
