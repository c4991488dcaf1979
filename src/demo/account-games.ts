import type { StandInAsset } from '../../test/support/stand-ins/beta.ts'
import type { StandInTitle } from '../../test/support/stand-ins/epsilon.ts'

const betaGame = (appName: string, title: string, basePath: string) =>
  ({
    appName,
    title,
    basePath,
    buildVersion: '1',
    images: [{ type: 'OfferImageWide', url: `https://cdn1.epicgames.com/demo/${appName}` }],
  }) satisfies StandInAsset

/** Games of the demo's Epic account; all of them are invented. */
export const betaGames = {
  lantern: betaGame('Lantern', 'Lantern Orchard', '/Builds/Org/o-lantern/7d21/default'),
  comets: betaGame('Comets', 'Paper Comets', '/Builds/Org/o-comets/5f0c/default'),
}

const packageRoot = 'http://assets1.xboxlive.com'
const packageBytes = 40 * 1024 * 1024

function epsilonGame(productId: string, name: string, contentId: string) {
  const path = `/9/${contentId}/5c7f2b6e-1f6d-4e0a-9a54-3f0c1d2e4b5a/1.0.0.0.${contentId}/package_x64`
  const file = { name: 'package_x64', root: packageRoot, path, bytes: packageBytes }
  const hero = `//store-images.s-microsoft.com/demo/${productId}`
  return {
    productId,
    name,
    path,
    bytes: packageBytes,
    hero,
    packages: { [contentId]: [file] },
  } satisfies StandInTitle & {
    path: string
    bytes: number
  }
}

/** Games of the demo's Xbox account with the path of their package; all of them are invented. */
export const epsilonGames = {
  meridian: epsilonGame('9DEMOMERIDIA', 'Copper Meridian', '8d6a1c0e-7f35-4b0c-9a6e-2f1d3c4b5a69'),
  glasswing: epsilonGame(
    '9DEMOGLASSWI',
    'Glasswing Valley',
    '3b2f9a71-0c4d-4e58-8b17-6a9d0e2c1f43',
  ),
}
