import { expect, test } from 'bun:test'
import type { History } from '../../../db/history/history.ts'
import { readConfig } from '../../core/config.ts'
import { wantedImages } from './wanted.ts'

const title = {
  titleKey: 'alpha:403',
  service: 'steam',
  gameName: 'Portal: More',
  gameAppId: 402,
  betaAppId: null,
  depotId: 403,
  imageUrl: null,
}
const addresses = readConfig({ Images__AlphaBaseUrl: 'http://images.test' }).images

const sourcesWith = async (parents: () => Promise<{ appId: number; parentId: number }[]>) => {
  // The rest is unused.
  const history = { read: () => Promise.resolve([title]) } as unknown as History
  const [image] = await wantedImages({ history, addresses, catalogue: { parents } })
  expect(image?.key).toBe('alpha:402')
  return image?.sources.flat()
}
const own = ['http://images.test/402/header.jpg', 'http://images.test/402/capsule_616x353.jpg']

test('a DLC or tool without an image of its own has the one of its game', async () => {
  expect(await sourcesWith(() => Promise.resolve([{ appId: 402, parentId: 400 }]))).toEqual([
    ...own,
    'http://images.test/400/header.jpg',
    'http://images.test/400/capsule_616x353.jpg',
  ])
})

test('a game, and any app while the catalogue does not answer, has its own only', async () => {
  expect(await sourcesWith(() => Promise.resolve([]))).toEqual(own)
  expect(await sourcesWith(() => Promise.reject(new Error('away')))).toEqual(own)
})

test('games whose names are symbols alone have no image', async () => {
  const imageUrl = 'https://store-images.s-microsoft.com/image/1'
  const xbox = { ...title, service: 'wsus', gameAppId: null, depotId: null, imageUrl }
  const titles = ['Forza', '!!!'].map((gameName) => ({
    ...xbox,
    titleKey: `epsilon:/${gameName}`,
    gameName,
  }))
  const history = { read: () => Promise.resolve(titles) } as unknown as History
  const catalogue = { parents: () => Promise.resolve([]) }
  const images = await wantedImages({ history, addresses, catalogue })
  expect(images.map(({ key }) => key)).toEqual(['xbox:forza'])
})
