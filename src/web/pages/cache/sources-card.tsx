import {
  useDatasources,
  useIndexStates,
  type DatasourceFacts,
  type IndexState,
} from '../../api/cache-queries.ts'
import { api, unwrap, keys } from '../../api/client.ts'
import { useRemedies } from '../../app/remedies.ts'
import { useNow } from '../../app/clock.ts'
import { Card, Notice, Pending, Waiting, StateLine } from '../../components/card.tsx'
import type { Tone } from '../../components/figures.tsx'
import { byteText, percentText, share } from '../../format/numbers.ts'
import { fullMomentText, lagText, sinceText } from '../../format/times.ts'
import { t, tn } from '../../locales/translate.ts'
import { filesystemText } from '../../app/datasource-words.ts'
import { useSave } from '../../app/use-save.ts'
import { isDoubtful, problemText } from './problem.ts'
import { Action } from '../../components/setting-controls.tsx'

/** Each cache: its disk, its limit, and the state of its index. */
export function SourcesCard() {
  const { data, error } = useDatasources()
  const states = useIndexStates().data?.items
  const remedyText = useRemedies()
  return (
    <Card title={t('sources.title')} note={t('sources.note')} className="lg:col-span-8">
      {data === undefined && <Pending error={error} rows={2} />}
      {data?.items.length === 0 && (
        <Notice title={t('cache.gateNone')}>{remedyText('remedy.noCache')}</Notice>
      )}
      <ul className="divide-y divide-line">
        {data?.items.map((source) => (
          <li key={source.name} className="py-3 first:pt-0 last:pb-0">
            <Source
              source={source}
              state={states?.find(({ datasource }) => datasource === source.name)}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const tones: Readonly<Record<string, Tone>> = {
  complete: 'good',
  walking: 'quiet',
  new: 'quiet',
  failed: 'bad',
}

function Source({ source, state }: { source: DatasourceFacts; state: IndexState | undefined }) {
  const { name, cachePath, disk, limitBytes, limitSource, awaySinceUtc } = source
  const hasDisk = disk.state === 'ok' && disk.capacityBytes > 0
  const isLimited = limitBytes > 0 && limitSource !== 'fullDisk'
  const whole = isLimited ? limitBytes : disk.capacityBytes
  const used = isLimited ? (state?.bytes ?? 0) : disk.usedBytes
  return (
    <div className="grid gap-x-8 gap-y-2 md:grid-cols-2">
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        <p className="truncate text-small text-dim" title={cachePath}>
          {cachePath}
        </p>
        {hasDisk && (
          <>
            <span
              role="img"
              aria-label={t('lead.used', { used: byteText(used), total: byteText(whole) })}
              className="mt-2 mb-1.5 block h-1.5 overflow-hidden rounded-bar bg-raise"
            >
              <span
                className="block h-full bg-cache"
                style={{ width: `${Math.min(100, share(used, whole))}%` }}
              />
            </span>
            <p className="figure text-small text-dim">
              {t('lead.used', { used: byteText(used), total: byteText(whole) })} ·{' '}
              {percentText(share(used, whole))}
              {' · '}
              {t(isLimited ? 'sources.limited' : 'sources.unlimited')}
            </p>
          </>
        )}
        <p className="figure text-small text-dim">
          {hasDisk
            ? t('sources.disk', {
                mount: disk.mountPoint,
                filesystem: filesystemText(disk.filesystem),
                free: byteText(disk.freeBytes),
              })
            : t('sources.noDisk')}
        </p>
      </div>
      <div className="min-w-0 text-[13px]">
        {awaySinceUtc !== undefined && (
          <StateLine tone="attention">
            {t('index.away', { since: fullMomentText(new Date(awaySinceUtc)) })}
          </StateLine>
        )}
        {awaySinceUtc === undefined && state === undefined && <Waiting rows={1} />}
        {awaySinceUtc === undefined && state !== undefined && <Index state={state} />}
      </div>
    </div>
  )
}

/** The state of one cache's index. */
function Index({ state }: { state: IndexState }) {
  const now = useNow(15_000)
  const saving = useSave({ stale: [keys.cache, keys.operations] })
  const { datasource, sharedWith, walkedAt } = state
  const tone = state.problem === null ? (tones[state.state] ?? 'quiet') : 'attention'
  const texts = {
    complete: 'index.complete',
    walking: 'index.walking',
    new: 'index.new',
    failed: 'index.failed',
  } as const
  const known = Object.entries(texts).find(([name]) => name === state.state)?.[1] ?? 'index.new'
  const problem = problemText(state)
  return (
    <>
      <StateLine tone={tone}>
        {t(known)}
        {walkedAt !== null && (
          <span className="text-dim">
            {' · '}
            {sinceText(new Date(walkedAt), now)}
          </span>
        )}
        <span className="figure block text-dim">
          {tn('count.files', state.files)} · {byteText(state.bytes)}
          {walkedAt !== null && ` · ${t('index.took', { time: lagText(state.walkMs) })}`}
        </span>
        {sharedWith !== null && (
          <span className="block text-dim">{t('index.shared', { name: sharedWith })}</span>
        )}
        {problem !== null && <span className="block break-words">{problem}</span>}
      </StateLine>
      {isDoubtful(state) && (
        <div className="mt-2 ml-4">
          <Action
            label={t('index.accept')}
            consequence={t('index.acceptText', { name: datasource })}
            run={() => unwrap(api.ext.cache.index.accept.post({ datasource }))}
            done={t('scan.started')}
            saving={saving}
          />
        </div>
      )}
    </>
  )
}
