import { clsx } from 'clsx'
import { useState, type ReactNode } from 'react'
import { useGameImage } from '../api/game-images.ts'
import type { GameRef } from '../format/image-address.ts'

interface GameImageProps {
  game: GameRef | null
  className?: string
  /** Shown when there is no image. */
  children: ReactNode
}

/** A game's header image, loaded when it scrolls into view. Its name stands beside it. */
export function GameImage({ game, className, children }: GameImageProps) {
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
