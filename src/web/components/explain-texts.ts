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
  'all blocks of the file system': 'formula.whole',
  'used ÷ capacity': 'formula.usage',
  'service with most bytes; names of one service count together': 'formula.topService',
  'games with requests in the window': 'formula.activeGames',
  'clients with requests in the window': 'formula.activeClients',
  'rows of the list: depots per client, and single downloads of titles without depots':
    'formula.listRows',
  'different games that have a name': 'formula.games',
  'mean speed of its downloads that took time, weighted by their bytes': 'formula.mean',
  'downloads of this game': 'formula.gameDownloads',
  'downloads of this service, under all of its names': 'formula.serviceDownloads',
  'different client addresses with downloads of it': 'formula.takers',
  'downloads of it whose files are no longer in the cache': 'formula.evicted',
  'last byte − first byte': 'formula.duration',
  'its bytes ÷ its seconds; 0 when it took no time': 'formula.ownSpeed',
  'the smaller of limit − used and what is free on the disk': 'formula.room',
  'median of the slopes between all pairs of sizes since the last clean-up': 'formula.growth',
  'room left ÷ growth a day; 0 when less than 0.5 % of the whole is left': 'formula.daysLeft',
  'games of the last detection that have files in the cache': 'formula.detected',
}

export const sourceKeys: Readonly<Record<string, Key>> = {
  'Traffic of five minutes, hours and days in the history': 'source.traffic',
  'Downloads in the history': 'source.downloads',
  'The log engine: requests of the last two seconds': 'source.engine',
  'Sums of downloads by title, client and service in the history': 'source.groups',
  'The file system of the cache of the first datasource': 'source.disk',
  'Its row in the history': 'source.row',
  'Sizes of the cache as they were measured every hour, of the last 30 days': 'source.sizes',
  'The index of cached files and the last detection of games': 'source.index',
}
