import { clsx } from 'clsx'
import type { GameRef } from '../format/image-address.ts'
import { drawingOf } from './artwork-drawing.ts'
import { GameImage } from './game-image.tsx'

interface ArtworkProps {
  name: string
  game?: GameRef | null
  className?: string
}

/** A game's image, else generated artwork. */
export function Artwork({ name, game = null, className }: ArtworkProps) {
  return (
    <GameImage game={game} className={className}>
      <Drawing name={name} className={className} />
    </GameImage>
  )
}

/** Shapes and shades are derived from the name and stay the same. */
function Drawing({ name, className }: Pick<ArtworkProps, 'name' | 'className'>) {
  const { angle, turn, letters, shapes } = drawingOf(name)
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      className={clsx('artwork block overflow-hidden', className)}
      style={{ '--angle': angle } as React.CSSProperties}
    >
      <rect width="100" height="100" className="fill-(--art-ground)" />
      <g transform={`rotate(${turn} 50 50)`}>
        {shapes.map(({ kind, x, y, size }, index) =>
          kind === 'circle' ? (
            // Their number and order are derived from the name.
            // oxlint-disable-next-line react/no-array-index-key
            <circle key={index} cx={x} cy={y} r={size} className="fill-(--art-shape)" />
          ) : (
            // oxlint-disable-next-line react/no-array-index-key
            <rect
              key={index}
              x={x - size}
              y={-40}
              width={size}
              height="180"
              className="fill-(--art-shape)"
            />
          ),
        )}
      </g>
      <text
        x="50"
        y="52"
        textAnchor="middle"
        dominantBaseline="middle"
        fontSize={letters.length > 2 ? 30 : 38}
        fontWeight="750"
        letterSpacing="-1"
        className="fill-(--art-ink)"
      >
        {letters}
      </text>
    </svg>
  )
}
