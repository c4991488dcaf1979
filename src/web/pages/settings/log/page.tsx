import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useNow } from '../../../app/clock.ts'
import { Card, Notice, Pending } from '../../../components/card.tsx'
import { Dot, type Tone, Time } from '../../../components/figures.tsx'
import { SearchField, Segments, Switch, optionsOf } from '../../../components/form-controls.tsx'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'

const linesShown = 300
const followMs = 2000

const levels = ['trace', 'info', 'warn', 'error'] as const
type Level = (typeof levels)[number]
const tones: Readonly<Record<string, Tone>> = { warn: 'attention', error: 'bad', fatal: 'bad' }

function emptyText(level: Level, search: string): Key {
  if (search !== '') return 'log.noneFound'
  return level === 'trace' ? 'log.noneAtAll' : 'log.none'
}

function useLines(filter: { level: Level; search: string }, isFollowing: boolean) {
  return useQuery({
    queryKey: [...keys.ownLog, filter],
    queryFn: ({ signal }) =>
      unwrap(api.ext.log.get({ query: { ...filter, limit: linesShown }, fetch: { signal } })),
    refetchInterval: isFollowing ? followMs : false,
    placeholderData: keepPreviousData,
  })
}

/** The newest lines of Larder's own log, the newest first. */
export function Page() {
  const [level, setLevel] = useState<Level>('info')
  const [text, setText] = useState('')
  const [isFollowing, setIsFollowing] = useState(true)
  const search = useDeferredValue(text.trim())
  const { data, error } = useLines({ level, search }, isFollowing)
  return (
    <SettingsPage title={t('settings.log')}>
      <Card
        title={t('log.title')}
        {...(data !== undefined && { note: t('log.note', { level: data.writtenFrom }) })}
      >
        <div role="search" className="mb-3 flex flex-wrap items-center gap-2">
          <div className="flex basis-full sm:basis-auto">
            <SearchField label={t('log.search')} value={text} onChange={setText} />
          </div>
          <Segments
            label={t('log.level')}
            value={level}
            options={optionsOf(levels, (value) => t(`log.from.${value}`))}
            onChange={setLevel}
          />
          <label className="flex items-center gap-2">
            {t('log.follow')}
            <Switch label={t('log.follow')} isOn={isFollowing} onChange={setIsFollowing} />
          </label>
        </div>
        {data === undefined && <Pending error={error} rows={8} />}
        {data?.lines.length === 0 && (
          <Notice title={t(emptyText(level, search))} className="py-12" />
        )}
        {data !== undefined && data.lines.length > 0 && (
          <>
            <Lines lines={data.lines} />
            <p className="mt-3 text-small text-dim">{tn('log.count', data.lines.length)}</p>
          </>
        )}
      </Card>
    </SettingsPage>
  )
}

type Line = NonNullable<ReturnType<typeof useLines>['data']>['lines'][number]

function Lines({ lines }: { lines: readonly Line[] }) {
  const now = useNow(30_000)
  return (
    <ol aria-label={t('settings.log')} className="text-[13px]">
      {lines.toReversed().map(({ sequence, atUtc, level, message, details }) => (
        <li key={sequence} className="flex gap-2.5 border-b border-line py-1.5 last:border-b-0">
          <span className="mt-[6px] flex w-2.5 flex-none justify-center" title={level}>
            <Dot tone={tones[level] ?? 'quiet'} />
            <span className="sr-only">{level}</span>
          </span>
          <span className="min-w-0 flex-1">
            <span className="break-words">{message === '' ? t('log.noMessage') : message}</span>
            {details !== '' && (
              <code className="block text-small break-all text-dim">{details}</code>
            )}
          </span>
          <Time at={atUtc} now={now} className="figure flex-none text-small text-dim" />
        </li>
      ))}
    </ol>
  )
}
