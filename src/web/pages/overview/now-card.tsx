import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useClientNames, type Download } from '../../api/queries.ts'
import { gameOfDownload } from '../../app/game-address.ts'
import { useNow } from '../../app/clock.ts'
import { Card, Notice, Waiting } from '../../components/card.tsx'
import { Figure, Named } from '../../components/figures.tsx'
import { Mark } from '../../components/artwork.tsx'
import { NowRows } from '../../components/now-rows.tsx'
import { clientName, speedName } from '../../format/services.ts'
import { byteAmount, percentText } from '../../format/numbers.ts'
import { agoText } from '../../format/times.ts'
import { useSpeeds } from '../../live/store.ts'
import { t } from '../../locales/translate.ts'
import { useOverview } from './use-overview.ts'
import { lazyPart } from '../../app/lazy-part.ts'

const shownMax = 4

const LimitNow = lazyPart(
  async () => (await import('../../components/downloads/limit-now.tsx')).default,
  'reports',
)

/** Current transfers, then the newest downloads; of one height, because they come and go. */
export function NowCard() {
  const { batch, age } = useOverview()
  const speeds = useSpeeds()
  const games = speeds?.gameSpeeds ?? []
  const newest = (batch?.downloads ?? [])
    .filter(({ isActive }) => !isActive)
    .slice(0, Math.max(0, shownMax - games.length))
  return (
    <Card
      title={t('now.title')}
      className={`min-h-[334px] ${age('downloads')}`}
      action={
        <Link to="/downloads" className="hover:text-text">
          {t('now.all')} ›
        </Link>
      }
    >
      {speeds === null && <Waiting />}
      {speeds !== null && games.length === 0 && newest.length === 0 && (
        <Notice title={t('now.none')} className="flex-1">
          {t('now.noneText')}
        </Notice>
      )}
      <NowRows games={games} shownMax={shownMax} className="divide-y divide-line" />
      {games.length > 0 && (
        <Suspense>
          <LimitNow />
        </Suspense>
      )}
      {speeds !== null && newest.length > 0 && (
        <section aria-label={t('now.newest')} className="mt-2">
          <h3 className="text-small text-dim">
            {games.length === 0 ? t('now.noneNewest') : t('now.newest')}
          </h3>
          <ul className="divide-y divide-line">
            {newest.map((download) => (
              <NewestRow key={download.id} download={download} />
            ))}
          </ul>
        </section>
      )}
    </Card>
  )
}

function NewestRow({ download }: { download: Download }) {
  const names = useClientNames()
  const now = useNow(15_000)
  const { id, service, gameName, clientIp, endTimeUtc, totalBytes, cacheHitPercent } = download
  const name = speedName(gameName, service)
  const note = `${clientName(clientIp, null, names)} · ${agoText(new Date(endTimeUtc), now)}`
  return (
    <li>
      <Link
        to="/downloads/$id"
        params={{ id: String(id) }}
        className="-mx-2 flex items-center gap-3 rounded-control px-2 py-2 hover:bg-raise"
      >
        <Mark name={name} service={service} game={gameOfDownload(download)} />
        <span className="min-w-0 flex-1">
          <Named name={name} note={note} />
        </span>
        <span className="text-right">
          <Figure amount={byteAmount(totalBytes)} />
          <span className="figure block text-small text-dim">{percentText(cacheHitPercent)}</span>
        </span>
      </Link>
    </li>
  )
}
