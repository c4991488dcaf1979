/** Random numbers from 0 to below 1; the same for a seed, so that a failure can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The same as whole numbers from 0 to below a limit. */
export function randomBelow(seed: number): (below: number) => number {
  const next = randomFrom(seed)
  return (below) => Math.floor(next() * below)
}
