import { clsx } from 'clsx'
import type { GameRef } from '../format/image-address.ts'
import { initialsOf } from '../format/initials.ts'
import { platformOf } from '../format/services.ts'
import { useState, type ReactNode } from 'react'
import { useGameImage } from '../api/game-images.ts'

/** The artwork of a row: small and square. */
export const Mark = (mark: { name: string; service: string; game?: GameRef | null }) => (
  <Artwork {...mark} className="size-[34px] flex-none rounded-mark" />
)

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
      style={{ ['--hue' as string]: `var(--${platformOf(service)})` }}
    >
      <span>{initialsOf(name)}</span>
    </span>
  </GameImage>
)

interface GameImageProps {
  game: GameRef | null
  className?: string
  /** Shown when there is no image. */
  children: ReactNode
}

/** A game's header image, loaded when it scrolls into view. Its name stands beside it. */
function GameImage({ game, className, children }: GameImageProps) {
  const address = useGameImage(game)
  const [broken, setBroken] = useState<string | null>(null)
  if (address === null || address === broken) return children
  return (
    <img
      src={address}
      alt=""
      loading="lazy"
      decoding="async"
      className={clsx('block object-cover', className)}
      onError={() => setBroken(address)}
    />
  )
}
