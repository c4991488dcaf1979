import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { platformFacts } from '../../../../platforms/platforms.ts'
import { useAway } from '../../../api/cache-queries.ts'
import { AwayLine } from '../../../components/away-line.tsx'
import { Button } from '../../../components/button.tsx'
import { NoticeCard, Pending } from '../../../components/notice.tsx'
import { Shelf as Covers } from '../../../components/shelf/shelf.tsx'
import { reasonText } from '../../../format/reason-text.ts'
import { t, tn } from '../../../locales/translate.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { Filters } from './filters.tsx'
import { PickBar } from './pick-bar.tsx'
import { gameKey, useShelf, useShelfRun, usePlan, type GameId, type Shelf } from './queries.ts'
import { shelfSearch, type ShelfSearch } from './search.ts'
import { itemOf, shownGames, type Fetched, type Known } from './shown.ts'
import { SignIns } from './sign-ins.tsx'
import { chosenMax, idOf, useChoice } from './use-choice.ts'

const route = getRouteApi('/prefill')

/** The games of all accounts; a click chooses, the bar at the bottom fetches. */
export function ShelfPage() {
  const { data, error } = useShelf()
  return (
    <PrefillFrame>
      <AwayLine away={useAway()} className="mb-3" />
      {data === undefined ? <Pending error={error} rows={8} /> : <Games shelf={data} />}
    </PrefillFrame>
  )
}

const byKey = <T extends GameId>(games: readonly T[] = []): ReadonlyMap<string, T> =>
  new Map(games.map((game) => [gameKey(game), game]))

function Games({ shelf }: { shelf: Shelf }) {
  const search = route.useSearch()
  const navigate = useNavigate()
  const { chosen, set, toggle } = useChoice()
  const { data: run } = useShelfRun()
  const games = useMemo(
    () => shelf.games.toSorted((a, b) => a.name.localeCompare(b.name)),
    [shelf.games],
  )
  const owned = useMemo(() => byKey(games), [games])
  // Games of accounts that are signed out stay chosen, and come back with them.
  const picked = [...chosen].filter((key) => owned.has(key)).flatMap((key) => idOf(key) ?? [])
  const { data: plan } = usePlan(picked)
  const known: Known = { chosen, run: byKey(run?.games), plan: byKey(plan?.games) }
  const shown = shownGames(games, search, known)
  const change = (part: Partial<ShelfSearch>) =>
    void navigate({
      to: '/prefill',
      search: shelfSearch({ ...search, ...part }),
      resetScroll: false,
      replace: true,
    })
  const failed = run?.games.filter(({ state }) => state === 'failed') ?? []
  const listing = shelf.platforms.filter(({ state }) => state === 'listing')
  return (
    <>
      <Filters search={search} platforms={shelf.platforms} onChange={change} />
      <div className="mb-3 flex h-8 items-center gap-3 text-small text-dim">
        <p role="status" className="figure min-w-0 flex-1 truncate">
          {tn('count.games', shown.length)}
          {listing.length > 0 &&
            ` · ${t('shelf.listing', {
              platforms: listing.map(({ platform }) => platformFacts[platform].title).join(', '),
            })}`}
        </p>
        <Button
          className="h-8"
          disabled={shown.length === 0 || shown.length > chosenMax}
          onClick={() =>
            set([...chosen, ...shown.filter(({ state }) => state !== 'unavailable').map(gameKey)])
          }
        >
          {t('shelf.chooseShown')}
        </Button>
      </div>
      {search.show === 'failed' && failed.length > 0 && (
        <Failures
          games={failed}
          onRetry={() => {
            set([...chosen, ...failed.map(gameKey)])
            change({ show: 'chosen' })
          }}
        />
      )}
      {shown.length === 0 ? (
        <NoticeCard title={t(games.length === 0 ? 'shelf.none' : 'prefill.noMatch')}>
          {games.length === 0 ? t('shelf.noneText') : undefined}
        </NoticeCard>
      ) : (
        <Covers
          label={t('prefill.library')}
          items={shown.map((game) => itemOf(game, known))}
          selected={chosen}
          onToggle={toggle}
        />
      )}
      <SignIns platforms={shelf.platforms} isWaiting={listing.length > 0} />
      <PickBar
        picked={picked}
        run={run}
        onClear={() => set([...chosen].filter((key) => !owned.has(key)))}
        onFailed={() => change({ show: 'failed' })}
      />
    </>
  )
}

/** Why games could not be fetched, and another attempt. */
function Failures({ games, onRetry }: { games: readonly Fetched[]; onRetry: () => void }) {
  return (
    <section aria-label={t('shelf.failures')} className="card mb-3 px-4 py-3 text-[13px]">
      <ul className="space-y-1.5">
        {games.map((game) => (
          <li key={gameKey(game)} className="wrap-anywhere">
            <strong className="font-medium">{game.name}</strong>
            <span className="text-dim">
              {` · ${game.problem === null ? t('prefill.gameFailed') : reasonText(game.problem)}`}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-dim">{t('prefill.failedAdvice')}</p>
      <Button className="mt-2" onClick={onRetry}>
        {t('shelf.chooseFailed')}
      </Button>
    </section>
  )
}
