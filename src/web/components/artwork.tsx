import { clsx } from 'clsx'
import type { GameRef } from '../format/image-address.ts'
import { initialsOf } from '../format/initials.ts'
import { platformOf } from '../format/services.ts'
import { GameImage } from './game-image.tsx'

interface ArtworkProps {
  name: string
  /** Its platform's colour is the tile's. */
  service: string
  game?: GameRef | null
  className?: string
}

/** A game's image, else its initials on the platform's colour. */
export const Artwork = ({ name, service, game = null, className }: ArtworkProps) => (
  <GameImage game={game} className={className}>
    <span
      aria-hidden="true"
      className={clsx('artwork', className)}
      data-platform={platformOf(service)}
    >
      <span>{initialsOf(name)}</span>
    </span>
  </GameImage>
)
