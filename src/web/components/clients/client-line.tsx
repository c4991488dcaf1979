import { t } from '../../locales/translate.ts'

const [width, height] = [96, 24]

/** Bytes over the range as a small line; the figures stand beside it. */
export function ClientLine({ bytes }: { bytes: readonly number[] }) {
  const most = Math.max(...bytes)
  if (bytes.length < 2 || most <= 0) return null
  const step = width / (bytes.length - 1)
  const points = bytes
    .map((value, index) => {
      const y = height - 2 - (value / most) * (height - 4)
      return `${(index * step).toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
  return (
    <svg
      role="img"
      aria-label={t('clients.line')}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-6 w-full"
    >
      <polyline
        points={points}
        fill="none"
        className="stroke-cache"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
      <polygon
        points={`0,${height} ${points} ${width},${height}`}
        className="fill-cache opacity-15"
      />
    </svg>
  )
}

/** Lines of several addresses as one, for a group; all lines of a range have the same length. */
export const togetherOf = (
  lines: Readonly<Record<string, readonly number[]>>,
  ips: readonly string[],
): number[] =>
  ips.reduce<number[]>(
    (sums, ip) => lines[ip]?.map((bytes, at) => bytes + (sums[at] ?? 0)) ?? sums,
    [],
  )
