import { expect, test } from 'bun:test'
import {
  bandsOf,
  cardIds,
  extra,
  readArrangement,
  writeArrangement,
  type Arrangement,
} from './arrangement.ts'
import { moved } from './arrange.ts'

/** Arrangements from a seed, of all orders and hidden cards. */
function arrangementOf(seed: number): Arrangement {
  let state = seed
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return cardIds
    .map((id) => ({ id, isShown: next() % 3 !== 0, place: next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ id, isShown }) => ({ id, isShown }))
}

const seeds = Array.from({ length: 500 }, (_, seed) => seed + 1)

test('every arrangement survives being stored', () => {
  for (const cards of seeds.map(arrangementOf)) {
    expect(readArrangement(writeArrangement(cards))).toEqual(cards)
  }
})

test('whatever is stored, each card is there once', () => {
  const texts = ['', 'flow', '-flow,flow', 'x,,now', '-', 'hours,-games,--now', 'FLOW']
  for (const text of [
    ...texts,
    ...seeds.map((seed) => writeArrangement(arrangementOf(seed)).slice(seed % 9)),
  ]) {
    const ids = readArrangement(text).map(({ id }) => id)
    expect(ids.toSorted()).toEqual([...cardIds].toSorted())
  }
  expect(readArrangement('').map(({ id }) => id)).toEqual([...cardIds])
  // A card that is newer than what is stored stands after the one before it.
  expect(writeArrangement(readArrangement('hours,-games,flow,now'))).toBe(
    'hours,-games,clients,services,flow,now,growth',
  )
})

test('rows hold the shown cards in their order', () => {
  for (const cards of seeds.map(arrangementOf)) {
    for (const hasExtra of [true, false]) {
      const rows = bandsOf(cards, hasExtra)
      const shown = cards.filter(({ id, isShown }) => isShown && (hasExtra || !extra.includes(id)))
      const drawn = rows.flatMap((row) => (row.wide === null ? row.side : [row.wide, ...row.side]))
      expect(drawn).toEqual(shown.map(({ id }) => id))
      expect(rows.filter((row, at) => row.wide === null && at > 0)).toEqual([])
    }
  }
})

test('moving a card moves no other past a third', () => {
  for (const cards of seeds.slice(0, 50).map(arrangementOf)) {
    for (let from = 0; from < cards.length; from++) {
      for (let to = -1; to <= cards.length; to++) {
        const next = moved(cards, from, to)
        const at = Math.min(cards.length - 1, Math.max(0, to))
        expect(next[at]).toEqual(cards[from])
        expect(next.filter((_, index) => index !== at)).toEqual(
          cards.filter((_, index) => index !== from),
        )
      }
    }
  }
})
