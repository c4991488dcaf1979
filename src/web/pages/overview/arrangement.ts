/** Cards of the overview below the key figures, in their standard order. */
export const cardIds = ['flow', 'now', 'growth', 'games', 'clients', 'services', 'hours'] as const
export type CardId = (typeof cardIds)[number]

/** Which saved view holds an account's arrangement; its query is `cards=<arrangement>`. */
export const viewPage = 'overview'

/** Begin a row; the cards after them stand beside them. */
const wide: readonly CardId[] = ['flow', 'games']
/** Only where there is room for a third column. */
export const extra: readonly CardId[] = ['growth', 'services']

/** Every card once, in the user's order. */
export type Arrangement = readonly { id: CardId; isShown: boolean }[]

/**
 * An arrangement as the text that is stored, `flow,-now,games`: a minus hides. Cards that it does not
 * name, because they are newer, follow the card that they follow in the standard order.
 */
export function readArrangement(text: string): Arrangement {
  const named = text.split(',').flatMap((part) => {
    const id = cardIds.find((known) => known === part.replace(/^-/, ''))
    return id === undefined ? [] : [{ id, isShown: !part.startsWith('-') }]
  })
  const cards = named.filter(({ id }, at) => named.findIndex((one) => one.id === id) === at)
  for (const [at, id] of cardIds.entries()) {
    if (cards.some((card) => card.id === id)) continue
    const before = cards.findIndex((card) => card.id === cardIds[at - 1])
    cards.splice(before + 1, 0, { id, isShown: true })
  }
  return cards
}

export const writeArrangement = (cards: Arrangement): string =>
  cards.map(({ id, isShown }) => (isShown ? id : `-${id}`)).join(',')

export interface Band {
  /** At the left; null when the first cards are narrow ones. */
  wide: CardId | null
  side: CardId[]
}

/** Rows of the page: reading them in order is the user's order. */
export function bandsOf(cards: Arrangement, hasExtra: boolean): Band[] {
  const bands: Band[] = []
  for (const { id, isShown } of cards) {
    if (!isShown || (!hasExtra && extra.includes(id))) continue
    const band = bands.at(-1)
    if (wide.includes(id)) bands.push({ wide: id, side: [] })
    else if (band === undefined) bands.push({ wide: null, side: [id] })
    else band.side.push(id)
  }
  return bands
}
