import { useMutation } from '@tanstack/react-query'
import { Button, Segments, Switch } from '../../../components/form-controls.tsx'
import { Card, Problem, Row } from '../../../components/card.tsx'
import { t, tn } from '../../../locales/translate.ts'
import type { PrefillSession } from '../live/use-session.ts'
import { platformFacts, type Platform, type Preset } from '../../../../platforms/platforms.ts'
import type { StartPrefillBody } from '../../../../prefill/sessions/model.ts'
import { selectApps, startRun } from '../queries.ts'
import type { DaemonSession, SelectedApp, SelectedAppsStatus } from '../wire.ts'
import { CacheChoice, Connections, Systems, systems, type System } from '../defaults.tsx'
import { byteText } from '../../../format/numbers.ts'

export interface StartFormProps {
  prefill: PrefillSession
  session: DaemonSession
  selected: ReadonlySet<string>
  choice: RunChoice
  onChoice: (part: Partial<RunChoice>) => void
}

type What = 'selected' | Preset | 'Bought'

/** What was chosen last; the page keeps it while a run hides the form. */
export interface RunChoice {
  what: What
  isForced: boolean
  operatingSystems: readonly System[]
  connections: number | null
  cache: string | null
}
export const usualChoice: RunChoice = {
  what: 'selected',
  isForced: false,
  operatingSystems: systems,
  connections: null,
  cache: null,
}

/** Games of the preset of popular ones. */
const topCount = 50
const optionsOf: Readonly<Record<What, StartPrefillBody>> = {
  selected: {},
  All: { all: true },
  Recent: { recent: true },
  Bought: { recentlyPurchased: true },
  Top: { top: topCount },
}

/** Steam also knows when a game was bought, and takes a number of connections. */
const whatsOf = (platform: Platform): readonly What[] => [
  'selected',
  ...platformFacts[platform].presets,
  ...(platform === 'alpha' ? (['Bought'] as const) : []),
]

/** What to prefill and how; the selection shows its size first. */
export function StartForm(props: StartFormProps) {
  const { prefill, session, selected, choice, onChoice } = props
  const { platform } = prefill
  const { hasSystems } = platformFacts[platform]
  const { what, isForced, operatingSystems: chosen, connections, cache } = choice
  const operatingSystems = hasSystems ? { operatingSystems: [...chosen] } : {}
  const maxConcurrency = connections === null ? {} : { maxConcurrency: connections }
  const isSelection = what === 'selected'
  const store = () => selectApps(platform, session.id, [...selected])
  const size = useMutation({
    mutationFn: async () => {
      await store()
      return prefill.selectedStatus(hasSystems ? chosen : null, cache)
    },
  })
  const start = useMutation({
    mutationFn: async () => {
      if (isSelection) await store()
      const how = { ...operatingSystems, ...maxConcurrency, force: isForced, cache }
      const options = { ...optionsOf[what], ...how }
      return startRun(platform, session.id, options)
    },
  })
  const isEmpty = (isSelection && selected.size === 0) || (hasSystems && chosen.length === 0)
  const options = whatsOf(platform).map((value) => ({
    value,
    label: t(`prefill.run.${value}`, { count: topCount }),
  }))
  return (
    <Card title={t('prefill.startTitle')}>
      <Row
        title={t('prefill.choose')}
        note={isSelection ? tn('prefill.selected', selected.size) : undefined}
      >
        <Segments value={what} options={options} onChange={(next) => onChoice({ what: next })} />
      </Row>
      {hasSystems && (
        <Row title={t('prefill.systems')}>
          <Systems value={chosen} onChange={(next) => onChoice({ operatingSystems: next })} />
        </Row>
      )}
      {platform === 'alpha' && (
        <Row title={t('prefill.connections')}>
          <Connections value={connections} onChange={(next) => onChoice({ connections: next })} />
        </Row>
      )}
      <CacheChoice
        value={cache}
        onChange={(next) => {
          // The shown size is that of the other cache.
          size.reset()
          onChoice({ cache: next })
        }}
      />
      <Row title={t('prefill.force')} note={t('prefill.force.effect')}>
        <Switch isOn={isForced} onChange={(next) => onChoice({ isForced: next })} />
      </Row>
      <div className="flex flex-wrap gap-2 pt-4">
        <Button
          className="primary px-5"
          disabled={isEmpty || start.isPending}
          onClick={() => start.mutate()}
        >
          {t('prefill.startRun')}
        </Button>
        {isSelection && (
          <Button
            className="h-[38px]"
            disabled={isEmpty || size.isPending}
            onClick={() => size.mutate()}
          >
            {t(size.isPending ? 'prefill.sizing' : 'prefill.size')}
          </Button>
        )}
      </div>
      <Problem error={start.error ?? size.error} className="mt-3" />
      {isSelection && size.data !== undefined && <SizeList status={size.data} />}
    </Card>
  )
}

/** Games that are listed with their sizes. */
const listedMax = 200

function stateOf({ isUpToDate, isUnsupportedOs, unavailableReason, downloadSize }: SelectedApp) {
  if (unavailableReason !== null) return unavailableReason
  if (isUnsupportedOs) return t('prefill.otherSystem')
  return isUpToDate ? t('prefill.upToDate') : byteText(downloadSize)
}

/** How much a run of the selection would download, game by game. */
function SizeList({ status }: { status: SelectedAppsStatus }) {
  const { apps, totalDownloadSize, message } = status
  const sorted = apps.toSorted((a, b) => b.downloadSize - a.downloadSize).slice(0, listedMax)
  return (
    <div role="status" className="mt-4 rounded-control bg-raise p-3">
      <p className="font-medium">
        {t('prefill.willDownload', { bytes: byteText(totalDownloadSize) })}
      </p>
      <p className="text-small text-dim">{message ?? tn('count.games', apps.length)}</p>
      <ul tabIndex={0} className="mt-2 max-h-[220px] space-y-1 overflow-y-auto text-[13px]">
        {sorted.map((app) => (
          <li key={app.appId} className="flex gap-3">
            <span className="min-w-0 flex-1 truncate">{app.name}</span>
            <span className="figure flex-none text-dim">{stateOf(app)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
