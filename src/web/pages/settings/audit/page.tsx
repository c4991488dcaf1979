import { useInfiniteQuery } from '@tanstack/react-query'
import { api, unwrap, keys } from '../../../api/client.ts'
import { useStatus } from '../../../api/queries.ts'
import { useNow } from '../../../app/clock.ts'
import { Card, Notice, Pending, Trouble } from '../../../components/card.tsx'
import { Dot, type Tone, Time } from '../../../components/figures.tsx'
import { Button } from '../../../components/form-controls.tsx'
import { t } from '../../../locales/translate.ts'
import { SettingsPage } from '../settings-page.tsx'
import { sentenceOf, type AuditEntry } from './sentence.ts'

/** Entries per request. */
const entriesPerRead = 100

/** Entries worth attention: password guessing, replaced keys. */
const tones: Readonly<Record<string, Tone>> = {
  LoginFailed: 'attention',
}

function useAudit() {
  const { data: status } = useStatus()
  return useInfiniteQuery({
    queryKey: keys.audit,
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? {} : { before: pageParam }
      const query = { limit: entriesPerRead, ...before }
      return unwrap(api.ext.audit.get({ query, fetch: { signal } }))
    },
    // Wider than the literal: every later page has a number.
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    enabled: status?.isMainAdmin === true,
    // A refetch loads all pages; returning to the tab is not worth that.
    refetchOnWindowFocus: false,
    gcTime: 0,
  })
}

/** The audit trail of accounts and keys, for the owner. */
export function Page() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useAudit()
  const entries = data?.pages.flatMap((page) => page.entries)
  return (
    <SettingsPage title={t('settings.audit')}>
      <Card title={t('audit.title')} note={t('audit.note')}>
        {entries === undefined && <Pending error={error} rows={6} />}
        {entries?.length === 0 && <Notice title={t('audit.empty')} className="py-12" />}
        {entries !== undefined && entries.length > 0 && <Entries entries={entries} />}
        {entries !== undefined && error !== null && <Trouble error={error} />}
        {hasNextPage && (
          <Button
            className="mt-4 self-center"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {t(isFetchingNextPage ? 'audit.moreBusy' : 'audit.more')}
          </Button>
        )}
        {data !== undefined && !hasNextPage && data.pages.length > 1 && (
          <p className="mt-4 text-center text-small text-dim">{t('audit.end')}</p>
        )}
      </Card>
    </SettingsPage>
  )
}

function Entries({ entries }: { entries: readonly AuditEntry[] }) {
  const now = useNow(60_000)
  return (
    <ol aria-label={t('settings.audit')}>
      {entries.map((entry) => {
        return (
          <li
            key={entry.id}
            className="flex gap-2.5 border-b border-line py-2.5 first:pt-0 last:border-b-0 last:pb-0"
          >
            <span className="mt-[7px] flex w-2.5 flex-none justify-center">
              <Dot tone={tones[entry.event] ?? 'quiet'} />
            </span>
            <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-5">
              <span className="min-w-0 break-words">{sentenceOf(entry)}</span>
              <Time at={entry.at} now={now} className="text-small text-dim" />
            </span>
          </li>
        )
      })}
    </ol>
  )
}
