/** Event colours; the numbers are those of the API. */
export const hues = [1, 2, 3, 4, 5, 6, 7, 8] as const

/**
 * Events with different colours: the first of a colour keeps it, later ones take the first that no
 * compared event has.
 */
export function withOwnHues<Event extends { colorIndex: number }>(
  events: readonly Event[],
): Event[] {
  const own = new Set(events.map(({ colorIndex }) => colorIndex))
  const used = new Set<number>()
  return events.map((event) => {
    const isFirst = !used.has(event.colorIndex)
    const free = hues.find((hue) => !own.has(hue) && !used.has(hue))
    const colorIndex = isFirst ? event.colorIndex : (free ?? event.colorIndex)
    used.add(colorIndex)
    return { ...event, colorIndex }
  })
}
