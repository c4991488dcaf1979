import { expect, test } from 'bun:test'
import { parseConnectionString } from '../../../../system/migration/connection-string.ts'
import { connectionText } from './connection.ts'

test('the server reads back what the form was filled with', () => {
  const filled = { host: ' db ', port: '5433', database: 'x', user: 'me', password: `a;"b'=c ` }
  expect(parseConnectionString(connectionText(filled))).toEqual({
    host: 'db',
    port: 5433,
    database: 'x',
    user: 'me',
    password: `a;"b'=c `,
  })
})
