import { isHere, placeOf, shownPath, type NodeHosts } from '../remote/hosts.ts'
import type { DiskEngine } from './facade.ts'

/** Members of answers that name a place. */
const places = new Set([
  'space.mountPoint',
  'space.device',
  'logSample.file',
  'folderAccess.refused',
])

/** Asks the file systems of nodes for their paths, and those of this machine for all others. */
export function joinDisks(local: DiskEngine, hosts: NodeHosts): DiskEngine {
  const ask: DiskEngine['ask'] = async (question, path) => {
    const place = placeOf(hosts, path)
    if (place === null) return local.ask(question, path)
    const { host } = place
    // Files of a stack beside a cache are for the settings of this machine only.
    if (question === 'stackSettings' || !isHere(host)) return null
    const answer = await host.disk.ask(question, place.path as typeof path)
    if (answer === null) return null
    // Disks and files of two machines may have the same names.
    const shown = Object.entries(answer).map(([key, value]) => {
      const isPlace = typeof value === 'string' && places.has(`${question}.${key}`)
      return [key, isPlace ? shownPath(host.name, value) : value]
    })
    return Object.fromEntries(shown)
  }
  return { ask, stop: () => local.stop() }
}
