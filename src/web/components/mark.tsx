import type { GameRef } from '../format/image-address.ts'
import { Artwork } from './artwork.tsx'

interface MarkProps {
  name: string
  service: string
  game?: GameRef | null
}

/** The artwork of a row: small and square. */
export const Mark = (mark: MarkProps) => (
  <Artwork {...mark} className="size-[34px] flex-none rounded-mark" />
)
