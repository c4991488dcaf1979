import type { ReactNode } from 'react'
import type { KioskView } from '../../api/party-queries.ts'
import { Artwork } from '../../components/artwork.tsx'
import { Composition, Figure } from '../../components/figures.tsx'
import { areaPath, linePath, type Point } from '../../components/flow/paths.ts'
import { Qr } from '../../components/qr.tsx'
import { byteAmount, byteText, percentText, rateAmount, rateText } from '../../format/numbers.ts'
import { titleOf } from '../../format/services.ts'
import { clockText, weekdayTimeText } from '../../format/times.ts'
import { t, tn, type Key } from '../../locales/translate.ts'

/** Rows that fit at a size that is read from ten metres. */
const rowsMax = 6

interface SceneProps {
  view: KioskView
}

function Now({ view }: SceneProps) {
  const { bytesPerSecond, samples, activeDevices, nowUtc } = view
  return (
    <div className="flex h-full flex-col">
      <p className="leading-none font-bold tracking-tight">
        <Figure amount={rateAmount(bytesPerSecond)} className="live-figure text-[13vw]" />
      </p>
      <p className="mt-[1vh] text-[2.3vw] text-dim">
        {activeDevices === 0 ? t('party.idle') : tn('party.downloading', activeDevices)}
      </p>
      <Curve samples={samples} until={Date.parse(nowUtc) / 1000} />
    </div>
  )
}

const [curveWidth, curveHeight] = [1000, 200]
/** Soon after the start there is less than the whole time. */
const leastSeconds = 60

