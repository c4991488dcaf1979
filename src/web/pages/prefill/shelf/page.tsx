import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { platformFacts, isPlatform } from '../../../../platforms/platforms.ts'
import { useAway } from '../../../api/cache-queries.ts'
import { AwayLine } from '../../../components/away-line.tsx'
import {
  Button,
  Choice,
  choices,
  SearchField,
  optionsOf,
} from '../../../components/form-controls.tsx'
import { NoticeCard, Pending } from '../../../components/card.tsx'
import { Shelf as Covers } from '../../../components/shelf/shelf.tsx'
import { reasonText } from '../../../format/reason-text.ts'
import { t, tn, type Key } from '../../../locales/translate.ts'
import { useStoredSet } from '../../../app/stored-set.ts'
import { PrefillFrame } from '../prefill-page.tsx'
import { PickBar } from './pick-bar.tsx'
import {
  gameKey,
  useShelf,
  useShelfRun,
  usePlan,
  type GameId,
  type Shelf,
  type ShelfGame,
  type ShelfPlan,
  type ShelfRun,
} from './queries.ts'
import { shelfSearch, type ShelfSearch, shownStates } from './search.ts'
import { SignIns } from './sign-ins.tsx'
import { isOfSize, type ShelfItem } from '../../../components/shelf/items.ts'
import type { Tone } from '../../../components/figures.tsx'
import { gameRef } from '../../../format/game-ref.ts'
import { X } from 'lucide-react'
import { SizeFilter } from '../../../components/shelf/size-filter.tsx'
import { useIsAccount } from '../../../api/queries.ts'
import { Page as Platforms } from '../platforms.tsx'

const route = getRouteApi('/prefill')

