import { expect, test } from 'bun:test'
import { tokenFor } from '../../../test/support/stand-ins/alpha.ts'
import { tokenEnd } from './token.ts'

const claims = (value: unknown) => `h.${Buffer.from(JSON.stringify(value)).toString('base64url')}.s`

test('reads when a token expires', () => {
  const endsAt = new Date('2027-01-02T03:04:05Z')
  expect(tokenEnd(tokenFor('1', { endsAt }))).toEqual(endsAt)
})

test.each(['', 'text', 'a.b.c', claims(null), claims({}), claims({ exp: '1' }), claims([])])(
  'finds no expiry in %p',
  (token) => expect(tokenEnd(token)).toBeNull(),
)
