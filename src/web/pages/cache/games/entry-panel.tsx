import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useGameFiles } from '../../../api/cache-queries.ts'
import { Artwork } from '../../../components/artwork.tsx'
import { Figure } from '../../../components/figures.tsx'
import { Waiting } from '../../../components/card.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { byteAmount, byteText, countText } from '../../../format/numbers.ts'
import { serviceName } from '../../../format/services.ts'
import { fullMomentText } from '../../../format/times.ts'
import { t, tn } from '../../../locales/translate.ts'
import { refusalText } from '../../../api/refusal-text.ts'
import { useGates } from '../use-gates.ts'
import { NameForm } from '../../../components/name-title.tsx'
import { reportOf, type Entry, titleOfEntry } from './entries.ts'

const depotsMax = 40
const pathsMax = 200

/** One game or service: its contents on disk, and its removal. */
export function EntryPanel({ entry, onRemove }: { entry: Entry; onRemove: () => void }) {
  const isBarred = useGates().all.length > 0
  const report = reportOf(entry)
  const { bytes, files, depotIds, sampleUrls, evictedDownloads, evictedBytes, unnamedDepot } = entry
  const facts = [
    { name: t('column.service'), value: serviceName(entry.service) },
    {
      name: t('cache.lastStored'),
      value: entry.lastStoredAt === null ? '–' : fullMomentText(new Date(entry.lastStoredAt)),
    },
    { name: t('cache.source'), value: entry.datasources.join(', ') || '–' },
  ]
  return (
    <>
      <Artwork
        name={titleOfEntry(entry)}
        service={entry.service}
        game={report}
        className="mb-4 aspect-[21/9] w-full rounded-card border border-line"
      />
      <Figure amount={byteAmount(bytes)} className="text-[26px] leading-8 font-bold" />
      <p className="figure text-small text-dim">
        {t('cache.exactly', { bytes: countText(bytes) })} · {tn('count.files', files)}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        {report !== null && (
          <Link to="/games/$service/$id" params={report} className="control">
            {t('cache.toGame')}
          </Link>
        )}
        {entry.kind === 'service' && (
          <Link to="/services/$service" params={{ service: entry.service }} className="control">
            {t('cache.toService')}
          </Link>
        )}
        <Button
          className="border-bad text-bad"
          disabled={isBarred || files === 0}
          onClick={onRemove}
        >
          {t('removal.ask')}
        </Button>
      </div>
      {isBarred && <p className="mt-2 text-small text-dim">{t('cache.gatedShort')}</p>}
      {unnamedDepot !== null && (
        <Part title={t('downloads.untitled')}>
          <p className="mb-2 text-small text-dim">{t('unnamed.panel')}</p>
          <NameForm titleKey={`alpha:${unnamedDepot}`} name={null} />
        </Part>
      )}
      <dl className="mt-4 space-y-1.5 text-[13px]">
        {facts.map(({ name, value }) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="text-dim">{name}</dt>
            <dd className="text-right">{value}</dd>
          </div>
        ))}
      </dl>
      {evictedDownloads > 0 && (
        <Part title={t('cache.evicted')}>
          <p className="text-[13px]">
            {t('cache.evictedOf', {
              downloads: tn('count.downloads', evictedDownloads),
              bytes: byteText(evictedBytes),
            })}{' '}
            <Link to="/cache/evicted" className="link">
              {t('cache.tabEvicted')}
            </Link>
          </p>
        </Part>
      )}
      {depotIds.length > 0 && (
        <Part title={t('game.depots')}>
          <ul className="figure flex flex-wrap gap-1.5 text-[13px]">
            {depotIds.slice(0, depotsMax).map((depot) => (
              <li key={depot} className="rounded-control bg-raise px-2 py-0.5">
                {depot}
              </li>
            ))}
            {depotIds.length > depotsMax && (
              <li className="px-1 py-0.5 text-dim">
                {t('removal.more', { count: countText(depotIds.length - depotsMax) })}
              </li>
            )}
          </ul>
        </Part>
      )}
      {sampleUrls.length > 0 && (
        <Part title={t('cache.samples')}>
          <Lines lines={sampleUrls} />
        </Part>
      )}
      {files > 0 && <Paths gameKey={entry.key} />}
    </>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title} className="mt-5">
    <h3 className="mb-1.5 text-small font-medium text-dim">{title}</h3>
    {children}
  </section>
)

const Lines = ({ lines }: { lines: readonly string[] }) => (
  <ul
    // Makes it scrollable by keyboard.
    tabIndex={0}
    className="max-h-[180px] space-y-1 overflow-auto rounded-control bg-raise px-3 py-2 font-mono text-tiny"
  >
    {lines.map((line) => (
      <li key={line} className="break-all">
        {line}
      </li>
    ))}
  </ul>
)

function Paths({ gameKey }: { gameKey: string }) {
  const { data, error } = useGameFiles(gameKey)
  return (
    <Part title={t('cache.paths')}>
      {error !== null && <p className="text-small text-dim">{refusalText(error)}</p>}
      {data === undefined && error === null && <Waiting rows={2} />}
      {data !== undefined && (
        <>
          <Lines lines={data.paths.slice(0, pathsMax)} />
          {data.totalFiles > Math.min(pathsMax, data.paths.length) && (
            <p className="figure mt-1 text-small text-dim">
              {t('cache.pathsOf', {
                shown: countText(Math.min(pathsMax, data.paths.length)),
                total: countText(data.totalFiles),
              })}
            </p>
          )}
        </>
      )}
    </Part>
  )
}
