import { FormatError } from '../content/format-error.ts'

const rowsMax = 10_000
const hostsMax = 50

/** 16 bytes in hex: the name of a file on the content servers. */
export const hexKey = /^[0-9a-f]{32}$/
const hostPattern = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const pathPattern = /^[a-z0-9_-]+(\/[a-z0-9_-]+){0,5}$/i

/** Rows of a table of the patch server, by the column names of its first line in lower case. */
function rowsOf(text: string): Map<string, string>[] {
  const lines = text.split(/\r?\n/, rowsMax).filter((line) => line !== '' && !line.startsWith('#'))
  const [head, ...rows] = lines
  if (head?.includes('!') !== true) throw new FormatError('a table of the patch server has no head')
  const names = head.split('|').map((column) => column.replace(/!.*$/, '').toLowerCase())
  return rows.map((row) => {
    const cells = row.split('|')
    return new Map(names.map((name, index) => [name, cells[index] ?? '']))
  })
}

/** Where the content of a product is. */
export interface ContentPlace {
  /** First part of every path, without slashes around it. */
  path: string
  /** The same of the product's configuration, which products share. */
  configPath: string
  hosts: string[]
}

const usualConfigPath = 'tpr/configs/data'
/** Hosts that carry everything; they are preferred to those of the table. */
const usualHosts = ['level3.blizzard.com', 'cdn.blizzard.com', 'us.cdn.blizzard.com']

/** Reads the table `cdns`. Throws FormatError. */
export function parseHosts(text: string): ContentPlace {
  const rows = rowsOf(text)
  const path = rows[0]?.get('path') ?? ''
  if (!pathPattern.test(path)) throw new FormatError('the table of hosts has no usable path')
  const named = rows[0]?.get('configpath') ?? ''
  const configPath = pathPattern.test(named) ? named : usualConfigPath
  const carriers = rows.flatMap((row) => (row.get('hosts') ?? '').split(' '))
  const hosts = [...usualHosts, ...carriers.filter((host) => hostPattern.test(host))]
  return { path, configPath, hosts: [...new Set(hosts)].slice(0, hostsMax) }
}

/** Reads the table `versions`. Throws FormatError. */
export function parseVersions(text: string) {
  const [row = new Map<string, string>()] = rowsOf(text)
  const key = (name: string) => {
    const value = row.get(name) ?? ''
    return hexKey.test(value) ? value : null
  }
  const [buildConfig, cdnConfig] = [key('buildconfig'), key('cdnconfig')]
  const name = row.get('versionsname') ?? ''
  if (buildConfig === null || cdnConfig === null || name === '' || name.length > 200) {
    throw new FormatError('the table of versions has no usable row')
  }
  const [keyRing, productConfig] = [key('keyring'), key('productconfig')]
  return {
    buildConfig,
    cdnConfig,
    /** Null: there is none. */
    keyRing,
    productConfig,
    name,
  }
}
export type ProductVersion = ReturnType<typeof parseVersions>
