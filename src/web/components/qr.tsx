import { encode } from 'uqr'

/** White squares around the code, without which readers do not find it. */
const border = 4

interface QrProps {
  /** What the code says, such as an address. */
  text: string
  label: string
  className?: string
}

/**
 * A QR code that fills its width. It is black on white in every theme: many readers do not find
 * light codes on dark ground. Load it lazily: the encoder is larger than most pages.
 */
export function Qr({ text, label, className }: QrProps) {
  const { data, size } = encode(text, { border, ecc: 'M' })
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={className}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join('')} fill="#000" />
    </svg>
  )
}
