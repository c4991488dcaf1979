/**
 * What other groups may use of the catalogue: identifying a title's game, and names given by hand.
 */

export { type AlphaWebApi, isWebApiKey, type Probe } from './alpha/web-api/client.ts'
export type { AnsweredLists, AppLists } from './alpha/web-api/lists.ts'
export {
  type DepotOwners,
  knownOwners,
  otherUsers,
  type OwnersOf,
  staysWithout,
} from './titles/depot-owners.ts'
export { type GameIdentity, gameKey, gameOf, type TitleRow } from './titles/games.ts'
export {
  applyHandNames,
  createTitleReset,
  forgetHandName,
  keepHandName,
  readHandNames,
} from './titles/hand-names.ts'