/** Total traffic of the last five minutes, and the part from the cache before it. */
function Curve({ samples: known, until }: { samples: KioskView['samples']; until: number }) {
  const last = known.at(-1)
  // There are none while nothing is downloaded.
  const samples = last === undefined ? [] : [...known, { ...last, at: until }]
  const shownSeconds = Math.max(leastSeconds, until - (samples[0]?.at ?? 0))
  const most = Math.max(1e6, ...samples.map(({ cached, fetched }) => cached + fetched))
  const pointsOf = (rate: (sample: KioskView['samples'][number]) => number): Point[][] => [
    samples.map((sample): Point => [
      curveWidth * (1 - (until - sample.at) / shownSeconds),
      curveHeight * (1 - (0.95 * rate(sample)) / most),
    ]),
  ]
  const total = pointsOf(({ cached, fetched }) => cached + fetched)
  const cached = pointsOf((sample) => sample.cached)
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${curveWidth} ${curveHeight}`}
      preserveAspectRatio="none"
      className="live-figure mt-[3vh] min-h-0 w-full flex-1"
      fill="none"
      strokeWidth="4"
      strokeLinejoin="round"
    >
      <path
        d={areaPath(total, curveHeight)}
        className="fill-[color-mix(in_srgb,var(--fetched)_26%,var(--bg))]"
      />
      <path d={linePath(total)} vectorEffect="non-scaling-stroke" className="stroke-fetched" />
      <path
        d={areaPath(cached, curveHeight)}
        className="fill-[color-mix(in_srgb,var(--cache)_28%,var(--bg))]"
      />
      <path d={linePath(cached)} vectorEffect="non-scaling-stroke" className="stroke-cache" />
    </svg>
  )
}

function Saved({ view: { totals } }: SceneProps) {
  const { savedBytes, servedBytes, hitRatio, devices } = totals
  return (
    <div className="flex h-full flex-col justify-center">
      <p className="leading-none font-bold tracking-tight text-cache">
        <Figure amount={byteAmount(savedBytes)} className="text-[15vw]" />
      </p>
      <Composition
        cached={savedBytes}
        fetched={servedBytes - savedBytes}
        className="mt-[4vh] h-[3vh]"
      />
      <p className="mt-[3vh] text-[2.6vw]">
        {t('party.fromCache', { percent: percentText(hitRatio * 100) })}
        <span className="text-dim">
          {` · ${tn('party.served', devices, { bytes: byteText(servedBytes) })}`}
        </span>
      </p>
    </div>
  )
}

const Games = ({ view }: SceneProps) => (
  <ul className="grid h-full grid-cols-4 grid-rows-2 gap-[1.6vw]">
    {view.topGames.map(({ name, service, gameId, bytes }) => (
      <li key={`${service} ${gameId}`} className="flex min-h-0 min-w-0 flex-col">
        <Artwork
          name={name}
          service={service}
          game={{ service, id: gameId }}
          className="min-h-0 w-full flex-1 rounded-card"
        />
        <p className="mt-[0.8vh] truncate text-[1.8vw] leading-tight font-semibold">{name}</p>
        <p className="figure text-[1.5vw] text-dim">{byteText(bytes)}</p>
      </li>
    ))}
  </ul>
)

type Device = Pick<KioskView['devices'][number], 'deviceName' | 'deviceNumber'>

const deviceText = ({ deviceName, deviceNumber }: Device): string =>
  deviceName ??
  (deviceNumber === null ? t('party.newDevice') : t('party.device', { number: deviceNumber }))

/** A line in large type, with a bar behind it. */
const Line = ({ title, note, percent }: { title: ReactNode; note: ReactNode; percent: number }) => (
  <li className="relative flex min-h-0 flex-1 items-center overflow-hidden rounded-card bg-panel px-[1.6vw]">
    <span
      aria-hidden="true"
      className="absolute inset-y-0 left-0 bg-[color-mix(in_srgb,var(--cache)_22%,var(--panel))]"
      style={{ width: `${percent}%` }}
    />
    <span className="relative flex w-full items-center gap-[1.4vw]">
      <span className="min-w-0 flex-1 truncate text-[2.7vw] font-semibold">{title}</span>
      <span className="figure flex-none text-[2.3vw]">{note}</span>
    </span>
  </li>
)

const Lines = ({ children }: { children: ReactNode }) => (
  <ul className="flex h-full max-h-[56vh] flex-col gap-[1.1vh]">{children}</ul>
)

const Newest = ({ view }: SceneProps) => (
  <Lines>
    {view.newest.slice(0, rowsMax).map((row) => (
      <Line
        key={row.id}
        title={
          <>
            {titleOf(row.name)}
            <span className="font-normal text-dim">{` · ${deviceText(row)}`}</span>
          </>
        }
        note={`${byteText(row.bytes)} · ${clockText(new Date(row.startTimeUtc))}`}
        percent={0}
      />
    ))}
  </Lines>
)

function Leaders({ view: { devices } }: SceneProps) {
  const most = devices[0]?.bytes ?? 0
  return (
    <Lines>
      {devices.slice(0, rowsMax).map((device) => (
        <Line
          key={device.deviceNumber}
          title={deviceText(device)}
          note={
            <>
              {device.bytesPerSecond > 0 && (
                <span className="mr-[1.4vw] text-cache">{rateText(device.bytesPerSecond)}</span>
              )}
              {byteText(device.bytes)}
            </>
          }
          percent={most === 0 ? 0 : (device.bytes / most) * 100}
        />
      ))}
    </Lines>
  )
}

function Wishes({ view: { wishes } }: SceneProps) {
  const most = wishes[0]?.votes ?? 0
  return (
    <Lines>
      {wishes.slice(0, rowsMax).map((wish) => (
        <Line
          key={wish.id}
          title={wish.name}
          note={
            <>
              {wish.state === 'ready' && (
                <span className="mr-[1.4vw] text-cache">{t('party.stateReady')}</span>
              )}
              {tn('party.votes', wish.votes)}
            </>
          }
          percent={most === 0 ? 0 : (wish.votes / most) * 100}
        />
      ))}
    </Lines>
  )
}

const Next = ({ view: { timetable, nowUtc } }: SceneProps) => (
  <Lines>
    {timetable
      .filter(({ atUtc }) => atUtc >= nowUtc)
      .slice(0, rowsMax)
      .map(({ atUtc, text }) => (
        <Line
          key={`${atUtc} ${text}`}
          title={text}
          note={weekdayTimeText(new Date(atUtc))}
          percent={0}
        />
      ))}
  </Lines>
)

const Join = ({ view: { guestPath, wifi } }: SceneProps) => (
  <div className="flex h-full items-center gap-[4vw]">
    <Qr
      text={new URL(guestPath ?? '', location.origin).href}
      label={t('party.join')}
      className="h-[56vh] flex-none rounded-[1vh]"
    />
    <div className="min-w-0 text-[3.4vw] leading-snug">
      <p className="font-semibold">{t('party.joinText')}</p>
      {wifi !== '' && <p className="mt-[3vh] whitespace-pre-line text-dim">{wifi}</p>}
    </div>
  </div>
)

const scenes = [
  ['party.now', Now, ({ event }) => event.state !== 'before'],
  ['party.saved', Saved, ({ totals }) => totals.servedBytes > 0],
  ['party.games', Games, ({ topGames }) => topGames.length > 0],
  ['party.newest', Newest, ({ newest }) => newest.length > 0],
  ['party.leaders', Leaders, ({ devices }) => devices.length > 0],
  ['party.wishes', Wishes, ({ wishes }) => wishes.length > 0],
  ['party.next', Next, ({ timetable, nowUtc }) => timetable.some(({ atUtc }) => atUtc >= nowUtc)],
  ['party.join', Join, ({ guestPath }) => guestPath !== null],
] as const satisfies readonly (readonly [
  title: Key,
  Show: (props: SceneProps) => ReactNode,
  isThere: (view: KioskView) => boolean,
])[]
export type Scene = (typeof scenes)[number]

/** Those that have something to show. */
export const scenesOf = (view: KioskView): readonly Scene[] =>
  scenes.filter(([, , isThere]) => isThere(view))