/** The games of all accounts; a click chooses, the bar at the bottom fetches. */
function ShelfPage() {
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

/** The page's state in its address. */
function useAddress() {
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (part: Partial<ShelfSearch>) =>
    void navigate({
      to: '/prefill',
      search: shelfSearch({ ...search, ...part }),
      resetScroll: false,
      replace: true,
    })
  return { search, change }
}

function Games({ shelf }: { shelf: Shelf }) {
  const { search, change } = useAddress()
  const { chosen, set: store, toggle } = useStoredSet('larder.prefill.shelf', chosenMax)
  const set = (keys: Iterable<string>) => store([...keys].slice(0, chosenMax))
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
  const failed = run?.games.filter(({ state }) => state === 'failed') ?? []
  const listing = shelf.platforms.filter(({ state }) => state === 'listing')
  return (
    <>
      <Filters platforms={shelf.platforms} />
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
          onToggle={(key) => (chosen.has(key) || chosen.size < chosenMax) && toggle(key)}
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
const Failures = ({ games, onRetry }: { games: readonly Fetched[]; onRetry: () => void }) => (
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

/** Games of one choice; as many as the service takes. */
const chosenMax = 2000

/** The platform and the id of a key. */
function idOf(key: string): GameId | null {
  const [platform = ''] = key.split(' ', 1)
  return isPlatform(platform) ? { platform, appId: key.slice(platform.length + 1) } : null
}

type Fetched = ShelfRun['games'][number]
type Planned = ShelfPlan['games'][number]

/** What is known of the games beside the shelf itself, by key. */
interface Known {
  chosen: ReadonlySet<string>
  run: ReadonlyMap<string, Fetched>
  plan: ReadonlyMap<string, Planned>
}

const states: Readonly<Record<ShelfGame['state'], readonly [tone: Tone, label: Key] | null>> = {
  cached: ['good', 'shelf.state.cached'],
  newBuild: ['attention', 'shelf.state.newBuild'],
  unavailable: ['bad', 'ready.stateUnavailable'],
  missing: null,
  unknown: null,
}
const runStates: Readonly<Record<Fetched['state'], readonly [tone: Tone, label: Key]>> = {
  queued: ['quiet', 'shelf.queued'],
  fetching: ['good', 'ready.stateFetching'],
  done: ['good', 'shelf.state.cached'],
  failed: ['bad', 'prefill.gameFailed'],
}

const sizeOf = (game: ShelfGame, { plan }: Known): number | null =>
  plan.get(gameKey(game))?.totalBytes ?? game.totalBytes ?? (game.onDiskBytes || null)

/** The games that the search wants, in its order. */
function shownGames(
  games: readonly ShelfGame[],
  { search = '', platform, show, size, sort = 'name' }: ShelfSearch,
  known: Known,
): ShelfGame[] {
  const text = search.trim().toLowerCase()
  const isShown = (game: ShelfGame): boolean => {
    if (platform !== undefined && game.platform !== platform) return false
    if (text !== '' && !game.name.toLowerCase().includes(text) && game.appId !== text) return false
    if (!isOfSize(size === undefined ? null : sizeOf(game, known), size)) return false
    if (show === undefined) return true
    if (show === 'chosen') return known.chosen.has(gameKey(game))
    if (show === 'failed') return known.run.get(gameKey(game))?.state === 'failed'
    if (show === 'cached') return game.state === 'cached' || game.state === 'newBuild'
    return game.state === show
  }
  const shown = games.filter(isShown)
  if (sort === 'name') return shown
  return shown.toSorted((a, b) => (sizeOf(b, known) ?? -1) - (sizeOf(a, known) ?? -1))
}

/** A game as the shelf draws it. */
function itemOf(game: ShelfGame, known: Known): ShelfItem {
  const { platform, name } = game
  const fetched = known.run.get(gameKey(game))
  const badge = fetched === undefined ? states[game.state] : runStates[fetched.state]
  const percent =
    fetched?.state === 'fetching' && fetched.totalBytes > 0
      ? Math.min(100, (100 * fetched.bytes) / fetched.totalBytes)
      : null
  return {
    key: gameKey(game),
    name,
    service: platformFacts[platform].services[0],
    image: gameRef(game),
    badge: badge && { tone: badge[0], label: t(badge[1]) },
    note: platformFacts[platform].title,
    bytes: sizeOf(game, known),
    isOff: game.state === 'unavailable',
    percent: fetched?.state === 'fetching' ? (percent ?? 0) : null,
  }
}

/** Search and filters, whose state is in the URL. */
function Filters({ platforms }: Pick<Shelf, 'platforms'>) {
  const { search, change } = useAddress()
  const shown = platforms.filter(({ games }) => games > 0)
  const hasFilter = Object.keys(search).some((name) => name !== 'sort')
  return (
    <div role="search" aria-label={t('shelf.filters')} className="mb-3 flex flex-wrap gap-2">
      <SearchField
        label={t('prefill.search')}
        value={search.search ?? ''}
        onChange={(text) => change({ search: text })}
        className="min-w-[180px] md:max-w-[300px]"
      />
      <div className="flex min-w-0 gap-2 max-md:w-full max-md:overflow-x-auto max-md:pb-1 md:flex-wrap">
        <Choice
          label={t('prefill.tabPlatforms')}
          value={search.platform}
          options={[
            { value: undefined, label: t('shelf.platformAll') },
            ...shown.map(({ platform, games }) => ({
              value: platform,
              label: `${platformFacts[platform].title} (${games})`,
            })),
          ]}
          onChange={(platform) => change({ platform })}
        />
        <Choice
          label={t('prefill.show')}
          value={search.show}
          options={[
            { value: undefined, label: t('prefill.showAll') },
            ...optionsOf(shownStates, (show) =>
              t(show === 'failed' ? 'prefill.gameFailed' : `shelf.state.${show}`),
            ),
          ]}
          onChange={(show) => change({ show })}
        />
        <SizeFilter value={search.size} onChange={(size) => change({ size })} />
        <Choice
          label={t('shelf.sort')}
          value={search.sort ?? 'name'}
          options={choices({ name: 'shelf.byName', largest: 'shelf.bySize' })}
          onChange={(sort) => change({ sort: shelfSearch({ sort }).sort })}
        />
        {hasFilter && (
          <Button
            className="text-dim"
            onClick={() =>
              change({ search: undefined, platform: undefined, show: undefined, size: undefined })
            }
          >
            <X size={14} />
            {t('shelf.clearFilters')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The games of all accounts; guests prefill with sessions of their own. */
export const Page = () => (useIsAccount() ? <ShelfPage /> : <Platforms />)
