import type { Key } from '../locales/translate.ts'

/** The server says formulas in English; those of the dashboard are said in the reader's language. */
export const formulaKeys: Readonly<Record<string, Key>> = {
  'sum of bytes served from the cache': 'formula.hit',
  'sum of bytes fetched from the internet and added to the cache': 'formula.miss',
  'saved + added': 'formula.served',
  'hit + miss': 'formula.served',
  'bytes from the cache ÷ all bytes served; 0 when nothing was served': 'formula.share',
  'downloads whose last byte is younger than 15 s': 'formula.active',
  'different client addresses with traffic': 'formula.clients',
  'downloads that began in the range': 'formula.downloads',
  'downloads of this client': 'formula.ownDownloads',
  'bytes of the window ÷ its seconds': 'formula.speed',
  'start of its first download': 'formula.first',
  'last byte of its latest download': 'formula.last',
  'capacity − free': 'formula.used',
  'blocks that others may use': 'formula.free',
}

export const sourceKeys: Readonly<Record<string, Key>> = {
  'Traffic of five minutes, hours and days in the history': 'source.traffic',
  'Downloads in the history': 'source.downloads',
  'The log engine: requests of the last two seconds': 'source.engine',
  'Sums of downloads by title, client and service in the history': 'source.groups',
  'The file system of the cache of the first datasource': 'source.disk',
}
