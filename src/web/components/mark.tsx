import type { GameRef } from '../format/image-address.ts'
import { Artwork } from './artwork.tsx'

/** The artwork of a row: small and square. */
export const Mark = (mark: { name: string; service: string; game?: GameRef | null }) => (
  <Artwork {...mark} className="size-[34px] flex-none rounded-mark" />
)
