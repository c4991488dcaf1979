import { byteText } from '../../../format/numbers.ts'
import { t, tn } from '../../../locales/translate.ts'
import type { SelectedApp, SelectedAppsStatus } from '../wire.ts'

/** Games that are listed with their sizes. */
const listedMax = 200

function stateOf({ isUpToDate, isUnsupportedOs, unavailableReason, downloadSize }: SelectedApp) {
  if (unavailableReason !== null) return unavailableReason
  if (isUnsupportedOs) return t('prefill.otherSystem')
  return isUpToDate ? t('prefill.upToDate') : byteText(downloadSize)
}

/** How much a run of the selection would download, game by game. */
export function SizeList({ status }: { status: SelectedAppsStatus }) {
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
