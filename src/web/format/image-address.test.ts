import { expect, test } from 'bun:test'
import { imageAddress } from './image-address.ts'

const images = { ids: new Set(['400', 'o-1/x', 'world-of-warcraft', 'sea-of-thieves']), version: 7 }

test.each([
  ['steam', 'app-400', '/api/game-images/400/header?v=7'],
  ['steam', 'app-401', null],
  ['steam', 'unknown', null],
  ['epicgames', 'beta-o-1/x', '/api/game-images/beta/o-1%2Fx/header?v=7'],
  [
    'battlenet',
    'name-world of warcraft',
    '/api/game-images/name/blizzard/world-of-warcraft/header?v=7',
  ],
  ['wsus', 'name-Sea of Thieves!', '/api/game-images/name/xbox/sea-of-thieves/header?v=7'],
  ['xbox', 'name-other', null],
  ['steam', 'name-sea of thieves', null],
])('the image of %s %s is %p', (service, id, address) => {
  expect(imageAddress({ service, id }, images)).toBe(address)
})
