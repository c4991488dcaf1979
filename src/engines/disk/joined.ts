import { isHere, placeOf, shownPath, type NodeHosts } from '../remote/hosts.ts'
import type { DiskEngine } from './facade.ts'
import type { Space } from './contract.ts'

/** Asks the file systems of nodes for their paths, and those of this machine for all others. */
export function joinDisks(local: DiskEngine, hosts: NodeHosts): DiskEngine {
  const ask: DiskEngine['ask'] = async (question, path) => {
    const place = placeOf(hosts, path)
    if (place === null) return local.ask(question, path)
    const { host } = place
    // Files of a stack beside a cache are for the settings of this machine only.
    if (question === 'stackSettings' || !isHere(host)) return null
    const answer = await host.disk.ask(question, place.path as typeof path)
    if (question !== 'space' || answer === null) return answer
    // Disks of two machines may have the same names.
    const { mountPoint, device } = answer as Space
    const [point, name] = [shownPath(host.name, mountPoint), shownPath(host.name, device)]
    return { ...answer, mountPoint: point, device: name }
  }
  return { ask, stop: () => local.stop() }
}
