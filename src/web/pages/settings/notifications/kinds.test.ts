import { expect, test } from 'bun:test'
import { membersOf } from '../../../../system/notifications/targets.ts'
import { kindNames, kinds } from './kinds.ts'

test('the form asks for what the service needs, and leaves optional what it does', () => {
  expect(kindNames.toSorted()).toEqual(Object.keys(membersOf).toSorted() as typeof kindNames)
  for (const kind of kindNames) {
    // The encryption of mail is a choice of its own.
    const members = membersOf[kind].filter((name) => name !== 'security')
    expect<readonly string[]>(kinds[kind]).toEqual(members)
  }
})
