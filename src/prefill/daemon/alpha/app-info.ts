import { idOf, idsOf, listOf, textOf, tree } from '../../../engines/alpha-connection/key-values.ts'

const nameMax = 500
/** Spacewar, which every developer owns as an example. */
const exampleAppId = 480
/** Mods; a category is a member `category_<number>`. */
const modCategories = ['category_6', 'category_19']

/** `manifests.public.gid`, or in an older form `manifests.public` itself. */
function manifestOf(manifests: unknown): string | null {
  const { public: current } = tree(manifests)
  const gid = textOf(tree(current)['gid'] ?? current)
  return /^[1-9]\d{0,19}$/.test(gid) ? gid : null
}

function depotOf(depotId: number, value: unknown) {
  const { manifests, depotfromapp, dlcappid, config } = tree(value)
  const { oslist, osarch, language, lowviolence } = tree(config)
  const languages = listOf(language)
  return {
    depotId,
    /** The current manifest of everyone; null: the app that the depot comes from names it. */
    manifestId: manifestOf(manifests),
    /** The app that the depot is borrowed from; 0: its own. */
    fromAppId: idOf(depotfromapp),
    /** The DLC that it belongs to; 0: the app itself. */
    dlcAppId: idOf(dlcappid),
    /** Systems that it is for; empty: all. */
    systems: listOf(oslist),
    isFor64Bit: textOf(osarch) === '' || textOf(osarch) === '64',
    isForEnglish: languages.length === 0 || languages.includes('english'),
    isLowViolence: textOf(lowviolence) === '1',
  }
}
export type Depot = ReturnType<typeof depotOf>

function isListed(appId: number, common: unknown): boolean {
  const { type, releasestate, oslist, category } = tree(common)
  const systems = listOf(oslist)
  return (
    appId !== exampleAppId &&
    ['game', 'beta', 'demo'].includes(textOf(type).toLowerCase()) &&
    !['unavailable', 'disabled'].includes(textOf(releasestate).toLowerCase()) &&
    (systems.length === 0 || systems.includes('windows')) &&
    !modCategories.some((name) => name in tree(category))
  )
}

/** Reads the key-values of Steam's product information of an app. */
export function readAppInfo(appId: number, appinfo: unknown) {
  const { common, extended, depots } = tree(appinfo)
  return {
    appId,
    name: textOf(tree(common)['name']).trim().slice(0, nameMax) || String(appId),
    /** Whether it belongs into a list of games. */
    isGame: isListed(appId, common),
    dlcIds: idsOf(tree(common)['listofdlc'] ?? tree(extended)['listofdlc']),
    depots: Object.entries(tree(depots))
      .filter(([key]) => idOf(key) > 0)
      .map(([key, value]) => depotOf(idOf(key), value)),
  }
}
/** What a download needs to know of an app. */
export type AppInfo = ReturnType<typeof readAppInfo>
