/** Hashes of the tests' many accounts are cheap, but for those that test the hashing. */
export const hashing = { isCheap: true }

const hash = Bun.password.hash.bind(Bun.password)
const cheap = { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 } as const
Bun.password.hash = (password, options) => hash(password, hashing.isCheap ? cheap : options)
