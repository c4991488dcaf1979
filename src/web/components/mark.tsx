import type { GameRef } from '../format/image-address.ts'
import { platformOf } from '../format/services.ts'
import { GameImage } from './game-image.tsx'

interface MarkProps {
  name: string
  service: string
  game?: GameRef | null
}

/** A game's image, else the first letter on the platform's tint. */
export function Mark({ name, service, game = null }: MarkProps) {
  const first = name.trim().codePointAt(0)
  const letter = first === undefined ? '?' : String.fromCodePoint(first).toUpperCase()
  return (
    <GameImage game={game} className="size-[34px] flex-none rounded-mark">
      <span aria-hidden="true" className="mark" data-platform={platformOf(service)}>
        {letter}
      </span>
    </GameImage>
  )
}
