/** Least width of a tile, and the space between two. */
const tileMin = 158
export const gap = 12
/** Of the images that the platforms have: 460 by 215 pixels. */
const coverRatio = 215 / 460
/** Of the two lines below the cover. */
const captionHeight = 54

export interface Grid {
  columns: number
  coverHeight: number
  /** With the gap. */
  rowHeight: number
}

/** How many tiles stand side by side, and how high they are; sizes are fixed, so nothing moves. */
export function gridOf(width: number): Grid {
  const columns = Math.max(1, Math.floor((width + gap) / (tileMin + gap)))
  const tileWidth = (width - gap * (columns - 1)) / columns
  const coverHeight = Math.round(tileWidth * coverRatio)
  return { columns, coverHeight, rowHeight: coverHeight + captionHeight + gap }
}

const rowsPerPage = 4

/** The tile that a key moves to, or null for other keys. */
export function nextTile(
  key: string,
  current: number,
  { columns, count }: { columns: number; count: number },
): number | null {
  const steps = new Map([
    ['ArrowRight', 1],
    ['ArrowLeft', -1],
    ['ArrowDown', columns],
    ['ArrowUp', -columns],
    ['PageDown', columns * rowsPerPage],
    ['PageUp', -columns * rowsPerPage],
    ['Home', -count],
    ['End', count],
  ])
  const by = steps.get(key)
  if (by === undefined || count === 0) return null
  return Math.min(count - 1, Math.max(0, current + by))
}
