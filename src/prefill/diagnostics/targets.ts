import type { Platform } from '../../platforms/platforms.ts'

/** What each platform's content comes from: an address to reach, and names of its servers. */
export const targets: Readonly<Record<Platform, { url: string; domains: readonly string[] }>> = {
  alpha: {
    url: 'https://api.steampowered.com/',
    domains: ['lancache.steamcontent.com', 'steam.cache.lancache.net'],
  },
  beta: {
    url:
      'https://launcher-public-service-prod06.ol.epicgames.com' +
      '/launcher/api/public/assets/Windows?label=Live',
    domains: ['epicgames-download1.akamaized.net', 'egdownload.fastly-edge.com'],
  },
  gamma: {
    url: 'https://us.cdn.blizzard.com/',
    domains: ['level3.blizzard.com', 'blzddist1-a.akamaihd.net'],
  },
  delta: {
    url: 'https://lol.dyn.riotcdn.net/',
    domains: ['lol.dyn.riotcdn.net', 'valorant.dyn.riotcdn.net'],
  },
  epsilon: {
    url: 'https://displaycatalog.mp.microsoft.com/',
    domains: ['assets1.xboxlive.com', 'dl.delivery.mp.microsoft.com'],
  },
}
